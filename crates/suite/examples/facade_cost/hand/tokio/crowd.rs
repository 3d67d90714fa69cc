//! Chameneos and Big: a hundred actors that talk to one, or to each other.

use std::sync::Arc;
use std::sync::mpsc as outside;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Run;

enum ToMall {
    Meet {
        colour: i64,
        who: UnboundedSender<ToCreature>,
    },
    Count {
        met: i64,
    },
}

enum ToCreature {
    Meet {
        colour: i64,
        who: UnboundedSender<ToCreature>,
    },
    Change {
        colour: i64,
    },
    Exit,
}

pub fn chameneos(runtime: Runtime, creatures: i64, meetings: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let start = Instant::now();
        let (mall, mailbox) = unbounded_channel();
        runtime.spawn(be_mall(mailbox, mall, creatures, meetings, done));
        let sum = results.recv().expect("the mall reports");
        let wall = start.elapsed();
        assert_eq!(sum, 2 * meetings);
        wall
    })
}

async fn be_mall(
    mut mailbox: UnboundedReceiver<ToMall>,
    myself: UnboundedSender<ToMall>,
    creatures: i64,
    mut left: i64,
    done: outside::Sender<i64>,
) {
    for id in 0..creatures {
        let (creature, box_of_creature) = unbounded_channel();
        tokio::spawn(be_creature(box_of_creature, creature, myself.clone(), id % 3));
    }
    let mut waiting: Option<UnboundedSender<ToCreature>> = None;
    let (mut gone, mut sum) = (0, 0);
    while gone < creatures {
        match mailbox.recv().await.expect("this task holds a sender") {
            ToMall::Meet { who, .. } if left == 0 => {
                who.send(ToCreature::Exit).expect("the creature lives");
            }
            ToMall::Meet { colour, who } => match waiting.take() {
                None => waiting = Some(who),
                Some(partner) => {
                    left -= 1;
                    partner
                        .send(ToCreature::Meet { colour, who })
                        .expect("the creature lives");
                }
            },
            ToMall::Count { met } => {
                gone += 1;
                sum += met;
            }
        }
    }
    done.send(sum).expect("the driver waits");
}

async fn be_creature(
    mut mailbox: UnboundedReceiver<ToCreature>,
    myself: UnboundedSender<ToCreature>,
    mall: UnboundedSender<ToMall>,
    mut own: i64,
) {
    let mut met = 0;
    loop {
        let who = myself.clone();
        mall.send(ToMall::Meet { colour: own, who })
            .expect("the mall lives");
        match mailbox.recv().await.expect("this task holds a sender") {
            ToCreature::Meet { colour, who } => {
                own = if own == colour { own } else { 3 - own - colour };
                who.send(ToCreature::Change { colour: own })
                    .expect("the creature lives");
            }
            ToCreature::Change { colour } => own = colour,
            ToCreature::Exit => break,
        }
        met += 1;
    }
    mall.send(ToMall::Count { met }).expect("the mall lives");
}

type Peers = Arc<Vec<UnboundedSender<ToPlayer>>>;

enum ToPlayer {
    Peers(Peers),
    Ping(usize),
    Pong(Option<usize>),
    Exit,
}

pub fn big(runtime: Runtime, pings: i64, actors: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let start = Instant::now();
        let (sink, mut dones) = unbounded_channel();
        let peers: Peers = Arc::new(
            (0..actors)
                .map(|id| {
                    let (player, mailbox) = unbounded_channel();
                    runtime.spawn(be_player(mailbox, id, pings, sink.clone(), done.clone()));
                    player
                })
                .collect(),
        );
        let all = |message: &dyn Fn() -> ToPlayer| {
            peers
                .iter()
                .for_each(|peer| peer.send(message()).expect("the player lives"));
        };
        all(&|| ToPlayer::Peers(peers.clone()));
        all(&|| ToPlayer::Pong(None));
        for _ in 0..actors {
            dones.blocking_recv().expect("every player sends all its pings");
        }
        all(&|| ToPlayer::Exit);
        let sum: i64 = (0..actors)
            .map(|_| results.recv().expect("every player reports"))
            .sum();
        let wall = start.elapsed();
        assert_eq!(sum, pings * actors);
        wall
    })
}

async fn be_player(
    mut mailbox: UnboundedReceiver<ToPlayer>,
    id: i64,
    mut left: i64,
    sink: UnboundedSender<()>,
    done: outside::Sender<i64>,
) {
    let me = usize::try_from(id).expect("an index");
    let Some(ToPlayer::Peers(peers)) = mailbox.recv().await else {
        panic!("a player hears of its peers first");
    };
    let (mut random, mut expect, mut received) = (me, None, 0);
    while let Some(message) = mailbox.recv().await {
        match message {
            ToPlayer::Ping(from) => {
                received += 1;
                peers[from]
                    .send(ToPlayer::Pong(Some(me)))
                    .expect("the player lives");
            }
            ToPlayer::Pong(from) => {
                assert_eq!(from, expect);
                if left == 0 {
                    sink.send(()).expect("the driver waits");
                    continue;
                }
                left -= 1;
                random = (random * 1309 + 13849) & 65535;
                let target = random % peers.len();
                expect = Some(target);
                peers[target].send(ToPlayer::Ping(me)).expect("the player lives");
            }
            ToPlayer::Exit => break,
            ToPlayer::Peers(_) => panic!("a player hears of its peers once"),
        }
    }
    done.send(received).expect("the driver waits");
}
