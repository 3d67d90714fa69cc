//! The whole runtime, threads and all, under shuttle: each atomic operation, lock, sleep and start of a thread is a point at which a schedule drawn from a seed
//! decides who goes on. A lost wake-up is a deadlock, which shuttle reports; everything else is asserted. What this does not show is weak memory order: see the
//! models and miri.
//!
//! `RUSTFLAGS="--cfg shuttle" CARGO_TARGET_DIR=target/shuttle cargo test -p datil --test shuttle`. A failure says in which file its schedule is; with that in
//! `DATIL_SCHEDULE` and the name of the test it happens again. `DATIL_ITERATIONS` says how many schedules each test tries of each kind, `DATIL_SEED` where they begin.
//!
//! Defects that were planted and found: the guard finds nobody stuck; a dropped reply says nothing; a rescuer does not look whether the worker is inside; an actor that is gone frees its cell although its token is
//! out; a local push leaves older messages in the remote list (with 500 schedules, not with 20). Not found with 500: quiescence that does not look at inbound lists, and an adopter that does not look
//! at the tag again under the lock, which `models/` has a model of.
#![cfg(shuttle)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datil::policy::{
    Board, End, Nanos, Offer, Pick, Policy, Role, Route, Search, Setup, Surroundings, Waking, Word,
};
use datil::{
    Actor, Address, Answer, AskError, Context, Down, Mailbox, Query, QueryContext, ReplyTo, Restart, Runtime,
    StopReason, Strategy, Supervisor,
};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::mpsc;
use shuttle::{Config, FailurePersistence, MaxSteps, Runner, thread};

/// Runs a scenario under schedules of two kinds: steps at random, and few changes of priority at random places.
fn explore(scenario: fn()) {
    /// What outlives runtimes belongs to one execution at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let execution = move || {
        // SAFETY: each scenario ends all that it begins, and keeps no address.
        unsafe { datil::model::begin() };
        scenario();
    };
    if let Ok(schedule) = std::env::var("DATIL_SCHEDULE") {
        return shuttle::replay_from_file(execution, &schedule);
    }
    let number = |name, otherwise| {
        std::env::var(name).map_or(otherwise, |value| {
            value
                .parse()
                .unwrap_or_else(|_| panic!("{name} must be a number, not {value:?}"))
        })
    };
    let (seed, iterations) = (number("DATIL_SEED", 1), number("DATIL_ITERATIONS", 500) as usize);
    let config = || {
        let mut config = Config::new();
        config.stack_size = 256 << 10;
        config.max_steps = MaxSteps::FailAfter(2_000_000);
        config.silence_warnings = true;
        // Long: a line per run would be of megabytes.
        config.failure_persistence = FailurePersistence::File(Some(std::env::temp_dir()));
        config
    };
    Runner::new(RandomScheduler::new_from_seed(seed, iterations), config()).run(execution);
    for depth in [2, 4] {
        Runner::new(PctScheduler::new_from_seed(seed, depth, iterations / 2), config()).run(execution);
    }
}

/// As a panic, but without the hook, which would take it for the end of the test.
fn fail_on_purpose() -> ! {
    std::panic::resume_unwind(Box::new("on purpose"))
}

fn runtime(workers: usize, policy: &str) -> Runtime {
    Runtime::builder()
        .workers(workers)
        .policy(policy)
        .build()
        .unwrap()
}

/// Fails if what a scenario is about has happened in none of its executions; one that is had again may be one of those.
fn assert_happened(count: &AtomicU64) {
    let again = std::env::var_os("DATIL_SCHEDULE").is_some();
    assert!(again || count.load(SeqCst) > 0, "the scenario missed its subject");
}

/// Another thread may go on here, in code that has no point of its own.
fn pause() {
    thread::sleep(Duration::ZERO);
}

/// What actors find wrong, whose panics the runtime would catch.
type Faults = Arc<Mutex<Vec<&'static str>>>;

/// Counts what is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

// ---- causality from outside -----------------------------------------------------------------------------------------

/// Puts the first actor from outside on one worker and all others on the other, where they stay; or, if it gives, the second one on another than the rest,
/// who are given away as soon as somebody idles.
struct Apart<const GIVES: bool>;

impl<const GIVES: bool> Policy for Apart<GIVES> {
    const NAME: &'static str = "apart";

    fn new(_: Setup) -> Self {
        Self
    }
    fn batch(&self) -> u32 {
        8
    }
    fn spin(&self) -> u32 {
        0
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }
    fn place(turn: u32, _: u32) -> Option<u32> {
        Some(if GIVES { u32::from(turn == 1) } else { turn.min(1) })
    }
    fn watch(&mut self, queued: usize, _: u32) -> bool {
        GIVES && queued > 0
    }
    fn offer(&mut self, _: Nanos, queued: usize, _: Board) -> Offer {
        Offer::Give(queued.div_ceil(2))
    }
}

/// Routes who is written to here and there by turns, and looks for work once before it sleeps.
struct Restless {
    worker: u32,
    workers: u32,
    turn: u32,
}

impl Restless {
    fn next(&mut self) -> Route {
        self.turn += 1;
        Route {
            worker: self.turn / 2 % self.workers,
            end: [End::Tail, End::Next, End::Head][self.turn as usize % 3],
        }
    }
}

impl Policy for Restless {
    const NAME: &'static str = "restless";
    const STEALS: bool = true;
    const ROUTES: bool = true;
    const WAKING: Waking = Waking::OneSearcher;

