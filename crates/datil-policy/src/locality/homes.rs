//! Which classes of actors are sent home: what was measured at home and away, weighed.

use crate::{Nanos, Profile};

/// What being away must cost at least per message before a class is pinned. Sending an actor home costs about as
/// much.
const WORTH: Nanos = 2_000;
/// Standard errors that the difference must exceed before a class is pinned.
const SUSPICION: u64 = 2;
/// Measurements below which a mean has no error to speak of.
pub(super) const KNOWN: u32 = 8;
/// Measurements of a pinned class that tell whether its actors stay at home: more than there are actors on the way when a
/// class is pinned, which nobody has sent home yet.
pub(super) const STRAYING: u32 = 512;
/// A class that was let go because its actors strayed is given another trial after somewhat more than half as many
/// measurements.
pub(super) const FORGIVEN: u32 = 8192;

pub(super) fn longest(profile: &Profile) -> Nanos {
    profile.home.mean.max(profile.away.mean)
}

/// Whether a class with this profile is pinned from now on. It takes [`SUSPICION`] standard errors to pin it; to let it go
/// it is enough that not even one on top of what is seen would be worth it.
pub(super) fn is_pinned(profile: &Profile, certain: bool) -> bool {
    let Profile {
        home, away, pinned, ..
    } = *profile;
    let squared_error = || home.squared_error().saturating_add(away.squared_error());
    let known = home.count >= KNOWN && away.count >= KNOWN;
    if pinned {
        let enough = home.mean.saturating_add(WORTH / 2);
        let lacks = enough.checked_sub(away.mean);
        return !known || lacks.is_none_or(|lacks| certain && is_root_above(squared_error(), lacks));
    }
    let gain = away.mean.saturating_sub(home.mean);
    known && gain > WORTH && (!certain || !is_root_above(squared_error(), (gain - 1) / SUSPICION))
}

/// Whether the root of a square, rounded down, is above a bound: without looking for the root, which takes longer than all else that is done with a
/// measurement.
pub(super) fn is_root_above(square: u64, bound: u64) -> bool {
    let above = bound.saturating_add(1);
    above.checked_mul(above).is_some_and(|least| square >= least)
}

/// [`Profile::strayed`] after a measurement. While a class is not pinned nothing is learned of that, and what was is
/// slowly forgotten.
pub(super) fn strayed(profile: &Profile, at_home: bool) -> u32 {
    let strayed = profile.strayed;
    match (profile.pinned, at_home) {
        (false, _) => strayed - strayed.div_ceil(FORGIVEN),
        (true, true) => strayed - strayed.div_ceil(STRAYING),
        (true, false) => strayed - strayed.div_ceil(STRAYING) + Profile::ALWAYS / STRAYING,
    }
}

/// Whether too many of the class stray for it to stay pinned, or to be pinned again.
pub(super) fn resigns(profile: &Profile) -> bool {
    let most = if profile.pinned { 2 } else { 4 };
    profile.strayed > Profile::ALWAYS / most
}
