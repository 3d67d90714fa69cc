//! Workers under a policy that routes: every actor that becomes runnable is queued where the policy says, at either end of
//! any worker's queue. How idle workers look for work is in `search.rs`. See `README.md` beside this file, *Routing*.
//!
//! The queue is the worker's yield queue: its oldest end is the *head*, from which the worker takes, its newest end the *tail*,
//! so that an actor that has used up its batch goes behind the others. The run queue is only the way there: it is kept
//! empty with its limit at the top, so that every push calls [`queued`]. An engine without routing pays nothing for that.

use crate::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::atomic::{AtomicBool, AtomicU32};
use std::cell::{Cell, OnceCell};

use datil_policy::{End, Policy, Route, Surroundings, Waking, Word};

use super::core::Core;
use super::learning::Lessons;
use super::port::{self, Chain, FROM_HEAD, IDLE, LOOK, Port, bump};
use super::run::{Worker, worker};
use super::stint;
use super::toll::Passage;
use crate::mailbox::cell::{Header, TOKEN, TRANSIT, flag, split_remote, tag, take_token};
use crate::placement::Seat;

/// The policy's word of an actor, in the bits of the cell's flags that only policies use which follow.
pub(super) mod word {
    use super::{Header, Word, flag};

    /// See [`Word::is_free`].
    const FREE: u32 = 1 << 10;
    /// The policy has been asked for the word.
    pub(super) const KNOWN: u32 = 1 << 11;
    /// The actor was routed to the queue of the worker that it is on the way to, or has just arrived at.
    pub(super) const ROUTED: u32 = 1 << 12;
    /// Beside `ROUTED`: to its head.
    pub(super) const AHEAD: u32 = 1 << 13;
    /// The worker of the home, plus 1; 0 for none. There are fewer workers than this can tell.
    const HOME_SHIFT: u32 = 16;
    const WORD: u32 = FREE | 0xFFFF << HOME_SHIFT;

    const _: () = assert!(
        (flag::OUTSIDER | WORD | KNOWN | ROUTED | AHEAD) & (!flag::FOLLOW | flag::LOCAL) == 0
            && crate::worker::port::MAX_PORTS < 0xFFFF
    );

    pub(in super::super) fn read(header: &Header) -> Word {
        let flags = header.flags.get();
        Word::new((flags >> HOME_SHIFT).checked_sub(1), flags & FREE != 0)
    }

    pub(super) fn write(header: &Header, word: Word) {
        let home = word.home().map_or(0, |home| home + 1);
        let free = if word.is_free() { FREE } else { 0 };
        let others = header.flags.get() & !WORD;
        header.flags.set(others | KNOWN | free | home << HOME_SHIFT);
    }
}

/// What others may see of a worker's queue, and where the worker sits.
#[derive(Default)]
pub(crate) struct Showcase {
    /// Actors in the queue without the slot, which is not for thieves: a hint for them.
    length: AtomicU32,
    /// The worker looks for work: a hint, too.
    pub(super) searches: AtomicBool,
    /// The first actor of the queue is in the slot before the head ([`End::Next`]).
    slotted: Cell<bool>,
    seat: OnceCell<Seat>,
    /// Workers sit on several memory nodes.
    spread: Cell<bool>,
    /// What policies see of others where there is nothing to learn.
    nothing: Surroundings,
    /// What the worker has learned, if the policy does.
    pub(super) lessons: Lessons,
}

impl Showcase {
    /// Says where the worker sits, and whether its policy learns there; once, before it runs anything.
    pub(crate) fn sit(&self, seat: Seat, learns: bool) {
        self.lessons.set(learns);
        self.spread.set(!seat.rings.are_together());
        assert!(self.seat.set(seat).is_ok(), "a worker sits down once");
    }
}

impl Core {
    /// Whether a worker is on the same memory node.
    #[inline(always)]
    pub(super) fn is_near(&self, worker: u32) -> bool {
        let seat = self.showcase.seat.get();
        seat.expect("the worker sat down before it ran anything")
            .rings
            .is_neighbour(worker)
    }