    fn new(setup: Setup) -> Self {
        Self {
            worker: setup.worker,
            workers: setup.workers,
            turn: setup.worker,
        }
    }
    fn batch(&self) -> u32 {
        8
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }
    fn spawned(&mut self, _: Role) -> (Word, Route) {
        (Word::default(), self.next())
    }
    fn woken(&mut self, _: u32, _: Word, _: &Surroundings) -> Route {
        self.next()
    }
    fn search(&mut self, step: u32) -> Search {
        match step {
            0 => Search::Probe((self.worker + 1) % self.workers, End::Head),
            _ => Search::Park,
        }
    }
}

enum Said {
    Nothing,
    /// To whom it comes, so many times: its worker has something to do meanwhile.
    Again(u32),
    /// To the witness, by the thread outside.
    Before(u32),
    /// To the messenger: tell the witness of it.
    Tell(u32),
    /// To the witness, by the messenger.
    After(u32),
}

/// What came after something else, and before it.
#[derive(Default)]
struct Tally {
    in_order: AtomicUsize,
    too_soon: AtomicUsize,
}

struct Talker {
    witness: Option<Address<Talker>>,
    heard: u32,
    tally: Arc<Tally>,
}

impl Actor for Talker {
    type Msg = Said;
    fn handle(&mut self, said: Said, cx: &mut Context<'_, Self>) {
        match said {
            Said::Nothing | Said::Again(0) => {}
            Said::Again(left) => cx.tell(cx.address(), Said::Again(left - 1)),
            Said::Before(n) => self.heard = n,
            Said::Tell(n) => cx.tell(self.witness.unwrap(), Said::After(n)),
            Said::After(n) => {
                let count = if self.heard >= n {
                    &self.tally.in_order
                } else {
                    &self.tally.too_soon
                };
                count.fetch_add(1, SeqCst);
            }
        }
    }
}

/// Actors to whom a thread outside writes.
struct Party {
    runtime: Runtime,
    tally: Arc<Tally>,
    own: Address<Talker>,
    witness: Address<Talker>,
    messenger: Address<Talker>,
    others: Vec<Address<Talker>>,
}

impl Party {
    fn new(runtime: Runtime, others: usize) -> Self {
        let tally = Arc::<Tally>::default();
        let talker = |witness| {
            runtime.spawn(Talker {
                witness,
                heard: 0,
                tally: tally.clone(),
            })
        };
        let (own, witness) = (talker(None), talker(None));
        Self {
            own,
            witness,
            messenger: talker(Some(witness)),
            others: (0..others).map(|_| talker(None)).collect(),
            tally,
            runtime,
        }
    }

    fn assert_in_order(&self, rounds: u32) {
        self.runtime.wait_quiescent();
        let Tally { in_order, too_soon } = &*self.tally;
        let counts = (in_order.load(SeqCst), too_soon.load(SeqCst));
        assert_eq!(counts, (rounds as usize, 0), "in order, too soon");
    }
}

/// A worker takes in what a thread outside sends to actors of the other one: what one of them makes of it does not reach another before what was sent
/// earlier. Seen to fail: as `stress.rs` (`order_from_outside_with_many_receivers`).
#[test]
fn what_comes_of_a_message_is_behind_those_before_it() {
    explore(|| {
        let rounds = 3;
        let party = Party::new(
            Runtime::builder()
                .workers(2)
                .build_with::<Apart<false>>()
                .unwrap(),
            0,
        );
        for n in 1..=rounds {
            party.own.tell(Said::Nothing);
            party.messenger.tell(Said::Nothing);
            party.witness.tell(Said::Before(n));
            party.messenger.tell(Said::Tell(n));
        }
        party.assert_in_order(rounds);
    });
}

/// The same where the policy routes them.
#[test]
fn what_comes_of_a_message_is_behind_those_before_it_where_actors_are_routed() {
    explore(|| {
        let rounds = 3;
        let party = Party::new(Runtime::builder().workers(2).build_with::<Restless>().unwrap(), 3);
        for n in 1..=rounds {
            party.witness.tell(Said::Before(n));
            party.others.iter().for_each(|other| other.tell(Said::Nothing));
            party.messenger.tell(Said::Tell(n));
        }
        party.assert_in_order(rounds);
    });
}

/// The same where the worker gives actors away while it takes in a batch. Seen to fail: where a worker that is claimed before it has counted itself as idle
/// adds to a count of one below 0, in a build that checks for overflow (`Worker::rest`; with 8,000 iterations).
#[test]
fn what_comes_of_a_message_is_behind_those_before_it_while_actors_move() {
    explore(|| {
        let rounds = 3;
        let party = Party::new(
            Runtime::builder().workers(3).build_with::<Apart<true>>().unwrap(),
            12,
        );
        party.witness.tell(Said::Again(20));
        party.runtime.client(|client| {
            for n in 1..=rounds {
                client.tell(party.witness, Said::Before(n));
                client.tell(party.messenger, Said::Tell(n));
                party
                    .others
                    .iter()
                    .for_each(|&other| client.tell(other, Said::Nothing));
            }
        });
        party.assert_in_order(rounds);
    });
}

// ---- messages -----------------------------------------------------------------------------------------------

/// Accepts from each sender exactly the next number; hands what it gets on, while there is a way to go.
struct Node {
    peers: Vec<Address<Node>>,
    sent: u32,
    seen: HashMap<u32, u32>,
    me: u32,
    faults: Arc<Mutex<Vec<String>>>,
    handled: Arc<AtomicUsize>,
}

enum ToNode {
    Peers(Vec<Address<Node>>),
    /// Sender, number, hops to go.
    Letter(u32, u32, u32),
}

impl Actor for Node {
    type Msg = ToNode;

