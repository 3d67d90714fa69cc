//! Scheduling policies for actor runtimes as pure functions.
//!
//! A [`Policy`] decides, a host executes. Policies use no atomics, no clock, no threads and no allocation:
//! time, queue lengths and random seeds come in as arguments, decisions go out as small `Copy` values. The
//! same inputs give the same outputs, so that a native runtime, a simulator and a property test run the very
//! same code.
//!
//! One value of a policy type exists per worker and is touched by that worker alone. What several workers must agree
//! on (when the next attempt to spread work may be made) is a [`Board`]: the host keeps it in shared memory, shows it
//! to the policy, and stores what the policy returns. A board may be stale; no decision depends on it being exact.
//!
//! A host with worker-owned actors asks these questions:
//!
//! | hook | when | answer |
//! | --- | --- | --- |
//! | [`Policy::pick`] | before each activation | which end of which queue |
//! | [`Policy::watch`], [`Policy::crowded`], [`Policy::offer`] | work is queued while another worker idles | whether to read the clock; none; what to give away |
//! | [`Policy::advanced`], [`Policy::timed`] | now and then between activations | whether to read the clock; none |
//! | [`Policy::interrupted`] | the worker does something else than run actors | none |
//! | [`Policy::crossed`] | every [`Policy::CROSSINGS`] sends to another worker | does being apart pay? |
//! | [`Policy::parted`] | a worker that had received work runs dry | the board after that trial |
//! | [`Policy::follow`] | a message from another worker finds its receiver idle | does the actor move to its sender? |
//! | [`Policy::ran_dry`], [`Policy::hunt`], [`Policy::grant`] | a worker is idle; a victim is asked | whom to rob, how much to hand over |
//! | [`Policy::relieve`] | a worker has been in a handler for long | how much another one takes over |
//! | [`Policy::place`] | work arrives from outside the runtime | which worker gets it |
//!
//! A host whose actors have no owner ([`Policy::ROUTES`]) asks these:
//!
//! | hook | when | answer |
//! | --- | --- | --- |
//! | [`Policy::on`], [`Policy::learns`] | a worker starts | the policy on this place in the machine; whether times teach it anything there |
//! | [`Policy::spawned`], [`Policy::admitted`] | an actor is created by an actor, from outside | its word and where it is queued |
//! | [`Policy::started`] | an actor runs for the first time | its word |
//! | [`Policy::woken`], [`Policy::called`] | an idle actor gets a message from an actor, from outside | where it is queued |
//! | [`Policy::take`] | before each activation | from where in its queue |
//! | [`Policy::samples`], [`Policy::finished`] | before and after an activation | whether to time it; what it taught |
//! | [`Policy::search`], [`Policy::grant`] | a worker is idle; a victim was found | what to do; how much to take |
//! | [`Policy::looks_for_sleepers`], [`Policy::looked`] | with [`Waking::Proven`]: an actor is queued behind another one; that was looked into | whether to look for somebody to wake; none |
//! | [`Policy::wakes`], [`Policy::summoned`], [`Policy::parted`] | with [`Waking::Proven`]: something waits while others sleep; a worker was woken for that; what a thief had taken is done | whether to wake somebody; none; the board after that |

mod adaptive;
mod encore;
mod guided;
mod kin;
mod locality;
mod lookout;
mod neighbourly;
mod order;
mod pace;
mod random;
mod registry;
mod routing;
mod sharing;
mod stealing;
mod stream;
mod thefts;
pub mod topology;

