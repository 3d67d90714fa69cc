use datil::{
    Actor, Address, Context, Mailbox, NameError, Overflow, Query, QueryContext, Recipient, ReplyTo,
    StopReason, TellError,
};

use crate::support::{PATIENCE, Puppet, on_all, runtime, tell};

struct Other;

impl Actor for Other {
    type Msg = u32;
    fn handle(&mut self, _: u32, cx: &mut Context<'_, Self>) {
        cx.stop();
    }
}

#[test]
fn a_name_leads_to_its_actor_while_that_lives() {
    on_all(|runtime| {
        let (puppet, other) = (runtime.spawn(Puppet::default()), runtime.spawn(Other));
        runtime.register("puppet", puppet).unwrap();
        assert_eq!(runtime.whereis("puppet"), Ok(puppet));
        assert_eq!(
            runtime.register("puppet", other),
            Err(NameError::Taken {
                name: "puppet".into()
            })
        );
        let wrong = runtime.whereis::<Other>("puppet").unwrap_err();
        assert!(
            matches!(&wrong, NameError::OtherType { found, .. } if found.ends_with("Puppet")),
            "{wrong}"
        );
        let (reply, answer) = datil::promise();
        tell(puppet, move |_, cx| {
            cx.register("other", other).unwrap();
            reply.send(cx.whereis::<Puppet>("puppet"));
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok(Ok(puppet)));
        assert_eq!(runtime.names(), ["other", "puppet"]);
        let end = puppet.ended();
        puppet.stop();
        end.wait_for(PATIENCE).unwrap();
        assert_eq!(
            runtime.whereis::<Puppet>("puppet"),
            Err(NameError::Unknown {
                name: "puppet".into()
            })
        );
        runtime.register("puppet", other).unwrap();
        assert!(runtime.unregister("puppet") && !runtime.unregister("puppet"));
        other.tell(0);
    });
}

#[test]
fn who_has_stopped_gets_no_name() {
    on_all(|runtime| {
        let (dead, live) = (runtime.spawn(Other), runtime.spawn(Other));
        let end = dead.ended();
        dead.tell(0);
        end.wait_for(PATIENCE).unwrap();
        let refused = Err(NameError::Stopped { name: "dead".into() });
        assert_eq!(runtime.register("dead", dead), refused);
        runtime.register("dead", live).unwrap();
        assert_eq!(runtime.register("dead", dead), refused, "and takes none away");
        assert_eq!(runtime.whereis("dead"), Ok(live));
        let (reply, answer) = datil::promise();
        let puppet = runtime.spawn(Puppet::default());
        tell(puppet, move |_, cx| {
            reply.send(cx.register("dead", dead));
            cx.stop();
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok(refused));
        live.tell(0);
    });
}

#[test]
fn names_of_the_dead_take_no_place_for_ever() {
    on_all(|runtime| {
        for n in 0..10_000u32 {
            let other = runtime.spawn(Other);
            runtime.register(&n.to_string(), other).unwrap();
            other.tell(0);
            if n % 100 == 0 {
                runtime.wait_quiescent();
            }
        }
        runtime.wait_quiescent();
        assert!(runtime.names().is_empty());
    });
}

#[test]
fn a_recipient_hides_the_type() {
    struct Number(u32);
    enum Wide {
        Number(Number),
    }
    impl From<Number> for Wide {
        fn from(number: Number) -> Self {
            Self::Number(number)
        }
    }
    struct Adder(u32);
    impl Actor for Adder {
        type Msg = Wide;
        fn handle(&mut self, Wide::Number(Number(n)): Wide, cx: &mut Context<'_, Self>) {
            self.0 += n;
            if self.0 >= 10 {
                cx.stop();
            }
        }
    }
    on_all(|runtime| {
        let adder = runtime.spawn(Adder(0));
        let recipient: Recipient<Number> = adder.into();
        assert_eq!((recipient, recipient.id()), (adder.recipient(), adder.id()));
        (0..10).for_each(|_| recipient.tell(Number(1)));
        runtime.wait_quiescent();
        assert!(!recipient.is_alive());
    });
}

/// What a recipient takes; of negative numbers no message can be made.
#[derive(Debug, PartialEq)]
struct Amount(i32);

enum Till {
    Pay(u32),
    Sum(ReplyTo<u32>),
    Wait(std::sync::mpsc::Receiver<()>),
}

impl From<Amount> for Till {
    fn from(Amount(n): Amount) -> Self {
        Self::Pay(n.try_into().expect("an amount, on purpose"))
    }
}

impl From<ReplyTo<u32>> for Till {
    fn from(reply: ReplyTo<u32>) -> Self {
        Self::Sum(reply)
    }
}

/// `BOUND` is its capacity, if it has one.
#[derive(Default)]
struct Cashier<const BOUND: u32>(u32);

impl<const BOUND: u32> Actor for Cashier<BOUND> {
    type Msg = Till;
    const MAILBOX: Mailbox = match BOUND {
        0 => Mailbox::Unbounded,
        capacity => Mailbox::Bounded {
            capacity,
            overflow: Overflow::Reject,
        },
    };
    fn handle(&mut self, msg: Till, _: &mut Context<'_, Self>) {
        match msg {
            Till::Pay(n) => self.0 += n,
            Till::Sum(reply) => reply.send(self.0),
            Till::Wait(gate) => drop(gate.recv()),
        }
    }
}

#[test]
fn a_recipient_gives_back_what_there_is_no_room_for() {
    on_all(|runtime| {
        let cashier = runtime.spawn(Cashier::<2>::default());
        let recipient: Recipient<Amount> = cashier.recipient();
        let (hold, gate) = std::sync::mpsc::channel();
        cashier.tell(Till::Wait(gate));
        while cashier.waiting() != Some(0) {
            std::thread::yield_now();
        }
        // What cannot be made takes no room.
        for _ in 0..3 {
            let fails = std::panic::AssertUnwindSafe(|| recipient.try_tell(Amount(-1)));
            assert!(std::panic::catch_unwind(fails).is_err());
        }
        assert_eq!(cashier.waiting(), Some(0));
        assert_eq!(recipient.try_tell(Amount(1)), Ok(()));
        assert_eq!(recipient.try_tell(Amount(2)), Ok(()));
        // Nor is it made, if there is none.
        assert_eq!(recipient.try_tell(Amount(-3)), Err(TellError::Full(Amount(-3))));
        drop(hold);
        while cashier.waiting() != Some(0) {
            std::thread::yield_now();
        }
        let sum: Recipient<ReplyTo<u32>> = cashier.into();
        assert_eq!(sum.ask(|reply| reply).wait_for(PATIENCE), Ok(3));
        let end = recipient.ended();
        cashier.stop();
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
        assert_eq!(recipient.try_tell(Amount(-4)), Err(TellError::Gone(Amount(-4))));
        assert_eq!(recipient.ended().wait_for(PATIENCE), Ok(StopReason::Gone));
        assert!(sum.ask(|reply| reply).wait_for(PATIENCE).is_err());

        let unbounded = runtime.spawn(Cashier::<0>::default());
        let recipient: Recipient<Amount> = unbounded.recipient();
        (0..100).for_each(|_| assert_eq!(recipient.try_tell(Amount(1)), Ok(())));
        assert_eq!(unbounded.ask(Till::Sum).wait_for(PATIENCE), Ok(100));
        unbounded.stop();
    });
}

/// Keeps what it is paid, in order.
#[derive(Default)]
struct Ledger(Vec<u32>);

enum Entry {
    Pay(u32),
    Read(ReplyTo<Vec<u32>>),
}

impl From<u32> for Entry {
    fn from(n: u32) -> Self {
        Self::Pay(n)
    }
}

impl Actor for Ledger {
    type Msg = Entry;
    fn handle(&mut self, entry: Entry, cx: &mut Context<'_, Self>) {
        match entry {
            Entry::Pay(n) => self.0.push(n),
            Entry::Read(reply) => {
                reply.send(std::mem::take(&mut self.0));
                cx.stop();
            }
        }
    }
}

/// Hands on numbers, two at a time: to an address and to a recipient that lead to the same actor.
struct Courier(Address<Ledger>);

impl Courier {
    fn route(&self) -> (Address<Ledger>, Recipient<u32>) {
        (self.0, self.0.recipient())
    }
}

impl Actor for Courier {
    type Msg = u32;
    fn handle(&mut self, n: u32, cx: &mut Context<'_, Self>) {
        let (address, recipient) = self.route();
        cx.tell(address, n.into());
        cx.tell(recipient, n + 1);
    }
}

impl Query<u32> for Courier {
    fn query(&self, n: u32, cx: &mut QueryContext<'_, Self>) {
        let (address, recipient) = self.route();
        cx.tell(address, n.into());
        cx.tell(recipient, n + 1);
    }
}

#[test]
fn what_actors_write_to_addresses_and_recipients_arrives_in_order() {
    on_all(|runtime| {
        let ledger = runtime.spawn(Ledger::default());
        let courier = runtime.spawn(Courier(ledger));
        for n in (0..200).step_by(4) {
            courier.tell(n);
            courier.query(n + 2);
            // So that no two queries wait in a row, which may run at the same time.
            runtime.wait_quiescent();
        }
        let read = ledger.ask(Entry::Read).wait_for(PATIENCE);
        assert_eq!(read, Ok((0..200).collect()));
        courier.stop();
    });
}

#[test]
fn actors_ask_and_watch_recipients() {
    on_all(|runtime| {
        let cashier = runtime.spawn(Cashier::<0>(7));
        let recipient: Recipient<ReplyTo<u32>> = cashier.recipient();
        let clerk = runtime.spawn(Puppet::default());
        let (sum, end) = (datil::promise(), datil::promise());
        tell(clerk, move |_, cx| {
            cx.monitor(recipient, move |down| {
                Box::new(move |_, cx| {
                    end.0.send((down.actor, down.reason));
                    cx.stop();
                })
            });
            cx.ask(
                recipient,
                |reply| reply,
                move |_, first, cx| {
                    cx.ask_within(
                        PATIENCE,
                        recipient,
                        |reply| reply,
                        move |_, second, _| {
                            sum.0.send((first, second));
                        },
                    );
                },
            );
        });
        assert_eq!(sum.1.wait_for(PATIENCE), Ok((Ok(7), Ok(7))));
        cashier.stop();
        assert_eq!(
            end.1.wait_for(PATIENCE),
            Ok((recipient.id(), StopReason::Stopped))
        );
    });
}

#[test]
fn the_report_of_a_shutdown_names_the_runtimes_own_actors_only() {
    let (here, there) = (runtime(1), runtime(1));
    let theirs = there.spawn(Puppet::default());
    here.register("theirs", theirs).unwrap();
    here.register("ours", here.spawn(Puppet::default())).unwrap();
    here.register("apart", here.spawn_blocking(Puppet::default()))
        .unwrap();
    assert_eq!(here.names(), ["apart", "ours", "theirs"]);
    assert_eq!(here.shutdown().names, ["apart", "ours"]);
    theirs.stop();
    there.wait_quiescent();
    assert!(there.shutdown().is_empty());
}
