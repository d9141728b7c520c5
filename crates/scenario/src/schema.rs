//! The shape of a scenario file as a JSON schema, generated from these types, for editors.
//!
//! The parser reads files field by field, so that it can say everything that is wrong at once; these types only describe them. A test
//! compares the fields of both.

use crate::library::GROUPS;
use lockstep_kernel::Network;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use std::collections::BTreeMap;

/// A Lockstep scenario: a system, the events that lead through it, and what must be true on the way.
#[derive(JsonSchema)]
#[schemars(title = "Lockstep scenario", deny_unknown_fields)]
#[expect(dead_code, reason = "the types are only described")]
struct Scenario {
    /// Its name for people.
    title: String,
    /// What it shows, in a few sentences.
    about: String,
    /// One line for the gallery: what one will see.
    see: Option<String>,
    /// How long it takes, in minutes.
    #[schemars(range(min = 1, max = 120))]
    minutes: Option<u32>,
    /// The paper that it belongs to.
    paper: Option<Paper>,
    /// The number of that paper, in older files.
    text: Option<String>,
    /// The figures of that paper that it plays: "Figure 1".
    figures: Option<Vec<String>>,
    /// The algorithm, as `lockstep list` shows it.
    #[schemars(schema_with = "algorithms")]
    algorithm: String,
    /// Parameters of the algorithm; the others have their defaults.
    params: Option<BTreeMap<String, Scalar>>,
    /// Run without this line of the algorithm's listing: its number, or the words that it begins with.
    without: Option<NumberOrText>,
    /// chain, star, binary-tree, ring, full or clusters:3x3; a chain if nothing is said.
    topology: Option<String>,
    /// How many nodes.
    #[schemars(range(min = 1, max = 1023))]
    nodes: Option<u32>,
    /// Their names; p1, p2, … if nothing is said.
    names: Option<Vec<String>>,
    /// User threads of every node, or of each.
    threads: Option<OneOrEach>,
    /// The nodes of each cluster.
    clusters: Option<Vec<Vec<String>>>,
    /// The initial pointers: child = "parent". The one without a parent holds the token.
    parents: Option<BTreeMap<String, String>>,
    /// Cells of a divided resource.
    #[schemars(range(min = 1, max = 65535))]
    cells: Option<u32>,
    /// The node that holds each cell at the beginning.
    placement: Option<Vec<String>>,
    /// What the network may do to messages.
    network: Option<Links>,
    /// "by-hand": nobody asks unless the script says so.
    load: Option<String>,
    /// Requests for each node and time unit, at random.
    rate: Option<f64>,
    /// Every thread thinks so long, asks, enters, leaves, and thinks again.
    think: Option<Duration>,
    /// How long every thread thinks before it asks for the first time, if not as long as later.
    first: Option<Duration>,
    /// How often each thread that thinks asks.
    requests: Option<u32>,
    /// Requests at given times: "p2 at 0.5".
    asks: Option<Vec<String>>,
    /// How long a critical section lasts.
    section: Option<Duration>,
    /// How long messages travel.
    delay: Option<Duration>,
    /// How long messages travel between clusters.
    delay_global: Option<Duration>,
    /// The seed of everything that is random.
    seed: Option<u64>,
    /// The part of the resource that random requests ask for: "1/16".
    range: Option<Scalar>,
    /// Random requests begin at a multiple of their length.
    aligned: Option<bool>,
    /// Time units that the data of one cell add to a message's way.
    #[schemars(range(min = 0, max = 1))]
    per_cell: Option<f64>,
    /// A node is busy with a message that it sends until that has arrived.
    blocking: Option<bool>,
    /// The name of the stop at which the page opens.
    opens_at: Option<String>,
    /// The named moments, in the order in which they are reached.
    stop: Option<Vec<Stop>>,
}

