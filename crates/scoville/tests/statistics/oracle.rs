//! Against other implementations, published tables and brute force.

use scoville::stats::signed_rank::{null_distribution, p_value, typical};
use scoville::stats::{
    binomial, bootstrap, dispersion, evenness, geomean, holm, normal, order_statistics, quantile, student,
};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use crate::noise::Noise;

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs().max(1e-300)
}

#[test]
fn normal_distribution() {
    let oracle = Normal::standard();
    for i in -80..=80 {
        let x = f64::from(i) / 10.0;
        assert!(close(normal::cdf(x), oracle.cdf(x), 1e-9), "cdf {x}");
    }
    // Printed tables, since the oracle's inverse is an approximation itself.
    for (p, x) in [
        (0.975, 1.959_963_984_540_054),
        (0.95, 1.644_853_626_951_472_2),
        (0.5, 0.0),
    ] {
        assert!((normal::quantile(p) - x).abs() < 1e-12, "quantile {p}");
    }
}

#[test]
fn student_distribution() {
    for freedom in [1, 2, 3, 4, 5, 9, 10, 19, 30, 101, 4999] {
        let oracle = StudentsT::new(0.0, 1.0, f64::from(freedom)).expect("valid");
        for i in -60..=60 {
            let t = f64::from(i) / 6.0;
            assert!(
                (student::cdf(t, freedom) - oracle.cdf(t)).abs() < 1e-9,
                "cdf {t} {freedom}"
            );
        }
    }
    for (freedom, t) in [
        (1, 12.706_204_736),
        (2, 4.302_652_730),
        (9, 2.262_157_163),
        (29, 2.045_229_642),
    ] {
        assert!(close(student::factor(0.95, freedom), t, 1e-9), "{freedom}");
    }
    assert!(close(
        student::factor(0.95, 4999),
        student::factor(0.95, 5000),
        1e-3
    ));
}

#[test]
fn binomial_distribution() {
    for (n, p) in [(1, 0.5), (7, 0.3), (40, 0.97), (200, 0.5), (200, 0.01)] {
        let oracle = Binomial::new(p, n).expect("valid");
        for k in 0..=n {
            let ours = binomial::cdf(k as i64, n as u32, p);
            assert!((ours - oracle.cdf(k)).abs() < 1e-9, "{k} {n} {p}: {ours}");
        }
    }
    let oracle = Binomial::new(0.5, 1000).expect("valid");
    for k in 400..600 {
        assert!((binomial::cdf(k as i64, 1000, 0.5) - oracle.cdf(k)).abs() < 2e-3);
    }
    assert_eq!((binomial::cdf(-1, 5, 0.5), binomial::cdf(5, 5, 0.5)), (0.0, 1.0));
}

#[test]
fn signed_rank_distribution_by_brute_force() {
    for n in 1..=10 {
        let table = null_distribution(n);
        let sum_of = |signs: u32| {
            (0..n)
                .filter(|i| signs >> i & 1 == 1)
                .map(|i| i + 1)
                .sum::<usize>()
        };
        for (w, p) in table.iter().enumerate() {
            let at_most = (0..1u32 << n).filter(|signs| sum_of(*signs) <= w).count();
            assert!(
                close(*p, at_most as f64 / f64::from(1u32 << n), 1e-12),
                "n {n} w {w}"
            );
        }
    }
}

/// Largest rank sums that are significant at 5 %, two-sided, as every table of Wilcoxon's test prints them.
#[test]
fn signed_rank_critical_values() {
    let printed = [
        (6, 0),
        (7, 2),
        (8, 3),
        (9, 5),
        (10, 8),
        (15, 25),
        (20, 52),
        (25, 89),
        (30, 137),
        (50, 434),
    ];
    for (n, critical) in printed {
        let table = null_distribution(n);
        assert!(table[critical] <= 0.025 && table[critical + 1] > 0.025, "n {n}");
    }
}

