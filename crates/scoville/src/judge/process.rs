//! What the processes of a cell used beside time and memory.

use std::collections::BTreeMap;

use crate::model::invocation::ProcessUse;
use crate::stats::quantile::median;

/// By name the median over the processes, as [`crate::model::analysis::Cell::process`] describes them. A name is absent
/// where no process has a finite reading.
pub(super) fn medians<'a>(
    processes: impl Iterator<Item = &'a ProcessUse>,
    cores: u32,
) -> BTreeMap<String, f64> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for process in processes {
        for (name, value) in readings(process, cores) {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                all.entry(name).or_default().push(value);
            }
        }
    }
    all.into_iter()
        .filter_map(|(name, values)| Some((name.to_owned(), median(&values)?)))
        .collect()
}

fn readings(process: &ProcessUse, cores: u32) -> impl Iterator<Item = (&str, Option<f64>)> {
    let count = |value: Option<&u64>| value.map(|&value| value as f64);
    // A process without any wall time makes this infinite or no number, and so absent.
    let capacity = process.wall_ns as f64 * f64::from(cores);
    let wait = count(process.run_queue_wait_ns.value()).map(|wait| wait / capacity);
    let fixed = [
        ("run-queue-wait", wait),
        ("voluntary-switches", count(process.voluntary_switches.value())),
        (
            "involuntary-switches",
            count(process.involuntary_switches.value()),
        ),
        ("threads", count(process.threads.value())),
        ("baseline-bytes", count(process.baseline_bytes.value())),
        ("start-ns", count(process.start_ns.as_ref())),
    ];
    let events = process
        .events
        .iter()
        .map(|(name, reading)| (name.as_str(), reading.value().copied()));
    fixed.into_iter().chain(events)
}
