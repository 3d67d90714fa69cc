//! Wrong programs. Each keeps the name, the parameters and the reports of its benchmark and does less work than its entry
//! demands: it merges messages, skips actors, goes round a mailbox, or computes sequentially.

mod alone;
mod creation;
mod crowds;
mod deferring;
mod fields;
mod meetings;
mod messages;
mod payloads;
mod requests;
mod resources;
mod searches;
mod stages;
mod trees;

pub use alone::{
    FelledTree, GridInOneActor, IdleExpansion, LibrarySort, ProductByFormula, SlidingFilter,
    SortWithoutNetwork, UndividedBoard, UndividedMatrix,
};
pub use creation::{ReusedWorkers, WorkWithoutActors};
pub use crowds::{NoSelfPings, PlayedMeetings, SilentNetwork, SingleSleeper};
pub use deferring::{EarlyReplies, ImpatientWorkers};
pub use meetings::{DirectSelfPings, DroppedChange, MergedMeeting, SkippedSelfPings};
pub use messages::{InlinedPong, LongHops, MergedIncrements, MergedWork, ShortRing, UnevenRounds};
pub use payloads::{LazyClients, SharedPayload};
pub use requests::{CachingWorkers, UnsortedList};
pub use resources::{DoubleMeals, EverySecondSmoker, NoManager, NoWaitingRoom};
pub use searches::{KeptRings, RowSearch, SingleWorker};
pub use stages::{LostPieces, MissingStage, OneRegion, RoundedDown, Wheel};
pub use trees::CutOffFibonacci;

use fields::Fields;
use suite::tools::collector::Once;

/// A result and one check, each reported once.
#[derive(Default)]
pub struct Pair {
    pub result: Once<i64>,
    pub check: Once<i64>,
}

/// Implements `Benchmark` for a struct whose fields are the parameters; `run` and `outcome` are inherent methods.
macro_rules! cheat {
    ($type:ident = $model:ident, $report:ty, |$this:ident| $actors:expr, $($field:ident),+) => {
        pub struct $type { $($field: i64),+ }

        impl suite::benchmark::Benchmark for $type {
            const NAME: &'static str = <suite::benchmarks::$model as suite::benchmark::Phased>::NAME;
            const PARAMETERS: &'static [suite::parameters::Parameter] =
                <suite::benchmarks::$model as suite::benchmark::Phased>::PARAMETERS;
            const RELATIONS: &'static [suite::parameters::Relation] =
                <suite::benchmarks::$model as suite::benchmark::Phased>::RELATIONS;
            type Report = $report;

            fn new(arguments: &suite::parameters::Arguments) -> Self {
                Self { $($field: arguments.get(stringify!($field))),+ }
            }

            fn actors(&self) -> suite::benchmark::Population {
                let $this = self;
                suite::benchmark::Population::Known($actors)
            }

            fn run<L: suite::library::ActorLibrary>(
                &self,
                driver: &mut impl suite::library::Driver<L>,
                report: &'static $report,
            ) {
                self.start::<L>(driver, report);
            }

            fn outcome(&self, report: &$report) -> Result<suite::benchmark::Outcome, String> {
                Self::collect(report)
            }
        }
    };
    // The same for one that reports `Fields`.
    ($type:ident = $model:ident, |$this:ident| $actors:expr, $($field:ident),+) => {
        cheat!($type = $model, Fields, |$this| $actors, $($field),+);

        impl $type {
            fn collect(report: &Fields) -> Result<suite::benchmark::Outcome, String> {
                report.outcome()
            }
        }
    };
}
use cheat;
