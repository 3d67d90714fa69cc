//! Where a series of iterations becomes steady, and what shape it has.
//!
//! Change points in the mean of logarithms by PELT (Killick, Fearnhead and Eckley, "Optimal detection of changepoints
//! with a linear computational cost", JASA 107 (2012)); the classes follow Barrett et al., "Virtual machine warmup blows
//! hot and cold", OOPSLA 2017. Logarithms, because what counts is relative; a robust noise scale and clipped spikes,
//! because one collection of garbage is no new level; neighbours within 2 % are one level, because that is the difference
//! that readers care about.

use super::dispersion::noise;
use super::quantile::{median, of_sorted, sorted};
use crate::model::analysis::Warmup;

/// Levels closer than this ratio are one level.
const SAME_LEVEL: f64 = 1.02;
/// Penalty of a change point: this, times the logarithm of the length, times the squared noise scale.
const PENALTY: f64 = 4.0;
/// Fewest iterations in a level.
const SHORTEST: usize = 3;
/// A spike is clipped at this many noise scales from the median of its neighbourhood.
const CLIP: f64 = 4.0;
/// The noise scale is at least this (0.1 %): a clock that repeats itself must not make every flicker a level.
const SMALLEST_NOISE: f64 = 1e-3;
/// Fewer iterations than this are no basis for a class.
const CLASSIFIABLE: usize = 20;
/// Fewest iterations of the last level in a classified series.
const LASTING: usize = 10;
/// A change in the last so many iterations leaves the series unsteady.
const LATE: usize = 5;

/// A series in levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmentation {
    /// First steady iteration.
    pub steady_from: usize,
    /// Shape.
    pub class: Warmup,
    /// Levels in order.
    pub levels: Vec<Level>,
}

/// Neighbouring iterations of one speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// First iteration.
    pub from: usize,
    /// One past the last.
    pub to: usize,
    /// Mean logarithm, spikes clipped.
    pub mean: f64,
}

/// Segments logarithms of times.
///
/// Below twice the shortest level no change can be found. Then the second half counts as steady, for every series alike:
/// without that rule a runtime that warms up would be charged for it whenever iterations are few.
pub fn segment(logs: &[f64]) -> Segmentation {
    let n = logs.len();
    if n < 2 * SHORTEST {
        let levels = Vec::new();
        return Segmentation {
            steady_from: n / 2,
            class: Warmup::TooShort,
            levels,
        };
    }
    let scale = noise(logs).unwrap_or(0.0).max(SMALLEST_NOISE);
    let clipped = clip_spikes(logs, CLIP * scale);
    let bounds = change_points(&clipped, PENALTY * (n as f64).ln() * scale * scale);
    let levels = merge(levels(&clipped, &bounds));
    let steady_from = extend_left(&clipped, levels[levels.len() - 1]);
    let class = classify(n, steady_from, &levels);
    Segmentation {
        steady_from,
        class,
        levels,
    }
}

/// Values further than `reach` from the median of the five around them, moved to that distance. Steps pass unchanged.
fn clip_spikes(values: &[f64], reach: f64) -> Vec<f64> {
    let n = values.len();
    (0..n)
        .map(|i| {
            let from = i.saturating_sub(2).min(n - 5);
            let around = of_sorted(&sorted(&values[from..from + 5]), 0.5);
            values[i].clamp(around - reach, around + reach)
        })
        .collect()
}

/// First indices of all levels but the first, ascending: the segmentation with the smallest sum of squared distances from
/// the levels' means plus `penalty` per change.
fn change_points(values: &[f64], penalty: f64) -> Vec<usize> {
    let n = values.len();
    let sums = Sums::new(values);
    let mut best = vec![f64::INFINITY; n + 1];
    best[0] = -penalty;
    let mut last = vec![0; n + 1];
    // Candidates with the length from which they are known to be useless.
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for end in SHORTEST..=n {
        candidates.retain(|&(_, useless_from)| end < useless_from);
        candidates.push((end - SHORTEST, usize::MAX));
        for &(start, _) in &candidates {
            let cost = best[start] + sums.cost(start, end) + penalty;
            if cost < best[end] {
                (best[end], last[end]) = (cost, start);
            }
        }
        for (start, useless_from) in &mut candidates {
            // A change here can never win against one at `end`, once `end` itself may be a change point.
            if best[*start] + sums.cost(*start, end) >= best[end] {
                *useless_from = (*useless_from).min(end + SHORTEST);
            }
        }
    }
    let mut points = Vec::new();
    let mut end = last[n];
    while end > 0 {
        points.push(end);
        end = last[end];
    }
    points.reverse();
    points
}

/// Running sums, from which the cost of any segment follows at once.
struct Sums {
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn new(values: &[f64]) -> Self {
        // Centred, so that the difference of squares keeps its digits.
        let centre = median(values).unwrap_or(0.0);
        let (mut first, mut second) = (vec![0.0], vec![0.0]);
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values {
            let distance = value - centre;
            sum += distance;
            squares += distance * distance;
            first.push(sum);
            second.push(squares);
        }
        Sums { first, second }
    }

    /// Sum of squared distances from the mean.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let sum = self.first[to] - self.first[from];
        self.second[to] - self.second[from] - sum * sum / (to - from) as f64
    }
}

fn levels(values: &[f64], bounds: &[usize]) -> Vec<Level> {
    let starts = std::iter::once(0).chain(bounds.iter().copied());
    let ends = bounds.iter().copied().chain(std::iter::once(values.len()));
    let level = |(from, to): (usize, usize)| Level {
        from,
        to,
        mean: values[from..to].iter().sum::<f64>() / (to - from) as f64,
    };
    starts.zip(ends).map(level).collect()
}

/// Joins the closest neighbours until no two differ by less than [`SAME_LEVEL`].
fn merge(mut levels: Vec<Level>) -> Vec<Level> {
    loop {
        let distance = |pair: &[Level]| (pair[1].mean - pair[0].mean).abs();
        let closest = levels
            .windows(2)
            .map(distance)
            .enumerate()
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|(_, distance)| *distance < SAME_LEVEL.ln());
        let Some((i, _)) = closest else {
            return levels;
        };
        let (a, b) = (levels[i], levels.remove(i + 1));
        let (wa, wb) = ((a.to - a.from) as f64, (b.to - b.from) as f64);
        levels[i] = Level {
            from: a.from,
            to: b.to,
            mean: (wa * a.mean + wb * b.mean) / (wa + wb),
        };
    }
}

/// The start of the last level, moved left over iterations that are within [`SAME_LEVEL`] of it: a slow approach has no
/// sharp end.
fn extend_left(values: &[f64], level: Level) -> usize {
    let near = |value: &&f64| (**value - level.mean).abs() < SAME_LEVEL.ln();
    level.from - values[..level.from].iter().rev().take_while(near).count()
}

fn classify(n: usize, steady_from: usize, levels: &[Level]) -> Warmup {
    let lasting = n - steady_from;
    let last = levels[levels.len() - 1].mean;
    let fastest = levels
        .iter()
        .map(|level| level.mean)
        .fold(f64::INFINITY, f64::min);
    if n < CLASSIFIABLE {
        Warmup::TooShort
    } else if levels.len() == 1 {
        Warmup::Flat
    } else if lasting * 3 < n || lasting <= LATE {
        Warmup::Unsteady
    } else if lasting < LASTING {
        Warmup::TooShort
    } else if last - fastest > SAME_LEVEL.ln() {
        Warmup::SlowDown
    } else {
        Warmup::WarmUp
    }
}
