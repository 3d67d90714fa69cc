//! The policy that `docs/scheduling.md` adds as an example: one file, and one line in `registry.rs`.

use crate::{End, Pick, Policy, Role, Route, Search, Setup, Surroundings, Waking, Word};

/// Queues every woken actor at the tail of the sender's queue and asks its right neighbour first for work.
#[derive(Clone, Copy, Debug)]
pub struct Neighbourly(Setup);

impl Policy for Neighbourly {
    const NAME: &'static str = "neighbourly";
    const ROUTES: bool = true;
    const WAKING: Waking = Waking::OneSearcher;

    fn new(setup: Setup) -> Self {
        Self(setup)
    }
    fn batch(&self) -> u32 {
        50
    }
    fn pick(&mut self, _tick: u32) -> Pick {
        Pick::Oldest
    }
    fn spawned(&mut self, _role: Role) -> (Word, Route) {
        (
            Word::default(),
            Route {
                worker: self.0.worker,
                end: End::Tail,
            },
        )
    }
    fn woken(&mut self, sender: u32, _word: Word, _around: &Surroundings) -> Route {
        Route {
            worker: sender,
            end: End::Tail,
        }
    }
    fn search(&mut self, step: u32) -> Search {
        let workers = self.0.workers;
        if step + 1 < workers {
            Search::Probe((self.0.worker + 1 + step) % workers, End::Head)
        } else {
            Search::Park
        }
    }
}
