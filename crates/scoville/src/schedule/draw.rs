//! Random choices. Each is drawn from its own generator, seeded by the session's seed and by what it is for, so that no
//! choice depends on how many were made before it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

use crate::model::plan::{GroupKey, LadderKey};
use crate::model::runtime::RuntimeName;

/// Environment padding stays below this many bytes: a page, beyond which the layout of the stack repeats.
const PADDING_LIMIT: u64 = 4096;

/// The order in which the competitors of a block run.
pub fn block_order(
    seed: u64,
    group: &GroupKey,
    block: u32,
    competitors: Vec<RuntimeName>,
) -> Vec<RuntimeName> {
    let mut order = competitors;
    // The draw must not depend on the order in which the plan lists them.
    order.sort();
    shuffle(
        &mut order,
        &mut generator(seed, &format!("order {}", name(group, block))),
    );
    order
}

/// The order in which runtimes try the same step of a ladder.
pub fn rung_order(
    seed: u64,
    ladder: &LadderKey,
    size: i64,
    mut waiting: Vec<RuntimeName>,
) -> Vec<RuntimeName> {
    waiting.sort();
    let purpose = format!("rung {} {} {size}", ladder.benchmark, ladder.cores);
    shuffle(&mut waiting, &mut generator(seed, &purpose));
    waiting
}

/// Bytes of environment padding of a block, the same for all its competitors.
pub fn padding(seed: u64, group: &GroupKey, block: u32) -> u32 {
    let mut generator = generator(seed, &format!("padding {}", name(group, block)));
    below(&mut generator, PADDING_LIMIT) as u32
}

/// The order in which the groups take their turn in a round.
pub fn round_order(seed: u64, groups: usize, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups).collect();
    if round > 0 {
        shuffle(&mut order, &mut generator(seed, &format!("round {round}")));
    }
    order
}

fn name(group: &GroupKey, block: u32) -> String {
    format!("{} {} {} {block}", group.benchmark, group.preset, group.cores)
}

fn generator(seed: u64, purpose: &str) -> Xoshiro256PlusPlus {
    let digest = Sha256::digest(format!("{seed} {purpose}"));
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&digest);
    Xoshiro256PlusPlus::from_seed(bytes)
}

fn shuffle<T>(items: &mut [T], generator: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(generator, last as u64 + 1) as usize);
    }
}

/// Uniform in `0..limit`, by rejection, so that no value is favoured.
fn below(generator: &mut Xoshiro256PlusPlus, limit: u64) -> u64 {
    let fair = u64::MAX - u64::MAX % limit;
    loop {
        let draw = generator.next_u64();
        if draw < fair {
            return draw % limit;
        }
    }
}