/// A named moment.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the types are only described")]
struct Stop {
    /// Its name: "1a".
    name: String,
    /// What one sees here, in a few words.
    title: String,
    /// What happened on the way here and why.
    say: String,
    /// The events that lead here from the stop before: "p1.2 asks", "deliver REQ(p3) p2→p1", "p1 leaves", "run until p3 enters".
    script: Option<Vec<String>>,
    /// The state that must be reached here.
    expect: Option<Expect>,
    /// Something to think about before going on.
    question: Option<Question>,
}

/// What must be true. Beside these, every node can be named: p1 = { … }.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the types are only described")]
struct Expect {
    /// The messages on their way, in any order: "REQ(p2) p2→p1".
    in_flight: Option<Vec<String>>,
    /// Everybody who is inside.
    inside: Option<Vec<String>>,
    /// Everybody who waits.
    waiting: Option<Vec<String>>,
    /// Messages sent since the beginning.
    messages: Option<u64>,
    /// Critical sections entered since the beginning.
    entries: Option<u64>,
    /// The invariants that are violated here; all others must hold.
    violated: Option<OneOrMore>,
    #[schemars(flatten)]
    nodes: BTreeMap<String, Node>,
}

/// What must be true of a node. Beside these, every variable and pointer that it shows can be named.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the types are only described")]
struct Node {
    /// Who waits here, in this order: "u2", "p3.2", "A2", "p4".
    queue: Option<Vec<String>>,
    /// Which thread of the node is inside, or "none".
    inside: Option<OneOrMore>,
    /// Whether the token is here.
    token: Option<bool>,
    #[schemars(flatten)]
    variables: BTreeMap<String, ScalarOrList>,
}

/// A question with answers to choose from.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the types are only described")]
struct Question {
    /// The question.
    text: String,
    /// The answers; one is right.
    answers: Vec<Answer>,
}

/// An answer.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "the types are only described")]
struct Answer {
    /// The answer.
    text: String,
    /// Why it is right or wrong.
    because: String,
    /// Whether it is the right one.
    right: Option<bool>,
}

/// A text, a number, true or false.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the types are only described")]
enum Scalar {
    Text(String),
    Number(f64),
    Flag(bool),
}

/// The value of a variable, or a queue.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the types are only described")]
enum ScalarOrList {
    Scalar(Scalar),
    List(Vec<String>),
}

/// A number or a text.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the types are only described")]
enum NumberOrText {
    Number(u8),
    Text(String),
}

/// A text, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the types are only described")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// A number for all, or one for each.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the types are only described")]
enum OneOrEach {
    One(u32),
    Each(Vec<u32>),
}

/// A duration in time units: "const:0.01", "uniform:0:0.1" or "exp:0.5".
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the types are only described")]
struct Duration(#[schemars(regex(pattern = r"^(const:[^:]+|uniform:[^:]+:[^:]+|exp:[^:]+)$"))] String);

/// A paper, or `beyond`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the types are only described")]
struct Paper(#[schemars(schema_with = "papers")] String);

/// What the network may do to messages.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the types are only described")]
struct Links(#[schemars(schema_with = "networks")] String);

fn one_of(names: Vec<&str>) -> Schema {
    schemars::json_schema!({ "type": "string", "enum": names })
}

fn algorithms(_: &mut SchemaGenerator) -> Schema {
    one_of(lockstep_algorithms::ALL.iter().map(|e| e.id).collect())
}

fn networks(_: &mut SchemaGenerator) -> Schema {
    one_of(Network::ALL.iter().map(|(name, _)| *name).collect())
}

fn papers(_: &mut SchemaGenerator) -> Schema {
    one_of(GROUPS.iter().map(|g| g.paper).collect())
}

/// TOML has no null: what may be missing is simply not required.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|c| c["type"] != "null");
        // a reference with a description beside it, as older editors understand it
        if choices.len() == 1
            && let Some(only) = schema.remove("anyOf")
        {
            schema.insert("allOf".into(), only);
        }
    }
}

/// The JSON schema of a scenario file, in the draft that editors for TOML know.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft07().with_transform(RecursiveTransform(without_null));
    settings.into_generator().into_root_schema_for::<Scenario>()
}
