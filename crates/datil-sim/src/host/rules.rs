//! Policies with their types erased: the engine is compiled once, not once per policy.

use datil_policy::topology::{Neighbourhood, Rings};
use datil_policy::{
    Board, End, Nanos, Policy, Profile, Role, Route, Sample, Search, Setup, Stint, Surroundings, Waking, Word,
};

/// What holds for all workers of a policy. See [`Policy`] for each.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(super) name: &'static str,
    pub(super) routes: bool,
    pub(super) pins: bool,
    pub(super) waking: Waking,
    pub(super) slot_wakes: bool,
    pub(super) neighbourhood: fn() -> Neighbourhood,
    pub(super) on: fn(Setup, &Rings) -> Box<dyn Decide>,
    pub(super) admitted: fn(Role, u32, u32) -> (Word, Route),
    pub(super) called: fn(Word, u32, u32) -> Route,
}

impl Rules {
    pub(crate) const fn of<P: Policy>() -> Self {
        Self {
            name: P::NAME,
            routes: P::ROUTES,
            pins: P::PINS,
            waking: P::WAKING,
            slot_wakes: P::SLOT_WAKES,
            neighbourhood: P::neighbourhood,
            on: |setup, rings| Box::new(P::on(setup, rings)),
            admitted: P::admitted,
            called: P::called,
        }
    }
}

/// What one worker is asked.
pub(super) trait Decide: Send {
    fn batch(&self) -> u32;
    fn spin(&self) -> u32;
    fn grant(&mut self, queued: usize) -> usize;
    fn spawned(&mut self, role: Role) -> (Word, Route);
    fn started(&mut self, word: Word) -> Word;
    fn woken(&mut self, sender: u32, word: Word, around: &Surroundings) -> Route;
    fn take(&mut self, tick: u32) -> End;
    /// Whether the worker's activations are to be measured at all.
    fn learns(&self) -> bool;
    fn samples(&mut self, tick: u32, profile: &Profile) -> bool;
    fn finished(&mut self, word: Word, sample: Sample, profile: Profile) -> Profile;
    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board;
    fn wakes(&self, board: Board) -> bool;
    fn summoned(&mut self);
    fn search(&mut self, step: u32) -> Search;
}

impl<P: Policy> Decide for P {
    fn batch(&self) -> u32 {
        Policy::batch(self)
    }
    fn spin(&self) -> u32 {
        Policy::spin(self)
    }
    fn grant(&mut self, queued: usize) -> usize {
        Policy::grant(self, queued)
    }
    fn spawned(&mut self, role: Role) -> (Word, Route) {
        Policy::spawned(self, role)
    }
    fn started(&mut self, word: Word) -> Word {
        Policy::started(self, word)
    }
    fn woken(&mut self, sender: u32, word: Word, around: &Surroundings) -> Route {
        Policy::woken(self, sender, word, around)
    }
    fn take(&mut self, tick: u32) -> End {
        Policy::take(self, tick)
    }
    fn learns(&self) -> bool {
        P::LEARNS && Policy::learns(self)
    }
    fn samples(&mut self, tick: u32, profile: &Profile) -> bool {
        Policy::samples(self, tick, profile)
    }
    fn finished(&mut self, word: Word, sample: Sample, profile: Profile) -> Profile {
        Policy::finished(self, word, sample, profile)
    }
    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board {
        Policy::parted(self, now, stint, board)
    }
    fn wakes(&self, board: Board) -> bool {
        Policy::wakes(self, board)
    }
    fn summoned(&mut self) {
        Policy::summoned(self);
    }
    fn search(&mut self, step: u32) -> Search {
        Policy::search(self, step)
    }
}
