//! The protocols between workers, one at a time, through every interleaving and memory order that loom knows, up to a bound on preemptions. What runs is the runtime's own
//! code: cores, ports, mailboxes and inbox. A model only says which thread does which of a worker's steps. What belongs to an actor's owner alone is watched
//! (`crate::sync::Cell`): two accesses that nothing orders are a failure, whatever they lead to.
//!
//! `RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom cargo test --release -p datil --lib protocols`. The models in `tests/models.rs` are smaller
//! imitations of the same, with fewer steps and hence more interleavings.
//!
//! Each model names the defects that it was seen to find when they were put into the code.

use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datil_policy::{Adaptive, Policy, Setup};
use loom::thread;

use crate::actor::{Actor, Context};
use crate::address::Address;
use crate::answer::{AskError, ReplyTo};
use crate::atomic::AtomicU64;
use crate::atomic::Ordering::{Relaxed, Release};
use crate::client;
use crate::inbox;
use crate::runtime::lease_ports;
use crate::sync::Cell;
use crate::timer::Timers;
use crate::worker::core::{Core, Hooks};
use crate::worker::current;
use crate::worker::port::{IDLE, Port, RUNNING};
use crate::worker::run::steps;
use crate::worker::team::{Clock, Role, Team};

/// Runs a model with so many preemptions at most.
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    /// What outlives runtimes belongs to one execution at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 50_000;
    builder.check(move || {
        // SAFETY: what a model has made it does not use in the next execution.
        unsafe { super::begin() };
        model();
    });
}

/// A worker's core. In each model one thread at a time acts for it, as its worker would.
struct Seat(Box<Core>);

// SAFETY: what a core does not order itself is what the models are about: loom sees unordered accesses.
unsafe impl Send for Seat {}
// SAFETY: as above.
unsafe impl Sync for Seat {}

impl Seat {
    fn port(&self) -> &'static Port {
        self.0.port
    }

    /// Does something in the worker's name.
    fn act<R>(&self, f: impl FnOnce(&Core) -> R) -> R {
        current::set(&*self.0);
        let result = f(&self.0);
        current::set(ptr::null());
        result
    }

    fn send<A: Actor>(&self, to: Address<A>, msg: A::Msg) {
        self.act(|core| core.send(to, msg));
    }

    /// Takes what has arrived, and runs what there is.
    fn work(&self) {
        self.act(|core| {
            core.receive();
            while let Some(cell) = core.run.pop_oldest().or_else(|| core.yielded.pop_oldest()) {
                core.run_caught(cell);
            }
        });
    }
}

const HOOKS: Hooks = Hooks {
    poll: |_| {},
    crossed: |_| {},
    follow: |_, _| false,
    crossings: u32::MAX,
    adopts: false,
    follows: false,
};

const ADOPTING: Hooks = Hooks {
    adopts: true,
    ..HOOKS
};

/// Workers of one runtime in virtual time, none of which has begun. All that they share has been touched.
fn seats<const N: usize>(hooks: &'static Hooks) -> ([Arc<Seat>; N], Arc<Team>) {
    let ports = lease_ports(N).expect("there are that many");
    let inbox = inbox::lease(&ports);
    let clock = Clock::Virtual(AtomicU64::new(0));
    let team = Arc::new(Team::new(
        ports,
        inbox,
        None,
        |turn, workers| Some(turn % workers),
        clock,
        Role::Main,
    ));
    team.join();
    let mut ports = team.ports.iter();
    let seats = std::array::from_fn(|_| {
        let port: &'static Port = ports.next().expect("as many as seats");
        let core = Box::new(Core::new(port, team.clone(), 100, ptr::null_mut(), hooks));
        port.core.store(ptr::from_ref(&*core).cast_mut(), Release);
        // Touch what others will.
        port.notify();
        port.has_mail();
        port.request.load(Relaxed);
        port.counters.0.read();
        core.is_revoked();
        core.receive();
        Arc::new(Seat(core))
    });
    let first: &Arc<Seat> = &seats[0];
    inbox.drain(&first.0);
    inbox.progress();
    team.board();
    team.lacks_a_guard();
    team.announce_quiet();
    team.quiet_stamp();
    (seats, team)
}

/// Notes what it is told, in state that only its owner may touch; stops when it is told 0.
struct Probe {
    handled: Cell<u32>,
    heard: Arc<Mutex<Vec<u32>>>,
}

impl Actor for Probe {
    type Msg = u32;
    const EAGER: bool = false;

