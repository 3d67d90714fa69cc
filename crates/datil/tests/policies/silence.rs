//! A worker that has written to an actor of another one sees to it that the message does not wait behind a handler there, and does not wait
//! for that handler itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use datil::policy::{End, Pick, Policy, Role, Route, Search, Setup, Surroundings, Word};
use datil::{Actor, Address, Context, ReplyTo, Runtime};

use crate::alone;

/// Robs nobody and wakes nobody. Actors that hold data begin on worker 0, others on the others by turns; who is written to goes to the writer, and runs
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
    fn admitted(role: Role, turn: u32, workers: u32) -> (Word, Route) {
        let others = workers - 1;
        let home = if role == Role::Data { 0 } else { 1 + turn % others };
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

/// Has ended, so that nothing becomes runnable by what is sent to it.
struct Gone;

impl Actor for Gone {
    type Msg = ();
    const HINT: Role = Role::Data;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.stop();
    }
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// Stays in its handler until the receiver has heard something, and calls the runtime all the time if it has somebody to write to; says whether it has.
struct Hog(Option<Address<Gone>>);

impl Actor for Hog {
    type Msg = ReplyTo<bool>;
    const HINT: Role = Role::Data;

    fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
        let began = Instant::now();
        IN_HANDLER.store(true, SeqCst);
        while !HEARD.load(SeqCst) && began.elapsed() < Duration::from_secs(20) {
            match self.0 {
                Some(gone) => (0..1_000).for_each(|_| cx.tell(gone, ())),
                None => std::thread::yield_now(),
            }
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

/// Whether the receiver, whose owner is in a handler that calls the runtime all the time or not at all, hears of a sender on another worker meanwhile.
fn is_heard(stays_busy: bool, calls: bool) -> bool {
    IN_HANDLER.store(false, SeqCst);
    HEARD.store(false, SeqCst);
    let runtime = Runtime::builder().workers(2).build_with::<Unassisted>().unwrap();
    let receiver = runtime.spawn(Receiver);
    let gone = runtime.spawn(Gone);
    runtime.wait_quiescent();
    let sender = runtime.spawn(Sender {
        to: Some(receiver),
        stays_busy,
    });
    // The sender must be at work when the hog begins: its worker would be found idle, or would find the other one absent.
    sender.tell(());
    while runtime.metrics().total().messages < 1_000 {
        std::thread::yield_now();
    }
    let hog = runtime.spawn(Hog(calls.then_some(gone)));
    hog.ask(|reply| reply).wait() == Ok(true)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn a_message_does_not_wait_behind_the_handler_of_another_actor() {
    let _turn = alone();
    for calls in [false, true] {
        assert!(
            is_heard(true, calls),
            "its sender had always something else to do"
        );
        assert!(is_heard(false, calls), "its sender had nothing else to do");
    }
}

/// Writes to many, one after the other, once the hog is in its handler.
struct Postman(Vec<Address<Counter>>);

impl Actor for Postman {
    type Msg = ();

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        if IN_HANDLER.load(SeqCst)
            && let Some(to) = self.0.pop()
        {
            cx.tell(to, ());
        }
        if !HEARD.load(SeqCst) {
            cx.tell(cx.address(), ());
        }
    }
}

/// Lives where the hog does. The last to hear something says so.
struct Counter(Arc<AtomicUsize>);

impl Actor for Counter {
    type Msg = ();
    const HINT: Role = Role::Data;

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        if self.0.fetch_sub(1, SeqCst) == 1 {
            HEARD.store(true, SeqCst);
        }
    }
}

/// Two workers write to actors of a third, and find each other acting in its place again and again.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn of_two_who_insist_neither_forgets_what_it_could_not_see_to() {
    const EACH: usize = 50_000;
    let _turn = alone();
    IN_HANDLER.store(false, SeqCst);
    HEARD.store(false, SeqCst);
    let runtime = Runtime::builder().workers(3).build_with::<Unassisted>().unwrap();
    let left = Arc::new(AtomicUsize::new(2 * EACH));
    let postmen: Vec<_> = (0..2)
        .map(|_| {
            let letters = (0..EACH).map(|_| runtime.spawn(Counter(left.clone()))).collect();
            runtime.spawn(Postman(letters))
        })
        .collect();
    runtime.wait_quiescent();
    let before = runtime.metrics();
    postmen.iter().for_each(|postman| postman.tell(()));
    let has_begun = |worker: usize| {
        let handled = |metrics: &datil::Metrics| metrics.workers[worker].messages;
        handled(&runtime.metrics()) > handled(&before)
    };
    while !(has_begun(1) && has_begun(2)) {
        std::thread::yield_now();
    }
    let heard = runtime.spawn(Hog(None)).ask(|reply| reply).wait();
    assert_eq!(heard, Ok(true), "{left:?} wait for the handler of another actor");
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
        let waits = cx.spawn(Hog(None));
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
    let hog = runtime.spawn(Hog(None)).ask(|reply| reply);
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
    let hog = runtime.spawn(Hog(None));
    let answer = hog.ask(|reply| reply);
    while !IN_HANDLER.load(SeqCst) {
        std::thread::yield_now();
    }
    (0..50_000).for_each(|number| sink.tell(number));
    listener.tell(());
    assert_eq!(answer.wait(), Ok(true), "the listener waits behind the stream");
}
