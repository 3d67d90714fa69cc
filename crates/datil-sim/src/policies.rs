//! The policies that the simulated host can run, by name. To add one: write it in a file of its own and list it here.

use datil_policy::{
    AdaptiveLocality, AdaptiveLocalityPolling, AdaptiveWaking, ClsDealt, ClsPolling, ClsTp, ClsTpNear,
    ClsWake, ClsWakeLong, GoLike, Lgs, LgsAlt, LgsAltAwake, LgsCo, LgsDfs, LgsScan, LgsUc, LgsUw, LgsWake,
    LgsWakeHalf, LgsWakeNode, LgsWoken, Neighbourly, PinAll, PinLong, Policy, Pony, TokioLike,
    WithoutCertainty, WithoutGuard, WithoutNearness, WithoutOrder, WithoutPatience, WithoutResigning,
    WithoutSecondLook, WithoutWaking,
};

use crate::host::Rules;

/// A policy.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name by which it is chosen.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    pub(crate) rules: Rules,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

const fn entry<P: Policy>(about: &'static str) -> Entry {
    Entry {
        name: P::NAME,
        about,
        rules: Rules::of::<P>(),
    }
}

/// All of them.
pub const ALL: &[Entry] = &[
    entry::<ClsPolling>("woken actors follow their senders, random theft, threads wander"),
    entry::<ClsTp>("cls with bound threads"),
    entry::<Lgs>("actors go home from other nodes, thieves look near first"),
    entry::<LgsUc>("lgs, but coordinators follow their senders (needs hints)"),
    entry::<LgsUw>("lgs, but all except data actors follow their senders (needs hints)"),
    entry::<LgsDfs>("lgs that queues at the head of the home's queue"),
    entry::<LgsCo>("lgs whose thieves begin at the shared second-level cache"),
    entry::<LgsAlt>("lgs where the first worker becomes the home wherever it is"),
    entry::<LgsAltAwake>("lgs-alt whose idle workers never sleep"),
    entry::<ClsDealt>("cls-tp that deals data actors out to all workers in turn (needs hints)"),
    entry::<AdaptiveLocality>(
        "pins classes of actors whose messages take longer away from home, wakes workers while thefts pay, and asks neighbours more often; needs no hints",
    ),
    entry::<AdaptiveWaking>("adaptive-locality without homes: wakes workers while thefts pay"),
    entry::<AdaptiveLocalityPolling>("adaptive-locality without regard to thefts: learns homes"),
    entry::<WithoutNearness>(
        "adaptive-locality whose thieves ask anybody, never neighbours rather than others",
    ),
    entry::<ClsTpNear>(
        "control of adaptive-locality: cls-tp whose thieves ask neighbours in four of ten attempts",
    ),
    entry::<WithoutWaking>("adaptive-locality that wakes nobody"),
    entry::<WithoutPatience>("adaptive-locality that does not ask for more where a theft paid"),
    entry::<WithoutGuard>("adaptive-locality that goes home even to long queues while others idle"),
    entry::<WithoutOrder>("adaptive-locality whose long actors do not wait their turn at home"),
    entry::<WithoutCertainty>("adaptive-locality that does not ask whether a difference may be chance"),
    entry::<WithoutResigning>("adaptive-locality that does not ask whether actors stay at home"),
    entry::<WithoutSecondLook>(
        "adaptive-locality that goes on with what it measured at home before it pinned a class",
    ),
    entry::<PinAll>("control of adaptive-locality: every class is pinned"),
    entry::<PinLong>("control of adaptive-locality: classes with long messages are pinned"),
    entry::<ClsWake>("cls-tp that sleeps until woken instead of polling"),
    entry::<ClsWakeLong>("cls-wake that looks at everybody four times before it sleeps"),
    entry::<LgsWoken>("lgs that sleeps until woken after a round of thefts"),
    entry::<LgsScan>("lgs whose thieves ask everybody of a group once"),
    entry::<LgsWake>("both: lgs that asks everybody once, then sleeps until woken"),
    entry::<LgsWakeHalf>("lgs-wake that steals half a queue"),
    entry::<LgsWakeNode>("lgs-wake whose actors belong to a node, not to a worker"),
    entry::<Neighbourly>("asks its right neighbour first"),
    entry::<Pony>("first in, first out, in batches of 100, theft in turn"),
    entry::<GoLike>("a slot for the actor woken last, four random passes, half a queue per theft"),
    entry::<TokioLike>("a slot for the actor woken last, one random pass, half a queue per theft"),
];

/// The policy with this name.
///
/// # Errors
/// A text that names all policies.
pub fn find(name: &str) -> Result<&'static Entry, String> {
    ALL.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        format!(
            "there is no policy {name:?} to simulate; there are {}",
            names.join(", ")
        )
    })
}
