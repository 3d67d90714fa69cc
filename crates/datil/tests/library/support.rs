//! Actors that do what they are told.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use datil::{Actor, Address, Context, PanicInfo, ReplyTo, Runtime};

/// Long enough for anything that happens at all; nothing waits that long unless it hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn runtime(workers: usize) -> Runtime {
    Runtime::builder()
        .workers(workers)
        .on_panic(no_accident)
        .build()
        .unwrap()
}

/// Ends the tests for an assertion that fails inside an actor: datil contains it like any panic, and the test might never
/// notice. What panics on purpose says so.
pub fn no_accident(info: &PanicInfo<'_>) {
    if !info.message.contains("on purpose") {
        // Not `eprintln!`, whose text the test's capture would take to the grave.
        let _ = writeln!(std::io::stderr(), "{} panicked: {}", info.actor, info.message);
        std::process::abort();
    }
}

/// Runs a test with one worker and with several, and checks that nothing is left.
pub fn on_all(test: impl Fn(&Runtime)) {
    for workers in [1, 3] {
        let runtime = runtime(workers);
        test(&runtime);
        runtime.wait_quiescent();
        let leftovers = runtime.shutdown();
        assert!(leftovers.is_empty(), "with {workers} workers: {leftovers}");
    }
}

/// What several actors have noted, in order.
#[derive(Clone, Default, Debug)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Counts how many of something exist.
#[derive(Debug)]
pub struct Alive(Arc<AtomicUsize>);

impl Alive {
    pub fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, SeqCst);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        assert!(self.0.fetch_sub(1, SeqCst) > 0, "dropped twice");
    }
}

/// Does what its messages say; `log`, `asked` and `kept` are for their use.
#[derive(Default)]
pub struct Puppet {
    pub log: Log,
    pub asked: Vec<ReplyTo<u64>>,
    pub kept: Option<Box<dyn std::any::Any + Send>>,
    pub number: u64,
}

pub type Play = Box<dyn FnOnce(&mut Puppet, &mut Context<'_, Puppet>) + Send>;

impl Actor for Puppet {
    type Msg = Play;

    fn handle(&mut self, play: Play, cx: &mut Context<'_, Self>) {
        play(self, cx);
    }

    fn stopped(&mut self, _: &mut Context<'_, Self>) {
        self.log.note("stopped");
    }
}

/// Sends a play.
pub fn tell(to: Address<Puppet>, play: impl FnOnce(&mut Puppet, &mut Context<'_, Puppet>) + Send + 'static) {
    to.tell(Box::new(play));
}

/// Waits until the actor has handled what was sent so far.
pub fn sync(with: Address<Puppet>) {
    let answer =
        with.ask(|reply| Box::new(move |_: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(())) as Play);
    answer.wait_for(PATIENCE).unwrap();
}

/// Panics when it is dropped.
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "a destructor, on purpose");
    }
}
