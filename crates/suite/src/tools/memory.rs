//! How much memory this process occupies.

use std::fs;

/// The bytes of this process that are resident in memory, as the operating system says (Linux).
///
/// # Panics
/// If the operating system does not say it.
pub fn resident_bytes() -> i64 {
    let path = "/proc/self/status";
    let status = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    resident(&status).unwrap_or_else(|| panic!("{path} has no line VmRSS with a size in kB"))
}

fn resident(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_read() {
        let status = "Name:\tx\nVmHWM:\t  99 kB\nVmRSS:\t   12 kB\nRssAnon:\t 5 kB\n";
        assert_eq!(resident(status), Some(12 << 10));
        for without in ["Name:\tx\n", "VmRSS:\t12 MB\n", "VmRSS:\tx kB\n"] {
            assert_eq!(resident(without), None);
        }
    }

    #[test]
    fn memory_that_is_touched_counts() {
        const BLOCK: i64 = 64 << 20;
        let before = resident_bytes();
        let block = std::hint::black_box(vec![1_u8; BLOCK as usize]);
        assert!(resident_bytes() - before > BLOCK / 2);
        drop(block);
    }
}