pub use adaptive::{Adaptive, Hostile};
pub use encore::{EncoreCooperative, EncorePreemptive};
pub use guided::{
    ClsDealt, ClsPolling, ClsTp, ClsWake, ClsWakeLong, FirstRun, Guided, Home, Idling, Lgs, LgsAlt,
    LgsAltAwake, LgsCo, LgsDfs, LgsScan, LgsUc, LgsUw, LgsWake, LgsWakeHalf, LgsWakeNode, LgsWoken, Variant,
    Victims,
};
pub use kin::{GoLike, Pony, TokioLike};
pub use locality::{
    AdaptiveLocality, AdaptiveLocalityPolling, AdaptiveWaking, ClsTpNear, Locality, PinAll, PinLong,
    WithoutCalls, WithoutCalm, WithoutCertainty, WithoutGuard, WithoutNearness, WithoutOrder,
    WithoutPatience, WithoutPauses, WithoutResigning, WithoutSecondLook, WithoutWaking, term,
};
pub use neighbourly::Neighbourly;
pub use pace::Pair;
pub use random::Random;
pub use registry::{NAMES, routing_names};
pub use routing::{End, Mean, Profile, Role, Route, Sample, Search, Surroundings, Waking, Word};
pub use sharing::WorkSharing;
pub use stealing::ClsOffer;
pub use stream::Crowd;

/// Nanoseconds on the host's monotonic clock; only differences mean anything.
pub type Nanos = u64;

/// What a policy learns when a worker starts.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// This worker, `0..workers`.
    pub worker: u32,
    /// Number of workers, at least 1.
    pub workers: u32,
    /// Seed of everything random.
    pub seed: u64,
}

/// How far a worker has got since it started, and what waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Activations so far.
    pub activations: u64,
    /// Messages handled in them.
    pub messages: u64,
    /// Actors that wait.
    pub queued: usize,
}

/// Which runnable actor a worker takes next. If the named queue is empty the host takes the newest of
/// the run queue, and if that is empty too the oldest of the yield queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// The most recently scheduled actor.
    Newest,
    /// The actor that has waited longest in the run queue.
    Oldest,
    /// The actor that has waited longest since it used up its batch.
    Yielded,
}

/// What a busy worker does for an idle one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    /// Keep everything.
    Keep,
    /// Hand this many of the oldest runnable actors to one idle worker and wake it.
    Give(usize),
}

/// Whether two workers that talk to each other should stay apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Stay apart.
    Apart,
    /// Bring the work of the two back onto one worker, and store this board.
    Reunite(Board),
}

/// The shared memory of a policy: when work may be spread again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Board {
    /// No work is offered before this time.
    pub not_before: Nanos,
    /// Pause after the next failure; 0 means that none has failed yet.
    pub pause: Nanos,
    /// When work was last given away.
    pub shared_at: Nanos,
    /// How often in a row the trials have paid, which says how much may be given away at a time; under [`Waking::Proven`] by how many the
    /// thefts that paid are ahead of the others.
    pub paid: u32,
    /// How long 256 messages took on the worker that gave something away last, while it was alone; 0 if nobody knows.
    pub alone: Nanos,
    /// Under [`Waking::Proven`] what a theft gets done on average besides its toll; 0 if nobody knows.
    pub gain: Nanos,
}

/// How a message from another worker found its receiver.
#[derive(Clone, Copy, Debug)]
pub struct Encounter {
    /// Nothing else has come for the receiver.
    pub alone: bool,
    /// Activations in a row, this one included, that were caused by that worker. A message that finds the receiver runnable or running, as its own
    /// ones do, causes none. A host need not count further than to 63.
    pub streak: u32,
    /// Runnable actors on the sender's worker when it sent. A host need not count further than to 65,535.
    pub waiting: usize,
    /// Runnable actors on the receiver's worker.
    pub backlog: usize,
    /// The receiver's worker gave everything it had to the sender's, and neither has given work away since.
    pub reunion: bool,
    /// The sender's worker does not sleep, so that it need not be woken.
    pub awake: bool,
}

/// What became of a worker that had been taken into service to get work from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stint {
    /// When that was.
    pub began: Nanos,
    /// Messages that the worker has handled since.
    pub messages: u64,
    /// The toll of being apart: time that it has spent since on sending to other workers and on taking in what came from them. An estimate: a host
    /// may measure a sample, and will not be able to tell from work all the waiting for lines of other processors' caches.
    pub toll: Nanos,
}

