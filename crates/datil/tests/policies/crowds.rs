//! What a policy is told about who else wants processors, before it is asked whether to give work away.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use datil::policy::{Board, Crowd, Nanos, Offer, Pick, Policy, Setup};
use datil::{Actor, Context, Runtime};

static LAST: Mutex<Option<Crowd>> = Mutex::new(None);

/// Notes each crowd and gives nothing away.
struct Counting;

impl Policy for Counting {
    const NAME: &'static str = "counting";

    fn new(_: Setup) -> Self {
        Self
    }
    fn batch(&self) -> u32 {
        1
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }
    fn watch(&mut self, _: usize, _: u32) -> bool {
        true
    }
    fn crowded(&mut self, _: Nanos, crowd: Crowd) {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(crowd);
    }
    fn offer(&mut self, _: Nanos, _: usize, _: Board) -> Offer {
        assert!(
            LAST.lock().unwrap_or_else(PoisonError::into_inner).is_some(),
            "the crowd comes first"
        );
        Offer::Keep
    }
    /// All on one worker; another one has some of them only if that one loses its processor.
    fn place(_: u32, _: u32) -> Option<u32> {
        Some(0)
    }
}

/// Writes to itself until it is told to stop; to others it listens as well.
struct Restless(Arc<AtomicBool>);

enum Turn {
    Own,
    Foreign,
}

impl Actor for Restless {
    type Msg = Turn;
    fn handle(&mut self, turn: Turn, cx: &mut Context<'_, Self>) {
        if matches!(turn, Turn::Own) && !self.0.load(Relaxed) {
            cx.tell(cx.address(), Turn::Own);
        }
    }
}

/// The last crowd, as soon as it is one that is wanted.
fn crowd(wanted: impl Fn(Crowd) -> bool) -> Crowd {
    let began = Instant::now();
    loop {
        let last = *LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(crowd) = last.filter(|&crowd| wanted(crowd)) {
            return crowd;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "last was {last:?}");
        thread::yield_now();
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long")]
fn crowds_are_workers_at_work_processors_and_words_from_outside() {
    const MESSAGES: u64 = 1_000;
    // Handler, receiver, and a message of a byte.
    const WORDS: u64 = 3;
    let over = Arc::new(AtomicBool::new(false));
    // Two actors, so that one of three workers idles whatever happens.
    let runtime = Runtime::builder().workers(3).build_with::<Counting>().unwrap();
    let actors: Vec<_> = (0..2).map(|_| runtime.spawn(Restless(over.clone()))).collect();
    actors.iter().for_each(|actor| actor.tell(Turn::Own));
    let before = crowd(|crowd| crowd.at_work < 3);
    assert!(before.at_work > 0);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(before.processors as usize, processors);
    (0..MESSAGES).for_each(|_| actors[0].tell(Turn::Foreign));
    let sent = |crowd: Crowd| crowd.sent - before.sent;
    let after = crowd(|crowd| sent(crowd) >= MESSAGES * WORDS);
    assert!(sent(after) < MESSAGES * (WORDS + 1), "{before:?}, {after:?}");
    over.store(true, Relaxed);
    runtime.wait_quiescent();
}
