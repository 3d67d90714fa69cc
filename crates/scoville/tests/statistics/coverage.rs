//! How often the intervals contain the truth. `cargo test -p scoville --test statistics coverage -- --nocapture` prints
//! the table of `docs/methodology.md`.
//!
//! Invocations have a standard deviation of 2 % and, where "slow runs" are mentioned, one in ten is slow by a further 5
//! to 25 %; iterations within an invocation have a standard deviation of 3 %.

use scoville::judge::analyse;
use scoville::model::analysis::Measure;
use scoville::stats::{
    Interval, bootstrap, geomean, normal, order_statistics, quantile, signed_rank, student,
};

use crate::noise::{DRIFTS, Drift, Noise, assert_share};
use crate::sessions::{Log, invocation, plan, quiet_block};

const BETWEEN: f64 = 0.02;
const WITHIN: f64 = 0.03;
const ITERATIONS: usize = 30;

fn covers(interval: &Interval, truth: f64) -> bool {
    (interval.low..=interval.high).contains(&truth)
}

/// Share of `trials` whose interval covers `truth`, printed and held against the expected range.
fn coverage(
    what: &str,
    trials: u32,
    truth: f64,
    expected: (f64, f64),
    mut trial: impl FnMut() -> Option<Interval>,
) {
    let (mut hits, mut width) = (0, 0.0);
    for _ in 0..trials {
        let interval = trial().expect("an interval");
        hits += u32::from(covers(&interval, truth));
        width += interval.half_width() / f64::from(trials);
    }
    let share = 100.0 * f64::from(hits) / f64::from(trials);
    println!("| {what} | {share:.1} % | +-{:.2} % |", 100.0 * width);
    assert_share(what, hits, trials, expected.0, expected.1);
}

fn sample(n: usize, noise: &mut Noise, mut draw: impl FnMut(&mut Noise) -> f64) -> Vec<f64> {
    (0..n).map(|_| draw(noise)).collect()
}

/// The median of an invocation's deviation when one in ten is slow.
fn median_with_tail(sd: f64, tail: f64) -> f64 {
    let slow = |x: f64| {
        (0..100)
            .map(|i| normal::cdf((x - 0.05 - 0.002 * (f64::from(i) + 0.5)) / sd))
            .sum::<f64>()
    };
    let cdf = |x: f64| (1.0 - tail) * normal::cdf(x / sd) + tail * slow(x) / 100.0;
    scoville::stats::inverse::invert(cdf, 0.5, -1.0, 1.0)
}

/// An invocation's iterations, in ascending order.
fn iterations(noise: &mut Noise, tail: f64) -> Vec<f64> {
    let level = noise.invocation(BETWEEN, tail);
    quantile::sorted(&sample(ITERATIONS, noise, |noise| {
        level + WITHIN * noise.normal()
    }))
}

#[test]
fn t_on_logs_of_few_invocations() {
    let mut noise = Noise::new(21);
    for n in [2, 3, 5, 10, 20] {
        coverage(
            &format!("cell, t on logs, n = {n}"),
            4000,
            0.0,
            (0.95, 0.95),
            || {
                student::interval(
                    &sample(n, &mut noise, |noise| noise.invocation(BETWEEN, 0.0)),
                    0.95,
                )
            },
        );
    }
}

#[test]
fn order_statistics_with_and_without_slow_runs() {
    let mut noise = Noise::new(22);
    for (tail, words) in [(0.0, ""), (0.1, ", slow runs")] {
        let truth = median_with_tail(BETWEEN, tail);
        for n in [6, 10, 15, 19] {
            let sorted: Vec<f64> = (0..n).map(f64::from).collect();
            let exact = order_statistics::median_interval(&sorted, 0.95)
                .expect("n >= 6")
                .confidence;
            coverage(
                &format!("cell, order statistics, n = {n}{words}"),
                4000,
                truth,
                (exact, exact),
                || {
                    let values = sample(n as usize, &mut noise, |noise| noise.invocation(BETWEEN, tail));
                    order_statistics::median_interval(&quantile::sorted(&values), 0.95)
                },
            );
        }
    }
}

