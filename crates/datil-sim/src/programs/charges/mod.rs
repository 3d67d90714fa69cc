//! What the handlers of the suite's benchmarks cost: estimates from the handlers' code, none of them fitted to a
//! published figure.
//!
//! How much a handler computes and how large its state is follow the sizes at which Woelke ran the benchmarks (2018,
//! section 6.2.1), because these decide what stealing and distance are worth. Simulations send fewer messages, and
//! where the code itself would compute for long it does so on less data: a block of 10 x 10 cells then stands for one
//! of 150 x 150. Each annotation says so where it does. Only quicksort is charged for the list that it really sorts.
//!
//! Assumed throughout, for a core of 2.3 GHz of that time: an arithmetic operation takes a cycle, a mispredicted branch
//! 15, a 64-bit division 30, a logarithm or a sine 40.

mod concurrency;
mod micro;
mod parallelism;

pub(super) use concurrency::{BANKING, BNDBUFFER, CONCDICT, CONCSLL, LOGMAP, PHILOSOPHER};
pub(super) use micro::{BIG, CHAMENEOS, COUNT, FIB, FJCREATE, FJTHRPUT, PINGPONG, THREADRING};
pub(super) use parallelism::{
    APSP, BITONICSORT, FACLOC, NQUEENK, QUICKSORT, RADIXSORT, RECMATMUL, SIEVE, TRAPEZOID,
};

use datil_policy::{Random, Role};

use crate::host::{Activity, Annotation};
use crate::machine::Charge;

/// An actor of a few lines of state.
pub(super) const fn actor(kind: &'static str, charge: fn(&Activity) -> Charge) -> Annotation {
    Annotation {
        kind,
        role: Role::Untold,
        state: |_| 128,
        charge,
        carries: |_| 0,
    }
}

/// An actor that others wait for.
pub(super) const fn coordinator(kind: &'static str, charge: fn(&Activity) -> Charge) -> Annotation {
    Annotation {
        role: Role::Coordinator,
        ..actor(kind, charge)
    }
}

/// An actor that holds the data on which others work.
pub(super) const fn data(
    kind: &'static str,
    state: fn(u64) -> u64,
    charge: fn(&Activity) -> Charge,
) -> Annotation {
    Annotation {
        role: Role::Data,
        state,
        ..actor(kind, charge)
    }
}

/// A handler that reads and writes a field or two.
pub(super) fn light(_: &Activity) -> Charge {
    Charge::compute(60).touching(1)
}

/// A handler that looks into a table or draws random numbers.
fn moderate(_: &Activity) -> Charge {
    Charge::compute(150).touching(2)
}

/// A handler that does no more per message that it sends than to draw it up.
pub(super) fn burst(activity: &Activity) -> Charge {
    Charge::compute(60 + 20 * activity.sends as u64).touching(1)
}

/// `cycles` and up to half of it more or less, by actor and message: work whose length depends on the data.
pub(super) fn varied(cycles: u64, activity: &Activity) -> u64 {
    let seed = u64::from(activity.actor) << 32 | activity.ordinal;
    cycles / 2 + cycles * u64::from(Random::new(seed).below(1001)) / 1000
}