/// When a thief takes actors out of a victim's queue itself, as many as its own [`Policy::grant`] says, instead of asking the victim, which answers
/// between two activations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preemption {
    /// Never: it asks.
    Never,
    /// If it has asked and the victim does not answer because it is in a handler that takes long.
    Unanswered,
    /// Without asking.
    AtOnce,
}

/// A scheduling policy: the private state of one worker and the rules that read it.
pub trait Policy: Send + Sized + 'static {
    /// Name by which the policy is chosen.
    const NAME: &'static str;
    /// Name of the policy that this one is where no worker is nearer to another than any other is: the same decisions, but for where
    /// messages from outside wake actors, as long as no message took long, without keeping what they would need elsewhere. A
    /// native host runs that one there if the policy was chosen by its name; one that was given as a type is run as it is.
    const UNIFORM: &'static str = Self::NAME;
    /// Whether idle workers ask others for work ([`Policy::hunt`]).
    const STEALS: bool = false;
    /// When a thief takes what it wants out of a victim's queue itself, also while that runs a handler.
    const PREEMPTS: Preemption = Preemption::Never;
    /// Whether a sender takes over the actors of an idle worker instead of waking it.
    const ADOPTS: bool = false;
    /// Whether [`Policy::follow`] is asked at all.
    const FOLLOWS: bool = false;
    /// Sends to other workers between two questions [`Policy::crossed`]; 0 never asks, and then no toll is measured.
    const CROSSINGS: u32 = 0;

    /// Whether the policy needs a host that routes; see [`Policy::spawned`] to [`Policy::search`].
    const ROUTES: bool = false;
    /// Whether a routing host binds the threads of its workers to processing units.
    const PINS: bool = false;
    /// Whether a routing host measures activations ([`Policy::samples`]) and looks around ([`Surroundings`]) for the policy.
    const LEARNS: bool = false;
    /// Whom a routing host wakes when it queues an actor.
    const WAKING: Waking = Waking::Never;
    /// Whether an actor that is put into an empty slot ([`End::Next`]), and so runs next where it is, counts as one for whom another worker may
    /// be woken.
    const SLOT_WAKES: bool = true;

    /// State of one worker.
    fn new(setup: Setup) -> Self;

    /// Which workers a host that knows the machine puts into the first group of [`Policy::on`].
    fn neighbourhood() -> topology::Neighbourhood {
        topology::Neighbourhood::Everyone
    }

    /// State of one worker in a host that knows the machine.
    fn on(setup: Setup, rings: &topology::Rings) -> Self {
        let _ = rings;
        Self::new(setup)
    }

    /// Messages an actor may handle before it goes behind the others; at least 1.
    fn batch(&self) -> u32;

    /// Turns of polling before an idle worker sleeps.
    fn spin(&self) -> u32 {
        100
    }

    /// The next actor to run; `tick` counts activations and wraps.
    fn pick(&mut self, tick: u32) -> Pick;

    /// Notes how far this worker has got, at least every 16 activations; true asks the host to read the clock and call
    /// [`Policy::timed`].
    fn advanced(&mut self, progress: Progress) -> bool {
        let _ = progress;
        false
    }

    /// Notes when that was.
    fn timed(&mut self, now: Nanos, progress: Progress) {
        let _ = (now, progress);
    }

    /// Notes that `queued` actors wait while another worker idles, `passed` activations after the last such note; true asks the
    /// host to read the clock and call [`Policy::offer`].
    fn watch(&mut self, queued: usize, passed: u32) -> bool {
        let _ = (queued, passed);
        false
    }

    /// After how many activations, at least 1, the next call of [`Policy::watch`] is due while actors wait. A host may call earlier.
    fn stride(&self) -> u32 {
        1
    }

    /// Whether activations take so long that the host should look after each of them whether another worker idles, and not after every
    /// few.
    fn watches_closely(&self) -> bool {
        false
    }

    /// Notes that this worker does something else than run actors: it has none to run, or takes in what threads outside have sent.
    fn interrupted(&mut self) {}

    /// Notes, just before each [`Policy::offer`], who else wants processors.
    fn crowded(&mut self, now: Nanos, crowd: Crowd) {
        let _ = (now, crowd);
    }

    /// Decides whether an idle worker gets part of the `queued` actors.
    fn offer(&mut self, now: Nanos, queued: usize, board: Board) -> Offer {
        let _ = (now, queued, board);
        Offer::Keep
    }

    /// The board after an offer was carried out.
    fn shared(&mut self, now: Nanos, board: Board) -> Board {
        Board {
            shared_at: now,
            ..board
        }
    }

    /// Judges the traffic with other workers; asked at every [`Policy::CROSSINGS`]th send to another worker. `toll` is as
    /// [`Stint::toll`], since this worker started, and `pair` is about this worker and the one to which it has just sent.
    fn crossed(&mut self, now: Nanos, toll: Nanos, pair: Pair, board: Board) -> Verdict {
        let _ = (now, toll, pair, board);
        Verdict::Apart
    }

    /// The board after a worker that had been given work ran dry. Under [`Waking::Proven`] also after one did so that had robbed another, or had been
    /// woken to do so and found nothing: then the stint begins and ends at the same time.
    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board {
        let _ = (now, stint);
        board
    }

    /// Whether an idle actor moves to the worker that wrote to it.
    fn follow(&self, encounter: Encounter) -> bool {
        let _ = encounter;
        false
    }

    /// Whether this worker, which has run dry, asks others for work at all ([`Policy::hunt`]); `stint` is what it has done since it was
    /// last taken into service to get work from another, if it was.
    fn ran_dry(&mut self, now: Nanos, stint: Option<Stint>, board: Board) -> bool {
        let _ = (now, stint, board);
        true
    }

    /// The victim of attempt number `attempt` (from 0) since this worker ran dry; `None` gives up and sleeps.
    /// Never this worker itself.
    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        let _ = attempt;
        None
    }

    /// How many of its `queued` oldest actors a victim hands to a thief; at most `queued`.
    fn grant(&mut self, queued: usize) -> usize {
        queued.min(1)
    }

    /// How many of the `queued` oldest actors that wait for a worker in a long handler the one that watches over it takes over, when it has done so
    /// `before` times during that handler; at most `queued`.
    fn relieve(&mut self, queued: usize, before: u32) -> usize {
        let _ = before;
        queued.div_ceil(2)
    }

    /// The worker that takes the `turn`-th piece of work from outside.
    ///
    /// `None` leaves it to the worker that finds it in the runtime's inbox, which saves handing it on. A policy does so always or never, whatever the turn.
    fn place(turn: u32, workers: u32) -> Option<u32> {
        Some(turn % workers)
    }

    /// An actor was created by an actor on this worker: what to remember of it, and where it is queued for its start.
    fn spawned(&mut self, role: Role) -> (Word, Route) {
        let _ = role;
        unimplemented_route(Self::NAME)
    }

    /// The `turn`-th actor was created from outside.
    fn admitted(role: Role, turn: u32, workers: u32) -> (Word, Route) {
        let _ = role;
        let tail = Route {
            worker: turn % workers,
            end: End::Tail,
        };
        (Word::default(), tail)
    }

    /// This worker is about to run an actor for the first time.
    fn started(&mut self, word: Word) -> Word {
        word
    }

    /// Whether this policy, where it learns, answers [`Policy::woken`] and [`Policy::samples`] for actors of a class with this profile as it does with
    /// `Profile::default()`, of which nothing is known; on all workers alike. As long as all classes are such, a host need not find out what is known of one.
    fn is_plain(&self, profile: &Profile) -> bool {
        let _ = profile;
        false
    }

    /// Whether this policy, where it learns, wants to know of the others what [`Surroundings`] say besides the profile before it decides where an
    /// actor of this class is queued ([`Policy::woken`]). To look at what others have written lately takes long where they are far away; if not,
    /// the surroundings say 0.
    fn looks(&self, profile: &Profile) -> bool {
        let _ = profile;
        true
    }

    /// An actor on the worker `sender` has written to an idle actor: where that one is queued.
    ///
    /// A host whose actors have no owner asks the policy of the sender's worker, one whose actors have owners may ask that of
    /// the receiver's owner. The answer must not depend on which it is.
    fn woken(&mut self, sender: u32, word: Word, surroundings: &Surroundings) -> Route {
        let _ = (sender, word, surroundings);
        unimplemented_route(Self::NAME)
    }

    /// The `turn`-th message from outside has found an idle actor.
    fn called(word: Word, turn: u32, workers: u32) -> Route {
        let _ = word;
        Route {
            worker: turn % workers,
            end: End::Tail,
        }
    }

    /// Whether activations can teach this policy anything on its place in the machine; asked of policies with [`Policy::LEARNS`] when the
    /// worker starts, after each [`Policy::parted`], and after [`Policy::finished`], of which a host may call several in a row. While not,
    /// [`Policy::samples`] and [`Policy::finished`] are not asked, and the [`Surroundings`] say nothing.
    fn learns(&self) -> bool {
        Self::LEARNS
    }

    /// Whether activation number `tick` of this worker, of an actor of this class, is timed and told to
    /// [`Policy::finished`].
    fn samples(&mut self, tick: u32, profile: &Profile) -> bool {
        let _ = (tick, profile);
        false
    }

    /// What the class of an actor has taught after a timed activation.
    fn finished(&mut self, word: Word, sample: Sample, profile: Profile) -> Profile {
        let _ = (word, sample);
        profile
    }

    /// From where in its own queue this worker takes the next actor: from the slot, and from the head if that is empty, or from an
    /// end without regard to the slot, unless nothing is there. `tick` counts activations and wraps.
    ///
    /// Who only puts actors at one end and takes from the other needs no more than the default. Any other policy passes some over,
    /// and must give them a turn now and then.
    fn take(&mut self, tick: u32) -> End {
        let _ = tick;
        End::Next
    }

    /// Whether this worker, which has queued an actor behind another one of its own, looks whether somebody sleeps who could be woken for it. To look at what
    /// others have written lately takes long where they are far away. Asked with [`Waking::Proven`] only, and before [`Policy::wakes`].
    fn looks_for_sleepers(&mut self) -> bool {
        true
    }

    /// This worker has looked because of [`Policy::looks_for_sleepers`], and `woke` somebody or nobody.
    fn looked(&mut self, woke: bool) {
        let _ = woke;
    }

    /// Whether this worker, which has queued an actor behind another one of its own, or has robbed a queue in which more is left, wakes a
    /// sleeping one. Asked with [`Waking::Proven`] only, and not while a worker that was woken so is still looking for work.
    fn wakes(&self, board: Board) -> bool {
        let _ = board;
        true
    }

    /// Whether this one, which sleeps, is woken for what waits in the queue of the worker `owner`. Asked of one sleeper after the other until one
    /// is, where [`Policy::wakes`] says so.
    fn calls(&self, owner: u32, sleeper: u32, board: Board) -> bool {
        let _ = (owner, sleeper, board);
        true
    }

    /// This worker was woken because of [`Policy::wakes`]; its search begins anew.
    fn summoned(&mut self) {}

    /// What this worker does at step number `step` since it ran dry.
    fn search(&mut self, step: u32) -> Search {
        match self.hunt(step) {
            Some(victim) => Search::Probe(victim, End::Tail),
            None => Search::Park,
        }
    }
}

/// Only policies with [`Policy::ROUTES`] are asked for routes, and they answer themselves.
#[cold]
fn unimplemented_route<T>(policy: &str) -> T {
    panic!("the policy {policy} does not route; hosts ask Policy::ROUTES first")
}

/// The policy that `docs/scheduling.md` shows is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/scheduling.md")]
pub struct Documented;
