//! How a ladder is climbed: which step is next, and whether one has passed. Pure functions of what was tried.
//!
//! The first step has the catalogue's size; each that passes is followed by one of twice the size. Between the largest
//! that passed and the smallest that failed the limit is narrowed by a few steps in the middle.

use crate::model::invocation::{Failure, FailureKind, Invocation, Outcome};
use crate::model::plan::Ladder;
use crate::tail::last_line;

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fall {
    /// The class.
    pub why: Why,
    /// What happened, in a sentence.
    pub message: String,
}

/// Classes of failed steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The process died, or refused.
    Crash,
    /// It took too long.
    Time,
    /// It had more resident memory than it may.
    Memory,
    /// Its result was wrong.
    Wrong,
    /// The runtime cannot do the benchmark at all.
    Unsupported,
    /// The laboratory could not do its part, which says nothing about the runtime: the step counts as not tried.
    Laboratory,
}

/// Whether a step has passed.
///
/// # Errors
/// Why it has not.
pub fn judge(ladder: &Ladder, invocation: &Invocation) -> Result<(), Fall> {
    let fall = |why, message: String| Err(Fall { why, message });
    match &invocation.outcome {
        Outcome::Ok => {}
        Outcome::Unsupported { reason } => return fall(Why::Unsupported, reason.clone()),
        Outcome::Failed(failure) => return fall(class(&failure.kind), told(failure)),
    }
    let limits = ladder.limits;
    let Some(time_ns) = time_ns(ladder, invocation) else {
        let message = format!("it does not tell {}", ladder.time.join(" and "));
        return fall(Why::Wrong, message);
    };
    if time_ns > limits.time_ns as f64 {
        let (took, most) = (time_ns / 1e9, limits.time_ns as f64 / 1e9);
        return fall(
            Why::Time,
            format!("it took {took:.1} s; the limit is {most:.1} s"),
        );
    }
    match peak_bytes(invocation).filter(|peak| *peak > limits.memory_bytes) {
        Some(peak) => fall(Why::Memory, too_large(peak, limits.memory_bytes)),
        None => Ok(()),
    }
}

/// What to say of a process with more resident memory than it may have.
pub fn too_large(bytes: u64, limit: u64) -> String {
    let [bytes, limit] = [bytes, limit].map(|bytes| bytes >> 20);
    format!("its resident memory reached {bytes} MiB; the limit is {limit} MiB")
}

/// Time of a step, ns; `None` where the runtime does not tell it.
pub fn time_ns(ladder: &Ladder, invocation: &Invocation) -> Option<f64> {
    let columns = &invocation.iterations;
    if ladder.time.is_empty() {
        return columns.wall_ns.last().map(|&ns| ns as f64);
    }
    let last = |name: &String| columns.metrics.get(name)?.last().copied().flatten();
    ladder.time.iter().map(last).sum()
}

/// Largest resident memory of the process in the step, bytes.
pub fn peak_bytes(invocation: &Invocation) -> Option<u64> {
    let peaks = invocation.iterations.peak_bytes.as_ref()?.value()?;
    peaks.iter().copied().max()
}

/// The step's own words, and the last that the process said before its end, which is where a virtual machine tells why.
fn told(failure: &Failure) -> String {
    let last = last_line(&failure.stderr_tail);
    match last.filter(|_| matches!(failure.kind, FailureKind::Crashed { .. })) {
        Some(line) => format!("{}; its last words: {line}", failure.message),
        None => failure.message.clone(),
    }
}

fn class(kind: &FailureKind) -> Why {
    match kind {
        FailureKind::Memory { .. } => Why::Memory,
        FailureKind::TimedOut { .. } => Why::Time,
        FailureKind::WrongResult { .. } | FailureKind::WrongWork { .. } => Why::Wrong,
        FailureKind::CannotStart
        | FailureKind::Crashed { .. }
        | FailureKind::Protocol
        | FailureKind::Workers { .. }
        | FailureKind::BadParameter
        | FailureKind::Assertion
        | FailureKind::LeftChildren { .. }
        | FailureKind::Flood { .. }
        | FailureKind::Interrupted => Why::Crash,
        FailureKind::Laboratory => Why::Laboratory,
    }
}

/// The next size to try after these, each with whether it passed, in the order in which they were tried; `None` when the
/// limit is known well enough, or there is none.
pub fn next_size(ladder: &Ladder, tried: &[(i64, bool)]) -> Option<i64> {
    let passed = tried
        .iter()
        .filter(|(_, passed)| *passed)
        .map(|(size, _)| *size)
        .max();
    let failed = tried
        .iter()
        .filter(|(_, passed)| !passed)
        .map(|(size, _)| *size)
        .min();
    match (passed, failed) {
        (None, None) => Some(ladder.from),
        (Some(most), None) => {
            let next = most.checked_mul(2)?;
            (next <= ladder.to.unwrap_or(i64::MAX)).then_some(next)
        }
        // Not even the first.
        (None, Some(_)) => None,
        (Some(most), Some(least)) => {
            let first_failure = tried.iter().position(|(_, passed)| !passed)?;
            let narrowed = tried.len() - 1 - first_failure;
            let middle = most + (least - most) / 2;
            (narrowed < ladder.limits.bisections as usize && middle > most && middle < least)
                .then_some(middle)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::{GrowthLimits, LadderKey};

    fn ladder(bisections: u32, to: Option<i64>) -> Ladder {
        Ladder {
            key: LadderKey {
                benchmark: "spawn".into(),
                cores: 1,
            },
            parameter: "n".into(),
            from: 1000,
            to,
            parameters: Default::default(),
            expect: Default::default(),
            time: Vec::new(),
            limits: GrowthLimits {
                time_ns: 1,
                memory_bytes: 1,
                bisections,
            },
            cpus: vec![0],
            competitors: Vec::new(),
        }
    }

    /// Every size that is tried by a runtime which can do `most`.
    fn climb(ladder: &Ladder, most: i64) -> Vec<i64> {
        let mut tried: Vec<(i64, bool)> = Vec::new();
        while let Some(size) = next_size(ladder, &tried) {
            tried.push((size, size <= most));
        }
        tried.into_iter().map(|(size, _)| size).collect()
    }

    #[test]
    fn sizes_double_until_one_fails_and_then_close_in() {
        assert_eq!(climb(&ladder(0, None), 5000), [1000, 2000, 4000, 8000]);
        assert_eq!(
            climb(&ladder(2, None), 5000),
            [1000, 2000, 4000, 8000, 6000, 5000]
        );
        assert_eq!(
            climb(&ladder(2, None), 7999),
            [1000, 2000, 4000, 8000, 6000, 7000]
        );
        assert_eq!(climb(&ladder(2, None), 999), [1000]);
        assert_eq!(climb(&ladder(2, Some(3000)), 5000), [1000, 2000]);
        // A limit is narrowed to one at best, and a size that cannot be doubled is the last.
        assert_eq!(climb(&ladder(60, None), 1234).last(), Some(&1235));
        assert!(climb(&ladder(2, None), i64::MAX).iter().all(|size| *size > 0));
    }
}
