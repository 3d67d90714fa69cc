//! How evenly the actors of a cell were served.

use std::collections::BTreeMap;

use crate::model::analysis::Fairness;
use crate::stats::evenness::{five_numbers, jain};
use crate::stats::quantile::median;

use super::replay::Run;

/// Fairness by counter. Every number is the median over invocations of that number of one invocation: adding up the
/// counters of several invocations would average unfairness away.
pub(super) fn fairness(runs: &[&Run<'_>]) -> BTreeMap<String, Fairness> {
    let mut each: BTreeMap<&String, Vec<Fairness>> = BTreeMap::new();
    for run in runs {
        for (name, counters) in &run.invocation.iterations.per_actor {
            each.entry(name).or_default().extend(of_one(counters));
        }
    }
    each.into_iter()
        .filter_map(|(name, list)| Some((name.clone(), middle(&list)?)))
        .collect()
}

/// Fairness of one invocation; `None` without actors or where nothing was done.
fn of_one(counters: &[i64]) -> Option<Fairness> {
    let values: Vec<f64> = counters.iter().map(|&count| count as f64).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let relative: Vec<f64> = values.iter().map(|v| v / mean).collect();
    let sd = variance.sqrt();
    (mean > 0.0).then_some(())?;
    Some(Fairness {
        actors: counters.len() as u32,
        jain: jain(&values)?,
        cv: sd / mean,
        five: five_numbers(&relative)?,
        sd,
        mean,
    })
}

fn middle(list: &[Fairness]) -> Option<Fairness> {
    let of = |pick: &dyn Fn(&Fairness) -> f64| median(&list.iter().map(pick).collect::<Vec<_>>());
    let mut five = [0.0; 5];
    for (i, number) in five.iter_mut().enumerate() {
        *number = of(&|f| f.five[i])?;
    }
    Some(Fairness {
        actors: list.last()?.actors,
        jain: of(&|f| f.jain)?,
        cv: of(&|f| f.cv)?,
        five,
        sd: of(&|f| f.sd)?,
        mean: of(&|f| f.mean)?,
    })
}