    fn handle(&mut self, msg: ToNode, cx: &mut Context<'_, Self>) {
        let (from, number, hops) = match msg {
            ToNode::Peers(peers) => return self.peers = peers,
            ToNode::Letter(from, number, hops) => (from, number, hops),
        };
        self.handled.fetch_add(1, SeqCst);
        let before = self.seen.insert(from, number).unwrap_or(0);
        if number != before + 1 {
            let fault = format!("{} got {number} from {from} after {before}", self.me);
            self.faults.lock().unwrap().push(fault);
        }
        if hops > 0 {
            // All get all of this node's letters, so that one number does for all.
            self.sent += 1;
            for &peer in &self.peers {
                cx.tell(peer, ToNode::Letter(self.me, self.sent, hops - 1));
            }
        }
    }
}

/// Three actors and two threads write to each other; nothing is lost, doubled or out of order, and quiescence comes after the last message.
fn letters(runtime: Runtime) {
    let (faults, handled) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
    let nodes: Vec<_> = (0..3)
        .map(|me| {
            runtime.spawn(Node {
                peers: Vec::new(),
                sent: 0,
                seen: HashMap::new(),
                me,
                faults: Arc::clone(&faults),
                handled: handled.clone(),
            })
        })
        .collect();
    nodes
        .iter()
        .for_each(|node| node.tell(ToNode::Peers(vec![nodes[0], nodes[1]])));
    let outside = nodes.clone();
    let thread = thread::spawn(move || {
        (1..=2).for_each(|number| outside[2].tell(ToNode::Letter(8, number, 1)));
    });
    runtime.client(|client| (1..=2).for_each(|number| client.tell(nodes[1], ToNode::Letter(9, number, 2))));
    thread.join().unwrap();
    runtime.wait_quiescent();
    // From the thread: 2, each handed on to 2. From here: 2, each handed on to 2, each of those to 2.
    assert_eq!(
        handled.load(SeqCst),
        2 + 4 + 2 + 4 + 8,
        "quiescent too early, or lost"
    );
    assert_eq!(*faults.lock().unwrap(), Vec::<String>::new());
    assert_eq!(runtime.shutdown().actors.values().sum::<usize>(), 3);
}

#[test]
fn messages_in_order_adaptive() {
    explore(|| letters(runtime(2, "adaptive")));
}

#[test]
fn messages_in_order_while_actors_move() {
    explore(|| letters(runtime(3, "hostile")));
}

#[test]
fn messages_in_order_with_thieves_that_ask() {
    explore(|| letters(runtime(2, "cls-offer")));
}

#[test]
fn messages_in_order_with_thieves_that_seize() {
    explore(|| letters(runtime(2, "encore-preemptive")));
}

#[test]
fn messages_in_order_where_actors_are_routed() {
    explore(|| letters(Runtime::builder().workers(2).build_with::<Restless>().unwrap()));
}

// ---- birth and death ----------------------------------------------------------------------------------------

/// Has children, tells each of them to go, and goes.
struct Parent {
    depth: u32,
    _dropped: Dropped,
}

impl Actor for Parent {
    type Msg = Dropped;

    fn handle(&mut self, parting: Dropped, cx: &mut Context<'_, Self>) {
        for _ in 0..2 * self.depth.min(1) {
            let child = cx.spawn(Parent {
                depth: self.depth - 1,
                _dropped: Dropped(parting.0.clone()),
            });
            cx.tell(child, Dropped(parting.0.clone()));
        }
        cx.stop();
    }
}

/// Actors come and go while others, and a thread, still write to them: each state and each message is dropped once, and the runtime ends empty.
#[test]
fn spawn_and_stop() {
    explore(|| {
        let dropped = Arc::new(AtomicUsize::new(0));
        let runtime = runtime(2, "hostile");
        let root = runtime.spawn(Parent {
            depth: 2,
            _dropped: Dropped(dropped.clone()),
        });
        let late = dropped.clone();
        let thread = thread::spawn(move || (0..2).for_each(|_| root.tell(Dropped(late.clone()))));
        root.tell(Dropped(dropped.clone()));
        thread.join().unwrap();
        runtime.wait_quiescent();
        // Seven actors; the root got three messages, its six descendants one each.
        assert_eq!(dropped.load(SeqCst), 7 + 3 + 6);
        assert!(runtime.shutdown().is_empty());
    });
}

