//! Faulty implementations are caught: by results, checks, counts, a failure, or an iteration that does not end. Never by
//! its time.
//!
//! Two kinds of fault. [`mishaps`] damages any benchmark from outside: a lost message, a handler that panics. [`cheats`]
//! are wrong programs: each saves work that the entry demands.

mod cheats;
mod common;
mod mishaps;

use std::time::Duration;

use cheats::{
    CachingWorkers, CutOffFibonacci, DirectSelfPings, DoubleMeals, DroppedChange, EarlyReplies,
    EverySecondSmoker, FelledTree, GridInOneActor, IdleExpansion, ImpatientWorkers, InlinedPong, KeptRings,
    LazyClients, LibrarySort, LongHops, LostPieces, MergedIncrements, MergedMeeting, MergedWork,
    MissingStage, NoManager, NoSelfPings, NoWaitingRoom, OneRegion, PlayedMeetings, ProductByFormula,
    ReusedWorkers, RoundedDown, RowSearch, SharedPayload, ShortRing, SilentNetwork, SingleSleeper,
    SingleWorker, SkippedSelfPings, SlidingFilter, SortWithoutNetwork, UndividedBoard, UndividedMatrix,
    UnevenRounds, UnsortedList, Wheel, WorkWithoutActors,
};
use common::{Case, iterate, mismatch, start, tiny};
use mishaps::{Damage, Faulty};
use suite::adapters::actix::Actix;
use suite::adapters::datil::Datil;
use suite::adapters::kameo::Kameo;
use suite::adapters::ractor::Ractor;
use suite::adapters::tokio::Tokio;
use suite::benchmark::Phased;
use suite::benchmarks::{
    AStar, AllPairsShortestPath, Banking, Barber, Big, BigNeighbours, BitonicSort, BoundedBuffer, Chameneos,
    Chat, CigaretteSmokers, CobwebbedTree, ConcurrentDictionary, ConcurrentList, Count, FacilityLocation,
    FairChameneos, Fannkuch, Fibonacci, FilterBank, ForkJoinCreation, ForkJoinThroughput, LogisticMap,
    MatrixMultiplication, MatrixSearch, Mixed, NQueens, Pairs, Philosophers, PiPrecision, PingPing, PingPong,
    Quicksort, RadixSort, Relaxation, Sieve, Spawn, ThreadRing, Trapezoid,
};
use suite::iteration::{Failure, counting_program};
use suite::library::Host;

/// Long enough for anything that ends at all, where the test wants it to end.
const LONG: Duration = Duration::from_secs(60);
/// How long to wait for what is expected never to end. If it did end later, it would have been caught as well.
const SHORT: Duration = Duration::from_millis(500);

fn case<B: Phased>() -> Case {
    tiny()
        .into_iter()
        .find(|case| case.benchmark == B::NAME)
        .expect("a case")
}

/// How a faulty implementation showed, or nothing if it did not.
fn symptom<L: Host, B: Phased>(system: &mut L::System, patience: Duration) -> Option<String> {
    let mut program = counting_program::<L, B>();
    let case = case::<B>();
    match iterate::<L>(&mut *program, system, &case.parameters, true, patience) {
        Ok(record) => mismatch(&case, &record.outcome, record.work),
        Err(Failure::Failed(reason)) => Some(format!("failed: {reason}")),
        Err(Failure::TimedOut(late)) => Some(match late.remaining {
            Some(actors) => format!("did not end: {actors} actors are left"),
            None => "did not end, and nobody told the number of actors".to_owned(),
        }),
        Err(Failure::BadParameter(reason) | Failure::Unsupported(reason)) => panic!("{reason}"),
    }
}

fn damaged<L: Host, B: Phased>(
    workers: usize,
    damage: Damage,
    at: i64,
    patience: Duration,
) -> Option<String> {
    let mut system = mishaps::System::<L>::start(workers, damage, at);
    symptom::<Faulty<L>, B>(&mut system, patience)
}

fn assert_caught<B: Phased>(patience: Duration, by: &str) {
    let symptom = symptom::<Tokio, B>(&mut start::<Tokio>(2), patience)
        .unwrap_or_else(|| panic!("a faulty {} was not caught", B::NAME));
    assert!(
        symptom.contains(by),
        "a faulty {} was caught by something else: {symptom}",
        B::NAME
    );
}

/// A lost message shows on every benchmark. With a single worker it is the same one every time: some messages of `barber`
/// have no effect, and these are others.
fn losses_are_caught<B: Phased>() {
    for at in [1, 10, 21] {
        assert!(
            damaged::<Tokio, B>(1, Damage::Loss, at, SHORT).is_some(),
            "{}: losing message {at} was not caught",
            B::NAME
        );
    }
}

