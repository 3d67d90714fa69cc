//! Nothing that is sent gets lost unseen, whatever the policy and wherever it lies when its receiver stops.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use datil_policy::Role;
use datil_sim::host::Annotation;
use datil_sim::library::{Simulated, System};
use datil_sim::machine::{Charge, Machine, preset};
use datil_sim::{Settings, policies};
use suite::library::{Actor, ActorLibrary, Context, Driver, Script};

type To<A> = <Simulated as ActorLibrary>::Address<A>;

/// Computes for long before it stops.
struct Sleeper {
    read: Arc<AtomicU64>,
}

enum ToSleeper {
    Stop,
    Note,
}

impl Actor<Simulated> for Sleeper {
    type Message = ToSleeper;

    fn handle(&mut self, message: ToSleeper, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToSleeper::Stop => cx.stop(),
            ToSleeper::Note => {
                self.read.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

struct Writer;

impl Actor<Simulated> for Writer {
    type Message = To<Sleeper>;

    fn handle(&mut self, sleeper: To<Sleeper>, cx: &mut impl Context<Simulated, Self>) {
        cx.tell(&sleeper, ToSleeper::Note);
        cx.stop();
    }
}

/// The sleeper computes for as many cycles as [`Settings::scale`] says.
const ANNOTATIONS: &[Annotation] = &[Annotation {
    kind: "mail::Sleeper",
    role: Role::Untold,
    state: |_| 128,
    charge: |activity| Charge::compute(if activity.stops { activity.scale } else { 0 }),
    carries: |_| 0,
}];

/// A sleeper is told to stop, and somebody else to write to it.
struct Late {
    read: Arc<AtomicU64>,
}

impl Script<Simulated> for Late {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let sleeper = driver.spawn(Sleeper { read: self.read });
        let writer = driver.spawn(Writer);
        driver.tell(&sleeper, ToSleeper::Stop);
        driver.tell(&writer, sleeper);
    }
}

/// The driver writes to a sleeper that has stopped long ago.
struct Later;

impl Script<Simulated> for Later {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let read = Arc::default();
        let sleeper = driver.spawn(Sleeper { read });
        driver.tell(&sleeper, ToSleeper::Stop);
        driver.pause(Duration::from_secs(1));
        driver.tell(&sleeper, ToSleeper::Note);
    }
}

const UNREAD: &str = "an actor stopped with 1 messages in its mailbox";
const STOPPED: &str = "a message was sent to a stopped actor";

/// Every policy on two workers of the machines on which it can decide.
fn everywhere() -> Vec<Settings> {
    let opteron = || preset("opteron").expect("a preset");
    let pair = preset("pair").expect("a preset");
    let machines = [opteron(), opteron().with_owners(), pair];
    let mut all = Vec::new();
    for policy in policies::ALL {
        let fits = |machine: &&Machine| machine.owners.is_some() || !policy.wants_owners();
        all.extend(machines.iter().filter(fits).map(|machine| Settings {
            policy: policy.name.to_owned(),
            workers: 2,
            annotations: ANNOTATIONS,
            ..Settings::new(machine.clone())
        }));
    }
    all
}

/// What is said of a script, if that is not that all is well.
fn said_of(settings: &Settings, script: impl Script<Simulated>) -> Option<String> {
    let mut system = System::new(settings.clone()).expect("it fits the machine");
    system.play(script).err()
}

/// A note may come before the sleeper is told to stop, while it stops, or when it has: whoever is still computing then has others' mail where nobody has
/// looked yet, if actors belong to workers.
#[test]
fn mail_to_who_stops_is_an_error_wherever_it_lies() {
    let mut said = BTreeSet::new();
    for settings in everywhere() {
        for scale in [0, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] {
            let settings = Settings {
                scale,
                ..settings.clone()
            };
            let read: Arc<AtomicU64> = Arc::default();
            let note = Arc::clone(&read);
            let reason = said_of(&settings, Late { read: note });
            assert_eq!(
                reason.is_none(),
                read.load(Ordering::Relaxed) == 1,
                "{settings:?}, {scale} cycles: {reason:?}"
            );
            let has_owners = settings.machine.owners.is_some();
            said.extend(reason.map(|reason| (has_owners, reason)));
        }
    }
    let all = [false, true].map(|has_owners| [UNREAD, STOPPED].map(|reason| (has_owners, reason.to_owned())));
    assert_eq!(said, all.into_iter().flatten().collect());
}

#[test]
fn mail_from_outside_to_who_has_stopped_is_an_error() {
    for settings in everywhere() {
        let reason = said_of(&settings, Later);
        assert_eq!(reason.as_deref(), Some(STOPPED), "{settings:?}");
    }
}
