//! What the segmentation makes of warm-ups of known shape.

use scoville::model::analysis::Warmup;
use scoville::stats::quantile::median;
use scoville::stats::segment::segment;

use crate::noise::{Noise, assert_share};

const NOISE: f64 = 0.03;

/// Relative bias of the steady median, mean over `trials` series, and how often each class was found.
struct Outcome {
    bias: f64,
    lost: f64,
    classes: Vec<Warmup>,
}

impl Outcome {
    fn count(&self, class: Warmup) -> u32 {
        self.classes.iter().filter(|c| **c == class).count() as u32
    }
}

fn segmented(n: usize, trials: u32, seed: u64, shape: impl Fn(usize) -> f64) -> Outcome {
    let mut noise = Noise::new(seed);
    let mut outcome = Outcome {
        bias: 0.0,
        lost: 0.0,
        classes: Vec::new(),
    };
    for _ in 0..trials {
        let logs: Vec<f64> = (0..n).map(|i| shape(i) + NOISE * noise.normal()).collect();
        let s = segment(&logs);
        let steady = median(&logs[s.steady_from..]).expect("a steady part");
        outcome.bias += steady.exp_m1() / f64::from(trials);
        outcome.lost += s.steady_from as f64 / f64::from(trials);
        outcome.classes.push(s.class);
    }
    outcome
}

/// Half as slow again at first, approaching 1 within eight iterations to a third.
fn exponential(i: usize) -> f64 {
    (0.5 * (-(i as f64) / 8.0).exp()).ln_1p()
}

fn step(i: usize) -> f64 {
    if i < 8 { 1.4f64.ln() } else { 0.0 }
}

#[test]
fn flat_series_lose_little() {
    for n in [30, 60, 200] {
        let flat = segmented(n, 300, 41, |_| 0.0);
        println!(
            "| flat, {n} iterations | bias {:.2} % | {:.1} lost |",
            100.0 * flat.bias,
            flat.lost
        );
        assert!(flat.lost < 2.5, "{n}: lost {}", flat.lost);
        // Standard error of the mean of 300 medians: below 0.04 %.
        assert!(flat.bias.abs() < 0.002, "{n}: {}", flat.bias);
        assert_share("flat is flat", flat.count(Warmup::Flat), 300, 0.93, 1.0);
    }
}

#[test]
fn steps_leave_no_bias() {
    for n in [30, 60] {
        let stepped = segmented(n, 300, 42, step);
        println!(
            "| step, {n} iterations | bias {:.2} % | {:.1} lost |",
            100.0 * stepped.bias,
            stepped.lost
        );
        assert!(stepped.bias.abs() < 0.003, "{n}: {}", stepped.bias);
        assert_share(
            "a step down is a warm-up",
            stepped.count(Warmup::WarmUp),
            300,
            0.93,
            1.0,
        );
    }
}

#[test]
fn slow_approaches_leave_a_small_bias() {
    for (n, most) in [(30, 0.03), (60, 0.008), (200, 0.004)] {
        let slow = segmented(n, 300, 43, exponential);
        println!(
            "| exponential, {n} iterations | bias {:.2} % | {:.1} lost |",
            100.0 * slow.bias,
            slow.lost
        );
        assert!((-0.002..most).contains(&slow.bias), "{n}: {}", slow.bias);
    }
    // Planted: without segmentation the bias is several times as large.
    let raw: Vec<f64> = (0..30).map(exponential).collect();
    assert!(raw.iter().sum::<f64>() / 30.0 > 0.08);
}

#[test]
fn slow_downs_and_late_changes_are_named() {
    let slow_down = segmented(60, 200, 44, |i| if i < 20 { 0.0 } else { 0.2 });
    assert_share("slow-down", slow_down.count(Warmup::SlowDown), 200, 0.93, 1.0);
    let late = segmented(60, 200, 45, |i| if i < 56 { 0.0 } else { 0.4 });
    assert_share("late change", late.count(Warmup::Unsteady), 200, 0.93, 1.0);
    let short = segmented(90, 200, 46, |i| if i < 70 { 0.4 } else { 0.0 });
    assert_share("short last level", short.count(Warmup::Unsteady), 200, 0.93, 1.0);
}

#[test]
fn short_series_do_not_pretend() {
    for n in 0..20 {
        let short = segmented(n.max(1), 20, 47, exponential);
        assert_eq!(short.count(Warmup::TooShort), 20, "{n}");
    }
    assert_eq!(segment(&[]).steady_from, 0);
    // The first iterations of a series that is too short for any test are left out for everybody alike.
    assert_eq!(
        (segment(&[0.5]).steady_from, segment(&[0.5, 0.1, 0.1]).steady_from),
        (0, 1)
    );
}

#[test]
fn spikes_are_no_levels() {
    // One collection of garbage every seven iterations.
    let spiky = segmented(60, 200, 48, |i| if i % 7 == 3 { 0.8 } else { 0.0 });
    assert_share("spikes stay flat", spiky.count(Warmup::Flat), 200, 0.9, 1.0);
}

#[test]
fn a_coarse_clock_makes_no_levels() {
    // Times of ten or eleven ticks: more than half of the differences are zero, and the noise scale would be too.
    let ticks: Vec<f64> = (0..60).map(|i| f64::from(1000 + i % 5 / 4).ln()).collect();
    assert_eq!(segment(&ticks).class, Warmup::Flat);
    assert_eq!(segment(&[7.0; 40]).class, Warmup::Flat);
}
