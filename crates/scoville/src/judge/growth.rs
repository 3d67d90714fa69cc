//! Who climbed how far, and why not further.

use crate::model::analysis::{Climb, ClimbEnd, LadderAnalysis, Rung};
use crate::model::event::{Event, What};
use crate::model::invocation::Invocation;
use crate::model::plan::{Ladder, Plan};
use crate::model::runtime::RuntimeName;
use crate::schedule::growth::{self, Fall, Why};

/// Every ladder of the plan as the log tells it.
pub(super) fn ladders(plan: &Plan, events: &[Event]) -> Vec<LadderAnalysis> {
    plan.ladders
        .iter()
        .map(|ladder| judged(ladder, plan, events))
        .collect()
}

fn judged(ladder: &Ladder, plan: &Plan, events: &[Event]) -> LadderAnalysis {
    let climbs = ladder
        .competitors
        .iter()
        .map(|c| climb(ladder, &c.runtime, events));
    let absent = plan.skipped.iter().filter_map(|skip| {
        let reason = skip.unsupported()?.to_owned();
        let here = skip.benchmark.as_ref() == Some(&ladder.key.benchmark);
        here.then(|| Climb {
            runtime: skip.runtime.clone(),
            rungs: Vec::new(),
            largest: None,
            end: ClimbEnd::Unsupported { reason },
        })
    });
    LadderAnalysis {
        key: ladder.key.clone(),
        parameter: ladder.parameter.clone(),
        limits: ladder.limits,
        climbs: climbs.chain(absent).collect(),
    }
}

fn climb(ladder: &Ladder, runtime: &RuntimeName, events: &[Event]) -> Climb {
    let mine = events.iter().filter_map(|event| match &event.what {
        What::RungFinished {
            ladder: key,
            runtime: who,
            size,
            invocation,
        } if *key == ladder.key && who == runtime => Some((*size, &**invocation)),
        _ => None,
    });
    let tried: Vec<(i64, &Invocation, Result<(), Fall>)> = mine
        .map(|(size, invocation)| (size, invocation, growth::judge(ladder, invocation)))
        .filter(|(_, _, how)| !matches!(how, Err(fall) if fall.why == Why::Laboratory))
        .collect();
    let outcomes: Vec<(i64, bool)> = tried.iter().map(|(size, _, how)| (*size, how.is_ok())).collect();
    let falls = tried
        .iter()
        .filter_map(|(size, _, how)| Some((*size, how.as_ref().err()?)));
    let first_fall = falls.min_by_key(|(size, _)| *size);
    Climb {
        runtime: runtime.clone(),
        largest: outcomes
            .iter()
            .filter(|(_, passed)| *passed)
            .map(|(size, _)| *size)
            .max(),
        end: match (growth::next_size(ladder, &outcomes), first_fall) {
            (Some(_), _) => ClimbEnd::Open,
            (None, None) => ClimbEnd::Top,
            (None, Some((_, fall))) if fall.why == Why::Unsupported => ClimbEnd::Unsupported {
                reason: fall.message.clone(),
            },
            (None, Some((size, fall))) => ClimbEnd::Fell {
                size,
                why: word(fall.why).to_owned(),
                message: fall.message.clone(),
            },
        },
        rungs: tried
            .iter()
            .map(|(size, invocation, how)| rung(ladder, *size, invocation, how))
            .collect(),
    }
}

fn rung(ladder: &Ladder, size: i64, invocation: &Invocation, how: &Result<(), Fall>) -> Rung {
    let columns = &invocation.iterations;
    let metric =
        |(name, column): (&String, &Vec<Option<f64>>)| Some((name.clone(), column.last().copied()??));
    match how {
        Ok(()) => Rung {
            size,
            failed: None,
            time_ns: growth::time_ns(ladder, invocation),
            peak_bytes: growth::peak_bytes(invocation),
            metrics: columns.metrics.iter().filter_map(metric).collect(),
        },
        // What failed has no numbers, whatever it measured before.
        Err(fall) => Rung {
            size,
            failed: Some(word(fall.why).to_owned()),
            time_ns: None,
            peak_bytes: None,
            metrics: Default::default(),
        },
    }
}

fn word(why: Why) -> &'static str {
    match why {
        Why::Crash => "crash",
        Why::Time => "time",
        Why::Memory => "memory",
        Why::Wrong => "wrong",
        Why::Unsupported => "unsupported",
        Why::Laboratory => "laboratory",
    }
}
