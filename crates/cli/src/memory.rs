//! How much memory this machine has left, so that an exploration ends with a verdict and not by
//! being killed.

use std::fs::read_to_string;

/// The most bytes that an exploration may take: four fifths of what is available, or no bound where
/// the system does not tell.
pub fn most_bytes() -> usize {
    let told = [read_to_string("/proc/meminfo").ok().and_then(|text| available(&text)), group()];
    told.into_iter().flatten().min().map_or(usize::MAX, |bytes| bytes / 5 * 4)
}

/// What Linux says is available, in bytes.
fn available(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// What a container may still use, in bytes.
fn group() -> Option<usize> {
    let number = |name: &str| read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<usize>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_available_memory_is_read() {
        let text = "MemTotal:       24606204 kB\nMemFree:          100 kB\nMemAvailable:   10000000 kB\n";
        assert_eq!(available(text), Some(10_240_000_000));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
        assert!(most_bytes() > 0);
    }
}
