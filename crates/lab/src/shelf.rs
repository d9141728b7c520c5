//! How results are named where they are stored, and how an address names a campaign.

use crate::study::{self, StudySize};
use crate::{CampaignSource, Experiment, Header, VERSION};
use std::collections::BTreeMap;

/// The stored results of one campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct Shelf {
    /// What the names of its results begin with.
    pub name: String,
    /// How many points are measured.
    pub points: usize,
    /// The experiment, if it is one's own.
    pub document: Option<String>,
}

/// The key of the document of an experiment of one's own.
pub const DOCUMENT: &str = "experiment";
/// How an address begins that contains an experiment.
const OWN: &str = "own:";

impl CampaignSource {
    /// What the names of its results begin with: `version|study|size|seed|switches|`.
    pub fn shelf(&self) -> String {
        match self {
            CampaignSource::Own(own) => {
                format!("{VERSION}|own|{}|{}||", digest(&own.brief().to_string()), own.base.number("seed"))
            }
            CampaignSource::Study(study, settings) => {
                let switches: Vec<String> = settings.switches.iter().map(|(n, v)| format!("{n}={v}")).collect();
                format!("{VERSION}|{}|{}|{}|{}|", study.id, settings.size.name(), settings.seed, switches.join(","))
            }
        }
    }

    /// How an address names it: a study's id, or `own:` and the experiment.
    pub fn address(&self) -> String {
        match self {
            CampaignSource::Own(own) => format!("{OWN}{}", encode(&own.brief().to_string())),
            CampaignSource::Study(study, _) => study.id.into(),
        }
    }

    /// The experiment that an address contains; none if the address names something else. Its
    /// points are not checked.
    pub fn own_of_address(address: &str) -> Option<Result<Experiment, Vec<String>>> {
        let text = decode(address.strip_prefix(OWN)?);
        let unreadable = || vec!["The experiment in the address cannot be read.".to_owned()];
        Some(text.ok_or_else(unreadable).and_then(|text| Experiment::parse(&text)))
    }
}

/// FNV-1a, 64 bits: short, and two experiments of one reader do not share it.
pub(crate) fn digest(text: &str) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}

/// What JavaScript's `encodeURIComponent` makes of a text.
fn encode(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(byte);
    let write = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(write).collect()
}

fn decode(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

impl Shelf {
    /// The shelves that these names and strings belong to.
    pub fn all<'a>(records: impl IntoIterator<Item = (&'a String, &'a String)>) -> Vec<Shelf> {
        let mut shelves = BTreeMap::<&str, Shelf>::new();
        for (name, text) in records {
            let Some(bar) = name.rfind('|') else { continue };
            let (shelf, key) = name.split_at(bar + 1);
            let new = || Shelf { name: shelf.into(), points: 0, document: None };
            let kept = shelves.entry(shelf).or_insert_with(new);
            match key {
                DOCUMENT => kept.document = Some(text.clone()),
                "observe" => {}
                key if key.starts_with("prove ") => {}
                _ => kept.points += 1,
            }
        }
        shelves.into_values().collect()
    }

    /// The campaign it belongs to, if this version still knows it.
    pub fn source(&self) -> Option<CampaignSource> {
        if let Some(document) = &self.document {
            return Some(CampaignSource::Own(Box::new(Experiment::parse(document).ok()?)));
        }
        let parts: Vec<&str> = self.name.split('|').collect();
        let study = study::find(parts.get(1)?).ok()?;
        let switches = parts.get(4)?.split(',').filter_map(|s| s.split_once('='));
        let switches = switches.map(|(n, v)| (n.into(), v.into())).collect();
        Some(CampaignSource::Study(study, study.known_settings(StudySize::named(parts.get(2)?), &switches)))
    }

    /// The first line of a file of its records.
    pub fn header(&self) -> Header {
        self.source().map_or_else(
            || {
                let (version, study) = self.name.split_once('|').unwrap_or_default();
                Header { version: version.into(), study: study.into(), ..Header::default() }
            },
            |source| source.header(),
        )
    }

    /// Its name for people.
    pub fn title(&self) -> String {
        match self.source() {
            Some(CampaignSource::Study(study, settings)) => {
                // only switches that differ from their default are worth a word
                let default = |n: &str| study.switches.iter().find(|s| s.name == n).map_or("", |s| s.values[0]);
                let changed = settings.switches.iter().filter(|(n, v)| default(n) != v.as_str());
                let changed = changed.map(|(n, v)| format!(", {n} {v}"));
                format!("{}, {}{}", study.id, settings.size.name(), changed.collect::<String>())
            }
            Some(CampaignSource::Own(own)) => own.title,
            None => "from another version".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExperimentForm;

    fn study(size: StudySize, switches: &[(&str, &str)]) -> CampaignSource {
        let study = study::find("alien").unwrap();
        let given = switches.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        CampaignSource::Study(study, study.known_settings(size, &given))
    }

    #[test]
    fn stored_results_name_their_campaign() {
        let source = study(StudySize::Quick, &[("reading", "c"), ("unknown", "x")]);
        let name = source.shelf();
        assert_eq!(name, format!("{VERSION}|alien|quick|1|network=fifo,piggyback=true,reading=c|"));
        let records = ["0123", "observe", "prove printed v1"].map(|key| (format!("{name}{key}"), "{}".to_owned()));
        let shelves = Shelf::all(records.iter().map(|(name, text)| (name, text)));
        assert_eq!(shelves, [Shelf { name: name.clone(), points: 1, document: None }]);
        assert_eq!(shelves[0].source().unwrap().shelf(), name);
        assert_eq!(shelves[0].title(), "alien, quick, reading c");
        let unknown = Shelf { name: "0|nothing|quick|1||".into(), points: 3, document: None };
        assert_eq!(unknown.title(), "from another version");
    }

    #[test]
    fn an_experiment_of_ones_own_travels_in_an_address() {
        let own = ExperimentForm::first().experiment().unwrap();
        let source = CampaignSource::Own(Box::new(own.clone()));
        let address = source.address();
        assert!(address.starts_with("own:%7B%22base%22"), "{address}");
        assert_eq!(CampaignSource::own_of_address(&address), Some(Ok(own.clone())));
        assert_eq!(CampaignSource::own_of_address("alien"), None);
        assert!(CampaignSource::own_of_address("own:%7").is_some_and(|read| read.is_err()));
        assert!(CampaignSource::own_of_address("own:%FF").is_some_and(|read| read.is_err()));
        let shelf = Shelf { name: source.shelf(), points: 0, document: Some(own.brief().to_string()) };
        assert_eq!((shelf.title(), shelf.source().unwrap().shelf()), (own.title, source.shelf()));
    }
}
