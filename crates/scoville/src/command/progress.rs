//! What a user sees while a session runs: a bar on a terminal, a line per block elsewhere; or while cells are verified or
//! runs simulated: a bar on a terminal. Nothing is drawn while an invocation runs.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use datil_sim::{Progress as Runs, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::plan::human;
use super::streams::remark;
use crate::model::event::{Event, What};
use crate::model::invocation::Outcome;
use crate::model::plan::{GroupKey, Plan};
use crate::plain;
use crate::schedule::growth::{self, Why};
use crate::schedule::{Progress, Step};
use crate::session::Observer;
use crate::tail::last_lines;

/// Chooses by where stderr goes.
pub fn observer(plan: &Plan) -> Box<dyn Observer> {
    if is_plain() {
        Box::new(Lines { plan: plan.clone() })
    } else {
        Box::new(Bar::new(plan.clone()))
    }
}

/// A bar over the plan's cells, to be moved on with each; it shows nothing where `observer` would write lines.
pub fn over_cells(plan: &Plan) -> ProgressBar {
    on_a_terminal(cells(plan))
}

/// A bar over simulated runs, to be told of how many; it shows nothing where [`over_cells`] shows nothing.
pub fn over_runs() -> ProgressBar {
    on_a_terminal(0).with_message("simulated runs")
}

/// Lets this bar show how far simulated runs have come, and how long the others take.
pub fn watch(bar: &ProgressBar) -> Watch {
    let bar = bar.clone();
    Box::new(move |progress| {
        bar.set_length(progress.asked);
        if let Some(left) = runs_left(bar.elapsed(), progress) {
            let left = human(left.as_nanos() as u64);
            bar.set_message(format!("simulated runs, about {left} left"));
        }
        bar.set_position(progress.ended);
    })
}

/// How much longer simulated runs take if the others are like those that have ended; none before there are any.
fn runs_left(elapsed: Duration, Runs { ended, asked }: Runs) -> Option<Duration> {
    let left = asked.saturating_sub(ended) as f64;
    (ended > 0).then(|| elapsed.mul_f64(left / ended as f64))
}

fn on_a_terminal(most: u64) -> ProgressBar {
    if is_plain() {
        ProgressBar::hidden()
    } else {
        bar(most)
    }
}

fn is_plain() -> bool {
    std::env::var_os("CI").is_some() || !io::stderr().is_terminal()
}

fn cells(plan: &Plan) -> u64 {
    plan.groups
        .iter()
        .map(|group| group.competitors.len() as u64)
        .sum()
}

fn bar(most: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(most), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("[{bar:24}] {pos}/{len} {msg}");
    bar.set_style(style.expect("the template is sound").progress_chars("##-"));
    bar
}

/// How many of the last lines that a failing runtime printed are shown.
const PRINTED: usize = 5;

/// One line per block, and what is known of a failure.
struct Lines {
    plan: Plan,
}

impl Observer for Lines {
    fn before(&mut self, _: &Step, _: &Progress) {}

    fn after(&mut self, event: &Event, progress: &Progress) {
        if let Some(line) = failure(event, &self.plan) {
            remark(line);
        }
        if let Some(line) = rung(event, &self.plan) {
            remark(line);
        }
        if let What::BlockFinished { group, block, .. } = &event.what {
            let left = left(progress, &self.plan).map_or(String::new(), |left| format!(", {left}"));
            let (number, max) = (block + 1, self.plan.method.max_blocks);
            if number > max {
                remark(format_args!(
                    "{}: block {number}, since an earlier one was contaminated{left}",
                    place(group)
                ));
            } else {
                remark(format_args!("{}: block {number} of {max}{left}", place(group)));
            }
        }
    }
}

/// A bar over all invocations, redrawn between them only.
struct Bar {
    plan: Plan,
    bar: ProgressBar,
}

impl Bar {
    fn new(plan: Plan) -> Self {
        let bar = bar(cells(&plan) * u64::from(plan.method.max_blocks));
        Self { plan, bar }
    }
}

impl Observer for Bar {
    fn before(&mut self, step: &Step, progress: &Progress) {
        if let Step::Invoke { group, runtime, .. } = step {
            let left = left(progress, &self.plan).unwrap_or_else(|| "first pass".to_owned());
            self.bar.set_position(progress.invocations() as u64);
            self.bar
                .set_message(format!("{left}  {} / {runtime}", place(group)));
            self.bar.tick();
        }
        if let Step::Climb {
            ladder,
            runtime,
            size,
        } = step
        {
            let place = format!("{} {size} on {} / {runtime}", ladder.benchmark, ladder.cores);
            self.bar.set_length(progress.invocations() as u64 + 1);
            self.bar.set_position(progress.invocations() as u64);
            self.bar.set_message(place);
            self.bar.tick();
        }
    }

