//! Results that the browser has not stored: which they are, why, and what the page says of them.

use std::collections::BTreeMap;

/// Why the browser does not store or read results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StoreFault {
    /// There is no room.
    Full,
    /// A newer version of the page has changed the database.
    Newer,
    /// Another tab holds the database: it deletes or changes it.
    Blocked,
    /// The browser refuses: a private window, a setting, a damaged database.
    Refused,
}

impl StoreFault {
    /// The fault behind the name of a browser's exception.
    pub fn named(exception: &str) -> Self {
        match exception {
            "QuotaExceededError" => StoreFault::Full,
            "VersionError" => StoreFault::Newer,
            "TimeoutError" => StoreFault::Blocked,
            _ => StoreFault::Refused,
        }
    }

    /// What happened and what to do, as two sentences.
    fn reason(self) -> &'static str {
        match self {
            StoreFault::Full => "The browser has no room for more results. Delete stored results, then store again.",
            StoreFault::Newer => {
                "A newer version of Lockstep has changed the database of this browser. Save the records, then reload."
            }
            StoreFault::Blocked => {
                "Another tab is changing the database of this browser. Close other tabs of Lockstep, then store again."
            }
            StoreFault::Refused => {
                "The browser does not store results: it may be a private window, or a setting forbids it."
            }
        }
    }

    /// What is said when stored results cannot be read.
    pub fn unread(self) -> String {
        let reason = match self {
            StoreFault::Newer => {
                "A newer version of Lockstep has changed the database of this browser. Reload the page."
            }
            StoreFault::Blocked => {
                "Another tab is changing the database of this browser. Close other tabs of Lockstep, then reload."
            }
            StoreFault::Full | StoreFault::Refused => "The browser does not open its database for this page.",
        };
        format!("Stored results cannot be read. {reason}")
    }
}

/// Results that were computed and are not stored, by their names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UnsavedResults {
    results: BTreeMap<String, String>,
    fault: Option<StoreFault>,
}

impl UnsavedResults {
    /// The browser could not store this.
    pub fn add(&mut self, name: String, text: String, fault: StoreFault) {
        self.results.insert(name, text);
        self.fault = Some(fault);
    }

    /// The browser has stored this now.
    pub fn remove(&mut self, name: &str) {
        self.results.remove(name);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether everything is stored.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// All of them, to be stored again.
    pub fn all(&self) -> impl Iterator<Item = (&String, &String)> {
        self.results.iter()
    }

    /// The reader has deleted the results whose names begin with this.
    pub fn forget(&mut self, prefix: &str) {
        self.results.retain(|name, _| !name.starts_with(prefix));
    }

    /// What the page says: nothing where everything is stored.
    pub fn sentence(&self) -> Option<String> {
        let fault = self.fault.filter(|_| !self.is_empty())?;
        let lost = match self.len() {
            1 => "1 result is not stored and is lost".to_owned(),
            n => format!("{n} results are not stored and are lost"),
        };
        Some(format!("{lost} when you close this page. {}", fault.reason()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_stored_is_said_until_it_is_stored_or_deleted() {
        let mut unsaved = UnsavedResults::default();
        assert_eq!(unsaved.sentence(), None);
        unsaved.add("a|1".into(), "{}".into(), StoreFault::named("QuotaExceededError"));
        unsaved.add("a|1".into(), "{}".into(), StoreFault::Full);
        assert_eq!(
            unsaved.sentence().unwrap(),
            "1 result is not stored and is lost when you close this page. The browser has no room for more results. \
             Delete stored results, then store again."
        );
        unsaved.add("b|1".into(), "{}".into(), StoreFault::Full);
        assert!(unsaved.sentence().unwrap().starts_with("2 results are not stored and are lost when"));
        assert_eq!(unsaved.all().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a|1", "b|1"]);
        unsaved.remove("a|1");
        unsaved.forget("b|");
        assert_eq!((unsaved.sentence(), unsaved.len()), (None, 0));
    }

    #[test]
    fn every_fault_says_what_to_do() {
        let faults = ["QuotaExceededError", "VersionError", "TimeoutError", "InvalidStateError"].map(StoreFault::named);
        assert_eq!(faults, [StoreFault::Full, StoreFault::Newer, StoreFault::Blocked, StoreFault::Refused]);
        for fault in faults {
            let mut unsaved = UnsavedResults::default();
            unsaved.add("a".into(), String::new(), fault);
            assert!(unsaved.sentence().unwrap().ends_with('.') && fault.unread().ends_with('.'));
        }
    }
}
