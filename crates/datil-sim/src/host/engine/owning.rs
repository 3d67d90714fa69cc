//! Workers that own their actors, step by step: mail, tokens, thefts.

use datil_policy::{ClsTp, ClsWake, End, Route};

use super::Engine;
use super::activation::Activation;
use super::actors::{Slot, Status, Token};
use super::worker::Phase;
use crate::host::{Rules, Settings};
use crate::machine::{Cycles, Owners, Region, preset};

const THERE: Route = Route {
    worker: 1,
    end: End::Tail,
};

/// Two workers and so many idle actors, which belong to worker 0.
fn engine(actors: u32) -> Engine {
    ruled(Rules::of::<ClsTp>(), actors)
}

pub(super) fn ruled(rules: Rules, actors: u32) -> Engine {
    let settings = Settings::new(preset("pair").expect("a preset"));
    let mut engine = Engine::new(rules, settings).expect("it fits the machine");
    engine.slots.extend((0..actors).map(|_| Slot {
        status: Status::Idle,
        owner: Some(0),
        ..Slot::unborn(None, 0, 0, Region::new(0))
    }));
    engine
}

fn owners(engine: &Engine) -> Owners {
    engine.settings.machine.owners.expect("the machine has them")
}

/// The worker begins to run an actor that none of the tests is about.
pub(super) fn begin_handler(engine: &mut Engine, worker: u32) {
    engine.workers[worker as usize].phase = Phase::Busy;
    engine.workers[worker as usize].activation = Some(Activation::of(u32::MAX, false, engine.now));
}

/// Worker `from` sends a number.
pub(super) fn send(engine: &mut Engine, from: u32, to: u32, number: u32) -> Cycles {
    engine.send_owned(from, to, Box::new(number), 0)
}

/// The numbers in an actor's mailbox.
pub(super) fn mail(engine: &Engine, actor: u32) -> Vec<u32> {
    let mailbox = engine.slots[actor as usize].mailbox.iter();
    mailbox
        .map(|mail| *mail.letter.downcast_ref().expect("a number"))
        .collect()
}

pub(super) fn queue(engine: &Engine, worker: u32) -> Vec<u32> {
    engine.workers[worker as usize].queue.iter().copied().collect()
}

#[test]
fn an_actor_goes_to_its_sender_when_its_owner_has_seen_the_token() {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    begin_handler(&mut engine, 1);
    assert!(send(&mut engine, 1, 0, 7) > 0, "lines have moved");
    assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![], vec![]));
    assert_eq!(engine.active, 1, "the token is something that will happen");
    // Between two activations of the owner, and then of the sender.
    assert!(engine.between_activations(0) > 0);
    assert_eq!(engine.slots[0].owner, Some(1));
    assert!(queue(&engine, 1).is_empty(), "it is on its way");
    engine.between_activations(1);
    assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![7], vec![0]));
    assert_eq!(engine.active, 1);
}

#[test]
fn one_token_is_out_however_much_is_sent_and_mail_stays_in_order() {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    begin_handler(&mut engine, 1);
    send(&mut engine, 0, 0, 1);
    send(&mut engine, 1, 0, 2);
    assert_eq!(send(&mut engine, 1, 0, 3), 0, "nobody has touched the list since");
    assert_eq!(engine.workers[0].arrivals.len(), 1);
    // The owner may not give the actor away before the token is back, and sends behind what it can see.
    engine.workers[0].queue.clear();
    engine.carry_out(0, 0, THERE);
    assert_eq!((mail(&engine, 0), queue(&engine, 0)), (vec![1], vec![0]));
    assert!(send(&mut engine, 0, 0, 4) > 0, "the line has to come back");
    assert_eq!(mail(&engine, 0), [1, 2, 3, 4]);
    // Afterwards it may, and takes along what comes meanwhile.
    engine.between_activations(0);
    engine.workers[0].queue.clear();
    engine.carry_out(0, 0, THERE);
    send(&mut engine, 0, 0, 5);
    send(&mut engine, 1, 0, 6);
    assert_eq!(
        mail(&engine, 0),
        [1, 2, 3, 4],
        "nobody owns an actor that travels"
    );
    assert_eq!(engine.workers[1].arrivals.len(), 1, "its token travels with it");
    engine.between_activations(1);
    let all = vec![1, 2, 3, 4, 5, 6];
    assert_eq!((mail(&engine, 0), queue(&engine, 1)), (all, vec![0]));
}