#[test]
fn hierarchical_bootstrap_with_and_without_slow_runs() {
    let mut noise = Noise::new(23);
    for (tail, words) in [(0.0, ""), (0.1, ", slow runs")] {
        // The summary of an invocation has the noise of the median of its iterations on top.
        let of_summary = (BETWEEN * BETWEEN + WITHIN * WITHIN * 1.57 / ITERATIONS as f64).sqrt();
        let truth = median_with_tail(of_summary, tail);
        for n in [20, 21, 30] {
            coverage(
                &format!("cell, hierarchical bootstrap, n = {n}{words}"),
                1000,
                truth,
                (0.94, 0.985),
                || {
                    let groups: Vec<Vec<f64>> = (0..n).map(|_| iterations(&mut noise, tail)).collect();
                    bootstrap::median_of_medians(&groups, 0.95)
                },
            );
        }
    }
}

/// Why the unit is the invocation: pooling the iterations of all invocations, as is common, looks precise and is wrong at
/// any number of invocations.
#[test]
fn pooled_iterations_do_not_cover() {
    let mut noise = Noise::new(24);
    for n in [5, 10, 30] {
        coverage(
            &format!("*not used:* cell, iterations pooled, n = {n}"),
            1000,
            0.0,
            (0.42, 0.5),
            || {
                let pooled: Vec<f64> = (0..n).flat_map(|_| iterations(&mut noise, 0.0)).collect();
                student::interval(&pooled, 0.95)
            },
        );
    }
}

/// A block's log-ratio of two runtimes with the same typical time.
fn log_ratio(noise: &mut Noise, tail: f64) -> f64 {
    noise.invocation(BETWEEN, tail) - noise.invocation(BETWEEN, tail)
}

#[test]
fn pairs_by_signed_rank_and_by_t() {
    let mut noise = Noise::new(25);
    for (tail, words) in [(0.0, ""), (0.1, ", slow runs on both sides")] {
        for n in [6, 10, 15, 20, 30] {
            let zeros = vec![0.0; n];
            let exact = signed_rank::typical(&zeros, 0.95)
                .and_then(|t| t.interval)
                .expect("n >= 6")
                .confidence;
            coverage(
                &format!("typical ratio, signed rank, n = {n}{words}"),
                2000,
                0.0,
                (exact, exact),
                || {
                    signed_rank::typical(&sample(n, &mut noise, |noise| log_ratio(noise, tail)), 0.95)?
                        .interval
                },
            );
            // Slow runs make the t interval a little conservative: they widen it more often than they shift it.
            let t = if tail > 0.0 { (0.94, 0.975) } else { (0.95, 0.95) };
            coverage(&format!("mean ratio, t, n = {n}{words}"), 2000, 0.0, t, || {
                student::interval(&sample(n, &mut noise, |noise| log_ratio(noise, tail)), 0.95)
            });
        }
    }
}

/// Only one runtime is slow in one run of five. The mean ratio is then another number than the typical one; its t
/// interval covers it less often than it says, and so does the signed rank, whose symmetry is broken.
#[test]
fn one_sided_slow_runs_break_the_assumptions() {
    let mut noise = Noise::new(26);
    let mut truth: Vec<f64> = sample(4000, &mut noise, |n| {
        n.invocation(BETWEEN, 0.2) - n.invocation(BETWEEN, 0.0)
    });
    let mean = 0.2 * 0.15;
    truth.truncate(1500);
    let typical = signed_rank::typical(&truth, 0.95).expect("values").value;
    for n in [10, 20] {
        let mut draw = || {
            sample(n, &mut noise, |n| {
                n.invocation(BETWEEN, 0.2) - n.invocation(BETWEEN, 0.0)
            })
        };
        coverage(
            &format!("mean ratio, t, n = {n}, one side slow in 20 %"),
            1000,
            mean,
            (0.82, 0.93),
            || student::interval(&draw(), 0.95),
        );
        let what = format!("typical ratio, signed rank, n = {n}, one side slow in 20 %");
        coverage(&what, 1000, typical, (0.92, 0.97), || {
            signed_rank::typical(&draw(), 0.95)?.interval
        });
    }
}

