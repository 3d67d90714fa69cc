//! Numbers as people read them: three significant digits, a unit, never more precision than was measured.

use crate::model::analysis::{Estimate, Interval, Measure};

pub use crate::digits::{count, significant};

/// Nanoseconds with the unit that leaves one to three digits before the point.
pub fn duration(ns: f64) -> String {
    scaled(ns, &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")], 1000.0)
}

/// Bytes in binary units.
pub fn bytes(b: f64) -> String {
    const K: f64 = 1024.0;
    scaled(
        b,
        &[
            (1.0, "B"),
            (K, "KiB"),
            (K * K, "MiB"),
            (K * K * K, "GiB"),
            (K * K * K * K, "TiB"),
        ],
        K,
    )
}

fn scaled(x: f64, units: &[(f64, &str)], step: f64) -> String {
    // 999.96 µs rounds to 1000 µs, which reads better as 1.00 ms; hence the half of a last digit.
    let fits = |size: f64| x.abs() < size * step * (1.0 - 5e-4);
    let (size, unit) = *(units.iter().find(|(s, _)| fits(*s)))
        .or(units.last())
        .expect("every unit table has an entry");
    format!("{} {unit}", significant(x / size))
}

/// A share between 0 and 1 in per cent.
pub fn percent(share: f64) -> String {
    let p = share * 100.0;
    if p.abs() >= 99.95 || p == 0.0 {
        format!("{p:.0} %")
    } else if p.abs() < 0.05 {
        "<0.1 %".into()
    } else {
        format!("{p:.1} %")
    }
}

/// A value of a measure in its unit.
pub fn value(measure: Measure, x: f64) -> String {
    match measure {
        Measure::Wall | Measure::Cold | Measure::Cpu => duration(x),
        Measure::Memory => bytes(x),
        Measure::Utilisation => percent(x),
    }
}

/// `±1.1 %`: the longer arm of the interval relative to the value. Empty without an interval.
pub fn half_width(e: &Estimate) -> String {
    match &e.interval {
        Some(Interval { low, high, .. }) if e.value != 0.0 => {
            let arm = (e.value - low).max(high - e.value) / e.value.abs();
            if arm >= 10.0 {
                "±>999 %".into()
            } else if arm >= 0.1 {
                format!("±{:.0} %", arm * 100.0)
            } else {
                format!("±{}", percent(arm))
            }
        }
        _ => String::new(),
    }
}

/// `1.93 [1.88–1.99]`, or the bare ratio without an interval.
pub fn ratio(e: &Estimate) -> String {
    match &e.interval {
        Some(i) => format!("{} {}", significant(e.value), interval(i)),
        None => significant(e.value),
    }
}

/// `[1.88–1.99]`.
pub fn interval(i: &Interval) -> String {
    format!("[{}–{}]", significant(i.low), significant(i.high))
}

/// `order statistics, 96.1 %`: how an interval was made and the confidence that it reached.
pub fn method(i: &Interval) -> String {
    format!("{}, {}", i.method, percent(i.confidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_before_four_digits_appear() {
        assert_eq!(duration(999.0), "999 ns");
        assert_eq!(duration(999_960.0), "1.00 ms");
        assert_eq!(duration(41_234_567.0), "41.2 ms");
        assert_eq!(duration(7.2e12), "7200 s");
        assert_eq!(bytes(1536.0), "1.50 KiB");
        assert_eq!(bytes(512.0), "512 B");
    }

    #[test]
    fn a_narrow_interval_is_not_exact() {
        let shown = |arm: f64| {
            let interval = Interval {
                low: 1.0 - arm,
                high: 1.0 + arm,
                confidence: 0.95,
                method: "test".into(),
            };
            half_width(&Estimate {
                value: 1.0,
                interval: Some(interval),
                n: 12,
                range: (1.0, 1.0),
                source: "test".into(),
            })
        };
        let told = [0.0, 0.0001, 0.001, 0.0999, 0.2].map(shown);
        assert_eq!(told, ["±0 %", "±<0.1 %", "±0.1 %", "±10.0 %", "±20 %"]);
    }

    #[test]
    fn a_small_share_is_not_zero() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.0001), "<0.1 %");
        assert_eq!(percent(0.5), "50.0 %");
        assert_eq!(percent(1.0), "100 %");
    }
}