#[test]
fn tokens_are_handled_when_a_handler_makes_an_actor_run() {
    let mut engine = engine(2);
    begin_handler(&mut engine, 0);
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 7);
    send(&mut engine, 0, 1, 8);
    assert_eq!(engine.slots[0].token, Token::InTransit, "it goes to its sender");
    assert_eq!(queue(&engine, 0), [1]);
    // An actor that waits already makes nobody look.
    engine.receive(1, 1);
    send(&mut engine, 0, 0, 9);
    send(&mut engine, 1, 0, 10);
    assert_eq!(engine.workers[1].arrivals.len(), 1);
}

#[test]
fn who_sends_an_actor_on_has_read_all_that_was_sent_to_it() {
    let handles = |messages: u32| {
        let mut engine = engine(1);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        for number in 0..messages {
            send(&mut engine, 1, 0, number);
        }
        let line = engine
            .memory
            .transfer(engine.workers[0].pu, engine.workers[1].pu, 1);
        (engine.receive(0, 0), line)
    };
    let ((one, line), (three, _)) = (handles(1), handles(3));
    assert_eq!(three, one + 2 * line);
}

#[test]
fn who_writes_to_an_actor_of_an_idle_worker_takes_it_over() {
    for phase in [Phase::Sleeping, Phase::Resting] {
        let mut engine = engine(1);
        engine.workers[0].phase = phase;
        engine.write_state(0, engine.workers[0].pu);
        begin_handler(&mut engine, 1);
        let cost = send(&mut engine, 1, 0, 7);
        let lines = engine
            .memory
            .transfer(engine.workers[0].pu, engine.workers[1].pu, 2);
        assert!(cost >= lines && lines > 0, "{cost} {lines}");
        assert_eq!((engine.slots[0].owner, queue(&engine, 1)), (Some(1), vec![0]));
        assert_eq!(engine.workers[0].phase, phase, "nobody is woken for that");
    }
}

#[test]
fn the_token_of_an_actor_that_was_taken_over_follows_it() {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 1);
    engine.workers[0].phase = Phase::Resting;
    send(&mut engine, 1, 0, 2);
    assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![1, 2], vec![0]));
    engine.receive(0, 0);
    assert_eq!(engine.slots[0].token, Token::Brought);
    engine.receive(1, 1);
    assert_eq!(engine.slots[0].token, Token::Home);
    assert_eq!((queue(&engine, 1), engine.active), (vec![0], 1));
}

#[test]
fn a_sender_acts_for_an_owner_that_is_silent_for_long() {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    engine.now += 1;
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 7);
    let owners = owners(&engine);
    engine.now += engine.costs.cycles(owners.silence) - 1;
    engine.between_activations(1);
    assert_eq!(engine.workers[0].late, 0, "not yet");
    engine.now += 1;
    for _ in 1..owners.look_every {
        assert_eq!(engine.between_activations(1), 0, "it has looked just now");
    }
    assert!(engine.between_activations(1) > Cycles::from(owners.fence));
    assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![7], vec![0]));
    // Both have paid for the fence.
    assert_eq!(engine.between_activations(0), Cycles::from(owners.fence));
}

#[test]
fn a_sender_acts_at_once_where_its_activations_are_long() {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    engine.now += engine.costs.cycles(500_000);
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 7);
    let owners = owners(&engine);
    let watching = Cycles::from(owners.patience) * Cycles::from(engine.costs.poll);
    assert!(engine.between_activations(1) > watching + Cycles::from(owners.fence));
    assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![7], vec![0]));
}

