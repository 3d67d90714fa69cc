use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use datil::{Actor, Address, Context, Mailbox, ReplyTo, Runtime, Simulation, StopReason};

use crate::support::{PATIENCE, Play, Puppet, on_all, runtime, sync};

const MOST: u32 = 100;
const BURST: u64 = 10;

/// Takes its time for each message.
struct Slow {
    handled: Arc<AtomicU64>,
    longest: Arc<AtomicUsize>,
    work: u32,
}

impl Actor for Slow {
    type Msg = Option<ReplyTo<u64>>;
    const MAILBOX: Mailbox = Mailbox::Soft { most: MOST };

    fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>) {
        let waiting = cx.address().waiting().expect("counted");
        self.longest.fetch_max(waiting, SeqCst);
        (0..self.work).for_each(|_| std::hint::spin_loop());
        match msg {
            Some(reply) => {
                reply.send(self.handled.load(SeqCst));
                cx.stop();
            }
            None => drop(self.handled.fetch_add(1, SeqCst)),
        }
    }
}

/// Sends a burst each time it handles a message, which it sends to itself.
struct Flood {
    to: Address<Slow>,
    left: u64,
    done: Option<ReplyTo<()>>,
}

impl Actor for Flood {
    type Msg = ();

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        (0..BURST).for_each(|_| cx.tell(self.to, None));
        self.left -= 1;
        if self.left == 0 {
            self.done.take().expect("once").send(());
            return cx.stop();
        }
        let me = cx.address();
        cx.tell(me, ());
    }
}

fn slow(runtime: &Runtime, work: u32) -> (Address<Slow>, Arc<AtomicU64>, Arc<AtomicUsize>) {
    let (handled, longest) = (Arc::default(), Arc::default());
    let slow = Slow {
        handled: Arc::clone(&handled),
        longest: Arc::clone(&longest),
        work,
    };
    (runtime.spawn(slow), handled, longest)
}

fn flood(runtime: &Runtime, to: Address<Slow>, turns: u64) -> datil::Answer<()> {
    let (done, answer) = datil::promise();
    let flood = runtime.spawn(Flood {
        to,
        left: turns,
        done: Some(done),
    });
    flood.tell(());
    answer
}

/// Whatever the speeds, the queue stays near the limit as long as rests end because the receiver has caught up. A rest that ends by time lets one more burst through; the sum of
/// these is what the receiver could not keep up with in that time, so the bound allows for them.
#[test]
fn a_flood_is_held_back_near_the_limit() {
    const FLOODS: u64 = 4;
    const TURNS: u64 = if cfg!(miri) { 30 } else { 2000 };
    for workers in [1, 2] {
        let runtime = runtime(workers);
        let (to, handled, longest) = slow(&runtime, 20);
        let floods: Vec<_> = (0..FLOODS).map(|_| flood(&runtime, to, TURNS)).collect();
        for answer in floods {
            assert_eq!(answer.wait_for(PATIENCE), Ok(()), "{workers} workers");
        }
        assert_eq!(
            to.ask(Some).wait_for(PATIENCE),
            Ok(FLOODS * TURNS * BURST),
            "{workers} workers"
        );
        assert_eq!(handled.load(SeqCst), FLOODS * TURNS * BURST);
        let longest = longest.load(SeqCst) as u64;
        let rests = runtime.metrics().total().rests;
        assert!(
            rests > 0,
            "nobody had to rest with {workers} workers; the longest queue was {longest}"
        );
        let sent = FLOODS * TURNS * BURST;
        assert!(
            longest < sent / 10,
            "with {workers} workers {longest} of {sent} messages waited at a time, {rests} rests"
        );
        runtime.wait_quiescent();
        assert!(runtime.shutdown().is_empty());
    }
}

#[test]
fn in_a_simulation_the_bound_is_exact() {
    const FLOODS: u64 = 3;
    for seed in 0..20 {
        let simulation = Simulation::new(seed, 2).unwrap();
        let (handled, longest) = (Arc::<AtomicU64>::default(), Arc::<AtomicUsize>::default());
        let to = simulation.spawn(Slow {
            handled: handled.clone(),
            longest: longest.clone(),
            work: 0,
        });
        for _ in 0..FLOODS {
            let flood = simulation.spawn(Flood {
                to,
                left: 100,
                done: Some(datil::promise().0),
            });
            flood.tell(());
        }
        simulation.run_to_end();
        assert_eq!(handled.load(SeqCst), FLOODS * 100 * BURST);
        // Time stands still while the receiver has something to do, so no rest ends by time.
        let most = u64::from(MOST) + FLOODS * BURST;
        assert!(longest.load(SeqCst) as u64 <= most, "seed {seed}: {longest:?}");
        assert_eq!(simulation.ask(to, Some), Ok(FLOODS * 100 * BURST));
        simulation.settle();
        assert!(simulation.shutdown().is_empty());
    }
}

/// Members of a ring that each send on twice what they get, up to a number, so that all have too much mail.
struct Member {
    next: Option<Address<Member>>,
    left: u64,
    handled: Arc<AtomicU64>,
}

impl Actor for Member {
    type Msg = Option<Address<Member>>;
    const MAILBOX: Mailbox = Mailbox::Soft { most: 4 };

    fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>) {
        self.handled.fetch_add(1, SeqCst);
        let Some(next) = self.next else {
            self.next = msg;
            return;
        };
        let sends = self.left.min(2);
        self.left -= sends;
        (0..sends).for_each(|_| cx.tell(next, None));
    }
}

