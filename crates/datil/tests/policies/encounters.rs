//! What a policy is told when a message from another worker meets an idle actor.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

use datil::policy::{Encounter, Pick, Policy, Setup};
use datil::{Actor, Address, Context, Runtime};

static MET: Mutex<Vec<Encounter>> = Mutex::new(Vec::new());

/// Puts actors from outside on the workers in turn, leaves them there, and notes each encounter.
struct Staying;

impl Policy for Staying {
    const NAME: &'static str = "staying";
    const FOLLOWS: bool = true;

    fn new(_: Setup) -> Self {
        Self
    }
    fn batch(&self) -> u32 {
        1
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Newest
    }
    fn follow(&self, met: Encounter) -> bool {
        MET.lock().unwrap_or_else(PoisonError::into_inner).push(met);
        false
    }
}

/// Tells on which thread it has got something.
struct Receiver(Sender<ThreadId>);

impl Actor for Receiver {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        self.0.send(thread::current().id()).unwrap();
    }
}

/// Writes to the receiver when it is told to, with so many others waiting for its worker.
struct Writer {
    to: Address<Receiver>,
    ran: Sender<ThreadId>,
}

impl Actor for Writer {
    type Msg = usize;
    fn handle(&mut self, waiting: usize, cx: &mut Context<'_, Self>) {
        self.ran.send(thread::current().id()).unwrap();
        for _ in 0..waiting {
            cx.spawn(Bystander);
        }
        cx.tell(self.to, ());
    }
}

/// Starts and ends.
struct Bystander;

impl Actor for Bystander {
    type Msg = ();
    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.stop();
    }
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

#[test]
fn messages_from_another_worker_are_in_a_row_until_the_own_one_writes() {
    let runtime = Runtime::builder().workers(2).build_with::<Staying>().unwrap();
    let (received, receives) = mpsc::channel();
    let (wrote, writes) = mpsc::channel();
    let writer = |to| Writer {
        to,
        ran: wrote.clone(),
    };
    let receiver = runtime.spawn(Receiver(received));
    let (stranger, neighbour) = (runtime.spawn(writer(receiver)), runtime.spawn(writer(receiver)));
    let last_met = |from: Address<Writer>, waiting| {
        from.tell(waiting);
        // Then the receiver is idle again.
        runtime.wait_quiescent();
        let met = std::mem::take(&mut *MET.lock().unwrap_or_else(PoisonError::into_inner));
        let apart = writes.recv().unwrap() != receives.recv().unwrap();
        assert_eq!(apart, from == stranger, "on which worker it is");
        // Before that the writer may have met what came for it by way of the other worker.
        met.last().map(|met| (met.streak, met.waiting, met.hungry))
    };
    assert_eq!(last_met(stranger, 0), Some((1, 0, true)));
    assert_eq!(last_met(stranger, 0), Some((2, 0, true)));
    assert_eq!(last_met(stranger, 3), Some((3, 3, false)));
    last_met(neighbour, 0);
    assert_eq!(last_met(stranger, 0), Some((1, 0, true)));
    assert_eq!(last_met(stranger, 2), Some((2, 2, false)));
}
