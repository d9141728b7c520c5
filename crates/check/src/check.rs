//! `Check`: a small system and how it is explored, as documents, options and addresses write it.

use lockstep_spec::{Absent, Field, FieldKind, Spec, Use, documented, quoted};
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A small system of which every order of events is explored.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// The system, and how far it is explored.
    pub spec: Spec,
}

/// The fields of a document in their order, and what stands for those that were not given.
const KEYS: [(&str, Absent); 16] = [
    ("algorithm", Absent::Default),
    ("params", Absent::Default),
    ("nodes", Absent::Skip),
    ("threads", Absent::Default),
    ("requests", Absent::Default),
    ("topology", Absent::Default),
    ("clusters", Absent::Skip),
    ("network", Absent::Default),
    ("cells", Absent::Default),
    ("placement", Absent::Skip),
    ("cancels", Absent::Default),
    ("crashes", Absent::Default),
    ("symmetry", Absent::Skip),
    ("without", Absent::Skip),
    ("max_states", Absent::Default),
    ("max_megabytes", Absent::Default),
];

impl Check {
    /// The same with another spec.
    pub fn with(self, change: impl FnOnce(Spec) -> Spec) -> Check {
        Check { spec: change(self.spec) }
    }

    /// The id of the algorithm; empty if none is given.
    pub fn algorithm(&self) -> &str {
        self.spec.algorithm.as_deref().unwrap_or_default()
    }

    /// The text of a field: what was given, or the default.
    pub fn text(&self, name: &str) -> &str {
        Field::find(name).and_then(|field| self.spec.text(field, Use::Explore)).unwrap_or_default()
    }

    /// The listing line that is left out, by its number.
    pub fn without(&self) -> Option<u8> {
        self.spec.without.as_ref().and_then(|line| line.parse().ok())
    }

    /// The fields that differ from the defaults, as options name them: `nodes`, `3`.
    fn given(&self) -> Vec<(String, String)> {
        let params = self.spec.given.iter().map(|(name, value)| ("param".to_owned(), format!("{name}={value}")));
        let memory = |name: &&str| !["algorithm", "params", "max_megabytes"].contains(name);
        let fields = documented(Use::Explore, &KEYS).map(|(name, _)| name).filter(memory).filter_map(Field::find);
        let options = fields.filter_map(|field| {
            let text = (field.get)(&self.spec)?;
            let default = field.name != "nodes" && field.default(Use::Explore) == Some(text.as_str());
            (!default).then(|| (field.option(), text.clone()))
        });
        params.chain(options).collect()
    }

    /// The options that differ from the defaults: `--nodes 2 --requests 1`.
    pub fn options(&self) -> String {
        let options = self.given().into_iter().map(|(name, text)| format!("--{name} {text}"));
        options.collect::<Vec<_>>().join(" ")
    }

    /// The command that runs this check.
    pub fn command(&self) -> String {
        format!("lockstep check {} {}", self.algorithm(), self.options()).trim_end().to_owned()
    }

    /// The check as an address names it: `alien/nodes=3/param=variant=v2`.
    pub fn address(&self) -> String {
        let options = self.given().into_iter().map(|(name, text)| format!("/{name}={text}"));
        self.algorithm().to_owned() + &options.collect::<String>()
    }

    /// Reads what [`Check::address`] wrote.
    pub fn of_address(text: &str) -> Result<Check, String> {
        let (algorithm, rest) = text.split_once('/').unwrap_or((text, ""));
        let parts = rest.split('/').filter(|part| !part.is_empty());
        Self::of_options(algorithm, parts.map(|part| part.split_once('=').unwrap_or((part, ""))))
    }

    /// Reads what [`Check::options`] wrote.
    pub fn read(algorithm: &str, options: &str) -> Result<Check, String> {
        let words: Vec<&str> = options.split_whitespace().collect();
        let pairs = words.chunks(2).map(|pair| (pair[0].trim_start_matches('-'), pair.get(1).copied().unwrap_or("")));
        Self::of_options(algorithm, pairs)
    }

    fn of_options<'a>(algorithm: &str, options: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Check, String> {
        let mut spec = Spec::of(algorithm);
        for (name, text) in options {
            let wrong = || {
                format!("{}: {} is not allowed; expected an option of a check, as nodes=3.", quoted(name), quoted(text))
            };
            let field = Field::of(Use::Explore).find(|field| field.option() == name).ok_or_else(wrong)?;
            let fits = match field.kind {
                FieldKind::Whole | FieldKind::PerNode => text.parse::<u64>().is_ok() || text == "unlimited",
                FieldKind::Flag => text.parse::<bool>().is_ok(),
                _ => !text.is_empty(),
            };
            match (field.kind, text.split_once('=')) {
                (FieldKind::Params, Some((name, value))) => drop(spec.given.insert(name.into(), value.into())),
                (FieldKind::Params | FieldKind::Algorithm, _) => return Err(wrong()),
                _ if !fits => return Err(wrong()),
                _ => *(field.slot)(&mut spec) = Some(text.into()),
            }
        }
        Ok(Check { spec })
    }
}

impl From<Spec> for Check {
    fn from(spec: Spec) -> Check {
        Check { spec }
    }
}

/// Checks are equal if their documents are: a default may be written or left out.
impl PartialEq for Check {
    fn eq(&self, other: &Check) -> bool {
        let fields = || documented(Use::Explore, &KEYS);
        let values = |check: &Check| -> Vec<_> {
            fields().map(|(name, absent)| check.spec.value(name, Use::Explore, absent)).collect()
        };
        values(self) == values(other)
    }
}

impl Eq for Check {}

impl Serialize for Check {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, absent) in documented(Use::Explore, &KEYS) {
            match self.spec.value(name, Use::Explore, absent) {
                Some(_) if name == "algorithm" => map.serialize_entry(name, self.algorithm())?,
                Some(Value::Bool(false)) | None => {}
                Some(value) => map.serialize_entry(name, &value)?,
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Check {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Check, D::Error> {
        let mut document = Map::<String, Value>::deserialize(from)?;
        let spec = Spec::take(&mut document, Use::Explore);
        match document.keys().next() {
            None => Ok(Check { spec }),
            Some(name) => {
                let known: Vec<_> = documented(Use::Explore, &KEYS).map(|(name, _)| name).collect();
                let known = known.join(", ");
                Err(D::Error::custom(format!("{name}: not a field of a check; expected {known}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_same_check_as_the_options() {
        let options = "--param variant=v2 --nodes 4 --requests unlimited --topology star --clusters 2+1+1 --network lossy \
                       --placement p1,p2 --symmetry true --without 3 --max-states 9";
        let check = Check::read("alien", options).unwrap();
        assert_eq!(check.options(), options);
        assert_eq!(Check::of_address(&check.address()), Ok(check.clone()));
        assert!(check.address().starts_with("alien/param=variant=v2/nodes=4/requests=unlimited/"));
        assert_eq!(Check::of_address("raymond").unwrap().address(), "raymond");
        for wrong in ["alien/nodes", "alien/nodes=many", "alien/colour=red"] {
            assert!(Check::of_address(wrong).unwrap_err().contains("expected an option of a check"), "{wrong}");
        }
    }
}
