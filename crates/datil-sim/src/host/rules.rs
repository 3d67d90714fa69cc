//! Policies with their types erased: the engine is compiled once, not once per policy.

use datil_policy::topology::{Neighbourhood, Rings};
use datil_policy::{
    Board, Crowd, Encounter, End, Nanos, Offer, Pair, Pick, Policy, Preemption, Profile, Progress, Role,
    Route, Sample, Search, Setup, Stint, Surroundings, Verdict, Waking, Word,
};

use crate::machine::Machine;

/// What holds for all workers of a policy. See [`Policy`] for each.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(super) name: &'static str,
    pub(super) routes: bool,
    pub(super) pins: bool,
    pub(super) waking: Waking,
    pub(super) slot_wakes: bool,
    pub(super) steals: bool,
    pub(super) preempts: Preemption,
    pub(super) adopts: bool,
    pub(super) follows: bool,
    pub(super) crossings: u32,
    pub(super) place: fn(u32, u32) -> Option<u32>,
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
            steals: P::STEALS,
            preempts: P::PREEMPTS,
            adopts: P::ADOPTS || P::ROUTES,
            follows: P::FOLLOWS,
            crossings: P::CROSSINGS,
            place: P::place,
            neighbourhood: P::neighbourhood,
            on: |setup, rings| Box::new(P::on(setup, rings)),
            admitted: P::admitted,
            called: P::called,
        }
    }

    /// Whether the policy decides for actors that belong to workers, and for no others.
    pub(crate) fn wants_owners(&self) -> bool {
        !self.routes
    }

    /// Whether the policy can decide on this machine.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn check(&self, machine: &Machine) -> Result<(), String> {
        if self.wants_owners() && machine.owners.is_none() {
            return Err(format!(
                "the policy {} decides for actors that belong to workers; on the machine {} they do not",
                self.name, machine.name
            ));
        }
        Ok(())
    }

    /// Whether idle workers look again by themselves after a while.
    pub(super) fn polls(&self) -> bool {
        self.routes && self.waking.polls()
    }
}

/// What one worker is asked.
pub(super) trait Decide: Send {
    fn batch(&self) -> u32;
    fn spin(&self) -> u32;
    fn grant(&mut self, queued: usize) -> usize;
    fn spawned(&mut self, role: Role) -> (Word, Route);
    fn started(&mut self, word: Word) -> Word;
    fn is_plain(&self, profile: &Profile) -> bool;
    fn looks(&self, profile: &Profile) -> bool;
    fn woken(&mut self, sender: u32, word: Word, around: &Surroundings) -> Route;
    fn take(&mut self, tick: u32) -> End;
    /// Whether the worker's activations are to be measured at all.
    fn learns(&self) -> bool;
    fn samples(&mut self, tick: u32, profile: &Profile) -> bool;
    fn finished(&mut self, word: Word, sample: Sample, profile: Profile) -> Profile;
    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board;
    fn looks_for_sleepers(&mut self) -> bool;
    fn looked(&mut self, woke: bool);
    fn wakes(&self, board: Board) -> bool;
    fn calls(&self, owner: u32, sleeper: u32, board: Board) -> bool;
    fn summoned(&mut self);
    fn search(&mut self, step: u32) -> Search;
    fn pick(&mut self, tick: u32) -> Pick;
    fn advanced(&mut self, progress: Progress) -> bool;
    fn timed(&mut self, now: Nanos, progress: Progress);
    fn watch(&mut self, queued: usize, passed: u32) -> bool;
    fn stride(&self) -> u32;
    fn watches_closely(&self) -> bool;
    fn interrupted(&mut self);
    fn crowded(&mut self, now: Nanos, crowd: Crowd);
    fn offer(&mut self, now: Nanos, queued: usize, board: Board) -> Offer;
    fn shared(&mut self, now: Nanos, board: Board) -> Board;
    fn crossed(&mut self, now: Nanos, toll: Nanos, pair: Pair, board: Board) -> Verdict;
    fn follow(&self, met: Encounter) -> bool;
    fn ran_dry(&mut self, now: Nanos, stint: Option<Stint>, board: Board) -> bool;
    fn hunt(&mut self, attempt: u32) -> Option<u32>;
    fn relieve(&mut self, queued: usize, before: u32) -> usize;
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
    fn is_plain(&self, profile: &Profile) -> bool {
        Policy::is_plain(self, profile)
    }
    fn looks(&self, profile: &Profile) -> bool {
        Policy::looks(self, profile)
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
    fn looks_for_sleepers(&mut self) -> bool {
        Policy::looks_for_sleepers(self)
    }
    fn looked(&mut self, woke: bool) {
        Policy::looked(self, woke);
    }
    fn wakes(&self, board: Board) -> bool {
        Policy::wakes(self, board)
    }
    fn calls(&self, owner: u32, sleeper: u32, board: Board) -> bool {
        Policy::calls(self, owner, sleeper, board)
    }
    fn summoned(&mut self) {
        Policy::summoned(self);
    }
    fn search(&mut self, step: u32) -> Search {
        Policy::search(self, step)
    }
    fn pick(&mut self, tick: u32) -> Pick {
        Policy::pick(self, tick)
    }
    fn advanced(&mut self, progress: Progress) -> bool {
        Policy::advanced(self, progress)
    }
    fn timed(&mut self, now: Nanos, progress: Progress) {
        Policy::timed(self, now, progress);
    }
    fn watch(&mut self, queued: usize, passed: u32) -> bool {
        Policy::watch(self, queued, passed)
    }
    fn stride(&self) -> u32 {
        Policy::stride(self)
    }
    fn watches_closely(&self) -> bool {
        Policy::watches_closely(self)
    }
    fn interrupted(&mut self) {
        Policy::interrupted(self);
    }
    fn crowded(&mut self, now: Nanos, crowd: Crowd) {
        Policy::crowded(self, now, crowd);
    }
    fn offer(&mut self, now: Nanos, queued: usize, board: Board) -> Offer {
        Policy::offer(self, now, queued, board)
    }
    fn shared(&mut self, now: Nanos, board: Board) -> Board {
        Policy::shared(self, now, board)
    }
    fn crossed(&mut self, now: Nanos, toll: Nanos, pair: Pair, board: Board) -> Verdict {
        Policy::crossed(self, now, toll, pair, board)
    }
    fn follow(&self, met: Encounter) -> bool {
        Policy::follow(self, met)
    }
    fn ran_dry(&mut self, now: Nanos, stint: Option<Stint>, board: Board) -> bool {
        Policy::ran_dry(self, now, stint, board)
    }
    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        Policy::hunt(self, attempt)
    }
    fn relieve(&mut self, queued: usize, before: u32) -> usize {
        Policy::relieve(self, queued, before)
    }
}
