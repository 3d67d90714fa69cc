//! What can be seen of a runtime from outside: the features `metrics` and `tracing`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use datil::{
    Actor, Context, Mailbox, Overflow, ReplyTo, Restart, Runtime, Simulation, StopReason, Strategy,
    Supervisor,
};
use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use tracing::field::{Field, Visit};

const PATIENCE: Duration = Duration::from_secs(60);

struct Worker;
impl Actor for Worker {
    type Msg = u32;
    const MAILBOX: Mailbox = Mailbox::Counted;
    fn handle(&mut self, left: u32, cx: &mut Context<'_, Self>) {
        if left == 0 {
            return cx.stop();
        }
        if left == 10 {
            std::thread::sleep(Duration::from_millis(2));
        }
        let me = cx.address();
        cx.tell(me, left - 1);
    }
}

#[test]
fn activations_and_messages_are_measured_by_type() {
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).build().unwrap();
        assert!(runtime.actor_metrics().is_empty());
        (0..4).for_each(|_| runtime.spawn(Worker).tell(10));
        runtime.wait_quiescent();
        let [of] = &runtime.actor_metrics()[..] else {
            panic!("one type: {:?}", runtime.actor_metrics());
        };
        assert!(of.actor.ends_with("Worker"));
        assert_eq!(of.messages, 4 * 11);
        assert_eq!(of.messages, runtime.metrics().total().messages);
        assert_eq!(of.activations, runtime.metrics().total().activations);
        assert_eq!(of.most_waiting, Some(1));
        // A sleep is at least as long as asked for; so are the activations with one.
        assert!(of.busy >= 4 * Duration::from_millis(2));
        let (median, longest) = (of.activation_time(0.5), of.activation_time(1.0));
        assert!(longest >= Duration::from_millis(2) && median <= longest && longest <= of.busy.mul_f64(1.01));
        assert_eq!(
            of.activation_time(7.0),
            longest,
            "out of range is taken for the nearer end"
        );
    }
}

/// Keeps what is recorded.
#[derive(Default)]
struct Kept(Arc<Mutex<BTreeMap<String, f64>>>);

struct Cell(String, Arc<Mutex<BTreeMap<String, f64>>>);

impl Cell {
    fn put(&self, value: f64) {
        self.1.lock().unwrap().insert(self.0.clone(), value);
    }
}

impl CounterFn for Cell {
    fn increment(&self, _: u64) {
        unreachable!("totals are recorded");
    }
    fn absolute(&self, value: u64) {
        self.put(value as f64);
    }
}

impl GaugeFn for Cell {
    fn increment(&self, _: f64) {
        unreachable!("values are recorded");
    }
    fn decrement(&self, _: f64) {
        unreachable!("values are recorded");
    }
    fn set(&self, value: f64) {
        self.put(value);
    }
}

impl Kept {
    fn cell(&self, key: &Key) -> Arc<Cell> {
        let labels = key
            .labels()
            .map(|label| format!(" {}={}", label.key(), label.value()));
        Arc::new(Cell(
            key.name().to_owned() + &labels.collect::<String>(),
            self.0.clone(),
        ))
    }
}

impl Recorder for Kept {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(key))
    }
    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.cell(key))
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        unreachable!("none is used")
    }
}

#[test]
fn figures_reach_the_recorder() {
    let runtime = Runtime::builder().workers(2).build().unwrap();
    runtime.spawn(Worker).tell(5);
    runtime.wait_quiescent();
    let kept = Kept::default();
    metrics::with_local_recorder(&kept, || runtime.record_metrics());
    let values = kept.0.lock().unwrap();
    let messages = values["datil_messages worker=0"] + values["datil_messages worker=1"];
    assert_eq!(messages, 6.0);
    let actor = format!("actor={}", std::any::type_name::<Worker>());
    assert_eq!(values[&format!("datil_actor_messages {actor}")], 6.0);
    assert_eq!(values[&format!("datil_actor_most_waiting {actor}")], 1.0);
    assert!(values[&format!("datil_actor_activation_seconds {actor} quantile=1")] > 0.0);
}

