//! A game world: a torus of zones, and players who walk through it. A zone takes a step when all players in it have said
//! what they do: it goes through what is near each of them, tells those who stay what they see, and hands those who
//! cross a border over to the next zone. So zones go at their own pace, and a crowded one is slow for all who are there.
//! Players like to go where something happens, and that is elsewhere from time to time, so that the crowd moves on.
//! Written as held out, after it was decided how often workers look for sleepers.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "zones",
    about: "written to try the final rules on: a game world of zones of 1 MiB, with players who gather and cross borders",
    nature: Nature::State,
    parameters: &[("side", "8"), ("players", "320"), ("moves", "60")],
    scale: None,
    annotations: &[
        // Nearly all messages tell a player what it sees, and a player who is handed over has no more with it.
        Annotation {
            carries: |_| SIGHT_LINES,
            ..data("zones::Zone", |_| ZONE_BYTES, step)
        },
        actor("zones::Player", decide),
        coordinator("zones::Keeper", light),
    ],
    run,
};

/// Terrain, things and who is where.
const ZONE_BYTES: u64 = 1 << 20;
/// What a player sees, in 512 bytes.
const SIGHT_LINES: u32 = 8;
/// Something happens at the same place for so many moves.
const EPOCH: u64 = 14;
/// Of so many moves a player goes to where something happens with one, and anywhere with another one.
const WALK: u64 = 4;

/// A step goes through a list of all that moves by itself, a 64th of the zone, and through what is near each player, as
/// much again: 20 cycles a line for collisions and sights. While others are waited for, a move is only written down.
fn step(activity: &Activity) -> Charge {
    const PART: u64 = ZONE_BYTES / 64 / 64;
    match activity.sends as u64 {
        0 => Charge::compute(150).touching(2),
        players => Charge::compute(1_000 + (1 + players) * PART * 20)
            .touching((1 + players) * PART)
            .exposing(0.3),
    }
}

/// 0.5 to 3 µs at 2.3 GHz: a player looks at what it sees and decides.
fn decide(activity: &Activity) -> Charge {
    Charge::compute(between(1_150, 6_900, activity)).touching(2 + u64::from(SIGHT_LINES))
}

/// The world's zones, `side` of them in each direction.
#[derive(Clone, Copy)]
struct Torus {
    side: u64,
}

impl Torus {
    fn zones(self) -> u64 {
        self.side * self.side
    }

    /// The neighbours of a zone: east, west, south and north.
    fn around(self, zone: u64) -> [u64; 4] {
        let (row, column) = (zone / self.side, zone % self.side);
        let (next, last) = (
            |place: u64| (place + 1) % self.side,
            |place: u64| (place + self.side - 1) % self.side,
        );
        [
            (row, next(column)),
            (row, last(column)),
            (next(row), column),
            (last(row), column),
        ]
        .map(|(row, column)| row * self.side + column)
    }

    /// To which neighbour one goes from a zone to another one, if it is another one: first along the row, eastward in
    /// any case.
    fn towards(self, zone: u64, goal: u64) -> Option<usize> {
        if zone % self.side != goal % self.side {
            Some(0)
        } else {
            (zone != goal).then_some(2)
        }
    }

    /// Across which border a player goes with a move, if it does.
    fn heading(self, player: u64, number: u64, zone: u64) -> Option<usize> {
        let dice = mixed(player << 32 | number);
        match dice % WALK {
            0 => self.towards(zone, mixed(number / EPOCH) % self.zones()),
            1 => Some((dice >> 32) as usize % 4),
            _ => None,
        }
    }

    /// Where a player is at first.
    fn home(self, player: u64) -> u64 {
        player % self.zones()
    }
}

/// What a player remembers of its way when it sees the next zone.
fn remembered(way: u64, zone: u64) -> u64 {
    mixed(way ^ zone)
}

struct Zone {
    number: u64,
    /// As [`Torus::around`].
    neighbours: Vec<To<Zone>>,
    /// Players who have been told what they see and have not said yet what they do.
    deciding: usize,
    /// Players for whom the next step is, and across which border they go.
    moves: Vec<(To<Player>, Option<usize>)>,
}

enum ToZone {
    Neighbours(Vec<To<Zone>>),
    /// A player comes across a border.
    Enter(To<Player>),
    /// A player who is here goes on.
    Move(To<Player>, Option<usize>),
    /// A player who is here has had enough.
    Leave,
    Stop,
}

