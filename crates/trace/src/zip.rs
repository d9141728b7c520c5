//! Zip archives: the files in them, with limits on what they may expand to.

use crate::text::{LogInput, MOST_BYTES};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The most files of an archive.
pub const MOST_FILES: usize = 10_000;

/// Whether these bytes are a zip archive.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes([pair[0], pair[1]])))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]) as usize)
}

/// A file as the directory of the archive lists it.
struct ZipEntry {
    name: String,
    method: usize,
    encrypted: bool,
    packed: usize,
    unpacked: usize,
    header: usize,
}

/// The files of an archive. What cannot be read is named in the second list; an error says why
/// nothing can be read.
pub fn unzip(bytes: &[u8]) -> Result<(Vec<LogInput>, Vec<String>), String> {
    let damaged = || "The zip archive is damaged; expected its list of files at the end.".to_owned();
    // the end of the archive: 22 bytes and a comment of at most 65,535
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = bytes[from..].windows(4).rposition(|four| four == b"PK\x05\x06").ok_or_else(damaged)? + from;
    let count = u16_at(bytes, end + 10).ok_or_else(damaged)?;
    let mut at = u32_at(bytes, end + 16).ok_or_else(damaged)?;
    if count > MOST_FILES {
        return Err(format!("The zip archive has {count} files; expected at most {MOST_FILES}."));
    }
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    let mut left = MOST_BYTES;
    for _ in 0..count {
        let (entry, next) = entry(bytes, at).ok_or_else(damaged)?;
        at = next;
        // folders, and what operating systems add
        let base = entry.name.rsplit('/').next().unwrap_or_default();
        if base.is_empty() || base.starts_with('.') || entry.name.starts_with("__MACOSX/") {
            continue;
        }
        match unpack(bytes, &entry, left) {
            Ok(content) => {
                left -= content.len();
                files.push(LogInput::new(entry.name, content));
            }
            Err(why) => problems.push(format!("{}: {why}", entry.name)),
        }
    }
    Ok((files, problems))
}

fn entry(bytes: &[u8], at: usize) -> Option<(ZipEntry, usize)> {
    if bytes.get(at..at.checked_add(4)?)? != b"PK\x01\x02" {
        return None;
    }
    let (name, extra, comment) = (u16_at(bytes, at + 28)?, u16_at(bytes, at + 30)?, u16_at(bytes, at + 32)?);
    let text = bytes.get(at + 46..at + 46 + name)?;
    let entry = ZipEntry {
        name: String::from_utf8_lossy(text).replace('\\', "/"),
        method: u16_at(bytes, at + 10)?,
        encrypted: u16_at(bytes, at + 8)? & 1 == 1,
        packed: u32_at(bytes, at + 20)?,
        unpacked: u32_at(bytes, at + 24)?,
        header: u32_at(bytes, at + 42)?,
    };
    Some((entry, at + 46 + name + extra + comment))
}

fn unpack(bytes: &[u8], entry: &ZipEntry, left: usize) -> Result<Vec<u8>, String> {
    let too_large = || format!("too large; expected at most {} MB in all.", MOST_BYTES >> 20);
    let damaged = || "damaged.".to_owned();
    if entry.encrypted {
        return Err("encrypted; expected an archive without a password.".to_owned());
    }
    if entry.unpacked > left {
        return Err(too_large());
    }
    let header = entry.header;
    let is_file = bytes.get(header..header.saturating_add(4)).is_some_and(|four| four == b"PK\x03\x04");
    let (name, extra) = (u16_at(bytes, header + 26), u16_at(bytes, header + 28));
    let (Some(name), Some(extra), true) = (name, extra, is_file) else { return Err(damaged()) };
    let start = header + 30 + name + extra;
    let packed = bytes.get(start..start.saturating_add(entry.packed)).ok_or_else(damaged)?;
    match entry.method {
        0 if packed.len() <= left => Ok(packed.to_vec()),
        0 => Err(too_large()),
        8 => {
            // a header that lies about the size is found here
            let limit = entry.unpacked.min(left);
            decompress_to_vec_with_limit(packed, limit).map_err(|error| match error.status {
                miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
                    "larger than it says; expected the size of its directory.".to_owned()
                }
                _ => damaged(),
            })
        }
        method => Err(format!("method {method} is not known; expected stored or deflated.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive with one file; `claimed` is the size that its directory says.
    fn archive(name: &str, content: &[u8], deflated: bool, claimed: usize) -> Vec<u8> {
        let packed = if deflated { miniz_oxide::deflate::compress_to_vec(content, 6) } else { content.to_vec() };
        let method = if deflated { 8u16 } else { 0 };
        let mut bytes = b"PK\x03\x04\x14\0\0\0".to_vec();
        bytes.extend(method.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend((claimed as u32).to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(name.as_bytes());
        bytes.extend(&packed);
        let directory = bytes.len() as u32;
        bytes.extend(b"PK\x01\x02\x14\0\x14\0\0\0");
        bytes.extend(method.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend((claimed as u32).to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0; 16]);
        bytes.extend(name.as_bytes());
        let size = bytes.len() as u32 - directory;
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        bytes.extend(size.to_le_bytes());
        bytes.extend(directory.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }

    #[test]
    fn files_of_archives_are_read() {
        let text = "a b c\n".repeat(1_000);
        for deflated in [false, true] {
            let (files, problems) = unzip(&archive("x/a.log", text.as_bytes(), deflated, text.len())).unwrap();
            assert_eq!((files[0].name.as_str(), files[0].bytes.len(), problems.len()), ("x/a.log", text.len(), 0));
        }
        assert_eq!(unzip(&archive("__MACOSX/a", b"x", false, 1)).unwrap().0.len(), 0);
    }

    #[test]
    fn bombs_and_damage_are_refused_without_expanding_them() {
        let zeros = vec![0; 10 << 20];
        let bomb = archive("bomb", &zeros, true, 100);
        assert!(bomb.len() < 20_000);
        assert_eq!(unzip(&bomb).unwrap().1, ["bomb: larger than it says; expected the size of its directory."]);
        let huge = archive("huge", b"x", true, 0xffff_fff0);
        assert!(unzip(&huge).unwrap().1[0].starts_with("huge: too large; expected at most 256 MB"));
        assert!(unzip(b"PK\x03\x04 nothing").is_err());
        let whole = archive("a", b"hello", true, 5);
        for end in 0..whole.len() {
            let _ = unzip(&whole[..end]);
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = unzip(&bytes);
        }
    }
}