    fn show_length(&self) {
        let slotted = usize::from(self.showcase.slotted.get());
        let length = self.yielded.len() - slotted;
        self.showcase.length.store(length as u32, Relaxed);
    }

    /// Makes the actor in the slot one like the others, which thieves may take. To be called by who may use the queue.
    pub(super) fn open_slot(&self) {
        self.showcase.slotted.set(false);
        self.show_length();
    }

    /// Puts an actor into this worker's queue.
    pub(super) fn put(&self, cell: *mut Header, end: End) {
        let queue = &self.yielded;
        match end {
            End::Tail => {
                queue.push(cell);
            }
            End::Head if self.showcase.slotted.get() => {
                let next = queue.pop_oldest().expect("it is in the slot");
                queue.push_oldest(cell);
                queue.push_oldest(next);
            }
            End::Head => queue.push_oldest(cell),
            End::Next => {
                if self.showcase.slotted.replace(true) {
                    queue.push(queue.pop_oldest().expect("it was in the slot"));
                }
                queue.push_oldest(cell);
            }
        }
        self.show_length();
    }

    /// Takes up to `grant` of how many there are from an end of this worker's queue, without the slot, in the order taken.
    pub(super) fn draw(&self, end: End, grant: impl FnOnce(usize) -> usize) -> Vec<*mut Header> {
        let queue = &self.yielded;
        let next = if self.showcase.slotted.get() {
            queue.pop_oldest()
        } else {
            None
        };
        let there = queue.len();
        let count = grant(there).min(there);
        let drawn = (0..count).filter_map(|_| match end {
            End::Tail => queue.pop_newest(),
            End::Head | End::Next => queue.pop_oldest(),
        });
        let drawn = drawn.collect();
        if let Some(next) = next {
            queue.push_oldest(next);
        }
        self.show_length();
        drawn
    }

    /// Takes an actor from an end of this worker's queue although another is in the slot, which stays there; or that one, if there is
    /// no other.
    #[cold]
    fn pass_over(&self, end: End) -> Option<*mut Header> {
        let queue = &self.yielded;
        let next = queue.pop_oldest()?;
        let taken = match end {
            End::Tail => queue.pop_newest(),
            End::Head | End::Next => queue.pop_oldest(),
        };
        if taken.is_none() {
            self.showcase.slotted.set(false);
            return Some(next);
        }
        queue.push_oldest(next);
        taken
    }

    /// Where a policy that learns queues an actor to which a worker has written.
    ///
    /// # Safety
    /// We own the cell, or have locked its worker.
    unsafe fn learned_route<P: Policy>(
        &self,
        policy: &mut P,
        header: &Header,
        sender: u32,
        word: Word,
    ) -> Route {
        let decide = |around: &mut Surroundings| {
            let home = word.home().filter(|_| policy.looks(&around.profile));
            (around.home_queue, around.idle) = match home {
                Some(home) => (
                    length(self.team.ports[home as usize]),
                    self.inbox.idle.0.load(Relaxed) as u32,
                ),
                None => (0, 0),
            };
            policy.woken(sender, word, around)
        };
        // SAFETY: by the caller.
        unsafe { self.with_surroundings(header, decide) }
    }
}

/// Actors in the queue of a worker of our runtime.
pub(super) fn length(port: &Port) -> u32 {
    glance(port, |showcase| showcase.length.load(Relaxed)).unwrap_or(0)
}

/// Whether a worker of our runtime has nothing to do, as far as one can see.
pub(super) fn is_out_of_work(port: &Port) -> bool {
    let searches = glance(port, |showcase| showcase.searches.load(Relaxed));
    searches != Some(false) && length(port) == 0 && !port.has_mail()
}