#[test]
fn geometric_means() {
    let mut noise = Noise::new(27);
    for (benchmarks, n, tail, trials) in [
        (5, 2, 0.0, 600),
        (5, 3, 0.0, 600),
        (5, 6, 0.0, 600),
        (5, 10, 0.0, 300),
        (5, 10, 0.1, 300),
        (39, 3, 0.0, 200),
        (39, 6, 0.0, 100),
    ] {
        let words = if tail > 0.0 { ", slow runs" } else { "" };
        let what = format!("geometric mean, {benchmarks} benchmarks, n = {n}{words}");
        let mut seed = 0;
        coverage(&what, trials, 0.0, (0.945, 0.995), || {
            let suite: Vec<Vec<f64>> = (0..benchmarks)
                .map(|_| sample(n, &mut noise, |noise| log_ratio(noise, tail)))
                .collect();
            let suite: Vec<&[f64]> = suite.iter().map(Vec::as_slice).collect();
            seed += 1;
            geomean::suite_mean(&suite, 0.95, seed)?.interval
        });
    }
}

/// Stopping when the interval is narrow enough favours samples that look quiet by luck. A floor of ten blocks keeps the
/// damage small. It is largest where the noise is such that the target is reached midway.
#[test]
fn stopping_by_precision_costs_little() {
    let mut noise = Noise::new(28);
    for (least, loudness, expected) in [
        (6, 1.0, (0.92, 0.97)),
        (10, 1.0, (0.93, 0.97)),
        (12, 1.6, (0.92, 0.96)),
    ] {
        let what =
            format!("typical ratio, {loudness} times the noise, stopped at +-2 %, {least} to 30 blocks");
        coverage(&what, 1500, 0.0, expected, || {
            let draw = |noise: &mut Noise| loudness * log_ratio(noise, 0.0);
            let mut logs = sample(least - 1, &mut noise, draw);
            loop {
                logs.push(draw(&mut noise));
                let interval = signed_rank::typical(&logs, 0.95)?.interval?;
                if interval.half_width() <= 0.02 || logs.len() == 30 {
                    return Some(interval);
                }
            }
        });
    }
}

/// From iterations in a log to intervals in an analysis, with drift of the machine: the whole way that a number takes.
#[test]
fn whole_sessions_with_drift() {
    let mut noise = Noise::new(29);
    for (blocks, trials) in [(4, 300), (10, 200)] {
        for drift in DRIFTS {
            let expected = if blocks < 6 { (0.95, 0.95) } else { (0.951, 0.952) };
            coverage(
                &format!("session, {blocks} blocks, {drift:?}"),
                trials,
                1.1f64.ln(),
                expected,
                || session_interval(blocks, drift, &mut noise),
            );
        }
    }
}

/// The interval of ln(b/a) in a session in which b takes 1.1 times as long as a.
fn session_interval(blocks: usize, drift: Drift, noise: &mut Noise) -> Option<Interval> {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    // Two moments for each block: runtimes of one block run one after the other.
    let machine = drift.series(2 * blocks, noise);
    for (block, moments) in machine.chunks(2).enumerate() {
        log.start("pingpong", block as u32, quiet_block());
        let mut order = [("a", 1e7), ("b", 1.1e7)];
        if noise.chance(0.5) {
            order.reverse();
        }
        for ((runtime, centre), moment) in order.into_iter().zip(moments) {
            let level = moment + noise.invocation(BETWEEN, 0.0);
            let times = (0..ITERATIONS).map(|_| centre * (level + WITHIN * noise.normal()).exp());
            log.run(
                "pingpong",
                block as u32,
                runtime,
                invocation(times.map(|ns| ns as u64).collect()),
            );
        }
    }
    let analysis = analyse(&log.events, &[]).expect("a session");
    let pairs = &analysis.groups[0].pairs;
    let pair = pairs.iter().find(|p| p.measure == Measure::Wall && p.a == "b")?;
    let interval = pair.ratio.interval.as_ref()?;
    Some(Interval {
        low: interval.low.ln(),
        high: interval.high.ln(),
        confidence: interval.confidence,
    })
}
