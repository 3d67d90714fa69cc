//! Laws that hold for all data.

use proptest::collection::vec;
use proptest::prelude::*;
use scoville::judge::verdict;
use scoville::model::analysis::Verdict;
use scoville::stats::signed_rank::{p_value, typical};
use scoville::stats::{
    Interval, bootstrap, decide, evenness, geomean, holm, order_statistics, quantile, segment, student,
};

/// Finite numbers with ties and zeros among them.
fn numbers(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    vec(
        prop_oneof![3 => -10.0..10.0f64, 1 => (-3i8..=3).prop_map(f64::from)],
        length,
    )
}

fn negated(values: &[f64]) -> Vec<f64> {
    values.iter().map(|v| -v).collect()
}

fn mirror(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Faster => Verdict::Slower,
        Verdict::FasterSmall => Verdict::SlowerSmall,
        Verdict::SlowerSmall => Verdict::FasterSmall,
        Verdict::Slower => Verdict::Faster,
        Verdict::Equal => Verdict::Equal,
        Verdict::Undecided => Verdict::Undecided,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn quantiles_are_bounded_and_monotone(values in numbers(1..40), p in 0.0..1.0f64, q in 0.0..1.0f64) {
        let sorted = quantile::sorted(&values);
        let (low, high) = (quantile::of_sorted(&sorted, p.min(q)), quantile::of_sorted(&sorted, p.max(q)));
        prop_assert!(sorted[0] <= low && low <= high && high <= sorted[sorted.len() - 1]);
    }

    #[test]
    fn hodges_lehmann_is_antisymmetric(values in numbers(1..60)) {
        let (one, other) = (typical(&values, 0.95).unwrap(), typical(&negated(&values), 0.95).unwrap());
        prop_assert!((one.value + other.value).abs() < 1e-12);
        prop_assert_eq!(p_value(&values), p_value(&negated(&values)));
        match (one.interval, other.interval) {
            (Some(a), Some(b)) => prop_assert!(a.low == -b.high && a.high == -b.low),
            (a, b) => prop_assert!(a.is_none() && b.is_none() && values.len() < 6),
        }
    }

    #[test]
    fn hodges_lehmann_moves_with_the_data(values in numbers(6..40), shift in -5.0..5.0f64) {
        let moved: Vec<f64> = values.iter().map(|v| v + shift).collect();
        let (a, b) = (typical(&values, 0.95).unwrap(), typical(&moved, 0.95).unwrap());
        prop_assert!((a.value + shift - b.value).abs() < 1e-9);
        let (a, b) = (a.interval.unwrap(), b.interval.unwrap());
        prop_assert!((a.half_width() - b.half_width()).abs() < 1e-9);
    }

    #[test]
    fn intervals_contain_their_estimate(values in numbers(6..60)) {
        let t = typical(&values, 0.95).unwrap();
        let i = t.interval.unwrap();
        prop_assert!(i.low <= t.value && t.value <= i.high && i.confidence >= 0.95 - 1e-12);
        let i = student::interval(&values, 0.95).unwrap();
        prop_assert!(i.low <= student::mean(&values) && student::mean(&values) <= i.high);
        let sorted = quantile::sorted(&values);
        let median = quantile::of_sorted(&sorted, 0.5);
        let i = order_statistics::median_interval(&sorted, 0.95).unwrap();
        prop_assert!(i.low <= median && median <= i.high && i.confidence >= 0.95);
        let groups: Vec<Vec<f64>> = values.iter().map(|v| vec![*v]).collect();
        let i = bootstrap::median_of_medians(&groups, 0.95).unwrap();
        prop_assert!(i.low <= median && median <= i.high);
    }

    #[test]
    fn p_values_agree_with_intervals_where_nothing_ties(values in vec(-10.0..10.0f64, 6..40)) {
        let i = typical(&values, 0.95).unwrap().interval.unwrap();
        let excludes_zero = i.low > 0.0 || i.high < 0.0;
        prop_assert_eq!(p_value(&values) <= 1.0 - i.confidence + 1e-12, excludes_zero);
    }

    #[test]
    fn p_values_are_probabilities(values in numbers(0..70)) {
        let p = p_value(&values);
        prop_assert!(p > 0.0 && p <= 1.0);
    }

    #[test]
    fn verdicts_follow_the_interval(a in -0.2..0.2f64, b in -0.2..0.2f64, margin in 0.0..0.1f64) {
        let (low, high) = (a.min(b), a.max(b));
        let given = verdict(Some(Interval { low, high, confidence: 0.95 }), margin);
        let mirrored = verdict(Some(Interval { low: -high, high: -low, confidence: 0.95 }), margin);
        prop_assert_eq!(mirror(given), mirrored);
        let band = margin.ln_1p();
        match given {
            Verdict::Faster => prop_assert!(high < -band),
            Verdict::FasterSmall => prop_assert!(high < 0.0 && low < -band),
            Verdict::Equal => prop_assert!(low >= -band && high <= band),
            Verdict::SlowerSmall => prop_assert!(low > 0.0 && high > band),
            Verdict::Slower => prop_assert!(low > band),
            Verdict::Undecided => prop_assert!(low <= 0.0 && high >= 0.0),
        }
        prop_assert_eq!(verdict(None, margin), Verdict::Undecided);
    }

    #[test]
    fn holm_is_monotone_and_never_below_p(p in vec(0.0..=1.0f64, 0..45)) {
        let adjusted = holm::adjust(&p);
        for (i, a) in adjusted.iter().enumerate() {
            prop_assert!(*a >= p[i] && *a <= 1.0);
            for (j, b) in adjusted.iter().enumerate() {
                prop_assert!(p[i] > p[j] || a <= b);
            }
        }
    }

    #[test]
    fn jain_lies_between_one_nth_and_one(shares in vec(0.0..100.0f64, 1..50)) {
        if let Some(index) = evenness::jain(&shares) {
            prop_assert!(index <= 1.0 + 1e-12 && index >= 1.0 / shares.len() as f64 - 1e-12);
        }
    }

    #[test]
    fn segments_tile_the_series(logs in vec(-1.0..1.0f64, 0..120)) {
        let s = segment::segment(&logs);
        prop_assert!(logs.is_empty() || s.steady_from < logs.len());
        if logs.len() >= 6 {
            prop_assert_eq!(s.levels[0].from, 0);
            prop_assert_eq!(s.levels[s.levels.len() - 1].to, logs.len());
            prop_assert!(s.levels.windows(2).all(|w| w[0].to == w[1].from));
            prop_assert!(s.levels.iter().all(|l| l.to - l.from >= 3));
            prop_assert!(s.steady_from <= s.levels[s.levels.len() - 1].from);
        }
    }

    #[test]
    fn further_blocks_are_enough_and_no_more(
        estimate in -0.1..0.1f64, half_width in 0.001..0.3f64, n in 2u32..30, margin in 0.005..0.1f64
    ) {
        if let Some(more) = decide::further_blocks(estimate, half_width, n, margin, 0.95) {
            let deviation = half_width * f64::from(n).sqrt() / student::factor(0.95, n - 1);
            let width = |total: u32| deviation * student::factor(0.95, total - 1) / f64::from(total).sqrt();
            let enough = estimate.abs().max(margin - estimate.abs());
            prop_assert!(more >= 1 && width(n + more) <= enough * (1.0 + 1e-9));
            prop_assert!(more == 1 || width(n + more - 1) > enough * (1.0 - 1e-9));
        }
    }

    #[test]
    fn geometric_means_lie_within_their_parts(
        a in vec(-1.0..1.0f64, 2..12), b in vec(-1.0..1.0f64, 2..12), seed in any::<u64>()
    ) {
        let mean = geomean::suite_mean(&[&a, &b], 0.95, seed).unwrap();
        let (x, y) = (typical(&a, 0.95).unwrap().value, typical(&b, 0.95).unwrap().value);
        prop_assert!((mean.value - (x + y) / 2.0).abs() < 1e-12);
        prop_assert_eq!(geomean::suite_mean(&[&a, &b], 0.95, seed), Some(mean));
    }
}
