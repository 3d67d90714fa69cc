//! Where a run takes place: runtimes of all sorts and simulations, their beginning, their rest and their end.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use datil::policy::topology::{Synthetic, Topology};
use datil::policy::{NAMES, Random, routing_names};
use datil::{Actor, Context, PanicInfo, Runtime, Simulation, Spawn};

use crate::births::{Guarded, Nest, beget};
use crate::book::Book;
use crate::post::ON_PURPOSE;
use crate::program::Feature;
use crate::{PATIENCE, give_up};

const WORKERS: [usize; 3] = [1, 2, 4];
/// As many runs as there are policies and numbers of workers.
pub const RUNS: u64 = (NAMES.len() as u64 + 1) * WORKERS.len() as u64;

/// Notes panics. One that is none of those on purpose is a mistake of this test or of datil's, which contains it, so that
/// nobody would know.
fn hook(book: &Arc<Book>) -> impl Fn(&PanicInfo<'_>) + Send + Sync + 'static {
    let book = book.clone();
    move |info| {
        if info.message != ON_PURPOSE {
            give_up(&format!("{} panicked: {}", info.actor, info.message));
        }
        book.panics.fetch_add(1, SeqCst);
    }
}

/// A runtime of which the seed says how many workers it has, and under which policy; "hostile" moves actors at every
/// opportunity.
pub fn runtime(book: &Arc<Book>, seed: u64, random: &mut Random) -> Runtime {
    let names: Vec<_> = std::iter::once(&"hostile").chain(NAMES).copied().collect();
    let policy = names[(seed % names.len() as u64) as usize];
    let workers = WORKERS[(seed / names.len() as u64) as usize % WORKERS.len()];
    let builder = Runtime::builder()
        .workers(workers)
        .policy(policy)
        .seed(random.next());
    // Where all workers are alike none routes.
    let routes = routing_names().any(|name| name == policy) && random.below(2) == 0;
    let builder = if routes {
        builder.topology(two_nodes())
    } else {
        builder
    };
    builder.on_panic(hook(book)).build().unwrap()
}

fn two_nodes() -> Topology {
    let machine = Synthetic {
        packages: 2,
        cores: 2,
        distances: vec![vec![0, 1], vec![1, 0]],
        ..Synthetic::default()
    };
    machine.build().unwrap()
}

/// Creates the first actors.
pub fn populate<S: Spawn + Nest>(book: &Arc<Book>, place: &mut S, random: &mut Random) {
    for which in 0..book.program.population {
        if random.below(2) == 0 || !book.program.has(Feature::Supervision) {
            beget(book, place, random);
        } else {
            let mut guarded = Guarded {
                place: &mut *place,
                book,
                which,
            };
            beget(book, &mut guarded, random);
        }
    }
}

/// Messages that threads outside have lost in this process so far; any runtime knows it.
pub fn dead_outside() -> u64 {
    let any = Runtime::builder().workers(1).build().unwrap();
    any.metrics().outside_dead_letters
}

/// Counts as a message, and is no more.
struct Probe;

impl Actor for Probe {
    type Msg = Arc<Book>;
    fn handle(&mut self, book: Arc<Book>, cx: &mut Context<'_, Self>) {
        book.handled.fetch_add(1, SeqCst);
        cx.stop();
    }
}

/// Waits until nothing goes on and nothing can begin by itself.
pub fn come_to_rest(book: &Arc<Book>, runtime: &Runtime) {
    loop {
        runtime.wait_quiescent();
        let (pending, handled) = (book.pending.load(SeqCst), book.handled.load(SeqCst));
        // Time-outs and timers that repeat are not waited for, and one may be firing just now. It has fired before this does.
        runtime.tell_after(Duration::ZERO, runtime.spawn(Probe), book.clone());
        runtime.wait_quiescent();
        let still = book.handled.load(SeqCst) == handled + 1;
        if pending == 0 && book.pending.load(SeqCst) == 0 && still {
            return;
        }
    }
}

/// Ends a runtime, which may be its own.
struct Finisher(mpsc::Sender<()>);

impl Actor for Finisher {
    type Msg = Runtime;
    fn handle(&mut self, runtime: Runtime, cx: &mut Context<'_, Self>) {
        drop(runtime);
        self.0.send(()).expect("somebody waits");
        cx.stop();
    }
}

/// Ends a runtime from a thread, from one of its own actors or from one of another runtime's.
pub fn finish(runtime: Runtime, way: u32) {
    let abroad = (way == 0).then(|| Runtime::builder().workers(1).build().unwrap());
    let (done, ended) = mpsc::channel();
    match way {
        0 | 1 => {
            let place = abroad.as_ref().unwrap_or(&runtime);
            place.spawn(Finisher(done)).tell(runtime);
            ended.recv().expect("the handler returns");
        }
        2 => drop(runtime),
        _ => {
            _ = runtime
                .shutdown_within(PATIENCE)
                .expect("nothing takes that long")
        }
    }
}

/// A simulation of which the seed says how many workers it has.
pub fn simulation(book: &Arc<Book>, seed: u64, random: &mut Random) -> Simulation {
    let builder = Simulation::builder()
        .seed(seed)
        .workers(1 + random.below(4) as usize);
    builder.on_panic(hook(book)).build().unwrap()
}
