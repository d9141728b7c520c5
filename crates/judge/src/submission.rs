//! Logs as they are given: files, folders and archives, and what judging one of them finds.

use lockstep_follow::follow;
use lockstep_trace::report::{COLUMNS, row};
use lockstep_trace::{Conformance, EventKind, Judgement, LogFormat, LogInput, LogVerdict};
use lockstep_trace::{ReadOptions, judge, read, zip};

/// A log as it was given: its name and its files.
#[derive(Clone, Debug, Default)]
pub struct LogSubmission {
    /// Its name.
    pub name: String,
    /// The folder or archive of its files; empty where they were given one by one.
    pub folder: String,
    /// Its files.
    pub files: Vec<LogInput>,
    /// What could not be taken from an archive.
    pub problems: Vec<String>,
}

impl LogSubmission {
    /// One of its files as a log of its own.
    pub fn file(&self, at: usize) -> LogSubmission {
        let Some(file) = self.files.get(at).filter(|_| self.files.len() > 1) else { return self.clone() };
        let folder = if self.folder.is_empty() { String::new() } else { format!("{}/", self.folder) };
        let problems = if at == 0 { self.problems.clone() } else { Vec::new() };
        LogSubmission { name: folder + &file.name, folder: self.folder.clone(), files: vec![file.clone()], problems }
    }

    /// Every file as a log of its own.
    pub fn each(self) -> Vec<LogSubmission> {
        (0..self.files.len().max(1)).map(|at| self.file(at)).collect()
    }

    /// Whether each of several files seems to be a whole log: entries of two nodes or more. The
    /// files of one log usually have the lines of one node each.
    pub fn seems_several(&self, options: &ReadOptions) -> bool {
        let whole = |file: &LogInput| {
            let log = read(vec![file.clone()], options);
            let mut nodes = log.events.iter().filter(|event| event.kind == EventKind::Enter).map(|event| event.node);
            let first = nodes.next();
            nodes.any(|node| Some(node) != first)
        };
        self.files.len() > 1 && self.files.iter().all(whole)
    }
}

/// The logs that these files are. Files beside each other are one log; so are the files of a
/// folder, and those of an archive. `most` bounds the bytes of all files, also of those that come
/// out of archives.
pub fn submissions(files: Vec<LogInput>, most: usize) -> Result<Vec<LogSubmission>, String> {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    if bytes > most {
        return Err(format!("The files have {} MB; expected at most {} MB in all.", (bytes >> 20) + 1, most >> 20));
    }
    let mut room = ArchiveRoom { left: most, most };
    let mut all = Vec::new();
    files.into_iter().for_each(|file| add(file, 0, &mut room, &mut all));
    for log in all.iter_mut().filter(|log| log.name.is_empty()) {
        let names: Vec<&str> = log.files.iter().take(3).map(|file| file.name.as_str()).collect();
        log.name = names.join(", ") + if log.files.len() > 3 { ", …" } else { "" };
    }
    if all.is_empty() {
        return Err("There are no files; expected logs.".to_owned());
    }
    Ok(all)
}

/// Archives in archives are opened down to this depth.
const DEEPEST: usize = 2;

/// How many bytes may still come out of archives, and how many in all.
struct ArchiveRoom {
    left: usize,
    most: usize,
}

/// Adds a file to the log of its folder, or the logs of an archive.
fn add(file: LogInput, depth: usize, room: &mut ArchiveRoom, all: &mut Vec<LogSubmission>) {
    if zip::is_zip(&file.bytes) && depth < DEEPEST {
        all.extend(archive(&file, depth, room));
        return;
    }
    let (folder, base) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
    if base.starts_with('.') && !folder.is_empty() {
        return;
    }
    let (folder, file) = (folder.to_owned(), LogInput::new(base.to_owned(), file.bytes));
    // an archive that was given beside them is no folder of theirs
    match all.iter_mut().find(|log| log.folder == folder && !log.files.is_empty()) {
        Some(log) => log.files.push(file),
        None => all.push(LogSubmission { name: folder.clone(), folder, files: vec![file], problems: Vec::new() }),
    }
}

/// The logs of an archive: one, or one for each of its folders. What cannot be read is a problem.
fn archive(file: &LogInput, depth: usize, room: &mut ArchiveRoom) -> Vec<LogSubmission> {
    let name = file.name.clone();
    let refused = |why: String| {
        let problems = vec![format!("{name}: {why}")];
        vec![LogSubmission { name: name.clone(), folder: name.clone(), files: Vec::new(), problems }]
    };
    let (files, problems) = match zip::unzip(&file.bytes) {
        Ok(unpacked) => unpacked,
        Err(why) => return refused(why),
    };
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    if bytes > room.left {
        return refused(format!("too large; expected at most {} MB of all files.", room.most >> 20));
    }
    room.left -= bytes;
    let mut inner = Vec::new();
    for file in files {
        add(LogInput::new(format!("{name}/{}", file.name), file.bytes), depth + 1, room, &mut inner);
    }
    if inner.is_empty() {
        let why = if problems.is_empty() { "empty; expected logs.".to_owned() } else { problems.join(" ") };
        return refused(why);
    }
    if let [one] = inner.as_mut_slice() {
        one.name.clone_from(&name);
    }
    inner[0].problems.splice(0..0, problems);
    inner
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

/// The cells of a log in the table of several; the verdict of one that was not judged says why.
pub fn class_cells(name: &str, judged: &Result<JudgedLog, NotJudged>) -> Vec<String> {
    match judged {
        Ok(judged) => row(name, &judged.judgement, judged.conformance.as_ref()),
        Err(why) => {
            let mut cells = vec![String::new(); COLUMNS.len()];
            (cells[0], cells[1]) = (name.to_owned(), why.sentence().to_owned());
            cells
        }
    }
}

/// Why a log was not judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotJudged {
    /// No line was understood; the sentence says what is known of it.
    NotUnderstood(String),
    /// Anything else, as a sentence.
    Refused(String),
}