/// Hollander and Wolfe's depression data, the example of R's `wilcox.test`.
#[test]
fn signed_rank_textbook_example() {
    // In hundredths, lest a linter take a patient for pi.
    let before = [183.0, 50.0, 162.0, 248.0, 168.0, 188.0, 155.0, 306.0, 130.0];
    let after = [87.8, 64.7, 59.8, 205.0, 106.0, 129.0, 106.0, 314.0, 129.0];
    let differences: Vec<f64> = before.iter().zip(after).map(|(x, y)| (x - y) / 100.0).collect();
    assert!(close(p_value(&differences), 0.039_062_5, 1e-12));
    let result = typical(&differences, 0.95).expect("nine values");
    let interval = result.interval.expect("nine values");
    assert!((result.value - 0.46).abs() < 1e-9);
    assert!(
        (interval.low - 0.010).abs() < 1e-9 && (interval.high - 0.786).abs() < 1e-9,
        "{interval:?}"
    );
    assert!(close(interval.confidence, 1.0 - 2.0 * 10.0 / 512.0, 1e-12));
}

/// Ties and zeros: the p value against enumeration of all signs, with Pratt's ranks computed naively.
#[test]
fn signed_rank_ties_and_zeros_by_brute_force() {
    let mut noise = Noise::new(11);
    for _ in 0..60 {
        let n = 3 + noise.below(7);
        let values: Vec<f64> = (0..n).map(|_| noise.below(7) as f64 - 2.0).collect();
        let rank = |v: f64| {
            let smaller = values.iter().filter(|w| w.abs() < v.abs()).count() as f64;
            let tied = values.iter().filter(|w| w.abs() == v.abs()).count() as f64;
            smaller + (tied + 1.0) / 2.0
        };
        let ranked: Vec<(f64, f64)> = values
            .iter()
            .filter(|v| **v != 0.0)
            .map(|v| (*v, rank(*v)))
            .collect();
        let total: f64 = ranked.iter().map(|(_, r)| r).sum();
        let positive: f64 = ranked.iter().filter(|(v, _)| *v > 0.0).map(|(_, r)| r).sum();
        let distance = (positive - total / 2.0).abs();
        let all = 1u32 << ranked.len();
        let sum_of = |signs: u32| {
            let chosen = ranked.iter().enumerate().filter(|(i, _)| signs >> i & 1 == 1);
            chosen.map(|(_, (_, r))| r).sum::<f64>()
        };
        let extreme = (0..all)
            .filter(|s| (sum_of(*s) - total / 2.0).abs() >= distance)
            .count();
        let expected = extreme as f64 / f64::from(all);
        assert!(
            close(p_value(&values), expected, 1e-9),
            "{values:?}: {} {expected}",
            p_value(&values)
        );
    }
}

#[test]
fn exact_and_normal_signed_rank_meet() {
    let mut noise = Noise::new(12);
    let values: Vec<f64> = (0..51).map(|_| 0.3 + noise.normal()).collect();
    let (exact, approximate) = (p_value(&values[..50]), p_value(&values));
    assert!((exact - approximate).abs() < 0.02, "{exact} {approximate}");
    let width = |values: &[f64]| {
        typical(values, 0.95)
            .and_then(|t| t.interval)
            .expect("interval")
            .half_width()
    };
    assert!(close(width(&values), width(&values[..50]), 0.1));
}

