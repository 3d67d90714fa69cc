//! How often verdicts are wrong, and how often they find what is there.

use scoville::judge::verdict;
use scoville::model::analysis::Verdict;
use scoville::stats::signed_rank::{null_distribution, p_value, typical};
use scoville::stats::{decide, holm, student};

use crate::noise::{DRIFTS, Drift, Noise, assert_share, explained};

const BETWEEN: f64 = 0.02;
const MARGIN: f64 = 0.02;

/// Log-ratios of `n` blocks of two runtimes, b slower by `effect`, on a drifting machine; in each block the order is
/// drawn.
fn blocks(n: usize, effect: f64, drift: Drift, tail: f64, noise: &mut Noise) -> Vec<f64> {
    let machine = drift.series(2 * n, noise);
    let ratio = |moments: &[f64], noise: &mut Noise| {
        let swap = noise.chance(0.5);
        let (a, b) = if swap {
            (moments[1], moments[0])
        } else {
            (moments[0], moments[1])
        };
        effect + b + noise.invocation(BETWEEN, tail) - a - noise.invocation(BETWEEN, tail)
    };
    machine.chunks(2).map(|moments| ratio(moments, noise)).collect()
}

fn judge(logs: &[f64]) -> Verdict {
    verdict(typical(logs, 0.95).and_then(|t| t.interval), MARGIN)
}

fn count(trials: u32, mut trial: impl FnMut() -> bool) -> u32 {
    (0..trials).map(|_| u32::from(trial())).sum()
}

fn differs(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Equal | Verdict::Undecided)
}

