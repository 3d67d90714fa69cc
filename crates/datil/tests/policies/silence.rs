//! A worker that has written to an actor of another one sees to it that the message does not wait behind a handler there, and does not wait
//! for that handler itself.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use datil::policy::{End, Pick, Policy, Role, Route, Search, Setup, Surroundings, Word};
use datil::{Actor, Address, Context, ReplyTo, Runtime};

use crate::alone;

/// Robs nobody and wakes nobody. Actors that hold data begin on worker 0, others on worker 1; who is written to goes to the writer, and runs
/// there before all others.
struct Unassisted {
    me: u32,
}

impl Policy for Unassisted {
    const NAME: &'static str = "unassisted";
    const STEALS: bool = true;
    const ROUTES: bool = true;

    fn new(setup: Setup) -> Self {
        Self { me: setup.worker }
    }
    fn batch(&self) -> u32 {
        100
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }
    fn admitted(role: Role, _: u32, _: u32) -> (Word, Route) {
        let home = u32::from(role != Role::Data);
        (Word::new(Some(home), false), tail_of(home))
    }
    fn called(word: Word, _: u32, _: u32) -> Route {
        tail_of(word.home().expect("all actors come from outside"))
    }
    fn spawned(&mut self, _: Role) -> (Word, Route) {
        (Word::new(Some(self.me), false), tail_of(self.me))
    }
    fn woken(&mut self, sender: u32, _: Word, _: &Surroundings) -> Route {
        Route {
            worker: sender,
            end: End::Head,
        }
    }
    fn search(&mut self, _: u32) -> Search {
        Search::Sleep(100_000)
    }
}

fn tail_of(worker: u32) -> Route {
    Route {
        worker,
        end: End::Tail,
    }
}

static IN_HANDLER: AtomicBool = AtomicBool::new(false);
static HEARD: AtomicBool = AtomicBool::new(false);

/// Stays in its handler until the receiver has heard something; says whether it has.
struct Hog;

impl Actor for Hog {
    type Msg = ReplyTo<bool>;
    const HINT: Role = Role::Data;

    fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
        let began = Instant::now();
        IN_HANDLER.store(true, SeqCst);
        while !HEARD.load(SeqCst) && began.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        reply.send(HEARD.load(SeqCst));
    }
}

struct Receiver;

impl Actor for Receiver {
    type Msg = ();
    const HINT: Role = Role::Data;

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        HEARD.store(true, SeqCst);
    }
}

/// Writes to the receiver once the hog is in its handler, and has always something to do, or nothing more.
struct Sender {
    to: Option<Address<Receiver>>,
    stays_busy: bool,
}

impl Actor for Sender {
    type Msg = ();

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        if IN_HANDLER.load(SeqCst)
            && let Some(to) = self.to.take()
        {
            cx.tell(to, ());
        }
        if self.to.is_some() || self.stays_busy && !HEARD.load(SeqCst) {
            cx.tell(cx.address(), ());
        }
    }
}

/// Whether the receiver, whose owner is in a handler, hears of a sender on another worker meanwhile.
fn is_heard(stays_busy: bool) -> bool {
    IN_HANDLER.store(false, SeqCst);
    HEARD.store(false, SeqCst);
    let runtime = Runtime::builder().workers(2).build_with::<Unassisted>().unwrap();
    let receiver = runtime.spawn(Receiver);
    let sender = runtime.spawn(Sender {
        to: Some(receiver),
        stays_busy,
    });
    // The sender must be at work when the hog begins: its worker would be found idle, or would find the other one absent.
    sender.tell(());
    while runtime.metrics().total().messages < 1_000 {
        std::thread::yield_now();
    }
    let hog = runtime.spawn(Hog);
    hog.ask(|reply| reply).wait() == Ok(true)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn a_message_does_not_wait_behind_the_handler_of_another_actor() {
    let _turn = alone();
    assert!(is_heard(true), "its sender had always something else to do");
    assert!(is_heard(false), "its sender had nothing else to do");
}

/// Writes to two when the hog is in its handler: to one that is to wait in its own handler until the receiver has heard something, and to the
/// receiver. All that takes long.
struct Slow(Option<(Address<Hog>, Address<Receiver>)>);

impl Actor for Slow {
    type Msg = ReplyTo<bool>;

    fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
        let (waits, receiver) = self.0.take().expect("it is asked once");
        while !IN_HANDLER.load(SeqCst) {
            std::thread::yield_now();
        }
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        cx.tell(waits, reply);
        cx.tell(receiver, ());
    }
}

/// Makes the hog that is to wait, so that it is the sender's worker's.
struct Parent(Address<Receiver>);

impl Actor for Parent {
    type Msg = ReplyTo<Address<Slow>>;

    fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
        let waits = cx.spawn(Hog);
        reply.send(cx.spawn(Slow(Some((waits, self.0)))));
    }
}

/// Where activations take long, what was brought does not wait for the next one of its sender's worker.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn a_message_does_not_wait_for_a_long_handler_of_its_sender_s_worker() {
    let _turn = alone();
    IN_HANDLER.store(false, SeqCst);
    HEARD.store(false, SeqCst);
    let runtime = Runtime::builder().workers(2).build_with::<Unassisted>().unwrap();
    let receiver = runtime.spawn(Receiver);
    let slow = runtime.spawn(Parent(receiver)).ask(|reply| reply).wait().unwrap();
    let answer = slow.ask(|reply| reply);
    let hog = runtime.spawn(Hog).ask(|reply| reply);
    assert_eq!((answer.wait(), hog.wait()), (Ok(true), Ok(true)));
}

/// Counts what it hears; as it is no `Data`, it lives on worker 1.
struct Listener;

impl Actor for Listener {
    type Msg = ();

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        HEARD.store(true, SeqCst);
    }
}

/// Takes what comes; lives on worker 0.
struct Sink;

impl Actor for Sink {
    type Msg = u32;
    const HINT: Role = Role::Data;

    fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
}

/// The inbox holds far more for an actor of a worker that handles nothing than may lie before that one while others are served.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn a_stream_for_a_worker_in_a_handler_does_not_keep_others_waiting() {
    let _turn = alone();
    IN_HANDLER.store(false, SeqCst);
    HEARD.store(false, SeqCst);
    let runtime = Runtime::builder().workers(2).build_with::<Unassisted>().unwrap();
    let sink = runtime.spawn(Sink);
    let listener = runtime.spawn(Listener);
    let hog = runtime.spawn(Hog);
    let answer = hog.ask(|reply| reply);
    while !IN_HANDLER.load(SeqCst) {
        std::thread::yield_now();
    }
    (0..50_000).for_each(|number| sink.tell(number));
    listener.tell(());
    assert_eq!(answer.wait(), Ok(true), "the listener waits behind the stream");
}