/// Writes down the events of this target, with their fields.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Notes {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "datil"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        unreachable!("datil makes no spans")
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Line(String);
        impl Visit for Line {
            fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!("{}={value:?} ", field.name());
            }
        }
        let mut line = Line(format!("{} ", event.metadata().level()));
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

struct Fragile;
impl Actor for Fragile {
    type Msg = bool;
    const MAILBOX: Mailbox = Mailbox::Bounded {
        capacity: 1,
        overflow: Overflow::Drop,
    };
    fn handle(&mut self, fails: bool, cx: &mut Context<'_, Self>) {
        assert!(!fails, "on purpose");
        let me = cx.address();
        (0..2).for_each(|_| cx.tell(me, true));
        cx.stop();
    }
}

#[test]
fn what_happens_to_actors_is_told() {
    let notes = Notes::default();
    tracing::subscriber::set_global_default(notes.clone()).expect("the only test that does");
    let runtime = Runtime::builder().workers(1).build().unwrap();
    let supervisor = Supervisor::new(Strategy::OneForOne, 3, Duration::from_secs(60));
    let fragile = supervisor
        .start(&mut &runtime, Restart::OnFailure, || Fragile)
        .unwrap();
    fragile.tell(true);
    runtime.wait_quiescent();
    fragile.tell(false);
    runtime.wait_quiescent();
    assert!(!fragile.is_alive());
    let id = format!("{:?}", fragile.id());
    let lines: Vec<_> = notes
        .0
        .lock()
        .unwrap()
        .iter()
        .filter(|line| line.contains("Fragile"))
        .cloned()
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            [
                "actor started",
                "panic",
                "actor restarted",
                "mailbox full",
                "actor stopped",
            ]
            .iter()
            .position(|event| line.contains(&format!("message={event} ")))
            .expect(line)
        })
        .collect();
    assert_eq!(told, [0, 1, 2, 0, 3, 4], "{lines:#?}");
    assert!(lines[1].starts_with("ERROR") && lines[1].contains("on purpose"));
    assert!(
        [0, 2, 3, 4, 5].iter().all(|&at| lines[at].contains(&id)),
        "{lines:#?}"
    );
}

/// Panics at every event.
struct Grumpy;

impl tracing::Subscriber for Grumpy {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "datil"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        unreachable!("datil makes no spans")
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        panic!("a subscriber, on purpose");
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Makes that one the subscriber of its worker's thread, for ever.
struct Setter;
impl Actor for Setter {
    type Msg = ReplyTo<()>;
    fn handle(&mut self, reply: ReplyTo<()>, cx: &mut Context<'_, Self>) {
        std::mem::forget(tracing::subscriber::set_default(Grumpy));
        reply.send(());
        cx.stop();
    }
}

#[test]
fn a_subscriber_that_panics_changes_nothing() {
    let runtime = Runtime::builder().workers(1).build().unwrap();
    runtime
        .spawn(Setter)
        .ask(|reply| reply)
        .wait_for(PATIENCE)
        .unwrap();
    let supervisor = Supervisor::new(Strategy::OneForOne, 3, Duration::from_secs(60));
    let fragile = supervisor
        .start(&mut &runtime, Restart::OnFailure, || Fragile)
        .unwrap();
    let end = fragile.ended();
    fragile.tell(true);
    while runtime.metrics().total().panics == 0 {
        std::thread::yield_now();
    }
    // It fills its mailbox, and stops.
    fragile.tell(false);
    assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
    runtime.wait_quiescent();
    assert_eq!(runtime.metrics().total().panics, 1);
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn a_subscriber_that_panics_is_not_the_senders_failure() {
    tracing::subscriber::with_default(Grumpy, || {
        let simulation = Simulation::new(0, 1).unwrap();
        let fragile = simulation.spawn(Fragile);
        (0..2).for_each(|_| fragile.tell(false));
        assert_eq!(fragile.waiting(), Some(1), "the second one found it full");
        simulation.settle();
        assert!(!fragile.is_alive());
    });
}
