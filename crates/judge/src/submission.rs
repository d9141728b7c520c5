//! Logs as they are given: files, folders and archives, and what judging one of them finds.

use lockstep_follow::follow;
use lockstep_trace::text::MOST_BYTES;
use lockstep_trace::{Conformance, Judgement, LogFormat, LogInput, LogVerdict, ReadOptions, judge, read, zip};

/// A log as it was given: its name and its files.
#[derive(Clone, Debug, Default)]
pub struct LogSubmission {
    /// Its name.
    pub name: String,
    /// Its files.
    pub files: Vec<LogInput>,
    /// What could not be taken from an archive.
    pub problems: Vec<String>,
}

impl LogSubmission {
    /// The files of an archive as one log.
    pub fn of_zip(name: impl Into<String>, bytes: &[u8]) -> Result<LogSubmission, String> {
        let name = name.into();
        let (files, problems) = zip::unzip(bytes).map_err(|why| format!("{name}: {why}"))?;
        Ok(LogSubmission { name, files, problems })
    }
}

/// The logs that these files are. Files beside each other are one log; so are the files of a
/// folder, and those of an archive. A file that is an archive and cannot be read is a problem.
pub fn submissions(files: Vec<LogInput>) -> Result<(Vec<LogSubmission>, Vec<String>), String> {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    if bytes > MOST_BYTES {
        return Err(format!(
            "The files have {} MB; expected at most {} MB in all.",
            (bytes >> 20) + 1,
            MOST_BYTES >> 20
        ));
    }
    let mut all: Vec<LogSubmission> = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        if zip::is_zip(&file.bytes) {
            match LogSubmission::of_zip(file.name, &file.bytes) {
                Ok(log) => all.extend(by_folder(log)),
                Err(why) => problems.push(why),
            }
            continue;
        }
        let (folder, base) = folder_of(&file.name);
        if base.starts_with('.') {
            continue;
        }
        let (folder, file) = (folder.to_owned(), LogInput::new(base.to_owned(), file.bytes));
        match all.iter_mut().find(|log| log.name == folder) {
            Some(log) => log.files.push(file),
            None => all.push(LogSubmission { name: folder, files: vec![file], problems: Vec::new() }),
        }
    }
    all.retain(|log| !log.files.is_empty() || !log.problems.is_empty());
    for log in all.iter_mut().filter(|log| log.name.is_empty()) {
        let names: Vec<&str> = log.files.iter().take(3).map(|file| file.name.as_str()).collect();
        log.name = names.join(", ") + if log.files.len() > 3 { ", …" } else { "" };
    }
    if all.is_empty() && problems.is_empty() {
        return Err("There are no files; expected logs.".to_owned());
    }
    Ok((all, problems))
}

/// An archive whose files lie in several folders is a log for each of them.
fn by_folder(archive: LogSubmission) -> Vec<LogSubmission> {
    let LogSubmission { name, files, problems } = archive;
    let mut logs: Vec<LogSubmission> = Vec::new();
    for file in files {
        let (folder, base) = folder_of(&file.name);
        let inner = if folder.is_empty() { name.clone() } else { format!("{name}/{folder}") };
        let file = LogInput::new(base.to_owned(), file.bytes);
        match logs.iter_mut().find(|log| log.name == inner) {
            Some(log) => log.files.push(file),
            None => logs.push(LogSubmission { name: inner, files: vec![file], problems: Vec::new() }),
        }
    }
    if logs.is_empty() {
        logs.push(LogSubmission { name: name.clone(), ..LogSubmission::default() });
    }
    if let [one] = logs.as_mut_slice() {
        one.name = name;
    }
    logs[0].problems = problems;
    logs
}

fn folder_of(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

/// A log with everything that was found.
#[derive(Debug)]
pub struct JudgedLog {
    /// Its name.
    pub name: String,
    /// The judgement.
    pub judgement: Judgement,
    /// Whether it follows an algorithm, if one was named.
    pub conformance: Option<Conformance>,
    /// What could not be taken from an archive.
    pub problems: Vec<String>,
}

/// Why a log was not judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotJudged {
    /// No line was understood; the sentence says what is known of it.
    NotUnderstood(String),
    /// Anything else, as a sentence.
    Refused(String),
}

impl JudgedLog {
    /// Reads and judges a log.
    pub fn of(given: LogSubmission, options: &ReadOptions, algorithm: Option<&str>) -> Result<JudgedLog, NotJudged> {
        let LogSubmission { name, files, problems } = given;
        let log = read(files, options);
        if options.session > log.sessions {
            return Err(NotJudged::Refused(format!(
                "session: {} does not exist in {name}; expected 1 to {}.",
                options.session, log.sessions
            )));
        }
        if log.format == LogFormat::Unknown {
            let more = log.problems.first().map(|problem| format!(" {}", problem.message)).unwrap_or_default();
            return Err(NotJudged::NotUnderstood(format!("{name}: no line was understood.{more}")));
        }
        let judgement = judge(log).map_err(|refused| NotJudged::Refused(format!("{name}: {}", refused.1)))?;
        let conformance = match follow(&judgement, algorithm) {
            Some(Ok(conformance)) => Some(conformance),
            // an algorithm that the log names need not be one of ours
            Some(Err(why)) if algorithm.is_none() => Some(Conformance { unknown: Some(why), ..Conformance::default() }),
            Some(Err(why)) => return Err(NotJudged::Refused(why)),
            None => None,
        };
        Ok(JudgedLog { name, judgement, conformance, problems })
    }

    /// Whether this is what the reader hopes for, is not, or cannot be said: 0, 1 or 3.
    pub fn code(&self) -> u8 {
        let conforms = self.conformance.as_ref().and_then(|conformance| conformance.ok);
        match self.judgement.verdict {
            LogVerdict::Violated | LogVerdict::Luck => 1,
            _ if conforms == Some(false) => 1,
            LogVerdict::Excluded => 0,
            LogVerdict::Unproven | LogVerdict::ByClock | LogVerdict::NothingToJudge => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(names: &[&str]) -> Vec<LogInput> {
        names.iter().map(|name| LogInput::new(*name, "x")).collect()
    }

    #[test]
    fn files_are_grouped_by_folder() {
        let (logs, problems) = submissions(given(&["a.log", "b.log"])).unwrap();
        assert_eq!((logs.len(), logs[0].name.as_str(), logs[0].files.len()), (1, "a.log, b.log", 2));
        assert!(problems.is_empty());
        let (logs, _) =
            submissions(given(&["class/ann/1.log", "class/bob/1.log", "class/ann/2.log", "class/.x"])).unwrap();
        let names: Vec<_> = logs.iter().map(|log| (log.name.as_str(), log.files.len())).collect();
        assert_eq!(names, [("class/ann", 2), ("class/bob", 1)]);
        assert_eq!(submissions(Vec::new()).unwrap_err(), "There are no files; expected logs.");
        let damaged = vec![LogInput::new("x.zip", b"PK\x03\x04".to_vec())];
        assert!(submissions(damaged).unwrap().1[0].starts_with("x.zip: "));
    }
}
