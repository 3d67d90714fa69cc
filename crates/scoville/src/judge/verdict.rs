//! What an interval of a log-ratio allows to conclude.

use crate::model::analysis::Verdict;
use crate::stats::Interval;

/// The verdict on an interval of `ln(a/b)` against the equivalence band `[-ln(1+margin), ln(1+margin)]`.
///
/// The band is symmetric in logarithms, so that the verdict on b/a is always the mirror image.
pub fn verdict(interval: Option<Interval>, margin: f64) -> Verdict {
    let Some(Interval { low, high, .. }) = interval else {
        return Verdict::Undecided;
    };
    let band = margin.ln_1p();
    if high < -band {
        Verdict::Faster
    } else if low > band {
        Verdict::Slower
    } else if -band <= low && high <= band {
        Verdict::Equal
    } else if high < 0.0 {
        Verdict::FasterSmall
    } else if low > 0.0 {
        Verdict::SlowerSmall
    } else {
        Verdict::Undecided
    }
}

/// The verdict with the runtimes exchanged.
pub(super) fn mirrored(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Faster => Verdict::Slower,
        Verdict::FasterSmall => Verdict::SlowerSmall,
        Verdict::SlowerSmall => Verdict::FasterSmall,
        Verdict::Slower => Verdict::Faster,
        Verdict::Equal | Verdict::Undecided => verdict,
    }
}
