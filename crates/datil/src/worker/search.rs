//! How an idle worker looks for work under a policy that routes: whom it asks or robs, and for how long it sleeps between. See
//! `README.md` beside this file, *Routing*.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::atomic::fence;
use std::time::Duration;

use datil_policy::{End, Policy, Search};

use super::port::{ABSENT, ASLEEP, Chain, FROM_HEAD, IDLE, NAPPING, Port, RUNNING, STEAL, SUMMONED, bump};
use super::routed::{length, wake_another};
use super::run::Worker;
use super::thief::{Answer, PATIENCE_OF_A_THIEF, STEAL_REQUEST};
use crate::futex;
use crate::inbox::Sleep;
use crate::mailbox::cell::TRANSIT;
use crate::membarrier;
use crate::sync::spin_loop;

/// Looks for an answer before a thief acts in the place of its victim: longer than short handlers take.
const BRIEFLY: u32 = 100;

impl<P: Policy> Worker<'_, P> {
    /// Looks for work until there is some, or until this worker is asked for something.
    pub(super) fn search(&self) {
        let searches = &self.core.showcase.searches;
        searches.store(true, Relaxed);
        self.look_for_work();
        searches.store(false, Relaxed);
    }

    fn look_for_work(&self) {
        let core = self.core;
        let searching = &core.team.searching;
        self.begin_to_seek();
        searching.fetch_add(1, SeqCst);
        let (mut step, mut robbed) = (0, None);
        while !self.finds_work() {
            self.insist_on_brought();
            let search = self.policy().search(step);
            step += 1;
            match search {
                Search::Probe(victim, end) => {
                    let victim = victim as usize % core.team.ports.len();
                    if self.steal(victim, end) {
                        robbed = Some(victim);
                        break;
                    }
                }
                Search::Poll(times) => {
                    for _ in 0..times {
                        if core.port.has_mail() {
                            break;
                        }
                        spin_loop();
                    }
                }
                // Nobody else takes what this worker lets wait, nor sees to what it has brought.
                Search::Sleep(_) | Search::Park if core.lets_records_wait() || core.brought.is_waiting() => {
                    spin_loop();
                    step = 0;
                }
                Search::Sleep(nanos) => {
                    searching.fetch_sub(1, SeqCst);
                    self.give_up();
                    self.nap(Duration::from_nanos(nanos));
                    searching.fetch_add(1, SeqCst);
                    if core.summons.are_obeyed() {
                        step = 0;
                    }
                }
                Search::Park => {
                    searching.fetch_sub(1, SeqCst);
                    self.give_up();
                    self.rest();
                    if !core.summons.are_obeyed() {
                        return;
                    }
                    searching.fetch_add(1, SeqCst);
                    step = 0;
                }
            }
        }
        searching.fetch_sub(1, SeqCst);
        if P::WAKING.polls() {
            self.rouse_all();
        } else if robbed.is_some() {
            wake_another::<P>(core);
        }
        self.end_seeking(robbed);
    }

    /// Whether there is something to do here. Thieves that ask in vain do not count.
    fn finds_work(&self) -> bool {
        let core = self.core;
        let request = core.port.request.load(Relaxed);
        if request & STEAL != 0 && request & !STEAL_REQUEST == 0 {
            self.clear(request);
        }
        core.port.has_mail()
            || core.port.request.load(Relaxed) != 0
            || (core.inbox.has_mail() && self.take_in() > 0)
            || !core.yielded.is_empty()
    }

    /// Takes from an end of a victim's queue; true if something came of it.
    fn steal(&self, victim: usize, end: End) -> bool {
        let core = self.core;
        bump(&core.counters().steal_attempts, 1);
        if victim == core.index() || self.is_poor(victim) {
            return false;
        }
        let victim = core.team.ports[victim];
        let stolen = match victim.rest.0.state.load(Relaxed) {
            RUNNING | ABSENT => {
                let besides = if end == End::Tail { 0 } else { FROM_HEAD };
                self.rob_or_seize(victim, besides, end)
            }
            // Under a policy that wakes the owner of a queue it will see to that.
            IDLE if P::WAKING.polls() => self.intercept(victim),
            _ => false,
        };
        if stolen {
            bump(&core.counters().steals, 1);
            if !core.is_near(victim.rest.0.index.load(Relaxed) as u32) {
                bump(&core.counters().far_steals, 1);
            }
        }
        stolen
    }

    /// Asks a worker, and takes from its queue in its place if it does not answer soon.
    ///
    /// To act in somebody's place costs both a fence on every thread of the process, microseconds. A worker whose handlers are short answers
    /// in a fraction of that.
    fn rob_or_seize(&self, victim: &'static Port, besides: u32, end: End) -> bool {
        let patience = if membarrier::is_available() {
            BRIEFLY
        } else {
            PATIENCE_OF_A_THIEF
        };
        match self.rob(victim, besides, patience) {
            Answer::Gift => true,
            Answer::Nothing => false,
            Answer::Unanswered => self.seize_from(victim, end),
        }
    }

    /// Whether nothing is to be had from the worker with this index, as far as one can see.
    pub(super) fn is_poor(&self, worker: usize) -> bool {
        let port = self.core.team.ports[worker];
        length(port) == 0 && !port.has_mail()
    }

    /// Steals from a worker that is in a handler.
    fn seize_from(&self, victim: &'static Port, end: End) -> bool {
        let core = self.core;
        let loot = core.with_absent(victim, |other| {
            // SAFETY: the other worker is absent and locked by us; so what was in its queue may be made ours.
            unsafe {
                other.receive_absent();
                let loot = other.draw(end, |queued| self.policy().grant(queued));
                loot.iter().for_each(|&cell| core.make_mine(cell));
                loot
            }
        });
        let loot = loot.unwrap_or_default();
        loot.iter().for_each(|&cell| core.put(cell, End::Tail));
        !loot.is_empty()
    }

    /// Takes what is on its way into the queue of a worker that naps, and leaves there what does not go into a queue.
    fn intercept(&self, victim: &'static Port) -> bool {
        let core = self.core;
        let mut wanted = usize::MAX;
        let (mut loot, mut chain) = (0, Chain::new());
        let arrivals: Vec<_> = victim.take_all().collect();
        for &cell in &arrivals {
            // SAFETY: the tokens are ours since we have taken the list.
            unsafe {
                let found = (*cell).tag.load(Acquire);
                if wanted == usize::MAX {
                    wanted = self.policy().grant(arrivals.len());
                }
                if (found >> 16) as u16 & TRANSIT != 0 && loot < wanted {
                    core.accept(cell, found as u16);
                    loot += 1;
                } else {
                    chain.add(cell);
                }
            }
        }
        victim.deliver(chain);
        loot > 0
    }

    /// Sleeps so long, or while all workers are idle; nobody ends it but by a request, or because thefts pay.
    ///
    /// A worker that sleeps until it is woken (`ASLEEP`) because all are idle must poll again when one of them finds something. No worker is
    /// forgotten: this one says that it sleeps, then (fence) looks whether all are idle; one that gets up lowers `idle`, finds
    /// something, then (fence, in `rouse_all`) looks who sleeps. So it sees that this one sleeps, or this one sees that not all are idle.
    #[cold]
    fn nap(&self, time: Duration) {
        let core = self.core;
        let team = &core.team;
        let rest = &core.port.rest.0;
        let all_idle = || team.inbox.idle.0.load(SeqCst) == team.ports.len();
        // Release: adopters see our actors as we leave them.
        rest.state.store(IDLE, Release);
        // As in `rest`, the count may have been one below 0.
        if team.inbox.idle.0.fetch_add(1, SeqCst).wrapping_add(1) == team.ports.len() {
            team.announce_quiet();
        }
        let deep = all_idle();
        rest.sleeping.swap(if deep { ASLEEP } else { NAPPING }, AcqRel);
        fence(SeqCst);
        if !core.port.has_mail() && core.port.request.load(Relaxed) == 0 {
            if !deep {
                bump(&core.counters().parks, 1);
                futex::wait_for(&rest.sleeping, NAPPING, time);
            } else if team.inbox.may_sleep() == Sleep::Long && all_idle() {
                bump(&core.counters().parks, 1);
                futex::wait(&rest.sleeping, ASLEEP);
            }
        }
        // Acquire: who was woken to look for work sees where some waits.
        if rest.sleeping.swap(0, AcqRel) == SUMMONED {
            self.obey_summons();
        }
        self.get_up();
    }

    /// Makes those poll again that sleep because all were idle; this worker has found something.
    fn rouse_all(&self) {
        fence(SeqCst);
        let asleep = |port: &&&Port| port.rest.0.sleeping.load(Relaxed) == ASLEEP;
        let woken = self
            .core
            .team
            .ports
            .iter()
            .filter(asleep)
            .filter(|port| port.rouse())
            .count();
        bump(&self.core.counters().wakes, woken as u64);
    }
}
