//! The actor that knows when all that a turn caused is done.

use std::time::Instant;

use super::{Poker, Report, ToPoker};
use crate::library::{Actor, ActorLibrary, Context};

/// Counts what is open and what is closed, on three levels: acts, joins and forwards. With a single counter a Close could
/// overtake the Bump that announced it, and end the turn early.
pub(super) struct Accumulator<L: ActorLibrary> {
    turn: i64,
    opened: [i64; 3],
    closed: [i64; 3],
    confirmed: bool,
    bumps: i64,
    closes: i64,
    created: Instant,
    poker: L::Address<Poker<L>>,
    report: &'static Report,
}

pub(super) enum ToAccumulator {
    /// Something of a level is done and has opened `count` things of another.
    Bump { closes: Level, opens: Level, count: i64 },
    /// Something of a level is done.
    Close(Level),
    /// The driver's request to stop; one of the accumulators tells it how many actors do so.
    Stop { population: Option<i64> },
}

#[derive(Clone, Copy)]
pub(super) enum Level {
    Act,
    Join,
    Forward,
}

impl<L: ActorLibrary> Accumulator<L> {
    pub(super) fn new(turn: i64, clients: i64, poker: L::Address<Poker<L>>, report: &'static Report) -> Self {
        Self {
            turn,
            opened: [clients, 0, 0],
            closed: [0; 3],
            confirmed: false,
            bumps: 0,
            closes: 0,
            created: Instant::now(),
            poker,
            report,
        }
    }

    fn close(&mut self, level: Level, cx: &mut impl Context<L, Self>) {
        assert!(!self.confirmed, "turn {} went on after its end", self.turn);
        self.closed[level as usize] += 1;
        if self.closed == self.opened {
            self.confirmed = true;
            cx.tell(&self.poker, ToPoker::Confirm { turn: self.turn });
            let duration = self.created.elapsed().as_nanos();
            self.report.turns.report(self.turn, duration as i64);
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Accumulator<L> {
    type Message = ToAccumulator;

    fn handle(&mut self, message: ToAccumulator, cx: &mut impl Context<L, Self>) {
        match message {
            ToAccumulator::Bump { closes, opens, count } => {
                self.bumps += 1;
                self.opened[opens as usize] += count;
                self.close(closes, cx);
            }
            ToAccumulator::Close(level) => {
                self.closes += 1;
                self.close(level, cx);
            }
            ToAccumulator::Stop { population } => {
                self.report.bumps.add(self.bumps);
                self.report.closes.add(self.closes);
                if let Some(actors) = population {
                    cx.population(actors);
                }
                cx.stop();
            }
        }
    }
}
