//! What a run consists of, drawn from its seed before it begins.

use datil::policy::Random;

/// What runs may mix; each takes part in three runs of four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    Urgent,
    Questions,
    Timers,
    Monitors,
    Links,
    Failures,
    Supervision,
    Groups,
    Behaviours,
    Queries,
    Stops,
    Births,
    /// Destructors that panic.
    Bombs,
    /// Destructors that send.
    Farewells,
    Handles,
    Names,
    Blocking,
    /// Handlers that take so long that others take over what waits for their worker.
    Dawdling,
}

/// Which features a run mixes, and how much of it there is. What each actor does with them it draws from a sequence of its
/// own, which its maker's begins: so the deeds are drawn from the seed, and only their order is the runtime's business.
pub struct Program {
    features: u64,
    /// Actors that are there at the beginning.
    pub population: u32,
    /// Deeds until nobody does anything any more.
    pub energy: i64,
    /// Nothing happens at the same time as something else.
    pub is_simulated: bool,
}

impl Program {
    pub fn draw(random: &mut Random, energy: i64) -> Self {
        Self {
            features: random.next() | random.next(),
            population: 4 + random.below(8),
            energy,
            is_simulated: false,
        }
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.features >> feature as u32 & 1 == 1
    }

    /// The same without what is about threads.
    pub fn simulated(mut self) -> Self {
        for feature in [Feature::Blocking, Feature::Dawdling] {
            self.features &= !(1 << feature as u32);
        }
        self.is_simulated = true;
        self
    }
}
