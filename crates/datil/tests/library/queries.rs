use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use datil::{
    Actor, Address, AskError, Context, Query, QueryContext, ReplyTo, Restart, Runtime, Simulation,
    StopReason, Strategy, Supervisor,
};

use crate::support::{Alive, PATIENCE, Puppet, no_accident, on_all, runtime, tell};

/// A state whose halves are equal whenever nobody changes it.
#[derive(Default)]
struct Book {
    left: u64,
    right: u64,
    /// Last numbers by sender.
    by: HashMap<usize, u64>,
    reading: AtomicUsize,
    most: Arc<AtomicUsize>,
    _alive: Option<Alive>,
}

enum Write {
    Add(u64),
    From(usize, u64),
    Panic,
    Stop,
}

struct Total(ReplyTo<u64>);
struct Of(usize, ReplyTo<u64>);
struct Fail(ReplyTo<()>);
/// Reads while the closure runs.
struct Look(Box<dyn FnOnce() + Send>);

impl Actor for Book {
    type Msg = Write;

    fn handle(&mut self, msg: Write, cx: &mut Context<'_, Self>) {
        assert_eq!(self.reading.load(SeqCst), 0, "a message while queries run");
        match msg {
            Write::Add(n) => {
                self.left += n;
                spin(Duration::from_micros(1));
                self.right += n;
            }
            Write::From(sender, n) => drop(self.by.insert(sender, n)),
            Write::Panic => panic!("on purpose"),
            Write::Stop => cx.stop(),
        }
    }

    fn stopped(&mut self, _: &mut Context<'_, Self>) {
        assert_eq!(self.reading.load(SeqCst), 0, "stopped while queries run");
    }
}

impl Book {
    fn look<R>(&self, f: impl FnOnce() -> R) -> R {
        let now = self.reading.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(now, SeqCst);
        assert_eq!(self.left, self.right, "a query while a message is handled");
        let result = f();
        assert_eq!(self.left, self.right, "a message while a query runs");
        self.reading.fetch_sub(1, SeqCst);
        result
    }
}

impl Query<Total> for Book {
    fn query(&self, Total(reply): Total, _: &mut QueryContext<'_, Self>) {
        reply.send(self.look(|| {
            spin(Duration::from_micros(20));
            self.left
        }));
    }
}

impl Query<Of> for Book {
    fn query(&self, Of(sender, reply): Of, _: &mut QueryContext<'_, Self>) {
        reply.send(self.look(|| self.by.get(&sender).copied().unwrap_or(0)));
    }
}

impl Query<Fail> for Book {
    fn query(&self, Fail(_reply): Fail, _: &mut QueryContext<'_, Self>) {
        panic!("a query on purpose");
    }
}

impl Query<Look> for Book {
    fn query(&self, Look(f): Look, _: &mut QueryContext<'_, Self>) {
        self.look(f);
    }
}