#[test]
fn a_sender_looks_after_each_activation_where_they_take_as_long_as_silence_may() {
    let mut engine = engine(1);
    let owners = owners(&engine);
    let silence = engine.costs.cycles(owners.silence);
    begin_handler(&mut engine, 0);
    engine.now += silence;
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 7);
    engine.between_activations(1);
    assert_eq!(engine.workers[0].late, 0, "not yet");
    engine.now += silence;
    assert!(engine.between_activations(1) > Cycles::from(owners.fence));
}

#[test]
fn nobody_acts_for_an_owner_that_has_begun_something_since() {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 7);
    engine.now += 2 * engine.costs.cycles(owners(&engine).silence);
    begin_handler(&mut engine, 0);
    engine.between_activations(1);
    assert_eq!((engine.workers[0].late, engine.workers[0].arrivals.len()), (0, 1));
}

/// Worker 0 is in a handler, and worker 1 has brought it a token and has nothing else to do.
fn brought() -> Engine {
    let mut engine = engine(1);
    begin_handler(&mut engine, 0);
    begin_handler(&mut engine, 1);
    send(&mut engine, 1, 0, 7);
    engine.workers[1].phase = Phase::Searching;
    engine.workers[1].activation = None;
    engine
}

#[test]
fn a_sender_without_work_watches_until_the_owner_has_seen_the_token() {
    let mut engine = brought();
    assert_eq!(engine.watch_brought(1, true), None, "something has come for it");
    assert_eq!(engine.watch_brought(1, false), Some(0));
    engine.now += Cycles::from(engine.costs.poll);
    assert_eq!(
        engine.watch_brought(1, true),
        Some(0),
        "it has begun, and goes on"
    );
    engine.receive(0, 0);
    let looked = engine.watch_brought(1, true).expect("it has not seen that yet");
    assert!(looked > 0, "the line that tells is with the owner");
    assert_eq!(engine.watch_brought(1, true), None);
    assert_eq!(engine.workers[0].late, 0, "nobody has acted in its place");
}

#[test]
fn a_sender_without_work_does_not_watch_an_owner_that_goes_on() {
    let mut engine = brought();
    engine.watch_brought(1, false);
    engine.now += 1;
    begin_handler(&mut engine, 0);
    assert!(engine.watch_brought(1, false).is_some());
    assert_eq!(engine.watch_brought(1, false), None);
    assert_eq!((engine.workers[0].late, engine.workers[0].arrivals.len()), (0, 1));
}

#[test]
fn a_sender_without_work_acts_for_an_owner_that_does_not_go_on() {
    let mut engine = brought();
    let owners = owners(&engine);
    engine.watch_brought(1, false);
    engine.now += Cycles::from(owners.patience) * Cycles::from(engine.costs.poll);
    let cost = engine.watch_brought(1, false);
    assert!(cost.is_some_and(|cost| cost > Cycles::from(owners.fence)));
    assert_eq!(
        (mail(&engine, 0), engine.workers[0].late),
        (vec![7], Cycles::from(owners.fence))
    );
    assert_eq!(engine.watch_brought(1, false), None);
}

/// Two actors wait at worker 0, and worker 1 has asked for one.
fn asked() -> Engine {
    let mut engine = engine(2);
    begin_handler(&mut engine, 0);
    for actor in [0, 1] {
        send(&mut engine, 0, actor, actor);
    }
    let owners = owners(&engine);
    assert!(engine.ask(1, 0, End::Tail, owners));
    assert!(!engine.ask(1, 0, End::Tail, owners), "one request at a time");
    engine
}

#[test]
fn a_victim_answers_between_two_activations() {
    let mut engine = asked();
    let owners = owners(&engine);
    assert!(engine.answer(0) > 0);
    assert_eq!(engine.workers[1].phase, Phase::Searching, "it has noticed");
    assert!(engine.hear(1, 0, End::Tail, owners).is_some());
    assert_eq!((queue(&engine, 0), queue(&engine, 1)), (vec![1], vec![0]));
    assert_eq!((engine.run.steals, engine.run.steal_attempts), (1, 2));
    assert_eq!(engine.slots[0].owner, Some(1));
    assert_eq!(engine.workers[0].late, 0, "nobody has acted in its place");
}

