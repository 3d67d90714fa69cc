//! Chains of stages through which sources send items. The last stage lets the source send another one, so that few items
//! are under way and there are fewer actors with work than workers. Written as held out, after the rules for waking.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "pipeline",
    about: "written to try the rules for waking on: independent chains with few items under way",
    nature: Nature::Messages,
    parameters: &[
        ("chains", "4"),
        ("stages", "6"),
        ("items", "2000"),
        ("credit", "16"),
    ],
    scale: None,
    annotations: &[
        actor("pipeline::Source", burst),
        actor("pipeline::Stage", process),
    ],
    run,
};

/// 0.2 to 2 µs at 2.3 GHz.
fn process(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(between(460, 4_600, activity)).touching(2),
    }
}

/// The item of a chain that is sent as the `number`th.
fn item(chain: u64, number: u64) -> u64 {
    chain << 40 | number
}

/// What a stage makes of an item.
fn processed(item: u64, stage: u64) -> u64 {
    mixed(item ^ stage << 50)
}

/// What the last stage makes of all items: it depends on their order.
fn collected(before: u64, item: u64) -> u64 {
    mixed(before ^ item)
}

struct Source {
    chain: u64,
    items: u64,
    sent: u64,
    back: u64,
    first: To<Stage>,
}

/// The source may send so many more; all but the first of these messages say that an item has come to the end.
enum ToSource {
    Begin(u64),
    Credit,
}

impl Source {
    fn send(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.sent < self.items {
            cx.tell(&self.first, ToStage::Item(item(self.chain, self.sent)));
            self.sent += 1;
        }
    }
}

impl Actor<Simulated> for Source {
    type Message = ToSource;

    fn handle(&mut self, message: ToSource, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToSource::Begin(credit) => (0..credit).for_each(|_| self.send(cx)),
            ToSource::Credit => {
                self.back += 1;
                self.send(cx);
                if self.back == self.items {
                    cx.tell(&self.first, ToStage::Stop);
                    cx.stop();
                }
            }
        }
    }
}

/// What comes after a stage.
enum Next {
    Stage(To<Stage>),
    /// Nothing: the source is told, once it is known.
    Source(Option<To<Source>>),
}

struct Stage {
    number: u64,
    next: Next,
    collected: u64,
    sum: Sum,
}

enum ToStage {
    Source(To<Source>),
    Item(u64),
    Stop,
}

impl Actor<Simulated> for Stage {
    type Message = ToStage;

    fn handle(&mut self, message: ToStage, cx: &mut impl Context<Simulated, Self>) {
        match (message, &self.next) {
            (ToStage::Source(source), _) => self.next = Next::Source(Some(source)),
            (ToStage::Item(item), Next::Stage(next)) => {
                cx.tell(next, ToStage::Item(processed(item, self.number)));
            }
            (ToStage::Item(item), Next::Source(source)) => {
                self.collected = collected(self.collected, processed(item, self.number));
                let source = source.as_ref().expect("it was told before the source began");
                cx.tell(source, ToSource::Credit);
            }
            (ToStage::Stop, next) => {
                match next {
                    Next::Stage(next) => cx.tell(next, ToStage::Stop),
                    Next::Source(_) => self.sum.add(self.collected),
                }
                cx.stop();
            }
        }
    }
}

struct Pipeline {
    chains: u64,
    stages: u64,
    items: u64,
    credit: u64,
    sum: Sum,
}

impl Pipeline {
    fn expected(&self) -> u64 {
        let chain = |chain| {
            (0..self.items).fold(0, |before, number| {
                let processed = (0..self.stages).fold(item(chain, number), processed);
                collected(before, processed)
            })
        };
        (0..self.chains).map(chain).fold(0, u64::wrapping_add)
    }
}

impl Script<Simulated> for Pipeline {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        for chain in 0..self.chains {
            let mut stage = |number, next| {
                driver.spawn(Stage {
                    number,
                    next,
                    collected: 0,
                    sum: self.sum.clone(),
                })
            };
            let last = stage(self.stages - 1, Next::Source(None));
            let before = (0..self.stages - 1).rev();
            let first = before.fold(last.clone(), |next, number| stage(number, Next::Stage(next)));
            let source = driver.spawn(Source {
                chain,
                items: self.items,
                sent: 0,
                back: 0,
                first,
            });
            driver.tell(&last, ToStage::Source(source.clone()));
            driver.tell(&source, ToSource::Begin(self.credit));
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Pipeline {
        chains: number(program, parameters, "chains")?,
        stages: number(program, parameters, "stages")?,
        items: number(program, parameters, "items")?,
        credit: number(program, parameters, "credit")?,
        sum: sum.clone(),
    };
    let actors = script.chains * (script.stages + 1);
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
