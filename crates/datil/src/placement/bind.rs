//! Binding the calling thread to processing units.

use std::io;

/// Binds the calling thread to these units, by the system's numbers. Not to more than the affinity mask that it has.
///
/// # Errors
/// What the system says; or that it has left a unit out.
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn to(units: &[u32]) -> io::Result<()> {
    const WORDS: usize = 128;
    let mut mask = [0u64; WORDS];
    for &unit in units {
        let Some(word) = mask.get_mut(unit as usize / 64) else {
            return Err(io::Error::other(format!("unit {unit} has too big a number")));
        };
        *word |= 1 << (unit % 64);
    }
    let size = size_of_val(&mask);
    // SAFETY: the kernel reads the mask, which is as long as it is told; 0 is the calling thread.
    if unsafe { libc::sched_setaffinity(0, size, mask.as_ptr().cast()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut now = [0u64; WORDS];
    // SAFETY: the kernel writes at most `size` bytes.
    if unsafe { libc::sched_getaffinity(0, size, now.as_mut_ptr().cast()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if now != mask {
        return Err(io::Error::other(format!(
            "the system has left out some of the units {units:?}; a control group may forbid them"
        )));
    }
    Ok(())
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) fn to(_: &[u32]) -> io::Result<()> {
    Err(io::Error::other("datil can bind threads on Linux only"))
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    #[test]
    fn a_bound_thread_runs_where_it_was_told() {
        let allowed = std::fs::read_to_string("/proc/self/status").unwrap();
        let list = allowed
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let unit = datil_policy::topology::cpu_list(list.unwrap()).unwrap()[0];
        std::thread::spawn(move || {
            super::to(&[unit]).unwrap();
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("Cpus_allowed_list:"));
            assert_eq!(
                line.unwrap().split_whitespace().last(),
                Some(unit.to_string().as_str())
            );
            assert!(super::to(&[8191]).is_err(), "there is no such unit");
            assert!(super::to(&[1 << 20]).is_err(), "there can be no such unit");
        })
        .join()
        .unwrap();
    }
}