    fn handle(&mut self, n: u32, cx: &mut Context<'_, Self>) {
        self.handled.set(self.handled.get() + 1);
        self.heard.lock().unwrap().push(n);
        if n == 0 {
            cx.stop();
        }
    }
}

type Heard = Arc<Mutex<Vec<u32>>>;

/// A probe on a worker, idle, of which everything has been touched.
fn probe(seat: &Seat) -> (Address<Probe>, Heard) {
    let heard = Heard::default();
    let actor = Probe {
        handled: Cell::new(0),
        heard: heard.clone(),
    };
    let address = seat.act(|core| core.spawn(actor));
    // SAFETY: the cell is the worker's.
    unsafe { (*address.cell()).next_in.load(Relaxed) };
    // SAFETY: as above.
    unsafe { (*address.cell()).remote.load(Relaxed) };
    seat.send(address, 100);
    seat.work();
    (address, heard)
}

fn in_order(heard: &Heard, one_sender: &[u32]) {
    let heard = heard.lock().unwrap();
    let place = |n: &u32| heard.iter().position(|m| m == n).expect("lost");
    assert!(
        one_sender.iter().map(place).is_sorted(),
        "out of order: {heard:?}"
    );
}

fn all_of(heard: &Heard, expected: &[u32]) {
    let mut heard = heard.lock().unwrap().clone();
    heard.sort_unstable();
    assert_eq!(heard, expected, "lost or doubled");
}

// ---- mailbox, token, inbound list ---------------------------------------------------------------------------

/// Two workers write to an actor of a third one, which looks at its list in between and writes to the actor, too.
/// `Core::send`, `push_remote`, `bring_token`, `Port::deliver`, `Port::take_all`, `Core::handle_token`, `collect_remote`.
#[test]
fn remote_mailbox_and_token() {
    explore(2, || {
        let ([owner, one, other], _team) = seats(&HOOKS);
        let (to, heard) = probe(&owner);
        let threads = [(one, &[1, 2][..]), (other, &[3][..])]
            .map(|(seat, numbers)| thread::spawn(move || numbers.iter().for_each(|&n| seat.send(to, n))));
        owner.work();
        owner.send(to, 4);
        owner.work();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        owner.work();
        all_of(&heard, &[1, 2, 3, 4, 100]);
        in_order(&heard, &[1, 2]);
    });
}

/// An actor stops while another worker writes to it, and its cell is used again as soon as it may be: the message reaches neither the next actor nor nobody's memory.
/// `bury`, `Core::release`, `Core::handle_token`, `push_remote`.
#[test]
fn death_with_a_token_out() {
    explore(3, || {
        let ([owner, sender], _team) = seats(&HOOKS);
        let (to, heard) = probe(&owner);
        let thread = thread::spawn(move || {
            sender.send(to, 1);
            sender.send(to, 2);
        });
        owner.send(to, 0);
        owner.work();
        let (next, next_heard) = probe(&owner);
        owner.send(next, 7);
        owner.work();
        thread.join().unwrap();
        owner.work();
        let heard = heard.lock().unwrap().clone();
        assert!(
            [&[100, 0][..], &[100, 1, 0], &[100, 1, 2, 0]].contains(&&heard[..]),
            "{heard:?}"
        );
        assert_eq!(*next_heard.lock().unwrap(), [100, 7]);
        assert!(!to.is_alive() && next.is_alive());
    });
}

// ---- ownership ----------------------------------------------------------------------------------------------

/// An owner gives an actor that has mail to another worker, while a third one writes to it; the first goes on writing.
/// `Core::give`, `take_token`, `Core::accept`, `Core::handle_token` (forwarding), `go_idle`.
#[test]
fn a_gift_against_a_send() {
    explore(2, || {
        let ([giver, taker, sender], _team) = seats(&HOOKS);
        let (to, heard) = probe(&giver);
        giver.send(to, 1);
        let receiving = taker.clone();
        let receiver = thread::spawn(move || receiving.work());
        let writer = thread::spawn(move || sender.send(to, 3));
        giver.act(|core| core.give(1, taker.port()));
        giver.send(to, 2);
        writer.join().unwrap();
        receiver.join().unwrap();
        // A token may have to be brought on, once to and once fro.
        for _ in 0..2 {
            giver.work();
            taker.work();
        }
        all_of(&heard, &[1, 2, 3, 100]);
        in_order(&heard, &[1, 2]);
    });
}

