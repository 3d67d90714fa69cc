//! The terms of the rules, and which variants have which.

use super::Locality;
use crate::{ClsTp, Policy};

/// The terms of the rules that a variant has.
pub mod term {
    /// Classes are pinned whose messages take longer away from home.
    pub const PINS: u32 = 1;
    /// Actors are not sent to a long queue while many workers are idle.
    pub const GUARD: u32 = 2;
    /// Long-running pinned actors wait their turn in their own home's queue, also when they are woken on its node. On a single node all
    /// long-running actors do, in the queue of whoever wakes them, and who has just heard of a long message takes from others whoever waits longest.
    pub const ORDER: u32 = 4;
    /// The difference must exceed two standard errors.
    pub const CERTAINTY: u32 = 8;
    /// A class whose actors are elsewhere more often than not, although they are sent home, is let go.
    pub const RESIGNS: u32 = 16;
    /// What was measured at home before a class was pinned does not count any more from then on.
    pub const SECOND_LOOK: u32 = 32;
    /// Sleepers are woken while thefts pay.
    pub const WAKES: u32 = 64;
    /// Who was woken, or whose theft was worth it, asks everybody several times before it polls.
    pub const PATIENCE: u32 = 128;
    /// Some attempts to steal ask neighbours.
    pub const NEAR: u32 = 1024;
    /// Neighbours are woken without proof, as long as thefts are not known to be worth too little.
    pub const CALLS: u32 = 2048;
    /// Who has looked for sleepers in vain does not look again for some actors.
    pub const PAUSES: u32 = 4096;
    /// Who has heard of short messages only, and of many, times fewer.
    pub const CALM: u32 = 8192;
    /// Those that are about homes.
    pub const HOMES: u32 = PINS | GUARD | ORDER | CERTAINTY | RESIGNS | SECOND_LOOK | CALM;
    /// Those that are about thefts.
    pub const THEFTS: u32 = WAKES | PATIENCE | CALLS | PAUSES;
    /// All of them.
    pub const ALL: u32 = HOMES | THEFTS | NEAR;
    /// A control: every class is pinned.
    pub const PIN_ALL: u32 = 256;
    /// A control: classes with long messages are pinned, whatever being away costs.
    pub const PIN_LONG: u32 = 512;
}

/// The policy with all its terms.
pub type AdaptiveLocality = Locality<{ term::ALL }>;
/// Without [`term::HOMES`]: wakes sleepers while thefts pay. The uniform form of [`AdaptiveLocality`], which lets long messages take turns
/// there as well if it is run all the same.
pub type AdaptiveWaking = Locality<{ term::ALL & !term::HOMES }>;
/// Without [`term::THEFTS`]: homes that are learned.
pub type AdaptiveLocalityPolling = Locality<{ term::ALL & !term::THEFTS }>;
/// Without [`term::NEAR`].
pub type WithoutNearness = Locality<{ term::ALL & !term::NEAR }>;
/// The control that has nothing but [`term::NEAR`]: `cls-tp` whose thieves ask neighbours more often.
pub type ClsTpNear = Locality<{ term::NEAR }>;
/// Without [`term::WAKES`] and [`term::CALLS`].
pub type WithoutWaking = Locality<{ term::ALL & !(term::WAKES | term::CALLS) }>;
/// Without [`term::CALLS`].
pub type WithoutCalls = Locality<{ term::ALL & !term::CALLS }>;
/// Without [`term::PATIENCE`].
pub type WithoutPatience = Locality<{ term::ALL & !term::PATIENCE }>;
/// Without [`term::PAUSES`].
pub type WithoutPauses = Locality<{ term::ALL & !term::PAUSES }>;
/// Without [`term::CALM`].
pub type WithoutCalm = Locality<{ term::ALL & !term::CALM }>;
/// Without [`term::GUARD`].
pub type WithoutGuard = Locality<{ term::ALL & !term::GUARD }>;
/// Without [`term::ORDER`].
pub type WithoutOrder = Locality<{ term::ALL & !term::ORDER }>;
/// Without [`term::CERTAINTY`].
pub type WithoutCertainty = Locality<{ term::ALL & !term::CERTAINTY }>;
/// Without [`term::RESIGNS`].
pub type WithoutResigning = Locality<{ term::ALL & !term::RESIGNS }>;
/// Without [`term::SECOND_LOOK`].
pub type WithoutSecondLook = Locality<{ term::ALL & !term::SECOND_LOOK }>;
/// The control that pins every class.
pub type PinAll = Locality<{ term::ALL | term::PIN_ALL }>;
/// The control that pins by run time alone.
pub type PinLong = Locality<{ term::ALL | term::PIN_LONG }>;

pub(super) const fn name(terms: u32) -> &'static str {
    match terms {
        term::ALL => "adaptive-locality",
        term::NEAR => "cls-tp-near",
        t if t & term::HOMES == 0 => "adaptive-waking",
        t if t & term::THEFTS == 0 => "adaptive-locality-polling",
        t if t & term::PIN_ALL != 0 => "pin-all",
        t if t & term::PIN_LONG != 0 => "pin-long",
        t if t & term::WAKES == 0 => "adaptive-locality-no-waking",
        t if t & term::CALLS == 0 => "adaptive-locality-no-calls",
        t if t & term::NEAR == 0 => "adaptive-locality-no-nearness",
        t if t & term::PATIENCE == 0 => "adaptive-locality-no-patience",
        t if t & term::PAUSES == 0 => "adaptive-locality-no-pauses",
        t if t & term::CALM == 0 => "adaptive-locality-no-calm",
        t if t & term::GUARD == 0 => "adaptive-locality-no-guard",
        t if t & term::ORDER == 0 => "adaptive-locality-no-order",
        t if t & term::RESIGNS == 0 => "adaptive-locality-no-resigning",
        t if t & term::SECOND_LOOK == 0 => "adaptive-locality-no-second-look",
        _ => "adaptive-locality-no-certainty",
    }
}

/// Where there are no homes there is only waking to find out, but the controls do not ask for that.
pub(super) const fn uniform(terms: u32) -> &'static str {
    match terms {
        t if t & (term::PIN_ALL | term::PIN_LONG) != 0 => name(t),
        t if t & term::THEFTS == term::THEFTS => AdaptiveWaking::NAME,
        t if t & term::THEFTS == 0 => ClsTp::NAME,
        t => name(t),
    }
}