fn spin(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Holds the actor in a message, so that what is sent meanwhile waits in its mailbox; ends when the result is dropped.
fn hold(book: Address<Book>) -> std::sync::mpsc::Sender<()> {
    let (hold, gate) = std::sync::mpsc::channel::<()>();
    let inside = Arc::new(AtomicBool::new(false));
    let seen = inside.clone();
    book.query(Look(Box::new(move || {
        seen.store(true, SeqCst);
        let _ = gate.recv();
    })));
    while !inside.load(SeqCst) {
        std::thread::yield_now();
    }
    hold
}

/// Sends queries from inside the runtime, so that they are in the mailbox when this returns.
fn ask_from_inside(runtime: &Runtime, book: Address<Book>, looks: Vec<Look>) {
    let sender = runtime.spawn(Puppet::default());
    tell(sender, move |_, cx| {
        looks.into_iter().for_each(|look| cx.query(book, look));
        cx.stop();
    });
    let _ = sender.ended().wait_for(PATIENCE);
}

/// Lets two queries run until `meanwhile` returns. Whether the workers that could help idle at the right moment is up to the system, so it is tried again.
fn while_two_run(runtime: &Runtime, book: Address<Book>, mut meanwhile: impl FnMut()) {
    loop {
        let (running, finish) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let look = || {
            let (running, finish) = (running.clone(), finish.clone());
            Look(Box::new(move || {
                running.fetch_add(1, SeqCst);
                while !finish.load(SeqCst) {
                    std::thread::yield_now();
                }
            }))
        };
        let first = hold(book);
        ask_from_inside(runtime, book, vec![look(), look()]);
        drop(first);
        let began = Instant::now();
        while running.load(SeqCst) < 2 && began.elapsed() < Duration::from_secs(1) {
            std::thread::yield_now();
        }
        let both = running.load(SeqCst) == 2;
        if both {
            meanwhile();
        }
        finish.store(true, SeqCst);
        if both {
            return;
        }
    }
}

#[test]
fn queries_run_at_the_same_time_and_messages_wait_for_them() {
    let runtime = runtime(3);
    let most = Arc::new(AtomicUsize::new(0));
    let book = runtime.spawn(Book {
        most: most.clone(),
        ..Book::default()
    });
    let mut after = None;
    while_two_run(&runtime, book, || {
        book.tell(Write::Add(3));
        let total = book.ask_query(Total);
        // Its own thread has to see that nothing happens: for a while is all that can be said.
        std::thread::sleep(Duration::from_millis(5));
        after = Some(total);
    });
    let total = after.expect("two ran");
    assert_eq!(total.wait_for(PATIENCE), Ok(3), "the message came between");
    assert!(most.load(SeqCst) >= 2);
    book.tell(Write::Stop);
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn one_worker_answers_them_one_after_the_other() {
    let runtime = runtime(1);
    let book = runtime.spawn(Book::default());
    let most = Arc::new(AtomicUsize::new(0));
    let counted = runtime.spawn(Book {
        most: most.clone(),
        ..Book::default()
    });
    let answers: Vec<_> = (0..100).map(|_| counted.ask_query(Total)).collect();
    assert!(
        answers
            .into_iter()
            .all(|answer| answer.wait_for(PATIENCE) == Ok(0))
    );
    assert_eq!(most.load(SeqCst), 1);
    book.tell(Write::Stop);
    counted.tell(Write::Stop);
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn a_query_sees_what_its_sender_sent_before_and_nothing_later() {
    struct Client {
        id: usize,
        book: Address<Book>,
        left: u64,
        faults: Arc<AtomicU64>,
        done: Option<ReplyTo<()>>,
    }
    impl Client {
        fn go(&mut self, cx: &mut Context<'_, Self>) {
            let (id, n) = (self.id, self.left);
            if n == 0 {
                self.done.take().expect("once").send(());
                return cx.stop();
            }
            cx.tell(self.book, Write::From(id, n));
            cx.ask_query(
                self.book,
                |reply| Of(id, reply),
                move |me, seen, cx| {
                    if seen != Ok(n) {
                        me.faults.fetch_add(1, SeqCst);
                    }
                    me.left -= 1;
                    me.go(cx);
                },
            );
            // Sent before anything else of this sender is: the query must not see it.
            cx.tell(self.book, Write::From(id, u64::MAX));
        }
    }
    impl Actor for Client {
        type Msg = ();
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            self.go(cx);
        }
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }
    on_all(|runtime| {
        let book = runtime.spawn(Book::default());
        let faults = Arc::new(AtomicU64::new(0));
        let answers: Vec<_> = (0..8)
            .map(|id| {
                let (done, answer) = datil::promise();
                runtime.spawn(Client {
                    id,
                    book,
                    left: 200,
                    faults: faults.clone(),
                    done: Some(done),
                });
                answer
            })
            .collect();
        for answer in answers {
            assert_eq!(answer.wait_for(PATIENCE), Ok(()));
        }
        assert_eq!(faults.load(SeqCst), 0);
        // From a thread outside as well.
        for n in 0..100 {
            book.tell(Write::From(99, n));
            let seen = book.ask_query(|reply| Of(99, reply));
            book.tell(Write::From(99, u64::MAX));
            assert_eq!(seen.wait_for(PATIENCE), Ok(n));
        }
        book.tell(Write::Stop);
    });
}

#[test]
fn a_panic_in_a_query_ends_the_query_only() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let hook = told.clone();
    let runtime = Runtime::builder()
        .workers(3)
        .on_panic(move |info| {
            hook.lock()
                .unwrap()
                .push((info.actor.to_owned(), info.message.to_owned()))
        })
        .build()
        .unwrap();
    let book = runtime.spawn(Book::default());
    let hold = hold(book);
    let failing: Vec<_> = (0..20).map(|_| book.ask_query(Fail)).collect();
    let total = book.ask_query(Total);
    drop(hold);
    for answer in failing {
        assert_eq!(answer.wait_for(PATIENCE), Err(AskError::Dropped));
    }
    assert_eq!(total.wait_for(PATIENCE), Ok(0));
    book.tell(Write::Stop);
    runtime.wait_quiescent();
    assert_eq!(runtime.metrics().total().panics, 20);
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 20);
    assert!(
        told.iter()
            .all(|(actor, message)| actor.ends_with("Book") && message == "a query on purpose")
    );
    drop(told);
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn stopping_waits_for_the_queries_that_run_and_drops_those_that_wait() {
    on_all(|runtime| {
        let count = Arc::new(AtomicUsize::new(0));
        let book = runtime.spawn(Book {
            _alive: Some(Alive::new(&count)),
            ..Book::default()
        });
        let end = book.ended();
        let hold = hold(book);
        let (before, later) = (book.ask_query(Total), {
            book.stop_in_turn();
            book.ask_query(Total)
        });
        assert_eq!(count.load(SeqCst), 1);
        drop(hold);
        assert_eq!(before.wait_for(PATIENCE), Ok(0));
        assert_eq!(later.wait_for(PATIENCE), Err(AskError::Gone));
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
        assert_eq!(
            book.ask_query(Total).wait_for(PATIENCE),
            Err(AskError::Gone),
            "the dead are asked in vain"
        );
    });
}

#[test]
fn a_stop_that_overtakes_waits_for_those_that_run() {
    let runtime = runtime(3);
    let book = runtime.spawn(Book::default());
    let end = book.ended();
    while_two_run(&runtime, book, || {
        book.kill();
        std::thread::sleep(Duration::from_millis(5));
        assert!(book.is_alive(), "two queries refer to its state");
    });
    assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Killed));
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn a_restarted_actor_keeps_the_queries_that_wait() {
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 5, Duration::from_secs(60));
        let book = supervisor
            .start(&mut &*runtime, Restart::OnFailure, Book::default)
            .unwrap();
        let hold = hold(book);
        book.tell(Write::Add(5));
        let before: Vec<_> = (0..10).map(|_| book.ask_query(Total)).collect();
        book.tell(Write::Panic);
        let after: Vec<_> = (0..10).map(|_| book.ask_query(Total)).collect();
        drop(hold);
        assert!(
            before
                .into_iter()
                .all(|answer| answer.wait_for(PATIENCE) == Ok(5))
        );
        assert!(after.into_iter().all(|answer| answer.wait_for(PATIENCE) == Ok(0)));
        supervisor.stop();
    });
}