/// Two workers want to adopt an actor of a third one, which is idle and gets up.
/// `Core::adopt`, `Worker::get_up`.
#[test]
fn adoption_against_getting_up_and_each_other() {
    explore(3, || {
        let ([owner, one, other], team) = seats(&ADOPTING);
        let (to, heard) = probe(&owner);
        let threads = [(one.clone(), 1), (other.clone(), 2)].map(|(seat, n)| {
            thread::spawn(move || {
                seat.send(to, n);
                seat.work();
            })
        });
        // As `Worker::rest` does.
        owner.port().rest.0.state.store(IDLE, Release);
        team.inbox.idle.0.fetch_add(1, crate::atomic::Ordering::SeqCst);
        owner.act(|core| steps::get_up(core, &mut policy()));
        owner.send(to, 3);
        owner.work();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        for _ in 0..2 {
            [&owner, &one, &other].map(|seat| seat.work());
        }
        all_of(&heard, &[1, 2, 3, 100]);
    });
}

/// A giver hands an actor over while another worker, which finds the giver idle a moment later, wants to adopt it.
/// `Core::give` against `Core::adopt`.
#[test]
fn adoption_against_a_gift() {
    explore(3, || {
        let ([giver, taker, adopter], _team) = seats(&ADOPTING);
        let (to, heard) = probe(&giver);
        giver.send(to, 1);
        let receiving = taker.clone();
        let receiver = thread::spawn(move || receiving.work());
        let adopting = adopter.clone();
        let writer = thread::spawn(move || {
            adopting.send(to, 2);
            adopting.work();
        });
        giver.act(|core| core.give(1, taker.port()));
        giver.port().rest.0.state.store(IDLE, Release);
        writer.join().unwrap();
        receiver.join().unwrap();
        giver.port().rest.0.state.store(RUNNING, Relaxed);
        for _ in 0..2 {
            [&giver, &taker, &adopter].map(|seat| seat.work());
        }
        all_of(&heard, &[1, 2, 100]);
    });
}

// ---- absence ------------------------------------------------------------------------------------------------

/// Its handler writes to others, which are its worker's if nobody has taken them, and creates one.
struct Busy {
    to: [Address<Probe>; 2],
    handled: Cell<u32>,
}

impl Actor for Busy {
    type Msg = ();
    const EAGER: bool = false;

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        self.handled.set(1);
        cx.tell(self.to[0], 1);
        cx.tell(self.to[1], 2);
        self.handled.set(2);
    }
}