fn clearly_differs(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

#[test]
fn the_same_program_twice_is_rarely_called_different() {
    let mut noise = Noise::new(31);
    for n in [6, 10, 15, 20] {
        for (drift, tail) in DRIFTS.into_iter().map(|d| (d, 0.0)).chain([(Drift::None, 0.1)]) {
            let verdicts: Vec<Verdict> = (0..1000)
                .map(|_| judge(&blocks(n, 0.0, drift, tail, &mut noise)))
                .collect();
            let (any, clear) = (
                verdicts.iter().filter(|v| differs(**v)).count() as u32,
                verdicts.iter().filter(|v| clearly_differs(**v)).count() as u32,
            );
            println!(
                "| A/A, n = {n}, {drift:?}, tail {tail} | {:.1} % | {:.1} % |",
                any as f64 / 10.0,
                clear as f64 / 10.0
            );
            // At most: an interval within the margin says "equal" even where it excludes zero.
            let what = format!("A/A n {n} {drift:?} tail {tail}");
            assert_share(&what, any, 1000, 0.0, 0.05);
            assert_share(&format!("{what}, beyond the margin"), clear, 1000, 0.0, 0.01);
        }
    }
}

/// Why blocks: all runs of one runtime and then all of the other, on the same drifting machine, with the usual t test.
#[test]
fn without_blocks_the_same_program_twice_is_called_different() {
    let mut noise = Noise::new(32);
    for (drift, expected) in [
        (Drift::Trend, (0.3, 0.7)),
        (Drift::Wander, (0.15, 0.6)),
        (Drift::Step, (0.7, 1.0)),
    ] {
        let alarms = count(1000, || {
            let machine = drift.series(30, &mut noise);
            let runs: Vec<f64> = machine
                .iter()
                .map(|m| m + noise.invocation(BETWEEN, 0.0))
                .collect();
            let (a, b) = runs.split_at(15);
            let spread = |x: &[f64]| student::deviation(x).expect("runs").powi(2) / 15.0;
            let distance = (student::mean(a) - student::mean(b)).abs();
            distance > student::factor(0.95, 28) * (spread(a) + spread(b)).sqrt()
        });
        println!(
            "| *not used:* A/A, one after the other, n = 15, {drift:?} | {:.1} % |",
            alarms as f64 / 10.0
        );
        assert_share(&format!("batch {drift:?}"), alarms, 1000, expected.0, expected.1);
    }
}

#[test]
fn a_runtime_five_percent_slower_is_found() {
    let mut noise = Noise::new(33);
    for (n, tail, at_least) in [(10, 0.0, 0.97), (15, 0.0, 0.99), (20, 0.0, 0.99), (20, 0.1, 0.85)] {
        let found = count(1000, || {
            let verdict = judge(&blocks(n, 1.05f64.ln(), Drift::Trend, tail, &mut noise));
            matches!(verdict, Verdict::Slower | Verdict::SlowerSmall)
        });
        println!(
            "| 5 % slower is found, n = {n}, tail {tail} | {:.1} % |",
            found as f64 / 10.0
        );
        assert_share(&format!("power n {n} tail {tail}"), found, 1000, at_least, 1.0);
    }
}

#[test]
fn what_lies_on_the_margin_is_rarely_called_equal() {
    let mut noise = Noise::new(34);
    for n in [10, 20] {
        let equal = count(1000, || {
            let logs: Vec<f64> = (0..n).map(|_| MARGIN.ln_1p() + 0.008 * noise.normal()).collect();
            judge(&logs) == Verdict::Equal
        });
        assert_share(&format!("equal on the margin, n {n}"), equal, 1000, 0.0, 0.026);
    }
    // And what is equal is called so, once the interval can fit into the margin.
    let equal = count(500, || {
        let logs: Vec<f64> = (0..20).map(|_| 0.015 * noise.normal()).collect();
        judge(&logs) == Verdict::Equal
    });
    assert_share("equal is found", equal, 500, 0.95, 1.0);
}

/// The p value is uniform on the levels that it can take.
#[test]
fn p_values_are_uniform() {
    let mut noise = Noise::new(35);
    let (n, trials) = (12, 4000);
    let p: Vec<f64> = (0..trials)
        .map(|_| p_value(&blocks(n, 0.0, Drift::None, 0.1, &mut noise)))
        .collect();
    for level in null_distribution(n)
        .iter()
        .map(|half| 2.0 * half)
        .filter(|level| *level < 0.99)
    {
        let below = p.iter().filter(|p| **p <= level + 1e-12).count() as f64 / f64::from(trials);
        let (least, most) = explained(level, trials);
        assert!((least..=most).contains(&below), "level {level}: {below}");
    }
}

#[test]
fn holm_keeps_the_family_wise_rate() {
    let mut noise = Noise::new(36);
    let (mut unadjusted, trials) = (0, 500);
    let alarms = count(trials, || {
        let p: Vec<f64> = (0..39)
            .map(|_| p_value(&blocks(12, 0.0, Drift::None, 0.0, &mut noise)))
            .collect();
        unadjusted += u32::from(p.iter().any(|p| *p <= 0.05));
        holm::adjust(&p).iter().any(|p| *p <= 0.05)
    });
    println!(
        "| any of 39 A/A tests alarms: Holm {:.1} %, unadjusted {:.1} % |",
        alarms as f64 / 5.0,
        unadjusted as f64 / 5.0
    );
    assert_share("family-wise", alarms, trials, 0.0, 0.05);
    assert_share(
        "unadjusted, to see that there is something to adjust",
        unadjusted,
        trials,
        0.7,
        1.0,
    );
}

/// A small true difference, after as many blocks as were asked for, is decided about every second time or more often.
#[test]
fn the_blocks_asked_for_are_about_enough() {
    let mut noise = Noise::new(37);
    let mut asked = 0;
    let decided = count(300, || {
        loop {
            let mut logs = blocks(8, 0.015, Drift::None, 0.0, &mut noise);
            let first = typical(&logs, 0.95).expect("blocks");
            if judge(&logs) != Verdict::Undecided {
                continue;
            }
            let width = first.interval.expect("eight blocks").half_width();
            let more =
                decide::further_blocks(first.value, width, 8, MARGIN.ln_1p(), 0.95).expect("some number");
            asked += more;
            logs.extend(blocks(more as usize, 0.015, Drift::None, 0.0, &mut noise));
            return judge(&logs) != Verdict::Undecided;
        }
    });
    println!(
        "| asked for {} blocks on average, decided {:.0} % |",
        asked / 300,
        decided as f64 / 3.0
    );
    assert_share("decided after the blocks asked for", decided, 300, 0.3, 0.9);
}