/// The runtime is shut down in the middle of all that: still each state and each message is dropped once.
#[test]
fn shutdown_at_any_time() {
    explore(|| {
        let (made, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        struct Counted(Arc<AtomicUsize>, Arc<AtomicUsize>);
        impl Counted {
            fn new(made: &Arc<AtomicUsize>, dropped: &Arc<AtomicUsize>) -> Self {
                made.fetch_add(1, SeqCst);
                Self(made.clone(), dropped.clone())
            }
        }
        impl Drop for Counted {
            fn drop(&mut self) {
                self.1.fetch_add(1, SeqCst);
            }
        }
        struct Breeder(Counted);
        impl Actor for Breeder {
            type Msg = (u32, Counted);
            fn handle(&mut self, (depth, _): Self::Msg, cx: &mut Context<'_, Self>) {
                if depth > 0 {
                    let child = cx.spawn(Breeder(Counted::new(&self.0.0, &self.0.1)));
                    let me = cx.address();
                    cx.tell(child, (depth - 1, Counted::new(&self.0.0, &self.0.1)));
                    cx.tell(me, (depth - 1, Counted::new(&self.0.0, &self.0.1)));
                    cx.tell_after(
                        Duration::from_millis(1),
                        child,
                        (0, Counted::new(&self.0.0, &self.0.1)),
                    );
                }
            }
        }
        let runtime = runtime(2, "adaptive");
        let root = runtime.spawn(Breeder(Counted::new(&made, &dropped)));
        let late = Counted::new(&made, &dropped);
        let thread = thread::spawn(move || root.tell((1, late)));
        root.tell((2, Counted::new(&made, &dropped)));
        runtime.shutdown();
        thread.join().unwrap();
        assert_eq!(dropped.load(SeqCst), made.load(SeqCst));
    });
}

/// An actor drops its own runtime, and the thread that cleans up ends all others.
#[test]
fn shutdown_by_an_actor() {
    explore(|| {
        struct Suicide(Option<Runtime>, mpsc::Sender<()>);
        impl Actor for Suicide {
            type Msg = Runtime;
            fn handle(&mut self, runtime: Runtime, cx: &mut Context<'_, Self>) {
                self.0 = Some(runtime);
                drop(self.0.take());
                self.1.send(()).unwrap();
                cx.stop();
            }
        }
        let (done, end) = mpsc::channel();
        let runtime = runtime(2, "adaptive");
        let actor = runtime.spawn(Suicide(None, done));
        actor.tell(runtime);
        end.recv().unwrap();
    });
}

// ---- questions ----------------------------------------------------------------------------------------------

/// Answers some questions, and forgets or dies over others.
struct Oracle;

impl Actor for Oracle {
    type Msg = (u32, ReplyTo<u32>);

    fn handle(&mut self, (n, reply): Self::Msg, cx: &mut Context<'_, Self>) {
        match n {
            0 => drop(reply),
            1 => fail_on_purpose(),
            2 => {
                reply.send(n);
                cx.stop();
            }
            _ => reply.send(n),
        }
    }
}

/// Whatever becomes of the one asked, each question is answered: by a value or by an error.
#[test]
fn every_question_is_answered() {
    explore(|| {
        struct Asker(Address<Oracle>, Arc<AtomicUsize>, Option<mpsc::Sender<()>>);
        impl Actor for Asker {
            type Msg = ();
            fn started(&mut self, cx: &mut Context<'_, Self>) {
                for n in [3, 0, 4] {
                    cx.ask(
                        self.0,
                        move |reply| (n, reply),
                        |me, _, cx| {
                            if me.1.fetch_add(1, SeqCst) + 1 == 3 {
                                me.2.take().unwrap().send(()).unwrap();
                                cx.stop();
                            }
                        },
                    );
                }
            }
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        let runtime = runtime(2, "hostile");
        let oracle = runtime.spawn(Oracle);
        let (done, end) = mpsc::channel();
        let counted = Arc::new(AtomicUsize::new(0));
        runtime.spawn(Asker(oracle, counted.clone(), Some(done)));
        let dying = thread::spawn(move || oracle.ask(|reply| (1, reply)).wait());
        let last = oracle.ask(|reply| (2, reply)).wait();
        // One of the two ends it, and the other one comes too late.
        let expected = if last == Ok(2) {
            AskError::Gone
        } else {
            assert_eq!(last, Err(AskError::Gone));
            AskError::Dropped
        };
        assert_eq!(dying.join().unwrap(), Err(expected));
        end.recv().unwrap();
        assert_eq!(counted.load(SeqCst), 3);
        runtime.wait_quiescent();
        assert!(runtime.shutdown().is_empty());
    });
}

/// A time-out and the answer race: one of them wins, once.
#[test]
fn an_answer_against_its_time_out() {
    explore(|| {
        struct Asker(Address<Oracle>, mpsc::Sender<Result<u32, AskError>>);
        impl Actor for Asker {
            type Msg = ();
            fn started(&mut self, cx: &mut Context<'_, Self>) {
                cx.ask_within(
                    Duration::from_millis(1),
                    self.0,
                    |reply| (3, reply),
                    |me, answer, cx| {
                        me.1.send(answer).unwrap();
                        cx.stop();
                    },
                );
            }
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        let runtime = runtime(2, "adaptive");
        let oracle = runtime.spawn(Oracle);
        let (tell, told) = mpsc::channel();
        runtime.spawn(Asker(oracle, tell));
        let answer = told.recv().unwrap();
        assert!(matches!(answer, Ok(3) | Err(AskError::TimedOut)), "{answer:?}");
        oracle.stop();
        runtime.wait_quiescent();
        assert_eq!(
            told.try_recv(),
            Err(mpsc::TryRecvError::Disconnected),
            "answered twice"
        );
        assert_eq!(runtime.timers(), 0);
        assert!(runtime.shutdown().is_empty());
    });
}

// ---- queries ------------------------------------------------------------------------------------------------

/// A state whose halves are equal whenever nobody changes it.
struct Book {
    left: u32,
    right: u32,
    reading: AtomicUsize,
    faults: Faults,
    _dropped: Dropped,
}

impl Book {
    fn new(faults: &Faults, dropped: &Arc<AtomicUsize>) -> Self {
        Self {
            left: 0,
            right: 0,
            reading: AtomicUsize::new(0),
            faults: faults.clone(),
            _dropped: Dropped(dropped.clone()),
        }
    }

    fn assert(&self, holds: bool, otherwise: &'static str) {
        if !holds {
            self.faults.lock().unwrap().push(otherwise);
        }
    }

    fn assert_alone(&self, otherwise: &'static str) {
        self.assert(self.reading.load(SeqCst) == 0, otherwise);
    }
}

impl Actor for Book {
    type Msg = ();

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        self.assert_alone("a message while queries run");
        self.left += 1;
        pause();
        self.right += 1;
        self.assert_alone("a query while a message is handled");
    }

    fn stopped(&mut self, _: &mut Context<'_, Self>) {
        self.assert_alone("stopped while queries run");
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        self.assert_alone("dropped while queries run");
    }
}

impl Query<ReplyTo<u32>> for Book {
    fn query(&self, reply: ReplyTo<u32>, _: &mut QueryContext<'_, Self>) {
        self.reading.fetch_add(1, SeqCst);
        self.assert(self.left == self.right, "a query in the middle of a message");
        pause();
        self.assert(self.left == self.right, "a message in the middle of a query");
        self.reading.fetch_sub(1, SeqCst);
        reply.send(self.left);
    }
}

/// Has the actor change and end while it is read.
struct Fatal(ReplyTo<u32>);

impl Query<Fatal> for Book {
    fn query(&self, Fatal(reply): Fatal, cx: &mut QueryContext<'_, Self>) {
        self.reading.fetch_add(1, SeqCst);
        // One more query, before which the others of these come all the same.
        cx.address().query(Fail(datil::promise().0));
        cx.address().tell_urgently(());
        cx.address().kill();
        for _ in 0..20 {
            self.assert(self.left == self.right, "a message in the middle of a query");
            pause();
        }
        self.reading.fetch_sub(1, SeqCst);
        reply.send(self.left);
    }
}

struct Fail(#[expect(dead_code, reason = "its drop is the answer")] ReplyTo<u32>);

impl Query<Fail> for Book {
    fn query(&self, _: Fail, _: &mut QueryContext<'_, Self>) {
        fail_on_purpose();
    }
}

/// Queries run on several workers, between messages: each sees what its sender has written before, and nothing later. Seen to fail: where a helper
/// enters although the owner has closed the state, and where the owner closes with the token in hand.
#[test]
fn queries_meet_no_message() {
    static HELPED: AtomicU64 = AtomicU64::new(0);
    explore(|| {
        let (faults, dropped) = (Faults::default(), Arc::new(AtomicUsize::new(0)));
        let runtime = runtime(3, "adaptive");
        let book = runtime.spawn(Book::new(&faults, &dropped));
        let thread = thread::spawn(move || {
            let answers: Vec<_> = (0..2).map(|_| book.ask_query(|reply| reply)).collect();
            answers
                .into_iter()
                .map(|answer| answer.wait().unwrap())
                .for_each(|seen| assert!(seen <= 2));
        });
        let mut answers = Vec::new();
        for round in 1..=2 {
            book.tell(());
            answers.extend((0..3).map(|_| (round, book.ask_query(|reply| reply))));
        }
        for (round, answer) in answers {
            assert_eq!(answer.wait(), Ok(round), "what its sender had written before");
        }
        thread.join().unwrap();
        book.stop_in_turn();
        runtime.wait_quiescent();
        HELPED.fetch_add(runtime.metrics().total().helped_queries, SeqCst);
        assert_eq!(*faults.lock().unwrap(), Vec::<&str>::new());
        assert!(runtime.shutdown().is_empty());
        assert_eq!(dropped.load(SeqCst), 1);
    });
    assert_happened(&HELPED);
}

/// An actor ends and changes while it is read, and some queries fail: all questions are answered, and nobody reads a state that changes or is dropped. Seen to fail: where
/// what the runtime has to say lets an actor go on that waits for readers, or does not wait for them if a query is next, and where a panic in a query ends the actor.
#[test]
fn queries_while_an_actor_ends() {
    static HELPED: AtomicU64 = AtomicU64::new(0);
    explore(|| queries_to_the_end(runtime(3, "adaptive"), &HELPED));
    assert_happened(&HELPED);
}

/// The same while it moves.
#[test]
fn queries_while_an_actor_moves_and_ends() {
    static HELPED: AtomicU64 = AtomicU64::new(0);
    explore(|| queries_to_the_end(runtime(3, "hostile"), &HELPED));
    assert_happened(&HELPED);
}

fn queries_to_the_end(runtime: Runtime, helped: &AtomicU64) {
    let (faults, dropped) = (Faults::default(), Arc::new(AtomicUsize::new(0)));
    let book = runtime.spawn(Book::new(&faults, &dropped));
    let thread = thread::spawn(move || {
        let failing = book.ask_query(Fail);
        let answers = [book.ask_query(|reply| reply), book.ask_query(Fatal)];
        assert_eq!(failing.wait(), Err(AskError::Dropped));
        answers
    });
    book.tell(());
    let mut answers: Vec<_> = (0..3).map(|_| book.ask_query(|reply| reply)).collect();
    answers.extend(thread.join().unwrap());
    for answer in answers {
        let answer = answer.wait();
        // What comes after the end is not seen any more; what ended it was.
        let is_told = matches!(answer, Ok(0..=2) | Err(AskError::Dropped | AskError::Gone));
        assert!(is_told, "{answer:?}");
    }
    runtime.wait_quiescent();
    helped.fetch_add(runtime.metrics().total().helped_queries, SeqCst);
    assert_eq!(*faults.lock().unwrap(), Vec::<&str>::new());
    assert_eq!(dropped.load(SeqCst), 1);
    assert!(runtime.shutdown().is_empty());
}

// ---- soft pressure ------------------------------------------------------------------------------------------

/// Has too much mail as soon as two messages wait; accepts from each sender exactly the next number.
struct Slow {
    seen: HashMap<u32, u32>,
    handled: Arc<AtomicUsize>,
    faults: Faults,
}

impl Actor for Slow {
    /// Sender and number.
    type Msg = (u32, u32);
    const MAILBOX: Mailbox = Mailbox::Soft { most: 1 };

    fn handle(&mut self, (from, number): Self::Msg, _: &mut Context<'_, Self>) {
        self.handled.fetch_add(1, SeqCst);
        if self.seen.insert(from, number).unwrap_or(0) + 1 != number {
            self.faults.lock().unwrap().push("out of order");
        }
    }
}

/// Writes twice to a slow one each time that it is told to, which it tells itself while there is a turn left.
struct Hasty {
    to: Address<Slow>,
    me: u32,
    turns: u32,
    sent: u32,
    hurried: Arc<AtomicUsize>,
}

enum ToHasty {
    Go,
    Hurry,
}

impl Actor for Hasty {
    type Msg = ToHasty;

    fn handle(&mut self, msg: ToHasty, cx: &mut Context<'_, Self>) {
        if let ToHasty::Hurry = msg {
            self.hurried.fetch_add(1, SeqCst);
            return;
        }
        for _ in 0..2 {
            self.sent += 1;
            cx.tell(self.to, (self.me, self.sent));
        }
        self.turns -= 1;
        if self.turns > 0 {
            cx.tell(cx.address(), ToHasty::Go);
        }
    }
}

/// Actors that write to a slow one.
struct Rush {
    runtime: Runtime,
    slow: Address<Slow>,
    hasty: Vec<Address<Hasty>>,
    handled: Arc<AtomicUsize>,
    hurried: Arc<AtomicUsize>,
    faults: Faults,
}

impl Rush {
    fn new(runtime: Runtime, turns: u32) -> Self {
        let (faults, handled, hurried) = (Faults::default(), Arc::default(), Arc::default());
        let slow = runtime.spawn(Slow {
            seen: HashMap::new(),
            handled: Arc::clone(&handled),
            faults: faults.clone(),
        });
        let hasty = (0..2).map(|me| Hasty {
            to: slow,
            me,
            turns,
            sent: 0,
            hurried: Arc::clone(&hurried),
        });
        Self {
            hasty: hasty.map(|hasty| runtime.spawn(hasty)).collect(),
            runtime,
            slow,
            handled,
            hurried,
            faults,
        }
    }

    /// Waits until all is done and shuts down; so many actors live still. Adds to `rests` how often somebody rested.
    fn end(self, alive: usize, rests: &AtomicU64) {
        self.runtime.wait_quiescent();
        rests.fetch_add(self.runtime.metrics().total().rests, SeqCst);
        assert_eq!(*self.faults.lock().unwrap(), Vec::<&str>::new());
        assert_eq!(self.runtime.timers(), 0, "a rest that is over has a time-out");
        let left = self.runtime.shutdown();
        assert_eq!(left.actors.values().sum::<usize>(), alive);
    }
}

/// Who writes too much rests and goes on, because the receiver has caught up or by time: quiescence comes after the last message, none is lost or overtaken, and what is
/// urgent reaches who rests. Seen to fail: where an actor rests with its token in hand, and where the time-out, or the receiver, ends a rest and does not say so.
#[test]
fn who_writes_too_much_rests_and_goes_on() {
    static RESTS: AtomicU64 = AtomicU64::new(0);
    explore(|| {
        let turns = 3;
        let rush = Rush::new(runtime(2, "adaptive"), turns);
        let urgent = rush.hasty[0];
        let thread = thread::spawn(move || urgent.tell_urgently(ToHasty::Hurry));
        rush.hasty.iter().for_each(|hasty| hasty.tell(ToHasty::Go));
        thread.join().unwrap();
        rush.runtime.wait_quiescent();
        assert_eq!(
            rush.handled.load(SeqCst),
            2 * 2 * turns as usize,
            "quiescent too early, or lost"
        );
        assert_eq!(rush.hurried.load(SeqCst), 1);
        rush.end(3, &RESTS);
    });
    assert_happened(&RESTS);
}

/// The same while actors move, the receiver ends, and so does one of those that rest because of it: the other one goes on, and nothing of the rests is left.
#[test]
fn rests_of_actors_that_move_and_end() {
    static RESTS: AtomicU64 = AtomicU64::new(0);
    explore(|| {
        let rush = Rush::new(runtime(2, "hostile"), 3);
        let (slow, resting) = (rush.slow, rush.hasty[1]);
        let thread = thread::spawn(move || {
            slow.stop();
            resting.stop();
        });
        rush.hasty.iter().for_each(|hasty| hasty.tell(ToHasty::Go));
        thread.join().unwrap();
        rush.hasty[0].tell_urgently(ToHasty::Hurry);
        rush.hasty[0].stop_in_turn();
        rush.runtime.wait_quiescent();
        assert_eq!(rush.hurried.load(SeqCst), 1);
        assert!(!rush.slow.is_alive() && rush.hasty.iter().all(|hasty| !hasty.is_alive()));
        rush.end(0, &RESTS);
    });
    assert_happened(&RESTS);
}

/// An actor rests, and its worker is in a long handler when it may go on: somebody sees to that in the worker's place. Seen to fail: where it is left in no queue.
#[test]
fn who_rests_behind_a_long_handler_goes_on() {
    static RESTS: AtomicU64 = AtomicU64::new(0);
    /// Writes, has its maker wait for it, rests, and opens.
    struct Opener(Address<Slow>, Address<Stuck>, mpsc::Sender<()>);
    impl Actor for Opener {
        type Msg = bool;
        fn handle(&mut self, opens: bool, cx: &mut Context<'_, Self>) {
            if opens {
                self.2.send(()).unwrap();
                return cx.stop();
            }
            (1..=3).for_each(|number| cx.tell(self.0, (0, number)));
            cx.tell(self.1, ());
            cx.tell(cx.address(), true);
        }
    }
    struct Stuck(Address<Slow>, Option<mpsc::Receiver<()>>);
    impl Actor for Stuck {
        type Msg = ();
        fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
            if let Some(opened) = self.1.take() {
                opened.recv().unwrap();
                return cx.stop();
            }
            let (open, opened) = mpsc::channel();
            let opener = cx.spawn(Opener(self.0, cx.address(), open));
            cx.tell(opener, false);
            self.1 = Some(opened);
        }
    }
    explore(|| {
        let runtime = Runtime::builder()
            .workers(2)
            .build_with::<Apart<false>>()
            .unwrap();
        let faults = Faults::default();
        let slow = runtime.spawn(Slow {
            seen: HashMap::new(),
            handled: Arc::default(),
            faults: faults.clone(),
        });
        let stuck = runtime.spawn(Stuck(slow, None));
        stuck.tell(());
        stuck.ended().wait().unwrap();
        runtime.wait_quiescent();
        RESTS.fetch_add(runtime.metrics().total().rests, SeqCst);
        assert_eq!(*faults.lock().unwrap(), Vec::<&str>::new());
        assert_eq!(runtime.timers(), 0);
        assert_eq!(runtime.shutdown().actors.values().sum::<usize>(), 1);
    });
    assert_happened(&RESTS);
}

// ---- ends, and who is told ----------------------------------------------------------------------------------

struct Sleeper;

impl Actor for Sleeper {
    type Msg = ();
    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        cx.stop();
    }
}

/// Watches an actor twice, once more in vain, and stops when it has heard of its end twice.
struct Watcher {
    of: Address<Sleeper>,
    heard: u32,
    total: Arc<AtomicUsize>,
}

impl Actor for Watcher {
    type Msg = Down;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.monitor(self.of, |down| down);
        let unwanted = cx.monitor(self.of, |down| down);
        cx.demonitor(unwanted);
        cx.monitor(self.of, |down| down);
    }

    fn handle(&mut self, _: Down, _: &mut Context<'_, Self>) {
        self.heard += 1;
        self.total.fetch_add(1, SeqCst);
    }
}

