use datil::{
    Actor, AskError, Context, Group, Handle, Mailbox, Overflow, Pool, ReplyTo, Route, Runtime, TellError,
};

use crate::support::{PATIENCE, on_all};

/// Counts the numbers it gets.
#[derive(Default)]
struct Counter(u32);

#[derive(Clone)]
enum Msg {
    Number,
    Stop,
}

enum Wide {
    Plain(Msg),
    Count(ReplyTo<u32>),
    Wait(std::sync::mpsc::Receiver<()>),
}

impl From<Msg> for Wide {
    fn from(msg: Msg) -> Self {
        Self::Plain(msg)
    }
}

impl Actor for Counter {
    type Msg = Wide;
    const MAILBOX: Mailbox = Mailbox::Counted;

    fn handle(&mut self, msg: Wide, cx: &mut Context<'_, Self>) {
        match msg {
            Wide::Plain(Msg::Number) => self.0 += 1,
            Wide::Plain(Msg::Stop) => cx.stop(),
            Wide::Count(reply) => reply.send(self.0),
            Wide::Wait(gate) => drop(gate.recv()),
        }
    }
}

fn counters(runtime: &Runtime, count: usize) -> Vec<datil::Address<Counter>> {
    (0..count).map(|_| runtime.spawn(Counter::default())).collect()
}

fn counts(members: &[datil::Address<Counter>]) -> Vec<u32> {
    let count = |member: &datil::Address<Counter>| member.ask(Wide::Count).wait_for(PATIENCE).unwrap();
    members.iter().map(count).collect()
}

#[test]
fn a_group_reaches_all_who_are_in_it_and_forgets_the_dead() {
    on_all(|runtime| {
        let group = Group::<Msg>::new();
        let members = counters(runtime, 5);
        members.iter().for_each(|&member| group.join(member));
        group.join(members[0]);
        assert_eq!(group.tell_all(Msg::Number), 5);
        assert!(group.leave(members[1]) && !group.leave(members[1]));
        let end = members[2].ended();
        members[2].stop();
        end.wait_for(PATIENCE).unwrap();
        assert_eq!(group.clone().tell_all(Msg::Number), 3);
        let alive = [members[0], members[1], members[3], members[4]];
        assert_eq!(counts(&alive), [2, 1, 2, 2]);
        assert_eq!(group.members().len(), 3);
        group.tell_all(Msg::Stop);
        members[1].stop();
        runtime.wait_quiescent();
        assert_eq!(group.tell_all(Msg::Stop), 0);
    });
}

#[test]
fn pools_share_the_work_as_their_route_says() {
    on_all(|runtime| {
        for route in [
            Route::RoundRobin,
            Route::Random(7),
            Route::LessLoaded(7),
            Route::LeastLoaded,
        ] {
            let members = counters(runtime, 4);
            let pool = Pool::new(members.clone(), route);
            (0..400).for_each(|_| pool.tell(Msg::Number.into()).map_err(drop).unwrap());
            let counts = counts(&members);
            assert_eq!(counts.iter().sum::<u32>(), 400, "{route:?}");
            match route {
                Route::RoundRobin => assert_eq!(counts, [100; 4]),
                Route::Random(_) => assert!(counts.iter().all(|&n| (50..150).contains(&n)), "{counts:?}"),
                _ => {}
            }
            // The dead are passed over.
            let end = members[0].ended();
            members[0].stop();
            end.wait_for(PATIENCE).unwrap();
            (0..100).for_each(|_| assert_ne!(pool.choose(), Some(members[0])));
            let ends: Vec<_> = members[1..].iter().map(|member| member.ended()).collect();
            members.iter().for_each(|member| member.stop());
            ends.into_iter()
                .for_each(|end| drop(end.wait_for(PATIENCE).unwrap()));
            assert!(pool.choose().is_none() && pool.tell(Msg::Number.into()).is_err());
        }
    });
}

/// Has room for one message, and waits in its first one.
struct Narrow;

impl Actor for Narrow {
    type Msg = Option<std::sync::mpsc::Receiver<()>>;
    const MAILBOX: Mailbox = Mailbox::Bounded {
        capacity: 1,
        overflow: Overflow::Reject,
    };

    fn handle(&mut self, gate: Self::Msg, _: &mut Context<'_, Self>) {
        if let Some(gate) = gate {
            let _ = gate.recv();
        }
    }
}