/// A worker is in a handler, and enters the runtime in it. One other worker does `meanwhile` to it, a second one writes to an actor of it that is idle.
fn absent(meanwhile: fn(&Core, &'static Port) -> bool) {
    let ([away, helper, adopter], _team) = seats(&ADOPTING);
    let ((queued, heard), (idle, also_heard)) = (probe(&away), probe(&away));
    let busy = away.act(|core| {
        core.spawn(Busy {
            to: [queued, idle],
            handled: Cell::new(0),
        })
    });
    away.send(busy, ());
    // So that the handler runs first, and this one waits meanwhile.
    away.send(queued, 3);
    let (helping, port) = (helper.clone(), away.port());
    let help = thread::spawn(move || {
        helping.act(|core| meanwhile(core, port));
        helping.work();
    });
    let adopting = adopter.clone();
    let adopt = thread::spawn(move || {
        adopting.send(idle, 4);
        adopting.work();
    });
    away.act(|core| core.run_caught(core.run.pop_oldest().expect("it was sent to first")));
    away.work();
    help.join().unwrap();
    adopt.join().unwrap();
    // Nobody else comes any more; a worker that is away comes back by itself.
    away.act(|core| {
        core.enter();
        core.be_present();
    });
    for _ in 0..2 {
        [&away, &helper, &adopter].map(|seat| seat.work());
    }
    all_of(&heard, &[1, 3, 100]);
    all_of(&also_heard, &[2, 4, 100]);
}

/// `Core::enter`, `Core::leave`, `Core::come_back`, `Core::rescue`, `Core::revoke`, `Core::take_over`, `Core::adopt`, `Core::is_free`.
#[test]
fn absence() {
    explore(2, || absent(Core::rescue));
}

/// As above with `Core::seize`.
#[test]
fn preemptive_theft() {
    explore(2, || absent(|core, port| core.seize(port, |queued| queued)));
}

// ---- rest and wake-ups --------------------------------------------------------------------------------------

fn policy() -> Adaptive {
    Adaptive::new(Setup {
        worker: 0,
        workers: 2,
        seed: 0,
    })
}

/// A worker goes to rest while two others bring it messages. A wake-up that is lost is a deadlock.
/// `Worker::rest`, `Worker::get_up`, `Port::deliver`, `Port::notify`, `Port::rouse`, `Inbox::may_sleep`.
#[test]
fn no_wake_up_is_lost() {
    explore(2, || {
        let ([owner, one, other], _team) = seats(&HOOKS);
        let (to, heard) = probe(&owner);
        let threads = [(one, 1), (other, 2)].map(|(seat, n)| thread::spawn(move || seat.send(to, n)));
        while heard.lock().unwrap().len() < 3 {
            owner.act(|core| steps::rest(core, &mut policy()));
            owner.work();
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        all_of(&heard, &[1, 2, 100]);
    });
}

// ---- the inbox ----------------------------------------------------------------------------------------------

/// A thread outside writes while two workers take turns at the inbox.
/// `Inbox::push`, `Inbox::drain`, and what a sender that moves from worker to worker relies on.
#[test]
fn inbox_from_outside() {
    explore(2, || {
        let ([owner, other], team) = seats(&HOOKS);
        let (to, heard) = probe(&owner);
        let sender = thread::spawn(move || (1..=2).for_each(|n| client::tell_from_outside(to, n)));
        let (taking, inbox) = (other.clone(), team.inbox);
        let taker = thread::spawn(move || taking.act(|core| inbox.drain(core)));
        owner.act(|core| inbox.drain(core));
        owner.work();
        sender.join().unwrap();
        taker.join().unwrap();
        owner.act(|core| inbox.drain(core));
        owner.work();
        all_of(&heard, &[1, 2, 100]);
        in_order(&heard, &[1, 2]);
    });
}

/// A thread outside writes while the only worker goes to rest, and once more when it may sleep.
/// `Inbox::push`, `Inbox::may_sleep`, `Inbox::summon`, `Worker::rest`.
#[test]
fn inbox_wakes_the_worker() {
    explore(3, || {
        let ([owner], team) = seats(&HOOKS);
        let (to, heard) = probe(&owner);
        let sender = thread::spawn(move || (1..=2).for_each(|n| client::tell_from_outside(to, n)));
        while heard.lock().unwrap().len() < 3 {
            owner.act(|core| steps::rest(core, &mut policy()));
            owner.act(|core| team.inbox.drain(core));
            owner.work();
        }
        sender.join().unwrap();
        assert_eq!(*heard.lock().unwrap(), [100, 1, 2]);
    });
}

// ---- answers ------------------------------------------------------------------------------------------------

struct Asker {
    answers: Arc<Mutex<Vec<Result<u32, AskError>>>>,
    ask: Arc<Mutex<Option<ReplyTo<u32>>>>,
}

impl Actor for Asker {
    type Msg = Address<Probe>;
    const EAGER: bool = false;

    fn handle(&mut self, to: Address<Probe>, cx: &mut Context<'_, Self>) {
        let place = self.ask.clone();
        let question = move |reply| {
            *place.lock().unwrap() = Some(reply);
            1
        };
        cx.ask_within(Duration::from_nanos(1), to, question, |me, answer, _| {
            me.answers.lock().unwrap().push(answer)
        });
    }
}

/// An answer and its time-out race: exactly one of them reaches the asker.
/// `Bounded::settle`, `TimeOut::cancel`, `Timers::fire`, `Parcel::send`.
#[test]
fn an_answer_against_its_time_out() {
    explore(2, || {
        let ([asking, answering], team) = seats(&HOOKS);
        let (to, _) = probe(&asking);
        let (answers, ask) = (Arc::default(), Arc::default());
        let asker = asking.act(|core| {
            core.spawn(Asker {
                answers: Arc::clone(&answers),
                ask: Arc::clone(&ask),
            })
        });
        // SAFETY: the cell is the worker's.
        unsafe { (*asker.cell()).next_in.load(Relaxed) };
        asking.send(asker, to);
        asking.work();
        let reply = ask.lock().unwrap().take().expect("it has asked");
        let answerer = thread::spawn(move || answering.act(|_| reply.send(5)));
        team.advance(1_000);
        while Timers::fire(&team) {}
        asking.work();
        answerer.join().unwrap();
        asking.act(|core| team.inbox.drain(core));
        asking.work();
        let answers = answers.lock().unwrap();
        assert!(
            matches!(answers[..], [Ok(5)] | [Err(AskError::TimedOut)]),
            "{answers:?}"
        );
        assert_eq!(team.timers.pending(), 0);
    });
}