/// A panic in a handler fails the iteration rather than hang it, on every library. Its text is reported and not that of a
/// consequence, such as another actor's sending to the one that is gone.
fn panics_are_caught<B: Phased>() {
    fn on<L: Host, B: Phased>() {
        let symptom = damaged::<L, B>(2, Damage::Panic, 20, LONG).expect("the panic is noticed");
        assert!(
            symptom.starts_with("failed: ") && symptom.contains("planted panic"),
            "{}: {symptom}",
            B::NAME
        );
    }
    on::<Datil, B>();
    on::<Tokio, B>();
    on::<Actix, B>();
    on::<Ractor, B>();
    on::<Kameo, B>();
}

/// Without damage nothing is caught: the symptoms above come from the damage alone.
fn sound_ones_pass<B: Phased>() {
    assert_eq!(damaged::<Tokio, B>(2, Damage::None, 0, LONG), None, "{}", B::NAME);
}

macro_rules! mishaps {
    ($($test:ident: $benchmark:ty;)*) => {
        mod losses { use super::*; $(#[test] fn $test() { losses_are_caught::<$benchmark>(); })* }
        mod panics { use super::*; $(#[test] fn $test() { panics_are_caught::<$benchmark>(); })* }
        mod controls { use super::*; $(#[test] fn $test() { sound_ones_pass::<$benchmark>(); })* }
    };
}

mishaps! {
    pingpong: PingPong;
    threadring: ThreadRing;
    count: Count;
    fjthrput: ForkJoinThroughput;
    fjcreate: ForkJoinCreation;
    fib: Fibonacci;
    chameneos: Chameneos;
    big: Big;
    concdict: ConcurrentDictionary;
    concsll: ConcurrentList;
    bndbuffer: BoundedBuffer;
    philosopher: Philosophers;
    barber: Barber;
    cigsmok: CigaretteSmokers;
    logmap: LogisticMap;
    banking: Banking;
    apsp: AllPairsShortestPath;
    astar: AStar;
    nqueenk: NQueens;
    recmatmul: MatrixMultiplication;
    quicksort: Quicksort;
    radixsort: RadixSort;
    filterbank: FilterBank;
    bitonicsort: BitonicSort;
    sieve: Sieve;
    uct: CobwebbedTree;
    facloc: FacilityLocation;
    trapezoid: Trapezoid;
    piprecision: PiPrecision;
    sor: Relaxation;
    matrixsearch: MatrixSearch;
    bigneighbours: BigNeighbours;
    chameneosfair: FairChameneos;
    fannkuch: Fannkuch;
    pingping: PingPing;
    spawn: Spawn;
    pairs: Pairs;
    mixed: Mixed;
    chat: Chat;
}

#[test]
fn pingpong_without_the_message_to_itself() {
    assert_caught::<InlinedPong>(LONG, "work is Work { actors: 2, messages: 202 }");
}

#[test]
fn threadring_that_skips_an_actor() {
    assert_caught::<ShortRing>(SHORT, "did not end: 1 actors are left");
}

#[test]
fn threadring_with_hops_of_two() {
    assert_caught::<LongHops>(LONG, "result is Integer(");
}

#[test]
fn count_with_two_increments_in_one_message() {
    assert_caught::<MergedIncrements>(LONG, "work is Work { actors: 2, messages: 503 }");
}

#[test]
fn fjthrput_with_two_messages_in_one() {
    assert_caught::<MergedWork>(LONG, "work is Work { actors: 7, messages: 175 }");
}

#[test]
fn fjthrput_with_a_worker_that_gets_less() {
    assert_caught::<UnevenRounds>(SHORT, "did not end: 1 actors are left");
}

#[test]
fn fjcreate_without_actors() {
    assert_caught::<WorkWithoutActors>(LONG, "work is Work { actors: 0, messages: 0 }");
}

#[test]
fn fjcreate_with_actors_used_twice() {
    assert_caught::<ReusedWorkers>(LONG, "work is Work { actors: 250, messages: 500 }");
}

#[test]
fn fib_with_a_sequential_cut_off() {
    assert_caught::<CutOffFibonacci>(LONG, "check actors is Integer(");
}

#[test]
fn chameneos_with_a_meeting_in_one_message() {
    assert_caught::<MergedMeeting>(LONG, "work is Work { actors: 6, messages: 315 }");
}

#[test]
fn chameneos_with_an_uncounted_change() {
    assert_caught::<DroppedChange>(LONG, "result is Integer(100)");
}

#[test]
fn big_without_pings_to_itself() {
    assert_caught::<SkippedSelfPings>(LONG, "result is Integer(");
}

#[test]
fn big_with_pings_to_itself_outside_the_mailbox() {
    assert_caught::<DirectSelfPings>(LONG, "work is Work {");
}

#[test]
fn concdict_with_workers_that_remember() {
    assert_caught::<CachingWorkers>(LONG, "work is Work { actors: 5, messages: ");
}

#[test]
fn concsll_without_sorting() {
    assert_caught::<UnsortedList>(LONG, "result is Integer(");
}

#[test]
fn bndbuffer_without_manager() {
    assert_caught::<NoManager>(LONG, "work is Work { actors: 7, messages: 96 }");
}

#[test]
fn philosopher_with_two_meals_at_once() {
    assert_caught::<DoubleMeals>(LONG, "work is Work { actors: 6, messages: ");
}

#[test]
fn barber_without_waiting_room() {
    assert_caught::<NoWaitingRoom>(LONG, "work is Work { actors: 31, messages: 60 }");
}

#[test]
fn cigsmok_with_every_second_smoker() {
    assert_caught::<EverySecondSmoker>(LONG, "result is Integer(");
}

#[test]
fn logmap_with_workers_that_do_not_wait() {
    assert_caught::<ImpatientWorkers>(LONG, "result is Float(");
}

#[test]
fn banking_with_early_replies() {
    assert_caught::<EarlyReplies>(LONG, "work is Work { actors: 21, messages: 321 }");
}

#[test]
fn apsp_without_blocks() {
    assert_caught::<UndividedMatrix>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn astar_without_busy_work() {
    assert_caught::<IdleExpansion>(LONG, "check spins is Integer(");
}

#[test]
fn nqueenk_without_division() {
    assert_caught::<UndividedBoard>(LONG, "check items is Integer(1)");
}

#[test]
fn recmatmul_by_formula() {
    assert_caught::<ProductByFormula>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn quicksort_by_the_library() {
    assert_caught::<LibrarySort>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn radixsort_that_skips_a_stage() {
    assert_caught::<MissingStage>(LONG, "result is Integer(");
}

#[test]
fn filterbank_with_filters_that_slide() {
    assert_caught::<SlidingFilter>(LONG, "result is Integer(");
}

#[test]
fn bitonicsort_without_network() {
    assert_caught::<SortWithoutNetwork>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn sieve_with_a_wheel() {
    assert_caught::<Wheel>(LONG, "work is Work { actors: 6, messages: ");
}

#[test]
fn uct_without_tree() {
    assert_caught::<FelledTree>(LONG, "result is Integer(");
}

#[test]
fn facloc_without_facilities() {
    assert_caught::<OneRegion>(LONG, "result is Integer(0)");
}

#[test]
fn trapezoid_with_lost_pieces() {
    assert_caught::<LostPieces>(LONG, "result is Float(");
}

#[test]
fn piprecision_rounded_down() {
    assert_caught::<RoundedDown>(LONG, "result is Integer(");
}

#[test]
fn sor_in_one_actor() {
    assert_caught::<GridInOneActor>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn matrixsearch_along_the_rows() {
    assert_caught::<RowSearch>(LONG, "result is Integer(");
}

#[test]
fn bigneighbours_without_pings_to_itself() {
    assert_caught::<NoSelfPings>(LONG, "result is Integer(");
}

#[test]
fn chameneosfair_played_by_the_place() {
    assert_caught::<PlayedMeetings>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn fannkuch_with_a_single_worker() {
    assert_caught::<SingleWorker>(LONG, "work is Work { actors: 1, messages: 1 }");
}

#[test]
fn pingping_with_a_shared_payload() {
    assert_caught::<SharedPayload>(LONG, "result is Integer(242)");
}

#[test]
fn spawn_with_a_single_actor() {
    assert_caught::<SingleSleeper>(LONG, "work is Work { actors: 2, messages: 2000 }");
}

#[test]
fn pairs_with_clients_that_do_not_copy() {
    assert_caught::<LazyClients>(LONG, "check hashsum is Integer(");
}

#[test]
fn mixed_with_rings_that_are_kept() {
    assert_caught::<KeptRings>(LONG, "work is Work { actors: 11, messages: 78 }");
}

#[test]
fn chat_without_talk() {
    assert_caught::<SilentNetwork>(LONG, "work is Work { actors: 1, messages: 2 }");
}