#[test]
fn a_pool_gives_back_what_no_member_has_room_for() {
    for route in [
        Route::RoundRobin,
        Route::Random(3),
        Route::LessLoaded(3),
        Route::LeastLoaded,
    ] {
        let runtime = crate::support::runtime(4);
        let mut held = Vec::new();
        let members: Vec<_> = (0..3)
            .map(|_| {
                let narrow = runtime.spawn_blocking(Narrow);
                let (hold, gate) = std::sync::mpsc::channel();
                narrow.tell(Some(gate));
                while narrow.waiting() != Some(0) {
                    std::thread::yield_now();
                }
                held.push(hold);
                narrow
            })
            .collect();
        let pool = Pool::new(members.clone(), route);
        // Each of the three has room for one, whoever's turn it is.
        (0..3).for_each(|n| assert!(pool.try_tell(None).is_ok(), "{route:?}: {n}"));
        assert!(
            members.iter().all(|member| member.waiting() == Some(1)),
            "{route:?}"
        );
        let refused = pool.try_tell(None).unwrap_err();
        assert!(matches!(refused, TellError::Full(None)), "{route:?}: {refused:?}");
        drop(held);
        members.iter().for_each(|member| member.stop());
        let ends: Vec<_> = members.iter().map(|member| member.ended()).collect();
        ends.into_iter()
            .for_each(|end| drop(end.wait_for(PATIENCE).unwrap()));
        let refused = pool.try_tell(None).unwrap_err();
        assert!(matches!(refused, TellError::Gone(None)), "{route:?}: {refused:?}");
        let empty = Pool::<Narrow>::new(Vec::new(), route);
        assert!(matches!(empty.try_tell(None), Err(TellError::Gone(None))));
        assert!(empty.choose().is_none());
    }
}

/// Has room for one question.
struct Clerk(u32);

enum Task {
    Wait(std::sync::mpsc::Receiver<()>),
    Name(ReplyTo<u32>),
}

impl Actor for Clerk {
    type Msg = Task;
    const MAILBOX: Mailbox = Mailbox::Bounded {
        capacity: 1,
        overflow: Overflow::Reject,
    };

    fn handle(&mut self, task: Task, _: &mut Context<'_, Self>) {
        match task {
            Task::Wait(gate) => drop(gate.recv()),
            Task::Name(reply) => reply.send(self.0),
        }
    }
}

#[test]
fn a_pool_asks_who_lives_and_has_room() {
    on_all(|runtime| {
        let clerks: Vec<_> = (0..3).map(|name| runtime.spawn_blocking(Clerk(name))).collect();
        let pool = Pool::new(clerks.clone(), Route::RoundRobin);
        let heard: Vec<_> = (0..6).map(|_| pool.ask(Task::Name).wait_for(PATIENCE)).collect();
        assert_eq!(heard, [0, 1, 2, 0, 1, 2].map(Ok));
        // One is dead, the other two are busy: each has room for one question.
        let end = clerks[0].ended();
        clerks[0].stop();
        end.wait_for(PATIENCE).unwrap();
        let mut held = Vec::new();
        for clerk in &clerks[1..] {
            let (hold, gate) = std::sync::mpsc::channel();
            clerk.tell(Task::Wait(gate));
            while clerk.waiting() != Some(0) {
                std::thread::yield_now();
            }
            held.push(hold);
        }
        let answers = [pool.ask(Task::Name), pool.ask(Task::Name)];
        let before = runtime.metrics().outside_dead_letters;
        assert_eq!(pool.ask(Task::Name).wait_for(PATIENCE), Err(AskError::Full));
        assert!(
            runtime.metrics().outside_dead_letters > before,
            "as a question to an actor"
        );
        drop(held);
        let mut names = answers.map(|answer| answer.wait_for(PATIENCE).unwrap());
        names.sort();
        assert_eq!(names, [1, 2]);
        clerks.iter().for_each(|clerk| clerk.stop());
        runtime.wait_quiescent();
        assert_eq!(pool.ask(Task::Name).wait_for(PATIENCE), Err(AskError::Gone));
        let nobody = Pool::<Clerk>::new(Vec::new(), Route::LeastLoaded);
        assert_eq!(nobody.ask(Task::Name).wait_for(PATIENCE), Err(AskError::Gone));
    });
}

