//! What the handlers of the suite's benchmarks cost. All are estimates from the handlers' code, none is fitted.

use datil_policy::Role;

use crate::host::{Activity, Annotation};
use crate::machine::Charge;

const fn actor(kind: &'static str, charge: fn(&Activity) -> Charge) -> Annotation {
    Annotation {
        kind,
        role: Role::Untold,
        state: |_| 128,
        charge,
    }
}

const fn coordinator(kind: &'static str, charge: fn(&Activity) -> Charge) -> Annotation {
    Annotation {
        role: Role::Coordinator,
        ..actor(kind, charge)
    }
}

/// A handler that reads and writes a field or two.
fn light(_: &Activity) -> Charge {
    Charge::compute(60).touching(1)
}

/// A handler that computes some dozen floating-point operations, as the fork-join benchmarks prescribe.
fn sine(_: &Activity) -> Charge {
    Charge::compute(300).touching(1)
}

/// A handler that looks into a table or draws random numbers.
fn moderate(_: &Activity) -> Charge {
    Charge::compute(150).touching(2)
}

pub(super) const PINGPONG: &[Annotation] = &[actor("pingpong::Ping", light), actor("pingpong::Pong", light)];
pub(super) const THREADRING: &[Annotation] = &[actor("threadring::Ring", light)];
pub(super) const COUNT: &[Annotation] = &[actor("count::Producer", light), actor("count::Counter", light)];
pub(super) const FJTHRPUT: &[Annotation] = &[actor("fjthrput::Worker", sine)];
pub(super) const FJCREATE: &[Annotation] = &[actor("fjcreate::Worker", sine)];
pub(super) const FIB: &[Annotation] = &[actor("fib::Fib", light)];
pub(super) const CHAMENEOS: &[Annotation] = &[
    coordinator("chameneos::Mall", moderate),
    actor("chameneos::Creature", moderate),
];
pub(super) const BIG: &[Annotation] = &[coordinator("big::Sink", light), actor("big::Worker", moderate)];