/// Monitors are set and withdrawn while the watched actor is killed, or stops by itself: each that stands is told once.
#[test]
fn a_storm_of_monitors() {
    explore(|| {
        let total = Arc::new(AtomicUsize::new(0));
        let runtime = runtime(2, "hostile");
        let sleeper = runtime.spawn(Sleeper);
        let killer = thread::spawn(move || sleeper.kill());
        for _ in 0..3 {
            runtime.spawn(Watcher {
                of: sleeper,
                heard: 0,
                total: total.clone(),
            });
        }
        let ended = sleeper.ended();
        sleeper.tell(());
        let reason = ended.wait().unwrap();
        assert!(
            matches!(
                reason,
                StopReason::Killed | StopReason::Stopped | StopReason::Gone
            ),
            "{reason:?}"
        );
        killer.join().unwrap();
        runtime.wait_quiescent();
        let heard = total.load(SeqCst);
        // A monitor that is withdrawn may have been told before.
        assert!((6..=9).contains(&heard), "{heard}");
        assert_eq!(runtime.shutdown().actors.values().sum::<usize>(), 3);
    });
}

/// One of two linked actors fails, the other one goes, too, and nobody else does.
#[test]
fn links_take_along() {
    explore(|| {
        struct Linked(Option<Address<Linked>>);
        impl Actor for Linked {
            type Msg = Option<Address<Linked>>;
            fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>) {
                match msg {
                    Some(peer) => {
                        cx.link(peer);
                        self.0 = Some(peer);
                    }
                    None => fail_on_purpose(),
                }
            }
        }
        let runtime = runtime(2, "adaptive");
        let [a, b, c] = [(); 3].map(|()| runtime.spawn(Linked(None)));
        a.tell(Some(b));
        let failing = thread::spawn(move || b.tell(None));
        let ended = a.ended();
        failing.join().unwrap();
        let reason = ended.wait().unwrap();
        assert!(
            matches!(reason, StopReason::Linked(_) | StopReason::Gone),
            "{reason:?}"
        );
        runtime.wait_quiescent();
        assert!(c.is_alive() && !a.is_alive() && !b.is_alive());
        assert_eq!(runtime.shutdown().actors.values().sum::<usize>(), 1);
    });
}

