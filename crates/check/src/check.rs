//! What is to be checked, in words: plain data for files, workers and links.

use lockstep_kernel::Params;
use lockstep_kernel::world::UNLIMITED;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The most requests of each node, where they are limited.
pub const MOST_REQUESTS: u32 = 1_000;

/// An algorithm and a small system. What is left out has the value of [`Check::default`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Check {
    /// The algorithm's id.
    pub algorithm: String,
    /// Parameters of the algorithm.
    pub params: Params,
    /// Number of nodes; by default 3, or what the clusters say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// User threads of each node.
    pub threads: u64,
    /// Requests of the threads of each node together.
    pub requests: Requests,
    /// chain, star, binary-tree, ring, full or clusters:2x2.
    pub topology: String,
    /// Clusters of different sizes, all pointing at the first node: 2+1+1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<String>,
    /// fifo, unordered, lossy or duplicating.
    pub network: String,
    /// Cells of a divided resource.
    pub cells: u16,
    /// Who holds each cell at the beginning, `p1,p1,p3`, or `every`: all ways, one after the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<String>,
    /// How often a waiting thread may give up.
    pub cancels: u8,
    /// How many nodes may crash; a crashed node may restart.
    pub crashes: u8,
    /// Whether states that differ only by the names of nodes that begin alike are taken for one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub symmetry: bool,
    /// Check the algorithm without this line of its listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<u8>,
    /// Stop beyond this many states.
    pub max_states: usize,
    /// Stop when this much memory is in use.
    pub max_megabytes: usize,
}

impl Default for Check {
    fn default() -> Self {
        Check {
            algorithm: String::new(),
            params: Params::default(),
            nodes: None,
            threads: 1,
            requests: Requests::Limited(2),
            topology: "chain".into(),
            clusters: None,
            network: "fifo".into(),
            cells: 1,
            placement: None,
            cancels: 0,
            crashes: 0,
            symmetry: false,
            without: None,
            max_states: 20_000_000,
            max_megabytes: 3_000,
        }
    }
}

/// How often the threads of a node ask, all together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Word", into = "Word")]
pub enum Requests {
    /// So often.
    Limited(u32),
    /// Without end: then starvation is looked for.
    Unlimited,
}

impl Requests {
    /// The number for the kernel.
    pub fn number(self) -> u32 {
        match self {
            Requests::Limited(number) => number,
            Requests::Unlimited => UNLIMITED,
        }
    }
}

impl FromStr for Requests {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "unlimited" {
            return Ok(Requests::Unlimited);
        }
        text.parse().map(Requests::Limited).map_err(|_| {
            let given: String = text.escape_default().take(60).collect();
            format!("`requests` is `{given}`; right would be 1 to {MOST_REQUESTS}, or unlimited.")
        })
    }
}

/// A number, or the word for none.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Word {
    Number(u32),
    Text(String),
}

impl From<Requests> for Word {
    fn from(requests: Requests) -> Word {
        match requests {
            Requests::Limited(number) => Word::Number(number),
            Requests::Unlimited => Word::Text("unlimited".into()),
        }
    }
}

impl TryFrom<Word> for Requests {
    type Error = String;

    fn try_from(word: Word) -> Result<Self, String> {
        match word {
            Word::Number(number) => Ok(Requests::Limited(number)),
            Word::Text(text) => text.parse(),
        }
    }
}
