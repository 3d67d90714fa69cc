//! The micro-benchmarks.

use super::{actor, coordinator, light, moderate};
use crate::host::{Activity, Annotation};
use crate::machine::Charge;

/// A handler that computes some dozen floating-point operations, as the fork-join benchmarks prescribe.
fn sine(_: &Activity) -> Charge {
    Charge::compute(300).touching(1)
}

pub(in super::super) const PINGPONG: &[Annotation] =
    &[actor("pingpong::Ping", light), actor("pingpong::Pong", light)];
pub(in super::super) const THREADRING: &[Annotation] = &[actor("threadring::Ring", light)];
pub(in super::super) const COUNT: &[Annotation] =
    &[actor("count::Producer", light), actor("count::Counter", light)];
pub(in super::super) const FJTHRPUT: &[Annotation] = &[actor("fjthrput::Worker", sine)];
pub(in super::super) const FJCREATE: &[Annotation] = &[actor("fjcreate::Worker", sine)];
pub(in super::super) const FIB: &[Annotation] = &[actor("fib::Fib", light)];
pub(in super::super) const CHAMENEOS: &[Annotation] = &[
    coordinator("chameneos::Mall", moderate),
    actor("chameneos::Creature", moderate),
];
pub(in super::super) const BIG: &[Annotation] =
    &[coordinator("big::Sink", light), actor("big::Worker", moderate)];
