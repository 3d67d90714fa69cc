//! What a plan leaves out, in few words.

use crate::model::plan::Skip;

/// In lines of their own, each after a line break.
pub(super) fn list(skipped: &[Skip]) -> String {
    let lines = grouped(skipped).into_iter();
    lines.map(|line| format!("\n  {line}")).collect()
}

/// What was left out in a few lines: runtimes and benchmarks that share a reason stand together.
pub fn grouped(skipped: &[Skip]) -> Vec<String> {
    let mut by_runtime: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for skip in skipped {
        let benchmark = skip.benchmark.as_deref().unwrap_or_default();
        let same = |(runtime, reason, _): &&mut (&str, &str, Vec<&str>)| {
            *runtime == skip.runtime && *reason == skip.reason
        };
        match by_runtime.iter_mut().find(same) {
            Some((_, _, benchmarks)) => benchmarks.push(benchmark),
            None => by_runtime.push((&skip.runtime, &skip.reason, vec![benchmark])),
        }
    }
    let mut by_reason: Vec<(Vec<&str>, &str, Vec<&str>)> = Vec::new();
    for (runtime, reason, benchmarks) in by_runtime {
        match by_reason
            .iter_mut()
            .find(|(_, r, b)| *r == reason && *b == benchmarks)
        {
            Some((runtimes, ..)) => runtimes.push(runtime),
            None => by_reason.push((vec![runtime], reason, benchmarks)),
        }
    }
    by_reason
        .into_iter()
        .map(|(runtimes, reason, benchmarks)| {
            let who = format!("{} {}", runtimes.join(", "), benchmarks.join(", "));
            format!("{}: {reason}", who.trim_end())
        })
        .collect()
}