fn glance<T>(port: &Port, look: impl FnOnce(&Showcase) -> T) -> Option<T> {
    // SAFETY: as in `Core::with_absent`: cores exist until all workers of the runtime have ended; callers look at atomics only.
    unsafe { port.core.load(Acquire).as_ref() }.map(|core| look(&core.showcase))
}

/// Routes the actor that was just pushed to the run queue.
///
/// # Safety
/// The core's policy is a `P`.
pub(super) unsafe fn queued<P: Policy>(core: &Core) {
    let cell = core.run.pop_newest().expect("somebody has pushed it");
    core.run.remind();
    // SAFETY: what is in our queues is ours; the policy is the caller's promise.
    unsafe {
        let header = &*cell;
        let flags = header.flags.get();
        if flags & word::ROUTED != 0 {
            header.flags.set(flags & !(word::ROUTED | word::AHEAD));
            core.put(
                cell,
                if flags & word::AHEAD != 0 {
                    End::Head
                } else {
                    End::Tail
                },
            );
        } else {
            let starts = flags & (flag::MAIL | flag::ATTEND) == 0;
            let sender = (core.origin.get() != 0).then(|| core.index() as u32);
            let route = route::<P>(core, header, sender, starts);
            carry_out::<P>(core, cell, route);
        }
    }
    // Tokens lie open to thieves only when they have been handled, and a handler may go on for long.
    if core.port.has_mail() {
        aside::<P, _>(core, || core.receive());
    }
}

/// Does what takes time that is not the running actor's; see [`Core::aside`].
#[inline(always)]
pub(super) fn aside<P: Policy, R>(core: &Core, act: impl FnOnce() -> R) -> R {
    if P::LEARNS { core.aside(act) } else { act() }
}

/// The policy's answer for an actor of ours that becomes runnable: because of a worker's message, or one from outside
/// (`sender` is `None`), or because it `starts`.
///
/// # Safety
/// We own the cell, and the core's policy is a `P`.
unsafe fn route<P: Policy>(core: &Core, header: &Header, sender: Option<u32>, starts: bool) -> Route {
    let workers = || core.team.ports.len() as u32;
    let turn = || core.team.turn.fetch_add(1, Relaxed);
    // SAFETY: by the caller.
    let worker = unsafe { worker::<P>(core) };
    if header.flags.get() & word::KNOWN == 0 {
        // SAFETY: a live actor's table is valid.
        let hint = unsafe { (*header.vtable.get()).hint };
        let (word, route) = if header.flags.get() & flag::OUTSIDER != 0 {
            P::admitted(hint, turn(), workers())
        } else {
            worker.policy().spawned(hint)
        };
        word::write(header, word);
        if starts {
            return route;
        }
    }
    let word = word::read(header);
    match sender {
        // SAFETY: by the caller.
        Some(sender) if P::LEARNS && core.learns() && !core.all_are_plain(worker.policy()) => unsafe {
            core.learned_route(worker.policy(), header, sender, word)
        },
        Some(sender) => worker.policy().woken(sender, word, &core.showcase.nothing),
        None => P::called(word, turn(), workers()),
    }
}

/// Queues a scheduled actor of ours where it was routed.
///
/// # Safety
/// We own the cell, which is scheduled and in no queue, and the core's policy is a `P`.
unsafe fn carry_out<P: Policy>(core: &Core, cell: *mut Header, route: Route) {
    let stays = route.worker as usize == core.index();
    // SAFETY: by the caller. A token that is just on its way to us cannot be handed on; then the actor stays this once.
    if !stays && unsafe { take_token(&*cell) } {
        let to = core.team.ports[route.worker as usize];
        return aside::<P, _>(core, || {
            // Other policies that route ask for no toll, and need not look whether they do.
            let asks = P::WAKING == Waking::Proven;
            let began = asks.then(|| core.toll.begin(Passage::Out, || core.team.now()));
            // SAFETY: we own the cell and hold its token.
            unsafe { send_away(core, cell, to, route.end) };
            core.toll.end(began.flatten(), || core.team.now());
        });
    }
    let end = if stays { route.end } else { End::Head };
    let may_wake = may_wake::<P>(core, end);
    core.put(cell, end);
    if may_wake {
        // SAFETY: by the caller.
        unsafe { wake_somebody::<P>(core) };
    } else if !P::WAKING.polls() {
        // Whoever is woken keeps watch when it goes to sleep again. Where nobody is, and nobody does, the handler may go on for long, and who
        // waits in the slot must not wait for it.
        core.see_to_a_guard();
    }
}

