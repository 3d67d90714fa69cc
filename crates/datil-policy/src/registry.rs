//! All policies. To add one: write it in a file of its own, and list it here; hosts and tests take them from these lists.

use crate::*;

/// Calls a macro with the types of all policies that a user of a native host may choose by name, the default first.
#[macro_export]
macro_rules! with_policies {
    ($then:ident) => {
        $then! {
            Adaptive WorkSharing ClsOffer EncoreCooperative EncorePreemptive
            ClsPolling ClsTp ClsDealt ClsWake Lgs LgsUc LgsUw LgsDfs LgsCo LgsAlt LgsWake LgsWakeHalf
            AdaptiveLocality AdaptiveWaking Pony GoLike TokioLike
        }
    };
}

/// Calls a macro with the types of all policies that route ([`Policy::ROUTES`]), each with a line about it, and before them with what else is given.
/// Simulated hosts run all of these.
#[macro_export]
macro_rules! with_routing_policies {
    ($then:ident $($with:tt)*) => {
        $then! { $($with)*
            ClsPolling "woken actors follow their senders, random theft, threads wander"
            ClsTp "cls with bound threads"
            Lgs "actors go home from other nodes, thieves look near first"
            LgsUc "lgs, but coordinators follow their senders (needs hints)"
            LgsUw "lgs, but all except data actors follow their senders (needs hints)"
            LgsDfs "lgs that queues at the head of the home's queue"
            LgsCo "lgs whose thieves begin at the shared second-level cache"
            LgsAlt "lgs where the first worker becomes the home wherever it is"
            LgsAltAwake "lgs-alt whose idle workers never sleep"
            ClsDealt "cls-tp that deals data actors out to all workers in turn (needs hints)"
            AdaptiveLocality "pins classes of actors whose messages take longer away from home, wakes workers while thefts pay, and neighbours unless they gain nothing, whom it asks more often, too; needs no hints"
            AdaptiveWaking "adaptive-locality without homes: wakes workers while thefts pay"
            AdaptiveLocalityPolling "adaptive-locality without regard to thefts: learns homes"
            WithoutNearness "adaptive-locality whose thieves ask anybody, never neighbours rather than others"
            ClsTpNear "control of adaptive-locality: cls-tp whose thieves ask neighbours in four of ten attempts"
            WithoutWaking "adaptive-locality that wakes nobody"
            WithoutCalls "adaptive-locality that wakes neighbours only where thefts pay, as others"
            WithoutPatience "adaptive-locality that does not ask for more where a theft paid"
            WithoutPauses "adaptive-locality that looks for sleepers whenever an actor is queued behind another one"
            WithoutCalm "adaptive-locality that times as many activations where messages are short as anywhere"
            WithoutGuard "adaptive-locality that goes home even to long queues while others idle"
            WithoutOrder "adaptive-locality whose long actors do not wait their turn at home"
            WithoutCertainty "adaptive-locality that does not ask whether a difference may be chance"
            WithoutResigning "adaptive-locality that does not ask whether actors stay at home"
            WithoutSecondLook "adaptive-locality that goes on with what it measured at home before it pinned a class"
            PinAll "control of adaptive-locality: every class is pinned"
            PinLong "control of adaptive-locality: classes with long messages are pinned"
            ClsWake "cls-tp that sleeps until woken instead of polling"
            ClsWakeLong "cls-wake that looks at everybody four times before it sleeps"
            LgsWoken "lgs that sleeps until woken after a round of thefts"
            LgsScan "lgs whose thieves ask everybody of a group once"
            LgsWake "both: lgs that asks everybody once, then sleeps until woken"
            LgsWakeHalf "lgs-wake that steals half a queue"
            LgsWakeNode "lgs-wake whose actors belong to a node, not to a worker"
            Neighbourly "asks its right neighbour first"
            Pony "first in, first out, in batches of 100, theft in turn"
            GoLike "a slot for the actor woken last, four random passes, half a queue per theft"
            TokioLike "a slot for the actor woken last, one random pass, half a queue per theft"
        }
    };
}

/// Calls a macro with the types of all policies that a simulated host runs, each with a line about it: those that route, and before them those that do not.
#[macro_export]
macro_rules! with_simulated_policies {
    ($then:ident) => {
        $crate::with_routing_policies! { $then
            Adaptive "datil's default: shares work by trials, keeps conversations together, and finds out the order"
            WorkSharing "gives half of what waits to whoever idles, at once and always"
            ClsOffer "cls whose idle workers sleep until they are given something"
            EncoreCooperative "first in, first out, in batches of 100; thieves ask"
            EncorePreemptive "encore-cooperative whose thieves take"
        }
    };
}

macro_rules! names {
    ($($policy:ident)*) => {
        /// Names accepted by the `policy` option of a native host, the default first.
        pub const NAMES: &[&str] = &[$($policy::NAME,)*];

        /// Those of [`NAMES`] that need a host that routes ([`Policy::ROUTES`]).
        pub fn routing_names() -> impl Iterator<Item = &'static str> {
            [$($policy::ROUTES.then_some($policy::NAME),)*].into_iter().flatten()
        }
    };
}

with_policies!(names);
