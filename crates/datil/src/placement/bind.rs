//! Binding the calling thread to processing units.

use std::io;

use super::mask::Mask;

/// Binds the calling thread to these units, by the system's numbers. Not to more than the affinity mask that it has.
///
/// # Errors
/// What the system says; or that it has left a unit out.
pub(super) fn to(units: &[u32]) -> io::Result<()> {
    let mut mask = Mask::empty();
    units.iter().try_for_each(|&unit| mask.insert(unit))?;
    mask.give_to(0)?;
    if Mask::of(0)? != mask {
        return Err(io::Error::other(format!(
            "the system has left out some of the units {units:?}; a control group may forbid them"
        )));
    }
    Ok(())
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