/// Sends an actor to the queue of another worker.
///
/// # Safety
/// We own the cell and hold its token.
unsafe fn send_away(core: &Core, cell: *mut Header, to: &'static Port, end: End) {
    // SAFETY: by the caller.
    unsafe {
        mark(&*cell, to, end);
        bump(&core.counters().routed_actors, 1);
        core.deliver_token(cell, to);
    }
}

/// Puts an actor in transit to an end of another worker's queue.
///
/// # Safety
/// We own the cell and hold its token; afterwards it must be delivered.
unsafe fn mark(header: &Header, to: &Port, end: End) {
    let ahead = if end == End::Tail { 0 } else { word::AHEAD };
    header.flags.set(header.flags.get() | word::ROUTED | ahead);
    let generation = header.tag.load(Relaxed) as u16;
    // Release: who accepts the actor sees it as we leave it.
    header.tag.store(tag(TRANSIT | to.id, generation), Release);
}

/// Routes an idle actor of ours to which others have written; true if it goes to another worker.
///
/// # Safety
/// We own the cell and hold its token; the core's policy is a `P`.
pub(super) unsafe fn redirect<P: Policy>(core: &Core, cell: *mut Header) -> bool {
    // SAFETY: by the caller; nobody but the owner changes what is in the list.
    unsafe {
        let header = &*cell;
        let (mut block, _) = split_remote(header.remote.load(Acquire));
        if block.addr() <= TOKEN || header.flags.get() & flag::SCHEDULED != 0 {
            return false;
        }
        // Newest first; the one that woke the actor is the oldest.
        while !(*block).next.get().is_null() {
            block = (*block).next.get();
        }
        let from = (*block).from.get();
        let sender = (from != 0).then(|| &port::port(from).rest.0);
        let sender = sender.filter(|rest| rest.team.load(Relaxed) == core.team.key);
        let sender = sender.map(|rest| rest.index.load(Relaxed) as u32);
        let route = route::<P>(core, header, sender, false);
        let to = core.team.ports[route.worker as usize % core.team.ports.len()];
        if to.id != core.me {
            // The list stays as it is, and the token goes with the actor.
            send_away(core, cell, to, route.end);
            return true;
        }
        // It is queued when the caller has taken the messages; the slot is as good as the head for a single one.
        let ahead = if route.end == End::Tail { 0 } else { word::AHEAD };
        header.flags.set(header.flags.get() | word::ROUTED | ahead);
        // At the head it lies open to thieves.
        if may_wake::<P>(core, End::Head) {
            wake_somebody::<P>(core);
        }
        false
    }
}

/// Whether an actor that is about to be put at this end of our queue is one for whom another worker may be woken.
#[inline(always)]
fn may_wake<P: Policy>(core: &Core, end: End) -> bool {
    match P::WAKING {
        // It is about to run, if nobody waits there already.
        Waking::Proven => !core.yielded.is_empty(),
        _ => P::SLOT_WAKES || end != End::Next || core.showcase.slotted.get(),
    }
}

/// Wakes a sleeping worker, as the policy has it, since an actor is queued here.
///
/// # Safety
/// The core's policy is a `P`.
#[inline(always)]
unsafe fn wake_somebody<P: Policy>(core: &Core) {
    match P::WAKING {
        // SAFETY: by the caller.
        Waking::Proven => unsafe { stint::summon_for_own::<P>(core) },
        _ => wake_another::<P>(core),
    }
}

