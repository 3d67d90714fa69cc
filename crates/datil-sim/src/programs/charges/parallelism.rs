//! The parallelism benchmarks.

use super::{actor, burst, coordinator, data, light, varied};
use crate::host::{Activity, Annotation};
use crate::machine::Charge;

/// Cells of a block, 8 bytes each; a block of the simulation is smaller and stands for this one.
const TILE: u64 = 150 * 150;

/// A phase makes a new tile out of the old one, with a minimum and an addition per cell. Both tiles stream through.
fn phase(activity: &Activity) -> Charge {
    let computes = activity.sends > 0 && activity.ordinal > 2;
    if !computes {
        return light(activity);
    }
    Charge::compute(TILE * 5 / 2).touching(2 * TILE / 8).exposing(0.1)
}

/// Of the ten tiles that come for a phase two are read: a row of one, a column of the other.
fn tiles(activity: &Activity) -> u32 {
    if activity.stops { 0 } else { (150 / 8 + 150) / 10 }
}

pub(in super::super) const APSP: &[Annotation] = &[
    Annotation {
        carries: tiles,
        ..data("apsp::Block", |_| 2 * TILE * 8, phase)
    },
    coordinator("apsp::Tally", light),
];

/// Boards with four queens are searched alone: 27,358,552 boards of side 14, below some 8,800 that have four, with 14
/// tests each that soon fail. The simulation searches boards of side 9, of which the first three that a worker gets
/// are only expanded.
fn board(activity: &Activity) -> Charge {
    if activity.stops || activity.ordinal <= 3 {
        return Charge::compute(100 + 14 * 30).touching(1);
    }
    Charge::compute(varied(27_358_552 / 8_800 * 14 * 25, activity)).touching(1)
}

pub(in super::super) const NQUEENK: &[Annotation] = &[
    coordinator("nqueenk::Master", burst),
    actor("nqueenk::Worker", board),
];

/// A block of 128 x 128 of the product is multiplied out, down the columns of the second factor: six cycles per
/// product. The factors belong to no actor, so that reading them is charged as computing. A block of the simulation has
/// 8 x 8.
fn multiply(activity: &Activity) -> Charge {
    match (activity.stops, activity.sends) {
        (false, 1) => Charge::compute(128 * 128 * 128 * 6)
            .touching(128 * 128 / 8)
            .exposing(0.2),
        _ => burst(activity),
    }
}

pub(in super::super) const RECMATMUL: &[Annotation] = &[
    coordinator("recmatmul::Master", burst),
    // 2048 x 2048 cells, dealt out to 40 workers.
    data("recmatmul::Worker", |_| 2048 * 2048 * 8 / 40, multiply),
];

/// Elements that a sorter gets: each generation halves them.
fn elements(activity: &Activity) -> u64 {
    activity.scale >> activity.depth.min(60)
}

/// Three passes over the list, each with a branch that cannot be foretold; or all passes down to one element.
fn sort(activity: &Activity) -> Charge {
    let elements = elements(activity);
    match (activity.ordinal, activity.spawns) {
        (0, _) => light(activity),
        (1, 0) => Charge::compute(elements * 15 * u64::from(elements.max(2).ilog2())),
        (1, _) => Charge::compute(elements * 3 * 8),
        // A sorted part is appended.
        _ => Charge::compute(60 + elements / 2),
    }
}

/// Lists travel in messages. The receiver reads them in order; an eighth of the latency is not hidden.
fn list(activity: &Activity) -> u32 {
    let elements = elements(activity);
    let sent = if activity.spawns > 0 {
        elements / 2
    } else {
        elements
    };
    (sent / 8 / 8) as u32
}

pub(in super::super) const QUICKSORT: &[Annotation] = &[Annotation {
    carries: list,
    ..actor("quicksort::Sorter", sort)
}];

pub(in super::super) const RADIXSORT: &[Annotation] = &[
    actor("radixsort::Source", burst),
    // Half of 400,000 values are held back; they are written one after the other.
    Annotation {
        state: |_| 200_000 * 8,
        ..actor("radixsort::Sorter", |activity| {
            Charge::compute(40 + 10 * activity.sends as u64)
                .touching(1)
                .exposing(0.2)
        })
    },
    actor("radixsort::Validator", light),
];

pub(in super::super) const BITONICSORT: &[Annotation] = &[
    actor("bitonicsort::Source", burst),
    actor("bitonicsort::Node", |_| Charge::compute(50).touching(1)),
];

/// 10,000 primes per filter. What passes a filter was divided by all of them; what does not, by some dozens. A filter
/// of the simulation has 100.
fn divide(activity: &Activity) -> Charge {
    match (activity.stops, activity.sends + activity.spawns) {
        (false, 1) => Charge::compute(10_000 * 30).touching(10_000 / 8).exposing(0.1),
        _ => Charge::compute(60 * 30).touching(8),
    }
}

pub(in super::super) const SIEVE: &[Annotation] = &[
    actor("sieve::Producer", burst),
    data("sieve::Filter", |_| 10_000 * 8, divide),
];

/// A way to the right quarter, or a distance to each facility above. A region that splits hands on some 5,000
/// customers.
fn customer(activity: &Activity) -> Charge {
    match activity.spawns {
        0 => Charge::compute(80 + 20 * u64::from(activity.depth)).touching(2),
        _ => Charge::compute(5_000 * (60 + 20 * u64::from(activity.depth))).touching(5_000 / 4),
    }
}

pub(in super::super) const FACLOC: &[Annotation] = &[
    actor("facloc::Producer", light),
    Annotation {
        state: |_| 5_000 * 16,
        ..actor("facloc::Quadrant", customer)
    },
];

/// 100,000 pieces, with two values of the curve each: a sine, an exponential and two roots.
pub(in super::super) const TRAPEZOID: &[Annotation] = &[
    coordinator("trapezoid::Master", burst),
    actor("trapezoid::Worker", |activity| match activity.stops {
        true => Charge::compute(varied(100_000 * 2 * 130, activity)),
        false => light(activity),
    }),
];
