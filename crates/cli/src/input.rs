//! Reads files and options that several commands share.

use crate::answer::BadInput;
use lockstep_kernel::Params;
use std::io::Read;
use std::path::Path;

/// The text of a file that is small enough; a larger one is refused before it is read.
pub fn read_text(path: &Path, most_bytes: usize) -> Result<String, BadInput> {
    let name = path.display();
    let cannot = |why: std::io::Error| BadInput::one(format!("`{name}` cannot be read: {why}."));
    let too_large =
        || BadInput::one(format!("`{name}` is too large; right would be at most {} KB.", most_bytes / 1024));
    let about = std::fs::metadata(path).map_err(cannot)?;
    if about.is_dir() {
        return Err(BadInput::one(format!("`{name}` is a folder; right would be a file.")));
    }
    if about.len() > most_bytes as u64 {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(cannot)?;
    // a device may have no length and yet no end
    file.take(most_bytes as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() > most_bytes {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| BadInput::one(format!("`{name}` is not text; right would be UTF-8.")))
}

/// Parameters given as `name=value`.
pub fn params(given: &[String]) -> Result<Params, BadInput> {
    let mut params = Params::default();
    let mut problems = Vec::new();
    for text in given {
        match text.split_once('=') {
            Some((name, value)) => {
                if params.0.insert(name.into(), value.into()).is_some() {
                    problems.push(format!("`{name}` is given twice; right would be once."));
                }
            }
            None => problems.push(format!("`{text}` is not a parameter; right would be name=value, as variant=v2.")),
        }
    }
    if problems.is_empty() { Ok(params) } else { Err(BadInput(problems)) }
}