impl NotJudged {
    /// The sentence.
    pub fn sentence(&self) -> &str {
        match self {
            NotJudged::NotUnderstood(why) | NotJudged::Refused(why) => why,
        }
    }
}

impl JudgedLog {
    /// Reads and judges a log.
    pub fn of(given: LogSubmission, options: &ReadOptions, algorithm: Option<&str>) -> Result<JudgedLog, NotJudged> {
        let LogSubmission { name, files, problems, .. } = given;
        if files.is_empty() {
            return Err(NotJudged::Refused(problems.join(" ")));
        }
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

    const MOST: usize = 1 << 20;

    fn names(logs: &[LogSubmission]) -> Vec<(&str, usize)> {
        logs.iter().map(|log| (log.name.as_str(), log.files.len())).collect()
    }

    /// An archive of stored files.
    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in files {
            let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            about.extend((content.len() as u32).to_le_bytes());
            about.extend((content.len() as u32).to_le_bytes());
            about.extend((name.len() as u16).to_le_bytes());
            about.extend([0, 0]);
            directory.extend([b"PK\x01\x02\x14\x00", about.as_slice(), &[0; 10]].concat());
            directory.extend((bytes.len() as u32).to_le_bytes());
            directory.extend(name.bytes());
            bytes.extend([b"PK\x03\x04", about.as_slice(), name.as_bytes(), content].concat());
        }
        let (at, size, count) = (bytes.len() as u32, directory.len() as u32, files.len() as u16);
        bytes.extend([directory, b"PK\x05\x06\0\0\0\0".to_vec()].concat());
        bytes.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
        bytes.extend([size.to_le_bytes(), at.to_le_bytes()].concat());
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn files_are_grouped_by_folder() {
        let logs = submissions(given(&["a.log", "b.log"]), MOST).unwrap();
        assert_eq!(names(&logs), [("a.log, b.log", 2)]);
        let mixed = given(&["class/ann/1.log", "class/bob/1.log", "class/ann/2.log", "class/.x"]);
        assert_eq!(names(&submissions(mixed, MOST).unwrap()), [("class/ann", 2), ("class/bob", 1)]);
        assert_eq!(submissions(Vec::new(), MOST).unwrap_err(), "There are no files; expected logs.");
    }

    #[test]
    fn archives_are_folders_also_in_each_other() {
        let flat = zip(&[("1.log", b"x"), ("2.log", b"x")]);
        let nested = zip(&[("ann/hand-in.zip", &flat), ("bob/1.log", b"x"), ("eve/x.zip", b"PK\x03\x04")]);
        let logs = submissions(vec![LogInput::new("a.zip", flat), LogInput::new("c.zip", nested)], MOST).unwrap();
        let expected = [("a.zip", 2), ("c.zip/ann/hand-in.zip", 2), ("c.zip/bob", 1), ("c.zip/eve/x.zip", 0)];
        assert_eq!(names(&logs), expected);
        assert!(logs[3].problems[0].starts_with("c.zip/eve/x.zip: "), "{:?}", logs[3].problems);
        let each: Vec<LogSubmission> = logs.into_iter().flat_map(LogSubmission::each).collect();
        let expected = [
            ("a.zip/1.log", 1),
            ("a.zip/2.log", 1),
            ("c.zip/ann/hand-in.zip/1.log", 1),
            ("c.zip/ann/hand-in.zip/2.log", 1),
            ("c.zip/bob", 1),
            ("c.zip/eve/x.zip", 0),
        ];
        assert_eq!(names(&each), expected);
    }

    #[test]
    fn the_bound_counts_what_archives_contain() {
        let inner = zip(&[("1.log", &[b'x'; 3 << 20])]);
        let given = || vec![LogInput::new("a.zip", zip(&[("inner.zip", &inner)]))];
        assert_eq!(names(&submissions(given(), 7 << 20).unwrap()), [("a.zip", 1)]);
        let logs = submissions(given(), 5 << 20).unwrap();
        assert_eq!(names(&logs), [("a.zip", 0)]);
        assert_eq!(logs[0].problems, ["a.zip/inner.zip: too large; expected at most 5 MB of all files."]);
        assert!(submissions(given(), 1 << 20).unwrap_err().starts_with("The files have 4 MB; expected at most 1 MB"));
    }

    #[test]
    fn files_with_entries_of_several_nodes_seem_several_logs() {
        let file = |name: &str, nodes: &[u32]| {
            let line = |node: &u32| format!("{{\"node\":{node},\"event\":\"enter\"}}\n");
            LogInput::new(name, nodes.iter().map(line).collect::<String>())
        };
        let several =
            |files: Vec<LogInput>| submissions(files, MOST).unwrap()[0].seems_several(&ReadOptions::default());
        assert!(several(vec![file("a", &[1, 2]), file("b", &[2, 1])]));
        assert!(!several(vec![file("a", &[1, 2]), file("b", &[3])]));
        assert!(!several(vec![file("a", &[1, 2])]));
    }
}
