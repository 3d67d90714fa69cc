//! Cheats with the creation of actors.

use suite::benchmark::Outcome;
use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::collector::Sum;

use super::cheat;

// fjcreate: the driver does the work itself; or an actor does the work of two.
cheat!(WorkWithoutActors = ForkJoinCreation, Sum, |_this| 0, actors);
cheat!(
    ReusedWorkers = ForkJoinCreation,
    Sum,
    |this| this.actors / 2,
    actors
);

impl WorkWithoutActors {
    fn start<L: ActorLibrary>(&self, _driver: &mut impl Driver<L>, report: &'static Sum) {
        for id in 1..=self.actors {
            let sine = std::hint::black_box(37.2_f64).sin();
            assert!(sine * sine > 0.0);
            report.add(id);
        }
    }

    fn collect(report: &Sum) -> Result<Outcome, String> {
        Ok(Outcome::new(report.take()))
    }
}

impl ReusedWorkers {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Sum) {
        for first in (1..=self.actors).step_by(2) {
            let worker = driver.spawn(Worker { left: 2, report });
            driver.tell(&worker, Work { id: first });
            driver.tell(&worker, Work { id: first + 1 });
        }
    }

    fn collect(report: &Sum) -> Result<Outcome, String> {
        WorkWithoutActors::collect(report)
    }
}

struct Worker {
    left: u32,
    report: &'static Sum,
}

struct Work {
    id: i64,
}

impl<L: ActorLibrary> Actor<L> for Worker {
    type Message = Work;

    fn handle(&mut self, Work { id }: Work, cx: &mut impl Context<L, Self>) {
        self.report.add(id);
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}