#[test]
fn a_ring_in_which_all_have_too_much_goes_on() {
    const LEFT: u64 = if cfg!(miri) { 4 } else { 5000 };
    on_all(|runtime| {
        for members in [1, 2, 3, 7] {
            let handled = Arc::new(AtomicU64::new(0));
            let ring: Vec<_> = (0..members)
                .map(|_| {
                    runtime.spawn(Member {
                        next: None,
                        left: LEFT,
                        handled: handled.clone(),
                    })
                })
                .collect();
            for (i, member) in ring.iter().enumerate() {
                member.tell(Some(ring[(i + 1) % members]));
            }
            // Whoever begins before all know their neighbours may reach one of them ahead of us.
            runtime.wait_quiescent();
            ring.iter().for_each(|member| member.tell(None));
            runtime.wait_quiescent();
            assert_eq!(
                handled.load(SeqCst),
                members as u64 * (2 + LEFT),
                "{members} members"
            );
            ring.iter().for_each(|member| member.stop());
        }
    });
}

/// An actor whose handler waits until it is told otherwise.
struct Stuck(Arc<AtomicBool>);
impl Actor for Stuck {
    type Msg = ();
    const MAILBOX: Mailbox = Mailbox::Soft { most: 1 };
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        while !self.0.load(SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Writes to a stuck actor, and notes what it hears.
struct Patient {
    to: Address<Stuck>,
    beats: Arc<AtomicU64>,
}
impl Actor for Patient {
    type Msg = ();
    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        self.beats.fetch_add(1, SeqCst);
        (0..3).for_each(|_| cx.tell(self.to, ()));
    }
}

fn wait_for(what: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !what() {
        assert!(began.elapsed() < PATIENCE, "in vain");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_receiver_that_never_gets_on_slows_its_senders_down_but_does_not_stop_them() {
    let runtime = runtime(2);
    let free = Arc::new(AtomicBool::new(false));
    let to = runtime.spawn(Stuck(free.clone()));
    let beats = Arc::new(AtomicU64::new(0));
    let patient = runtime.spawn(Patient {
        to,
        beats: beats.clone(),
    });
    (0..10).for_each(|_| patient.tell(()));
    // Each turn but the first needs a rest to end by time.
    wait_for(|| beats.load(SeqCst) == 10);
    assert!(runtime.metrics().total().rests >= 5);
    free.store(true, SeqCst);
    runtime.wait_quiescent();
    to.stop();
    patient.stop();
    runtime.wait_quiescent();
    let leftovers = runtime.shutdown();
    assert!(leftovers.is_empty(), "{leftovers}");
}

#[test]
fn a_resting_actor_hears_what_is_urgent_and_can_be_stopped() {
    let runtime = runtime(2);
    let free = Arc::new(AtomicBool::new(false));
    let to = runtime.spawn(Stuck(free.clone()));
    let beats = Arc::new(AtomicU64::new(0));
    let patients: Vec<_> = (0..20)
        .map(|_| {
            runtime.spawn(Patient {
                to,
                beats: beats.clone(),
            })
        })
        .collect();
    patients.iter().for_each(|patient| patient.tell(()));
    wait_for(|| beats.load(SeqCst) == 20);
    patients.iter().for_each(|patient| patient.tell_urgently(()));
    wait_for(|| beats.load(SeqCst) == 40);
    let ends: Vec<_> = patients.iter().map(|patient| patient.ended()).collect();
    patients.iter().for_each(|patient| patient.stop());
    for end in ends {
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
    }
    // The receiver ends while others rest because of it: they go on.
    let other = runtime.spawn(Patient {
        to,
        beats: beats.clone(),
    });
    other.tell(());
    wait_for(|| beats.load(SeqCst) == 41);
    to.stop();
    free.store(true, SeqCst);
    other.stop_in_turn();
    runtime.wait_quiescent();
    assert!(!other.is_alive() && !to.is_alive());
    let leftovers = runtime.shutdown();
    assert!(leftovers.is_empty(), "{leftovers}");
}

#[test]
fn what_rests_at_the_shutdown_is_reported_without_the_runtimes_own_timers() {
    let runtime = runtime(1);
    let (to, ..) = slow(&runtime, 1000);
    let flooding = flood(&runtime, to, 1_000_000);
    wait_for(|| runtime.metrics().total().rests > 3);
    let leftovers = runtime.shutdown();
    assert_eq!(leftovers.timers, 0, "{leftovers}");
    assert!(leftovers.actors.keys().any(|name| name.ends_with("Flood")));
    assert!(flooding.wait_for(PATIENCE).is_err(), "its reply was dropped");
}

/// The sender has not been idle since it was created, so it learns of what other workers sent only when it looks, at the latest before it rests.
#[test]
fn a_stop_reaches_an_actor_that_is_about_to_rest() {
    let runtime = runtime(3);
    let other = runtime.spawn(Puppet::default());
    sync(other);
    let ((began, begun), (open, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let free = Arc::new(AtomicBool::new(false));
    let stuck = runtime.spawn(Stuck(free.clone()));
    let sender = runtime.client(|client| {
        let sender = client.spawn(Puppet::default());
        let send = move |_: &mut Puppet, cx: &mut Context<'_, Puppet>| {
            (0..3).for_each(|_| cx.tell(stuck, ()));
            began.send(()).unwrap();
            gate.recv().unwrap();
        };
        client.tell(sender, Box::new(send) as Play);
        sender
    });
    begun.recv_timeout(PATIENCE).unwrap();
    sender.stop();
    // Another worker has passed that on before it comes to this.
    sync(other);
    open.send(()).unwrap();
    let end = sender.ended().wait_for(PATIENCE);
    free.store(true, SeqCst);
    assert!(end.is_ok());
    assert_eq!(runtime.metrics().total().rests, 0, "it rested first");
}
