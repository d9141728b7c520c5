//! Results that the browser has not stored: which they are, why, and what the page says of them.

use crate::{Record, RecordStore, Shelf};
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

    /// What is said when stored results cannot be deleted.
    pub fn undeleted(self) -> String {
        let reason = match self {
            StoreFault::Full | StoreFault::Refused => {
                "The browser refuses it: delete the data of this page in its settings."
            }
            StoreFault::Newer | StoreFault::Blocked => self.reason(),
        };
        format!("The stored results were not deleted. {reason}")
    }
}

/// Said where the browser does not store the experiment on which the reader works.
pub const UNSTORED_EXPERIMENT: &str = "The browser does not store this experiment: it has no room, or a setting forbids \
     it. The address of the page contains the experiment.";

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

    /// The campaigns that they belong to. `kept` are those of which something is stored: perhaps
    /// the document of an experiment.
    pub fn shelves(&self, kept: &[Shelf]) -> Vec<Shelf> {
        let mut shelves = Shelf::all(self.all());
        for shelf in shelves.iter_mut().filter(|shelf| shelf.document.is_none()) {
            shelf.document = kept.iter().find(|kept| kept.name == shelf.name).and_then(|kept| kept.document.clone());
        }
        shelves
    }

    /// The records of a campaign that are not stored, as a file. What a study watches and explores
    /// beside its points is computed again from such a file.
    pub fn records_text(&self, shelf: &Shelf) -> String {
        let own = self.results.iter().filter(|(name, _)| name.starts_with(&shelf.name));
        let records = own.filter_map(|(_, text)| serde_json::from_str::<Record>(text).ok());
        RecordStore::new(shelf.header()).first_line() + &records.map(|record| record.line()).collect::<String>()
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
    use crate::study::{self, StudySize};
    use crate::{Campaign, CampaignSource, ExperimentForm, record};

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
    fn the_unsaved_records_of_every_campaign_become_a_file() {
        let own = ExperimentForm::first().experiment().unwrap();
        let other = study::find("notes").unwrap();
        let other = CampaignSource::Study(other, other.known_settings(StudySize::Tiny, &BTreeMap::new()));
        let sources = [CampaignSource::Own(Box::new(own.clone())), other];
        let mut unsaved = UnsavedResults::default();
        let mut add = |name: String, text: String| unsaved.add(name, text, StoreFault::Full);
        for source in &sources {
            let points = Campaign::new(source.clone()).unwrap().points().to_vec();
            for point in points.iter().take(2) {
                let job = point.job.clone().with(|spec| spec.entries(50));
                let measured = Record { key: point.key.clone(), ..record(&job).unwrap() };
                add(source.shelf() + &point.key, serde_json::to_string(&measured).unwrap());
            }
        }
        add(sources[1].shelf() + "prove all", "null".into());
        // the document of the experiment is stored, its records are not
        let document = Some(own.brief().to_string());
        let kept = [Shelf { name: sources[0].shelf(), points: 0, document }];
        let shelves = unsaved.shelves(&kept);
        assert_eq!(shelves.iter().map(Shelf::title).collect::<Vec<_>>(), ["notes, tiny", own.title.as_str()]);
        for (shelf, source) in shelves.iter().zip([&sources[1], &sources[0]]) {
            let mut campaign = Campaign::new(source.clone()).unwrap();
            campaign.merge(RecordStore::read(&unsaved.records_text(shelf)).unwrap()).unwrap();
            assert_eq!((shelf.points, campaign.done()), (2, 2), "{}", shelf.title());
        }
        let without = &unsaved.shelves(&[])[1];
        let lost = RecordStore::read(&unsaved.records_text(without)).unwrap();
        assert_eq!((without.title().as_str(), lost.records.len()), ("from another version", 2));
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
