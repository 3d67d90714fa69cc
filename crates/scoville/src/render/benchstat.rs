//! The Go benchmark format: one line per invocation, so that `benchstat -col /runtime` checks our numbers independently.
//!
//! Format: <https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md>.

use crate::model::analysis::{Analysis, Cell, GroupAnalysis, InvocationPoint, Measure};
use crate::plain;

use super::words;

/// Units and the factor from the stored unit. `sec` and `B` are the names that benchstat scales by itself.
const UNITS: [(Measure, &str, f64); 5] = [
    (Measure::Wall, "sec/op", 1e-9),
    (Measure::Cold, "cold-sec/op", 1e-9),
    (Measure::Cpu, "cpu-sec/op", 1e-9),
    (Measure::Memory, "peak-B", 1.0),
    (Measure::Utilisation, "cpu-share", 1.0),
];

/// Every invocation with numbers; contaminated ones carry `/contaminated=yes` and can be filtered away.
pub fn render(analysis: &Analysis) -> String {
    let mut out = String::new();
    for (key, value) in [
        ("session", &analysis.session),
        ("tool", &analysis.tool),
        ("fingerprint", &analysis.machine.fingerprint),
    ] {
        out.push_str(&format!("{key}: {}\n", plain::line(value)));
    }
    if let Some(cpu) = analysis.machine.cpu_model.value() {
        out.push_str(&format!("cpu: {}\n", plain::line(cpu)));
    }
    out.push('\n');
    for (measure, unit, _) in UNITS {
        if words::lower_is_better(measure) {
            out.push_str(&format!("Unit {unit} better=lower\n"));
        }
    }
    out.push('\n');
    for group in &analysis.groups {
        for cell in group.cells.iter().filter(|c| c.state.has_numbers()) {
            for point in cell.invocations.iter().filter(|p| p.failure.is_none()) {
                out.push_str(&line(group, cell, point).unwrap_or_default());
            }
        }
    }
    out
}

fn line(group: &GroupAnalysis, cell: &Cell, point: &InvocationPoint) -> Option<String> {
    let steady = point.wall_ns.len().saturating_sub(point.steady_from as usize);
    let values: Vec<String> = (UNITS.iter())
        .filter_map(|(m, unit, factor)| Some(format!("{} {unit}", point.summaries.get(m)? * factor)))
        .collect();
    if values.is_empty() {
        return None;
    }
    let contaminated = if point.contaminated.is_empty() {
        "no"
    } else {
        "yes"
    };
    // The last part ends in a word: a name that ends in `-<digits>` would be read as a number of processors.
    Some(format!(
        "Benchmark{}/preset={}/cores={}/runtime={}/block={}/contaminated={contaminated} {} {}\n",
        capitalised(&part(&group.key.benchmark)),
        part(&group.key.preset),
        group.key.cores,
        part(&cell.runtime),
        point.block,
        steady.max(1),
        values.join(" ")
    ))
}

/// Text that can stand in a name: no space, no slash, nothing outside printable ASCII.
fn part(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b':' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A benchmark's name must not go on in lower case after `Benchmark`.
fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + letters.as_str()
    })
}
