//! The processor's own count of time, for what is timed so often that a look at the clock is too dear: that takes 24 ns, this one 9.
//!
//! Nobody says how long a tick is. It is found out by looking at both twice, long enough apart ([`Rate`]).

use datil_policy::Nanos;

/// The two looks are at least so far apart.
const APART: Nanos = 100_000;
/// And what passes while one of them is taken, since no processor may be there to go on, is no more than such a part of that.
const DOUBT: u64 = 128;
/// Bits behind the point of a rate.
const BITS: u32 = 20;

#[cfg(all(target_arch = "x86_64", not(any(miri, loom, shuttle))))]
mod imp {
    use std::arch::x86_64::{__cpuid, _rdtsc};

    /// Where the processor says what it can do beyond the beginnings, and where it says that its ticks are even.
    const EXTENDED: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    const EVEN_TICKS: u32 = 1 << 8;

    /// Whether ticks are equally long at all times and on all processors of a machine, as far as the processor knows.
    pub(super) fn are_even() -> bool {
        __cpuid(EXTENDED).eax >= POWER && __cpuid(POWER).edx & EVEN_TICKS != 0
    }

    /// Ticks so far.
    #[inline(always)]
    pub(crate) fn read() -> u64 {
        // SAFETY: the instruction is part of the architecture, and reads no memory.
        unsafe { _rdtsc() }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, loom, shuttle)))))]
mod imp {
    pub(super) fn are_even() -> bool {
        false
    }

    pub(crate) fn read() -> u64 {
        unreachable!("asked for only where ticks are even")
    }
}

pub(crate) use imp::read;

/// The clock, and the ticks just before and after it was read.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    before: u64,
    at: Nanos,
    after: u64,
}

impl Look {
    /// Looks at both; `None` where ticks are of no use.
    pub(crate) fn take(now: impl FnOnce() -> Nanos) -> Option<Self> {
        imp::are_even().then(|| Self::take_anyhow(now))
    }

    fn take_anyhow(now: impl FnOnce() -> Nanos) -> Self {
        let before = read();
        let at = now();
        Self {
            before,
            at,
            after: read(),
        }
    }
}

/// How long a tick is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rate(u64);

impl Rate {
    /// By a look and another one now; `None` as long as the two do not say it for sure.
    pub(crate) fn since(start: Look, now: impl FnOnce() -> Nanos) -> Option<Self> {
        Self::between(start, Look::take_anyhow(now))
    }

    fn between(start: Look, end: Look) -> Option<Self> {
        let nanos = end.at.checked_sub(start.at).filter(|&nanos| nanos >= APART)?;
        // Somewhere between these.
        let least = end.before.checked_sub(start.after)?;
        let most = end.after.checked_sub(start.before)?;
        // So long after the first look the product may need more bits.
        let rate = || (u128::from(nanos) << BITS) / u128::from(most);
        (most - least <= least / DOUBT).then(|| Self(rate() as u64))
    }

    /// How long so many ticks are.
    #[inline]
    pub(crate) fn nanos(self, ticks: u64) -> Nanos {
        ((u128::from(ticks) * u128::from(self.0)) >> BITS) as Nanos
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn look(before: u64, at: Nanos, after: u64) -> Look {
        Look { before, at, after }
    }

    #[test]
    fn the_rate_is_what_lies_between_two_looks() {
        let start = look(1_000, 50, 1_100);
        let rate = Rate::between(start, look(2_601_000, 1_000_050, 2_601_100)).expect("it is sure");
        assert!((999_000..=1_000_000).contains(&rate.nanos(2_600_000)), "{rate:?}");
        assert_eq!(rate.nanos(0), 0);
        // Whole days, too: 2^50 ticks are five.
        let (ticks, nanos) = (1 << 50, (1 << 50) * 5 / 13);
        let rate = Rate::between(start, look(ticks, nanos, ticks + 100)).expect("it is sure");
        assert!(
            (nanos - nanos / 1_000..=nanos).contains(&rate.nanos(ticks)),
            "{rate:?}"
        );
    }

    #[test]
    fn looks_that_were_interrupted_or_are_close_together_say_nothing() {
        let start = look(0, 0, 50);
        let end = (2_600_000, 1_000_000, 2_600_050);
        assert!(Rate::between(start, look(end.0, end.1, end.2)).is_some());
        assert_eq!(Rate::between(start, look(end.0, end.1, end.2 + 50_000)), None);
        assert_eq!(Rate::between(look(0, 0, 50_000), look(end.0, end.1, end.2)), None);
        assert_eq!(Rate::between(start, look(260_000, APART - 1, 260_050)), None);
        assert_eq!(
            Rate::between(look(9_000, 9, 9_050), look(0, 1_000_000, 50)),
            None,
            "counts backwards"
        );
        assert_eq!(Rate::between(look(0, 9, 50), look(9_000_000, 8, 9_000_050)), None);
    }

    /// What the ticks say lies between what the clock says inside and outside of them, however often this thread loses its processor.
    #[test]
    fn ticks_agree_with_the_clock() {
        let born = Instant::now();
        let now = || born.elapsed().as_nanos() as Nanos;
        let Some(start) = Look::take(now) else {
            return;
        };
        let rate = loop {
            std::thread::sleep(Duration::from_millis(1));
            if let Some(rate) = Rate::since(start, now) {
                break rate;
            }
        };
        for pause in [0, 20, 1_000, 5_000] {
            let (outer, began, inner) = (now(), read(), now());
            std::thread::sleep(Duration::from_micros(pause));
            let (inner, ticks) = (now() - inner, rate.nanos(read() - began));
            let outer = now() - outer;
            let range = inner - inner / 50..=outer + outer / 50;
            assert!(range.contains(&ticks), "{inner} {ticks} {outer}");
        }
    }
}
