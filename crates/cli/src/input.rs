//! Reads the files that several commands take.

use crate::answer::BadInput;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// The text of a file that is small enough; a larger one is refused before it is read.
pub fn read_text(path: &Path, most_bytes: usize) -> Result<String, BadInput> {
    let name = path.display();
    let cannot = |why: std::io::Error| BadInput::one(format!("`{name}` cannot be read: {why}."));
    let too_large = || BadInput::one(format!("`{name}` is too large; expected at most {} KB.", most_bytes / 1024));
    let about = std::fs::metadata(path).map_err(cannot)?;
    if about.is_dir() {
        return Err(BadInput::one(format!("`{name}` is a folder; expected a file.")));
    }
    if about.len() > most_bytes as u64 {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(cannot)?;
    // a device may report no length and still never end
    file.take(most_bytes as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() > most_bytes {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| BadInput::one(format!("`{name}` is not text; expected UTF-8.")))
}

/// Pairs given as `name=value`, each name once.
pub fn pairs(given: &[String]) -> Result<BTreeMap<String, String>, BadInput> {
    let mut pairs = BTreeMap::new();
    for text in given {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| BadInput::one(format!("{text} is not allowed; expected name=value, as network=fifo.")))?;
        if pairs.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(BadInput::one(format!("{name}: given twice; expected once.")));
        }
    }
    Ok(pairs)
}
