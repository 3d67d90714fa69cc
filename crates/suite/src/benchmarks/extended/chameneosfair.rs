//! Chameneos with Fairness: creatures meet at one place, strictly in order of arrival.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct FairChameneos {
    creatures: i64,
    meetings: i64,
}

/// What Place reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    colours: Once<i64>,
    itself: Once<i64>,
    meetings: Once<Vec<i64>>,
}

impl Benchmark for FairChameneos {
    const NAME: &'static str = "chameneosfair";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("creatures", 2),
        Parameter::at_least("meetings", 1),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            creatures: arguments.get("creatures"),
            meetings: arguments.get("meetings"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.creatures.saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let creatures = self.creatures as usize;
        let place = driver.spawn(Place::<L> {
            arrivals: Vec::with_capacity(creatures),
            open: false,
            first: None,
            left: self.meetings,
            done: 0,
            colours: 0,
            itself: 0,
            meetings: vec![0; creatures],
            report,
        });
        let creatures: Vec<L::Address<Creature<L>>> = (0..creatures)
            .map(|id| {
                driver.spawn(Creature {
                    id,
                    colour: id as i64 % 3,
                    meetings: 0,
                    itself: 0,
                    place: place.clone(),
                })
            })
            .collect();
        for creature in &creatures {
            driver.tell(creature, ToCreature::Run);
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("colours", report.colours.take("colours")?)
            .check("self", report.itself.take("self")?)
            .per_actor("meetings", report.meetings.take("meetings")?))
    }
}

struct Visitor<L: ActorLibrary> {
    creature: L::Address<Creature<L>>,
    id: usize,
    colour: i64,
}

struct Place<L: ActorLibrary> {
    /// Visitors who came before all were there, in order of arrival.
    arrivals: Vec<Visitor<L>>,
    open: bool,
    first: Option<Visitor<L>>,
    /// Meetings that are left.
    left: i64,
    done: usize,
    colours: i64,
    itself: i64,
    meetings: Vec<i64>,
    report: &'static Report,
}

enum ToPlace<L: ActorLibrary> {
    Meet(Visitor<L>),
    Sum {
        id: usize,
        meetings: i64,
        colour: i64,
        itself: i64,
    },
}

/// The common colour, or else the third one. Colours are 0 (blue), 1 (red) and 2 (yellow).
fn complement(a: i64, b: i64) -> i64 {
    if a == b { a } else { 3 - a - b }
}

impl<L: ActorLibrary> Place<L> {
    fn arrive(&mut self, visitor: Visitor<L>, cx: &mut impl Context<L, Self>) {
        if self.open {
            self.meet(visitor, cx);
            return;
        }
        self.arrivals.push(visitor);
        if self.arrivals.len() == self.meetings.len() {
            self.open = true;
            for visitor in std::mem::take(&mut self.arrivals) {
                self.meet(visitor, cx);
            }
        }
    }

    fn meet(&mut self, second: Visitor<L>, cx: &mut impl Context<L, Self>) {
        if self.left == 0 {
            cx.tell(&second.creature, ToCreature::Stop);
            return;
        }
        let Some(first) = self.first.take() else {
            self.first = Some(second);
            return;
        };
        self.left -= 1;
        let colour = complement(first.colour, second.colour);
        let met = |partner| ToCreature::Met { partner, colour };
        cx.tell(&second.creature, met(first.id));
        cx.tell(&first.creature, met(second.id));
    }

    fn finish(&mut self, cx: &mut impl Context<L, Self>) {
        self.report.result.report(self.meetings.iter().sum());
        self.report.colours.report(self.colours % 3);
        self.report.itself.report(self.itself);
        self.report.meetings.report(std::mem::take(&mut self.meetings));
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Place<L> {
    type Message = ToPlace<L>;

    fn handle(&mut self, message: ToPlace<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToPlace::Meet(visitor) => self.arrive(visitor, cx),
            ToPlace::Sum {
                id,
                meetings,
                colour,
                itself,
            } => {
                self.meetings[id] = meetings;
                self.colours += colour;
                self.itself += itself;
                self.done += 1;
                if self.done == self.meetings.len() {
                    self.finish(cx);
                }
            }
        }
    }
}

struct Creature<L: ActorLibrary> {
    id: usize,
    colour: i64,
    meetings: i64,
    itself: i64,
    place: L::Address<Place<L>>,
}

enum ToCreature {
    Run,
    Met { partner: usize, colour: i64 },
    Stop,
}

impl<L: ActorLibrary> Creature<L> {
    fn go(&self, cx: &mut impl Context<L, Self>) {
        let visitor = Visitor {
            creature: cx.myself(),
            id: self.id,
            colour: self.colour,
        };
        cx.tell(&self.place, ToPlace::Meet(visitor));
    }
}

impl<L: ActorLibrary> Actor<L> for Creature<L> {
    type Message = ToCreature;

    fn handle(&mut self, message: ToCreature, cx: &mut impl Context<L, Self>) {
        match message {
            ToCreature::Run => self.go(cx),
            ToCreature::Met { partner, colour } => {
                self.meetings += 1;
                self.colour = colour;
                if partner == self.id {
                    self.itself += 1;
                }
                self.go(cx);
            }
            ToCreature::Stop => {
                let sum = ToPlace::Sum {
                    id: self.id,
                    meetings: self.meetings,
                    colour: self.colour,
                    itself: self.itself,
                };
                cx.tell(&self.place, sum);
                cx.stop();
            }
        }
    }
}