/// A supervised actor fails between messages of two senders: it loses the message that it failed over, and no other.
#[test]
fn a_restart_loses_one_message() {
    explore(|| {
        struct Fallible(Arc<AtomicUsize>, Arc<AtomicUsize>);
        impl Actor for Fallible {
            type Msg = bool;
            fn started(&mut self, _: &mut Context<'_, Self>) {
                self.0.fetch_add(1, SeqCst);
            }
            fn handle(&mut self, fails: bool, _: &mut Context<'_, Self>) {
                if fails {
                    fail_on_purpose();
                }
                self.1.fetch_add(1, SeqCst);
            }
        }
        let (starts, heard) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let runtime = runtime(2, "hostile");
        let supervisor = Supervisor::new(Strategy::OneForOne, 10, Duration::from_secs(3600));
        let (begun, told) = (starts.clone(), heard.clone());
        let child = supervisor
            .start(&mut &runtime, Restart::OnFailure, move || {
                Fallible(begun.clone(), told.clone())
            })
            .unwrap();
        let thread = thread::spawn(move || {
            [false, true, false]
                .into_iter()
                .for_each(|fails| child.tell(fails))
        });
        [true, false].into_iter().for_each(|fails| child.tell(fails));
        thread.join().unwrap();
        runtime.wait_quiescent();
        assert_eq!((starts.load(SeqCst), heard.load(SeqCst)), (3, 3));
        supervisor.stop();
        runtime.wait_quiescent();
        assert!(!child.is_alive());
        assert!(runtime.shutdown().is_empty());
    });
}