/// Wakes a sleeping worker, if the policy wants that and nobody looks for work.
pub(super) fn wake_another<P: Policy>(core: &Core) {
    let team = &core.team;
    // A searcher may have been here just before and be about to sleep. Then the guard sees to what waits here.
    if P::WAKING != Waking::OneSearcher
        || core.inbox.idle.0.load(Relaxed) == 0
        || team.searching.load(Relaxed) > 0
    {
        return;
    }
    let count = team.ports.len();
    let others = (1..count).map(|step| team.ports[(core.index() + step) % count]);
    let mut asleep = others.filter(|port| port.rest.0.state.load(Relaxed) == IDLE);
    if asleep
        .next()
        .is_some_and(|port| aside::<P, _>(core, || team.call_apart(port, LOOK, core.me)))
    {
        bump(&core.counters().wakes, 1);
    }
}

impl<P: Policy> Worker<'_, P> {
    /// Takes the next actor out of the queue.
    pub(super) fn take(&self, tick: u32) -> Option<*mut Header> {
        let core = self.core;
        // The loop moves the limit now and then.
        core.run.remind();
        let queue = &core.yielded;
        let slotted = &core.showcase.slotted;
        let cell = match self.policy().take(tick) {
            End::Next => {
                slotted.set(false);
                queue.pop_oldest()
            }
            end if slotted.get() => core.pass_over(end),
            End::Head => queue.pop_oldest(),
            End::Tail => queue.pop_newest(),
        };
        core.show_length();
        cell
    }

    /// Notes that an actor begins to run.
    #[inline(always)]
    pub(super) fn begin(&self, cell: *mut Header) {
        let core = self.core;
        // SAFETY: the actor was in our queue, so it is ours.
        let header = unsafe { &*cell };
        if header.flags.get() & flag::UNSTARTED != 0 {
            word::write(header, self.policy().started(word::read(header)));
        }
        // On a single node everybody is near, and need not be counted.
        if core.showcase.spread.get()
            && let Some(home) = word::read(header).home()
        {
            let counters = core.counters();
            let near = core.is_near(home);
            bump(
                if near {
                    &counters.near_activations
                } else {
                    &counters.far_activations
                },
                1,
            );
        }
    }

    /// Runs an actor, and times that if the policy wants it. Apart from the usual way, which then need not carry anything along.
    #[inline(never)]
    pub(super) fn time(&self, cell: *mut Header) {
        // SAFETY: the actor was in our queue, so it is ours.
        if unsafe { self.core.is_to_be_timed(&*cell, self.policy()) } {
            self.activate_timed(cell);
        } else {
            self.activate(cell);
        }
    }

    #[cold]
    #[inline(never)]
    fn activate_timed(&self, cell: *mut Header) {
        // SAFETY: as the caller's.
        let timed = self.core.begin_timing(unsafe { &*cell });
        self.activate(cell);
        if let Some(timed) = timed {
            self.core.end_timing(timed, self.policy());
        }
    }

    /// Answers a thief between two activations.
    pub(super) fn hand_over(&self, request: u32) {
        let core = self.core;
        let thief = port::port(request as u16);
        if thief.id == core.me {
            return;
        }
        let end = if request & FROM_HEAD != 0 {
            End::Head
        } else {
            End::Tail
        };
        let mut chain = Chain::new();
        let mut given = 0;
        for cell in core.draw(end, |queued| self.policy().grant(queued)) {
            // SAFETY: what was in our queue is ours; a token that we hold goes with its cell.
            unsafe {
                if take_token(&*cell) {
                    mark(&*cell, thief, End::Tail);
                    chain.add(cell);
                    given += 1;
                } else {
                    core.put(cell, end);
                }
            }
        }
        bump(&core.counters().shared_actors, given);
        if thief.deliver(chain) {
            bump(&core.counters().wakes, 1);
        }
    }
}
