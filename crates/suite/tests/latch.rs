//! The completion latch itself, run by loom through every interleaving (up to a bound on preemptions): it opens when the last
//! actor has stopped, not before, and what every actor reported is seen by who waits.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p suite --no-default-features --test latch`. Seen to fail: `latch/*.patch`, which
//! `.ci/planted-defects` plants.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use suite::benchmark::Population;
use suite::tools::Latch;

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Threads of actors that report and stop.
struct Scene {
    latch: Latch,
    /// By thread: the stops so far. Loom sees to it that nobody reads one while it is written.
    reports: Vec<UnsafeCell<i64>>,
}

impl Scene {
    fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self {
            latch: Latch::default(),
            reports: (0..threads).map(|_| UnsafeCell::new(0)).collect(),
        })
    }

    /// A thread on which so many actors stop, one after another.
    fn spawn(scene: &Arc<Self>, thread: usize, stops: i64) -> thread::JoinHandle<()> {
        let scene = Arc::clone(scene);
        thread::spawn(move || {
            for stop in 1..=stops {
                // SAFETY: only this thread writes it, and the driver reads it when all have stopped; loom checks both.
                scene.reports[thread].with_mut(|report| unsafe { *report = stop });
                scene.latch.count_down();
            }
        })
    }

    /// Waits as the driver does, and finds all reports.
    fn wait(&self, stops: &[i64]) {
        assert_eq!(self.latch.wait(None), Ok(Ok(())));
        for (report, stops) in self.reports.iter().zip(stops) {
            // SAFETY: nobody writes any more; loom checks it.
            assert_eq!(report.with(|report| unsafe { *report }), *stops);
        }
    }
}

/// The driver waits while these actors stop, each number on a thread of its own.
fn opens_at_the_last(stops: &'static [i64]) {
    explore(move || {
        let scene = Scene::new(stops.len());
        scene.latch.arm(Population::Known(stops.iter().sum()));
        let threads: Vec<_> = (0..stops.len())
            .map(|i| Scene::spawn(&scene, i, stops[i]))
            .collect();
        scene.wait(stops);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn two_threads_that_hold_shares() {
    opens_at_the_last(&[3, 2]);
}

#[test]
fn a_thread_that_rests_on_its_share() {
    opens_at_the_last(&[1, 4]);
}

/// More threads than stripes: two of them pay from one.
#[test]
fn threads_that_share_a_stripe() {
    opens_at_the_last(&[1, 1, 1]);
}

#[test]
fn a_number_that_is_told_while_actors_stop() {
    explore(|| {
        let scene = Scene::new(2);
        scene.latch.arm(Population::Told);
        let threads = [Scene::spawn(&scene, 0, 2), Scene::spawn(&scene, 1, 1)];
        scene.latch.tell(3);
        scene.wait(&[2, 1]);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// The driver learns of a failure whatever still stops, and a stop too many after it does not hide it.
#[test]
fn a_failure_while_actors_stop() {
    explore(|| {
        let scene = Scene::new(1);
        scene.latch.arm(Population::Known(3));
        let thread = Scene::spawn(&scene, 0, 2);
        scene.latch.fail("one of them crashed".to_owned());
        assert_eq!(scene.latch.wait(None), Ok(Err("one of them crashed".to_owned())));
        thread.join().unwrap();
    });
}