#[test]
fn keys_stay_with_their_members_and_only_those_of_the_dead_move() {
    on_all(|runtime| {
        let members = counters(runtime, 5);
        let pool = Pool::new(members.clone(), Route::Random(1));
        let keys = 0..1000u32;
        let before: Vec<_> = keys.clone().map(|key| pool.of_key(&key).unwrap()).collect();
        for member in &members {
            let share = before.iter().filter(|&owner| owner == member).count();
            assert!(
                (140..=260).contains(&share),
                "{share} of 1000 keys for one of five"
            );
        }
        let end = members[2].ended();
        members[2].stop();
        end.wait_for(PATIENCE).unwrap();
        let mut heirs = std::collections::HashSet::new();
        for (key, owner) in keys.zip(before) {
            let now = pool.of_key(&key).unwrap();
            if owner == members[2] {
                assert_ne!(now, owner);
                heirs.insert(now);
            } else {
                assert_eq!(now, owner);
            }
        }
        assert_eq!(heirs.len(), 4, "the keys of the dead are spread");
        members.iter().for_each(|member| member.stop());
        runtime.wait_quiescent();
        assert_eq!(pool.of_key("any"), None);
    });
}

#[test]
fn loads_are_seen() {
    on_all(|runtime| {
        let members = counters(runtime, 3);
        let mut held = Vec::new();
        // The workers are held up, so that messages wait: two at the first, one at the second, none at the third.
        for (waiting, &member) in [2, 1, 0].iter().zip(&members) {
            let (hold, gate) = std::sync::mpsc::channel();
            member.tell(Wide::Wait(gate));
            held.push(hold);
            (0..*waiting).for_each(|_| member.tell(Msg::Number.into()));
        }
        let pool = Pool::new(members.clone(), Route::LeastLoaded);
        // The waits themselves may or may not have begun, which is one message of difference at most for one actor per worker.
        let chosen = pool.choose().unwrap();
        assert_ne!(chosen, members[0]);
        let two = Pool::new(vec![members[0], members[2]], Route::LessLoaded(3));
        let picks = (0..200).filter(|_| two.choose() == Some(members[2])).count();
        assert!(picks > 120, "{picks} of 200 went to the less loaded one");
        drop(held);
        members.iter().for_each(|member| member.stop());
    });
}

#[test]
fn an_actor_ends_with_its_last_handle_and_handles_what_was_sent() {
    on_all(|runtime| {
        let handle = Handle::new(runtime.spawn(Counter::default()));
        let (other, weak, address) = (handle.clone(), handle.downgrade(), *handle);
        drop(handle);
        let third = weak.upgrade().unwrap();
        assert_eq!(third.count(), 2);
        drop(other);
        let end = address.ended();
        let answer = address.ask(Wide::Count);
        drop(third);
        assert_eq!(answer.wait_for(PATIENCE), Ok(0));
        assert!(end.wait_for(PATIENCE).is_ok() && weak.upgrade().is_none());
    });
}

#[test]
fn an_actor_that_holds_its_own_handle_is_reported() {
    struct Narcissus(Option<Handle<Narcissus>>);
    impl Actor for Narcissus {
        type Msg = Handle<Narcissus>;
        fn handle(&mut self, handle: Handle<Narcissus>, _: &mut Context<'_, Self>) {
            self.0 = Some(handle);
        }
    }
    let runtime = crate::support::runtime(2);
    let handle = Handle::new(runtime.spawn(Narcissus(None)));
    let address = *handle;
    address.tell(handle);
    runtime.wait_quiescent();
    let leftovers = runtime.shutdown();
    assert_eq!(leftovers.actors.values().sum::<usize>(), 1);
    assert!(leftovers.to_string().contains("Narcissus"), "{leftovers}");
}

/// Waits until its handle is the last one, asks once more, and drops it.
struct Last(Option<Handle<Counter>>);

impl Actor for Last {
    type Msg = ReplyTo<u32>;
    fn handle(&mut self, reply: ReplyTo<u32>, cx: &mut Context<'_, Self>) {
        let handle = self.0.take().unwrap();
        while handle.count() > 1 {
            std::thread::yield_now();
        }
        cx.tell(*handle, Wide::Count(reply));
        drop(handle);
        cx.stop();
    }
}

#[test]
fn a_handle_that_an_actor_drops_last_stops_behind_what_others_have_sent() {
    on_all(|runtime| {
        for _ in 0..if cfg!(miri) { 2 } else { 100 } {
            let handle = Handle::new(runtime.spawn(Counter::default()));
            let last = runtime.spawn(Last(Some(handle.clone())));
            let of_last = last.ask(|reply| reply);
            // From here on its worker takes nothing from the inbox, mostly.
            std::thread::yield_now();
            let mine = handle.ask(Wide::Count);
            drop(handle);
            assert_eq!(mine.wait_for(PATIENCE), Ok(0));
            assert_eq!(of_last.wait_for(PATIENCE), Ok(0));
        }
    });
}
