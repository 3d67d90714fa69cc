//! How far many simulated runs have come.

use std::sync::Mutex;

/// How many runs have ended, and of how many.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Runs that have ended.
    pub ended: u64,
    /// Runs that were asked for so far, those that have ended included. It grows when a limit stays open and gets more seeds.
    pub asked: u64,
}

/// Is told of the progress whenever runs are asked for or one has ended, by one thread at a time, and delays that thread.
pub type Watch = Box<dyn Fn(Progress) + Send + Sync>;

/// For those who do not want to know.
pub fn unwatched() -> Watch {
    Box::new(|_| ())
}

/// Counts runs, and tells a [`Watch`].
pub(crate) struct Counter {
    progress: Mutex<Progress>,
    watch: Watch,
}

impl Counter {
    pub(crate) fn new(watch: Watch) -> Self {
        Self {
            progress: Mutex::default(),
            watch,
        }
    }

    /// So many runs more are asked for.
    pub(crate) fn ask(&self, runs: u64) {
        self.tell(|progress| progress.asked += runs);
    }

    /// A run has ended.
    pub(crate) fn end(&self) {
        self.tell(|progress| progress.ended += 1);
    }

    /// Holds the lock while it tells, so that nobody hears of an earlier state after a later one.
    fn tell(&self, change: impl FnOnce(&mut Progress)) {
        let mut progress = self.progress.lock().expect("a watch does not panic");
        change(&mut progress);
        (self.watch)(*progress);
    }
}