#[test]
fn messages_get_their_turn_under_a_flood_of_queries() {
    let runtime = runtime(2);
    let book = runtime.spawn(Book::default());
    let flooding = Arc::new(AtomicBool::new(true));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let flooding = flooding.clone();
            std::thread::spawn(move || {
                while flooding.load(SeqCst) {
                    // As many as one likes, but not without end: the machine's memory is not what is tested.
                    let answers: Vec<_> = (0..50).map(|_| book.ask_query(Total)).collect();
                    assert!(
                        answers
                            .into_iter()
                            .all(|answer| answer.wait_for(PATIENCE).is_ok())
                    );
                }
            })
        })
        .collect();
    for n in 1..=50 {
        book.tell(Write::Add(1));
        let (reply, answer) = datil::promise();
        book.query(Total(reply));
        assert_eq!(
            answer.wait_for(PATIENCE),
            Ok(n),
            "neither side is kept waiting for ever"
        );
    }
    flooding.store(false, SeqCst);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    book.tell(Write::Stop);
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn a_shutdown_in_the_middle_drops_what_waits_once() {
    struct Counted(Alive);
    impl Query<Counted> for Book {
        /// Sends itself again, so that whenever the shutdown comes there are some that wait.
        fn query(&self, Counted(alive): Counted, cx: &mut QueryContext<'_, Self>) {
            self.look(|| spin(Duration::from_micros(200)));
            let me = cx.address();
            cx.query(me, Counted(alive));
        }
    }
    let many = if cfg!(miri) { 20 } else { 500 };
    for workers in [1, 3] {
        let count = Arc::new(AtomicUsize::new(0));
        let runtime = runtime(workers);
        let book = runtime.spawn(Book::default());
        (0..many).for_each(|_| book.query(Counted(Alive::new(&count))));
        book.tell(Write::Add(1));
        (0..many).for_each(|_| book.query(Counted(Alive::new(&count))));
        while runtime.metrics().total().messages < 20 {
            std::thread::yield_now();
        }
        let leftovers = runtime.shutdown();
        assert_eq!(count.load(SeqCst), 0, "{leftovers}");
        assert!(
            leftovers.messages > 0 && leftovers.actors.keys().any(|name| name.ends_with("Book")),
            "{workers} workers: {leftovers}"
        );
    }
}