#[test]
fn a_thief_takes_from_a_victim_that_does_not_answer() {
    let mut engine = asked();
    let owners = owners(&engine);
    let cost = engine.hear(1, 0, End::Tail, owners);
    assert!(cost.is_some_and(|cost| cost >= Cycles::from(owners.fence)));
    assert_eq!((queue(&engine, 0), queue(&engine, 1)), (vec![1], vec![0]));
    assert_eq!((engine.run.steals, engine.slots[0].owner), (1, Some(1)));
    assert_eq!(engine.workers[0].late, Cycles::from(owners.fence));
    assert!(engine.workers[0].request.is_none(), "it was taken back");
}

#[test]
fn a_thief_that_is_written_to_meanwhile_takes_its_request_back() {
    let mut engine = asked();
    let owners = owners(&engine);
    engine.slots[0].owner = Some(1);
    engine.slots[0].token = Token::Home;
    begin_handler(&mut engine, 0);
    send(&mut engine, 0, 0, 9);
    assert!(engine.hear(1, 0, End::Tail, owners).is_none());
    assert_eq!((engine.workers[0].late, engine.workers[0].request), (0, None));
}

#[test]
fn what_is_on_its_way_to_a_worker_that_naps_is_intercepted() {
    let mut engine = engine(2);
    begin_handler(&mut engine, 0);
    engine.workers[1].phase = Phase::Sleeping;
    for actor in [0, 1] {
        engine.rouse(actor);
        engine.carry_out(0, actor, THERE);
    }
    assert_eq!(engine.workers[1].phase, Phase::Sleeping, "naps are not ended");
    // The policy grants one.
    assert!(engine.intercept(0, 1).is_some());
    assert_eq!(
        (queue(&engine, 0), engine.workers[1].arrivals.len()),
        (vec![0], 1)
    );
    assert_eq!(
        (engine.slots[0].owner, engine.slots[0].token),
        (Some(0), Token::Home)
    );
    assert_eq!((engine.run.steals, engine.active), (1, 3));
    engine.workers[1].phase = Phase::Searching;
    assert!(engine.intercept(0, 1).is_none(), "it sees to that itself");
}

#[test]
fn nothing_is_to_be_had_from_who_has_nothing_or_is_idle() {
    let mut engine = engine(1);
    let owners = owners(&engine);
    begin_handler(&mut engine, 0);
    assert!(!engine.ask(1, 0, End::Tail, owners));
    send(&mut engine, 0, 0, 1);
    engine.workers[0].phase = Phase::Searching;
    assert!(!engine.ask(1, 0, End::Tail, owners));
    assert_eq!(engine.run.steal_attempts, 2);
}

#[test]
fn a_worker_that_rests_is_called_without_a_wake_up_and_one_that_sleeps_is_woken() {
    let mut engine = ruled(Rules::of::<ClsWake>(), 2);
    begin_handler(&mut engine, 0);
    engine.workers[1].phase = Phase::Resting;
    let called = send(&mut engine, 0, 0, 1);
    assert_eq!((engine.workers[1].phase, engine.run.wakes), (Phase::Searching, 0));
    engine.workers[1].phase = Phase::Sleeping;
    let woken = send(&mut engine, 0, 1, 1);
    assert_eq!((engine.workers[1].phase, engine.run.wakes), (Phase::Searching, 1));
    assert!(woken > called, "{woken} {called}");
}

#[test]
fn nothing_takes_the_same_time_twice_but_all_together_take_theirs() {
    let mut engine = engine(0);
    let times: Vec<Cycles> = (0..10_000).map(|_| engine.jittered(100)).collect();
    let jitter = Cycles::from(owners(&engine).jitter);
    assert_eq!(times.iter().min(), Some(&(100 - jitter)));
    assert_eq!(times.iter().max(), Some(&(100 + jitter)));
    let sum: Cycles = times.iter().sum();
    assert!(sum.abs_diff(1_000_000) < 10_000, "{sum}");
}
