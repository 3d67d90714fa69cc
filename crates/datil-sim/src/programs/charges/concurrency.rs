//! The concurrency benchmarks.

use super::{actor, burst, coordinator, data, light, moderate};
use crate::host::{Activity, Annotation};
use crate::machine::Charge;

/// A hash, then a bucket and its entry somewhere in the table.
fn look_up(_: &Activity) -> Charge {
    Charge::compute(150).touching(2)
}

/// The map has 524,287 entries of 32 bytes: more than any cache holds. It is not built anew when a run begins.
pub(in super::super) const CONCDICT: &[Annotation] = &[
    data("concdict::Dictionary", |_| 524_287 * 32, look_up),
    coordinator("concdict::Master", burst),
    actor("concdict::Worker", moderate),
];

/// Elements of the list when the last request comes: a tenth of 160,000 requests are writes.
const LIST: u64 = 16_000;

/// Nine of ten requests walk the whole list, a node of 32 bytes after the other; the next address is known when the
/// node has come. A twentieth of the published requests are sent, so that the list grows by two with each instead of by
/// one with every tenth.
fn walk(activity: &Activity) -> Charge {
    let elements = (2 * activity.ordinal).min(LIST);
    Charge::compute(60 + 3 * elements).touching(1 + elements / 2)
}

pub(in super::super) const CONCSLL: &[Annotation] = &[
    data("concsll::List", |_| LIST * 32, walk),
    coordinator("concsll::Master", burst),
    actor("concsll::Worker", moderate),
];

/// 2,500 times a random number, an addition and a logarithm: `prod_cost` and `cons_cost` are 25. The simulation runs
/// the code with a cost of 0 instead.
fn item(activity: &Activity) -> Charge {
    if activity.stops || activity.ordinal == 0 {
        return light(activity);
    }
    Charge::compute(2500 * 50).touching(1)
}

/// Two queues of addresses and one of items.
fn manage(_: &Activity) -> Charge {
    Charge::compute(120).touching(3)
}

pub(in super::super) const BNDBUFFER: &[Annotation] = &[
    coordinator("bndbuffer::Manager", manage),
    actor("bndbuffer::Producer", item),
    actor("bndbuffer::Consumer", item),
];

pub(in super::super) const PHILOSOPHER: &[Annotation] = &[
    coordinator("philosopher::Arbitrator", |_| Charge::compute(80).touching(3)),
    actor("philosopher::Philosopher", light),
];

pub(in super::super) const LOGMAP: &[Annotation] = &[
    coordinator("logmap::Master", burst),
    actor("logmap::Worker", |_| Charge::compute(60).touching(2)),
    actor("logmap::Computer", light),
];

pub(in super::super) const BANKING: &[Annotation] = &[
    coordinator("banking::Teller", burst),
    actor("banking::Account", |_| Charge::compute(100).touching(2)),
];