// ---- workers that are away ----------------------------------------------------------------------------------

/// A handler that does not return before another actor of its worker has run: somebody must take that over.
#[test]
fn what_waits_behind_a_long_handler_is_rescued() {
    explore(|| {
        struct Opener(mpsc::Sender<()>);
        impl Actor for Opener {
            type Msg = ();
            fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
                self.0.send(()).unwrap();
                cx.stop();
            }
        }
        struct Stuck;
        impl Actor for Stuck {
            type Msg = ();
            fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
                let (open, opened) = mpsc::channel();
                // A child is its worker's at first.
                let opener = cx.spawn(Opener(open));
                cx.tell(opener, ());
                opened.recv().unwrap();
                cx.stop();
            }
        }
        let runtime = runtime(2, "adaptive");
        let ended = {
            let stuck = runtime.spawn(Stuck);
            stuck.tell(());
            stuck.ended()
        };
        ended.wait().unwrap();
        runtime.wait_quiescent();
        assert!(runtime.shutdown().is_empty());
    });
}

/// Two runtimes, and an actor that blocks on a thread of its own, write to each other.
#[test]
fn across_runtimes() {
    explore(|| {
        struct Echo;
        impl Actor for Echo {
            type Msg = (u32, ReplyTo<u32>);
            fn handle(&mut self, (n, reply): Self::Msg, cx: &mut Context<'_, Self>) {
                reply.send(n + 1);
                cx.stop();
            }
        }
        /// Asks and waits, which only an actor that blocks may do.
        struct Caller(Address<Echo>, Address<Echo>, Option<ReplyTo<u32>>);
        impl Actor for Caller {
            type Msg = ();
            fn started(&mut self, cx: &mut Context<'_, Self>) {
                let first = self.0.ask(|reply| (1, reply)).wait().unwrap();
                let second = self.1.ask(|reply| (first, reply)).wait().unwrap();
                self.2.take().unwrap().send(second);
                cx.stop();
            }
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        let (one, other) = (runtime(1, "adaptive"), runtime(2, "adaptive"));
        let (reply, answer) = datil::promise();
        one.spawn_blocking(Caller(one.spawn(Echo), other.spawn(Echo), Some(reply)));
        assert_eq!(answer.wait(), Ok(3));
        one.wait_quiescent();
        other.wait_quiescent();
        assert!(other.shutdown().is_empty());
        assert!(one.shutdown().is_empty());
    });
}

/// A blocking actor that has ended before its maker goes on, and has left another one that waits for that maker.
#[test]
fn a_blocking_actor_that_ends_at_once() {
    explore(|| {
        struct Waiting(Option<Answer<()>>);
        impl Actor for Waiting {
            type Msg = ();
            fn started(&mut self, cx: &mut Context<'_, Self>) {
                let _ = self.0.take().unwrap().wait();
                cx.stop();
            }
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        struct Brief(Option<Answer<()>>);
        impl Actor for Brief {
            type Msg = ();
            fn started(&mut self, cx: &mut Context<'_, Self>) {
                cx.spawn(Waiting(self.0.take()));
                cx.stop();
            }
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        let runtime = runtime(1, "adaptive");
        let (reply, answer) = datil::promise();
        let brief = runtime.spawn_blocking(Brief(Some(answer)));
        reply.send(());
        assert!(brief.ended().wait().is_ok());
        runtime.wait_quiescent();
        assert!(runtime.shutdown().is_empty());
    });
}

/// What is created through a handle while the runtime is shut down is refused, or dropped with it; the next runtime gets
/// nothing of it.
#[test]
fn a_handle_against_the_shutdown() {
    explore(|| {
        struct Witness(#[expect(dead_code, reason = "its drop counts")] Dropped);
        impl Actor for Witness {
            type Msg = ();
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        let dropped = Arc::new(AtomicUsize::new(0));
        let one = runtime(1, "adaptive");
        let (handle, counted) = (one.handle(), dropped.clone());
        let thread = thread::spawn(move || {
            let create = |_: &i32| handle.spawn(Witness(Dropped(counted.clone()))).is_ok();
            (0..3).filter(create).count()
        });
        let left = one.shutdown();
        let next = runtime(1, "adaptive");
        let created = thread.join().unwrap();
        assert_eq!(left.actors.into_values().sum::<usize>(), created);
        assert_eq!(dropped.load(SeqCst), 3);
        next.wait_quiescent();
        assert!(next.shutdown().is_empty());
    });
}

/// An actor that ends as soon as it has begun, on a thread of its own, and when it is dropped waits for the one that has just created it.
#[test]
fn a_blocking_actor_whose_destructor_asks_its_maker() {
    explore(|| {
        struct Parent;
        impl Actor for Parent {
            type Msg = Option<ReplyTo<()>>;
            fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>) {
                match msg {
                    Some(reply) => reply.send(()),
                    None => {
                        let me = cx.address();
                        cx.spawn_blocking(Brief(me));
                    }
                }
            }
        }
        struct Brief(Address<Parent>);
        impl Actor for Brief {
            type Msg = ();
            fn started(&mut self, cx: &mut Context<'_, Self>) {
                cx.stop();
            }
            fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
        }
        impl Drop for Brief {
            fn drop(&mut self) {
                assert_eq!(self.0.ask(Some).wait(), Ok(()));
            }
        }
        let runtime = runtime(1, "adaptive");
        let parent = runtime.spawn(Parent);
        parent.tell(None);
        runtime.wait_quiescent();
        assert!(parent.is_alive());
        parent.stop();
        runtime.wait_quiescent();
        assert!(runtime.shutdown().is_empty());
    });
}