#[test]
fn helpers_that_a_shutdown_overtakes_are_not_reported() {
    // Whether one is overtaken is up to the machine: without the exception some are in a few rounds.
    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
        let runtime = runtime(4);
        let book = runtime.spawn(Book::default());
        runtime.wait_quiescent();
        let began = Arc::new(AtomicBool::new(false));
        let looks = (0..8).map(|_| {
            let began = began.clone();
            Look(Box::new(move || {
                began.store(true, SeqCst);
                spin(Duration::from_micros(100));
            }))
        });
        ask_from_inside(&runtime, book, looks.collect());
        while !began.load(SeqCst) {
            std::hint::spin_loop();
        }
        let left = runtime.shutdown();
        assert!(left.actors.keys().all(|name| !name.contains("Helper")), "{left}");
    }
}

#[test]
fn what_waits_at_the_shutdown_is_counted_whatever_its_lane() {
    let simulation = Simulation::new(1, 1).unwrap();
    let book = simulation.spawn(Book::default());
    (0..3).for_each(|n| book.tell(Write::Add(n)));
    (0..2).for_each(|n| book.tell_urgently(Write::Add(n)));
    let answers = [(); 4].map(|()| book.ask_query(Total));
    let leftovers = simulation.shutdown();
    assert_eq!(leftovers.messages, 3 + 2 + 4, "{leftovers}");
    for answer in answers {
        assert_eq!(answer.wait_for(PATIENCE), Err(AskError::Gone));
    }
}

#[test]
fn a_simulation_answers_queries_in_turn() {
    for seed in 0..20 {
        let simulation = Simulation::new(seed, 3).unwrap();
        let book = simulation.spawn(Book::default());
        book.tell(Write::Add(2));
        let (early, late) = (book.ask_query(Total), {
            book.tell(Write::Add(2));
            book.ask_query(Total)
        });
        assert_eq!(simulation.wait(early), Ok(2));
        assert_eq!(simulation.wait(late), Ok(4));
        book.tell(Write::Stop);
        simulation.settle();
        assert!(simulation.shutdown().is_empty());
    }
}

/// Many actors ask and tell a few at random, while the policy moves everything about; the halves of each book must always be equal, and the totals right.
#[test]
fn nothing_changes_under_the_eyes_of_a_query() {
    struct Wanderer {
        books: Arc<Vec<Address<Book>>>,
        random: datil::policy::Random,
        left: u32,
        done: Option<ReplyTo<()>>,
    }
    impl Wanderer {
        fn go(&mut self, cx: &mut Context<'_, Self>) {
            if self.left == 0 {
                if let Some(done) = self.done.take() {
                    done.send(());
                }
                return cx.stop();
            }
            self.left -= 1;
            let book = self.books[self.random.below(self.books.len() as u32) as usize];
            if self.random.below(10) == 0 {
                cx.tell(book, Write::Add(1));
            }
            cx.ask_query(book, Total, |me, total, cx| {
                total.expect("books answer");
                me.go(cx);
            });
        }
    }
    impl Actor for Wanderer {
        type Msg = ();
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            self.go(cx);
        }
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }
    let most = Arc::new(AtomicUsize::new(0));
    let policies = ["adaptive", "hostile", "work-sharing"];
    // Whether two workers ever have time for the same book is up to the machine; it may take some attempts.
    for (attempt, policy) in policies.iter().cycle().take(60).enumerate() {
        if attempt >= policies.len() && most.load(SeqCst) > 1 {
            break;
        }
        let runtime = Runtime::builder()
            .workers(4)
            .policy(policy)
            .on_panic(no_accident)
            .build()
            .unwrap();
        let books: Vec<_> = (0..3)
            .map(|_| {
                runtime.spawn(Book {
                    most: most.clone(),
                    ..Book::default()
                })
            })
            .collect();
        let books = Arc::new(books);
        let answers: Vec<_> = (0..24)
            .map(|seed| {
                let (done, answer) = datil::promise();
                runtime.spawn(Wanderer {
                    books: books.clone(),
                    random: datil::policy::Random::new(seed),
                    left: if cfg!(miri) { 10 } else { 200 },
                    done: Some(done),
                });
                answer
            })
            .collect();
        for answer in answers {
            assert_eq!(answer.wait_for(PATIENCE), Ok(()), "{policy}");
        }
        assert_eq!(runtime.metrics().total().panics, 0, "{policy}");
        books.iter().for_each(|book| book.tell(Write::Stop));
        runtime.wait_quiescent();
        assert!(runtime.shutdown().is_empty());
    }
    assert!(most.load(SeqCst) > 1, "no two queries ever ran at the same time");
}