#[test]
fn quantiles_like_r_and_numpy() {
    let sorted = [1.0, 2.0, 4.0, 8.0];
    assert_eq!(quantile::of_sorted(&sorted, 0.25), 1.75);
    assert!(close(quantile::of_sorted(&sorted, 0.9), 6.8, 1e-12));
    assert_eq!(quantile::median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(quantile::median(&[]), None);
}

#[test]
fn order_statistics_of_the_tables() {
    let interval = |n: usize| {
        let sorted: Vec<f64> = (1..=n).map(|i| i as f64).collect();
        order_statistics::median_interval(&sorted, 0.95).map(|i| (i.low, i.high))
    };
    assert_eq!(interval(5), None);
    assert_eq!(interval(6), Some((1.0, 6.0)));
    assert_eq!(interval(7), Some((1.0, 7.0)));
    assert_eq!(interval(10), Some((2.0, 9.0)));
    assert_eq!(interval(15), Some((4.0, 12.0)));
    assert_eq!(interval(20), Some((6.0, 15.0)));
}

#[test]
fn holm_by_hand() {
    let adjusted = holm::adjust(&[0.01, 0.04, 0.03, 0.005]);
    let expected = [0.03, 0.06, 0.06, 0.02];
    assert!(
        adjusted.iter().zip(expected).all(|(a, e)| close(*a, e, 1e-12)),
        "{adjusted:?}"
    );
    assert_eq!(holm::adjust(&[]), Vec::<f64>::new());
}

#[test]
fn evenness_and_spread_by_hand() {
    assert_eq!(evenness::jain(&[1.0, 1.0, 1.0, 1.0]), Some(1.0));
    assert_eq!(evenness::jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
    assert_eq!((evenness::jain(&[]), evenness::jain(&[0.0, 0.0])), (None, None));
    assert_eq!(
        evenness::five_numbers(&[5.0, 1.0, 3.0, 2.0, 4.0]),
        Some([1.0, 2.0, 3.0, 4.0, 5.0])
    );
    assert_eq!(dispersion::variation(&[9.0, 11.0]), Some(2f64.sqrt() / 10.0));
    let mut noise = Noise::new(13);
    let jumping: Vec<f64> = (0..2000)
        .map(|i| f64::from(i / 500) + 0.1 * noise.normal())
        .collect();
    let scale = dispersion::noise(&jumping).expect("values");
    assert!((0.09..0.11).contains(&scale), "{scale}");
}

/// The closed form of the hierarchical bootstrap against resampling as everybody writes it.
#[test]
fn hierarchical_bootstrap_by_resampling() {
    let mut noise = Noise::new(14);
    // Tolerance in shares of the width. 2000 resamples alone are good for 0.06. An even number of groups takes the outer
    // middle, a small even number of values only the mean of both middles' distributions, and groups of one value make
    // the ends jump from value to value.
    for (n, k, tolerance) in [
        (21, 31, 0.06),
        (23, 9, 0.06),
        (23, 30, 0.06),
        (23, 8, 0.2),
        (20, 7, 0.12),
        (25, 1, 0.12),
    ] {
        let group = |noise: &mut Noise| {
            let level = 0.02 * noise.normal();
            quantile::sorted(&(0..k).map(|_| level + 0.03 * noise.normal()).collect::<Vec<_>>())
        };
        let groups: Vec<Vec<f64>> = (0..n).map(|_| group(&mut noise)).collect();
        let resample = |noise: &mut Noise| {
            let one = |noise: &mut Noise| {
                let from = &groups[noise.below(n)];
                quantile::median(&(0..k).map(|_| from[noise.below(k)]).collect::<Vec<_>>())
            };
            quantile::median(&(0..n).filter_map(|_| one(noise)).collect::<Vec<_>>())
        };
        let resampled: Vec<f64> = (0..2000).filter_map(|_| resample(&mut noise)).collect();
        let resampled = quantile::sorted(&resampled);
        let exact = bootstrap::median_of_medians(&groups, 0.95).expect("groups");
        let (low, high) = (
            quantile::of_sorted(&resampled, 0.025),
            quantile::of_sorted(&resampled, 0.975),
        );
        let tolerance = tolerance * (high - low);
        let near = (exact.low - low).abs() < tolerance && (exact.high - high).abs() < tolerance;
        assert!(near, "{n} groups of {k}: {exact:?}, resampled {low} {high}");
    }
}

#[test]
fn geometric_mean_of_one_and_of_equal_benchmarks() {
    let blocks = [0.1, 0.12, 0.08, 0.11];
    let same = geomean::suite_mean(&[&blocks, &blocks], 0.95, 1).expect("blocks");
    let alone = geomean::suite_mean(&[&blocks], 0.95, 1).expect("blocks");
    assert_eq!((same.value, alone.interval), (alone.value, None));
    let constant = [0.3; 5];
    let certain = geomean::suite_mean(&[&constant, &constant], 0.95, 1).expect("blocks");
    assert_eq!(certain.interval.map(|i| (i.low, i.high)), Some((0.3, 0.3)));
    assert_eq!(geomean::suite_mean(&[&blocks, &[]], 0.95, 1), None);
    assert_eq!(
        geomean::suite_mean(&[&blocks, &[0.1]], 0.95, 1).and_then(|m| m.interval),
        None
    );
}