    fn after(&mut self, event: &Event, _: &Progress) {
        if let Some(line) = failure(event, &self.plan) {
            self.bar.println(plain::text(&line));
        }
        if let Some(line) = rung(event, &self.plan) {
            self.bar.println(plain::text(&line));
        }
        if let What::SessionEnded { .. } = event.what {
            self.bar.finish_and_clear();
        }
    }
}

/// How much longer it takes; `None` before anything has run.
pub fn left(progress: &Progress, plan: &Plan) -> Option<String> {
    let left = human(progress.remaining_ns(plan)?);
    Some(if progress.in_first_pass() {
        format!("about {left} left")
    } else {
        format!("at most {left} left")
    })
}

/// How a step of a ladder went.
fn rung(event: &Event, plan: &Plan) -> Option<String> {
    let What::RungFinished {
        ladder: key,
        runtime,
        size,
        invocation,
    } = &event.what
    else {
        return None;
    };
    let ladder = plan.ladders.iter().find(|ladder| ladder.key == *key)?;
    let how = match growth::judge(ladder, invocation) {
        Ok(()) => format!("passed in {:.3} s", growth::time_ns(ladder, invocation)? / 1e9),
        Err(fall) => {
            let competitor = ladder.competitors.iter().find(|c| c.runtime == *runtime)?;
            let message = without_subject(&fall.message, &competitor.reports_as, &key.benchmark);
            let how = match fall.why {
                Why::Laboratory => "not tried",
                _ => "ended",
            };
            format!("{how}: {message}")
        }
    };
    Some(format!(
        "{} {size} on {} / {runtime}: {how}",
        key.benchmark, key.cores
    ))
}

/// How an invocation failed, with the last that it printed: a trace is there and nowhere else.
fn failure(event: &Event, plan: &Plan) -> Option<String> {
    let What::InvocationFinished {
        group,
        runtime,
        invocation,
        ..
    } = &event.what
    else {
        return None;
    };
    let cell = format!("{} / {runtime}", place(group));
    match &invocation.outcome {
        Outcome::Ok => None,
        Outcome::Unsupported { reason } => Some(format!("{cell}: unsupported: {reason}")),
        Outcome::Failed(failure) => {
            let planned = plan.groups.iter().find(|planned| planned.key == *group)?;
            let competitor = planned.competitors.iter().find(|c| c.runtime == *runtime)?;
            let message = without_subject(&failure.message, &competitor.reports_as, &group.benchmark);
            let printed = last_lines(&failure.stderr_tail, PRINTED);
            Some(format!("{cell}: FAILED: {message}{printed}"))
        }
    }
}

/// A failure's message without the runtime and the benchmark that it begins with, for whoever has named the two.
pub fn without_subject<'m>(message: &'m str, runtime: &str, benchmark: &str) -> &'m str {
    let rest = message.strip_prefix(runtime).unwrap_or_default();
    let in_iteration = || {
        rest.strip_prefix(", ")?
            .strip_prefix(benchmark)?
            .strip_prefix(' ')
    };
    rest.strip_prefix(": ").or_else(in_iteration).unwrap_or(message)
}

/// A group in the words of the command line.
pub fn place(group: &GroupKey) -> String {
    format!("{} {} on {}", group.benchmark, group.preset, group.cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_named_before_a_message_is_not_named_in_it() {
        let rest = |message| without_subject(message, "go", "fib");
        assert_eq!(rest("go, fib iteration 0: was ended"), "iteration 0: was ended");
        assert_eq!(rest("go: was ended"), "was ended");
        for other in [
            "gogogo: was ended",
            "go, fibonacci iteration 0: was ended",
            "was ended",
        ] {
            assert_eq!(rest(other), other);
        }
    }

    #[test]
    fn the_time_left_is_that_of_the_runs_that_have_ended() {
        let left = |ended, asked| runs_left(Duration::from_secs(30), Runs { ended, asked });
        assert_eq!(left(0, 4), None);
        assert_eq!(left(1, 4), Some(Duration::from_secs(90)));
        assert_eq!(left(4, 4), Some(Duration::ZERO));
    }
}