impl Zone {
    /// Takes a step if nobody needs to be waited for.
    fn step_if_due(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.deciding > 0 {
            return;
        }
        for (player, border) in self.moves.drain(..) {
            if let Some(border) = border {
                cx.tell(&self.neighbours[border], ToZone::Enter(player));
            } else {
                cx.tell(&player, Seen(self.number, cx.myself()));
                self.deciding += 1;
            }
        }
    }
}

impl Actor<Simulated> for Zone {
    type Message = ToZone;

    fn handle(&mut self, message: ToZone, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToZone::Neighbours(neighbours) => self.neighbours = neighbours,
            ToZone::Enter(player) => {
                self.moves.push((player, None));
                self.step_if_due(cx);
            }
            ToZone::Move(player, border) => {
                self.moves.push((player, border));
                self.deciding -= 1;
                self.step_if_due(cx);
            }
            ToZone::Leave => {
                self.deciding -= 1;
                self.step_if_due(cx);
            }
            ToZone::Stop => cx.stop(),
        }
    }
}

struct Player {
    number: u64,
    torus: Torus,
    moves: u64,
    moved: u64,
    /// All zones that it has seen, one after the other.
    way: u64,
    keeper: To<Keeper>,
}

/// Where the player is, and whom it tells what it does there.
struct Seen(u64, To<Zone>);

impl Actor<Simulated> for Player {
    type Message = Seen;

    fn handle(&mut self, Seen(number, zone): Seen, cx: &mut impl Context<Simulated, Self>) {
        self.way = remembered(self.way, number);
        if self.moved == self.moves {
            cx.tell(&zone, ToZone::Leave);
            cx.tell(&self.keeper, Gone(self.way));
            return cx.stop();
        }
        let border = self.torus.heading(self.number, self.moved, number);
        cx.tell(&zone, ToZone::Move(cx.myself(), border));
        self.moved += 1;
    }
}

/// Stops the zones when all players have gone.
struct Keeper {
    players: u64,
    zones: Vec<To<Zone>>,
    sum: Sum,
}

/// A player has gone, after this way.
struct Gone(u64);

impl Actor<Simulated> for Keeper {
    type Message = Gone;

    fn handle(&mut self, Gone(way): Gone, cx: &mut impl Context<Simulated, Self>) {
        self.sum.add(way);
        self.players -= 1;
        if self.players == 0 {
            for zone in &self.zones {
                cx.tell(zone, ToZone::Stop);
            }
            cx.stop();
        }
    }
}

struct World {
    torus: Torus,
    players: u64,
    /// Of one player.
    moves: u64,
    sum: Sum,
}

impl World {
    /// The ways of all players: with each move one sees the zone where one is then.
    fn expected(&self) -> u64 {
        let way = |player| {
            let mut zone = self.torus.home(player);
            let mut way = remembered(0, zone);
            for number in 0..self.moves {
                if let Some(border) = self.torus.heading(player, number, zone) {
                    zone = self.torus.around(zone)[border];
                }
                way = remembered(way, zone);
            }
            way
        };
        (0..self.players).map(way).fold(0, u64::wrapping_add)
    }
}

impl Script<Simulated> for World {
    /// Zones know their neighbours before there is any player.
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let zone = |number| {
            driver.spawn(Zone {
                number,
                neighbours: Vec::new(),
                deciding: 0,
                moves: Vec::new(),
            })
        };
        let zones: Vec<To<Zone>> = (0..self.torus.zones()).map(zone).collect();
        for (number, zone) in (0..).zip(&zones) {
            let around = self.torus.around(number);
            let neighbours = around.map(|neighbour| zones[neighbour as usize].clone());
            driver.tell(zone, ToZone::Neighbours(neighbours.to_vec()));
        }
        let keeper = driver.spawn(Keeper {
            players: self.players,
            zones: zones.clone(),
            sum: self.sum,
        });
        for number in 0..self.players {
            let player = driver.spawn(Player {
                number,
                torus: self.torus,
                moves: self.moves,
                moved: 0,
                way: 0,
                keeper: keeper.clone(),
            });
            let home = self.torus.home(number) as usize;
            driver.tell(&zones[home], ToZone::Enter(player));
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = World {
        torus: Torus {
            side: number(program, parameters, "side")?,
        },
        players: number(program, parameters, "players")?,
        moves: number(program, parameters, "moves")?,
        sum: sum.clone(),
    };
    let actors = script.torus.zones() + script.players + 1;
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
