//! Chameneos: many creatures meet through one mall.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct Chameneos {
    creatures: i64,
    meetings: i64,
}

/// What Mall reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    colour: Once<i64>,
    meetings: Once<Vec<i64>>,
}

impl Benchmark for Chameneos {
    const NAME: &'static str = "chameneos";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("creatures", 2),
        Parameter::at_least("meetings", 0),
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
        driver.spawn(Mall::<L> {
            creatures: self.creatures,
            left: self.meetings,
            waiting: None,
            gone: 0,
            sum: 0,
            colours: 0,
            meetings: vec![0; self.creatures as usize],
            report,
        });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("colour", report.colour.take("colour")?)
            .per_actor("meetings", report.meetings.take("meetings")?))
    }
}

struct Mall<L: ActorLibrary> {
    creatures: i64,
    left: i64,
    waiting: Option<L::Address<Creature<L>>>,
    gone: i64,
    sum: i64,
    colours: i64,
    meetings: Vec<i64>,
    report: &'static Report,
}

enum ToMall<L: ActorLibrary> {
    Meet {
        colour: i64,
        who: L::Address<Creature<L>>,
    },
    Count {
        id: i64,
        met: i64,
        colour: i64,
    },
}

impl<L: ActorLibrary> Mall<L> {
    fn meet(&mut self, colour: i64, who: L::Address<Creature<L>>, cx: &mut impl Context<L, Self>) {
        if self.left == 0 {
            cx.tell(&who, ToCreature::Exit);
        } else if let Some(first) = self.waiting.take() {
            self.left -= 1;
            cx.tell(&first, ToCreature::Meet { colour, who });
        } else {
            self.waiting = Some(who);
        }
    }

    fn count(&mut self, id: i64, met: i64, colour: i64, cx: &mut impl Context<L, Self>) {
        self.gone += 1;
        self.sum += met;
        self.colours += colour;
        self.meetings[id as usize] = met;
        if self.gone == self.creatures {
            self.report.result.report(self.sum);
            self.report.colour.report(self.colours % 3);
            self.report.meetings.report(std::mem::take(&mut self.meetings));
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Mall<L> {
    type Message = ToMall<L>;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 0..self.creatures {
            cx.spawn(Creature {
                id,
                colour: id % 3,
                met: 0,
                mall: cx.myself(),
            });
        }
    }

    fn handle(&mut self, message: ToMall<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToMall::Meet { colour, who } => self.meet(colour, who, cx),
            ToMall::Count { id, met, colour } => self.count(id, met, colour, cx),
        }
    }
}

struct Creature<L: ActorLibrary> {
    id: i64,
    colour: i64,
    met: i64,
    mall: L::Address<Mall<L>>,
}

enum ToCreature<L: ActorLibrary> {
    Meet {
        colour: i64,
        who: L::Address<Creature<L>>,
    },
    Change {
        colour: i64,
    },
    Exit,
}

/// The common colour, or else the third one. Colours are 0 (red), 1 (yellow) and 2 (blue).
fn complement(a: i64, b: i64) -> i64 {
    if a == b { a } else { 3 - a - b }
}

impl<L: ActorLibrary> Creature<L> {
    fn go_to_mall(&self, cx: &mut impl Context<L, Self>) {
        let who = cx.myself();
        cx.tell(
            &self.mall,
            ToMall::Meet {
                colour: self.colour,
                who,
            },
        );
    }
}

impl<L: ActorLibrary> Actor<L> for Creature<L> {
    type Message = ToCreature<L>;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.go_to_mall(cx);
    }

    fn handle(&mut self, message: ToCreature<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToCreature::Meet { colour, who } => {
                self.colour = complement(self.colour, colour);
                self.met += 1;
                cx.tell(&who, ToCreature::Change { colour: self.colour });
                self.go_to_mall(cx);
            }
            ToCreature::Change { colour } => {
                self.colour = colour;
                self.met += 1;
                self.go_to_mall(cx);
            }
            ToCreature::Exit => {
                cx.tell(
                    &self.mall,
                    ToMall::Count {
                        id: self.id,
                        met: self.met,
                        colour: self.colour,
                    },
                );
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::complement;

    #[test]
    fn a_meeting_preserves_the_sum_of_colours_modulo_3() {
        for a in 0..3 {
            for b in 0..3 {
                let new = complement(a, b);
                assert!((0..3).contains(&new));
                assert_eq!(2 * new % 3, (a + b) % 3, "{a} and {b} become {new}");
            }
        }
    }
}
