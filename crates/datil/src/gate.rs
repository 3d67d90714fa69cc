//! Bounded and counted mailboxes: how many messages wait is counted, for types that say so ([`Actor::MAILBOX`]) and for no others.
//!
//! The count must outlive the actor, since senders anywhere change it, and must not take room in the cells of all. So it lies in a table of its own, one word per 64 bytes of
//! cell memory, made in pieces when first used and never freed:
//!
//! | bits | meaning |
//! | --- | --- |
//! | 0..16 | generation of the actor that the rest is about |
//! | 16 | the actor was told to stop because of a message too many, and has not begun anew since |
//! | 17..64 | messages that were admitted and not taken out yet |
//!
//! A sender that finds an older generation than its own starts the count anew (the former actor is gone); one that finds a newer one knows that its receiver is gone. All changes are
//! exchanges of this one word, so nothing but their order matters and `Relaxed` is enough; a message itself is published by the mailbox.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::atomic::{AtomicPtr, AtomicU64};
use std::fmt;
use std::ptr;

use crate::actor::{Actor, Context};
use crate::address::{Address, Target};
use crate::lost::Lost;
use crate::mailbox::cell::Header;
use crate::pressure;
use crate::watch::{self, StopReason};
use crate::worker::core::Core;

/// How many messages an actor's mailbox takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mailbox {
    /// Any number; nothing is counted.
    Unbounded,
    /// Any number, counted: [`Address::waiting`] tells how many wait. Costs two atomic exchanges per message.
    Counted,
    /// Any number, counted, but actors of the same runtime that write when more than `most` wait rest after their handler: they handle nothing until no more than half of `most`
    /// wait, the actor has stopped, or 1 to 20 ms are over (longer each time in a row). Nothing is refused and nobody blocks; actors that would wait for each other in a circle do not rest.
    ///
    /// So where some actors outrun another one, about `most` messages wait plus what each of them sends in one handler. Not held back are threads outside
    /// the runtime, blocking actors ([`crate::Runtime::spawn_blocking`]), actors that write to themselves, queries, answers and urgent messages. What the runtime has to say (stops, restarts, monitors) and urgent messages
    /// reach a resting actor at once. Costs as `Counted`, and some microseconds for each rest ([`crate::WorkerMetrics::rests`]).
    Soft {
        /// Messages that may wait before senders are held back; at least 1.
        most: u32,
    },
    /// At most `capacity` that wait; costs as `Counted`. Urgent messages, answers, queries, and what monitors and trapped links say are always taken.
    Bounded {
        /// Messages that may wait, beside the one that is handled; at least 1.
        capacity: u32,
        /// What becomes of one too many.
        overflow: Overflow,
    },
}

/// What becomes of a message that finds a mailbox full. A question that is dropped for this is answered by [`crate::AskError::Full`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// [`Address::try_tell`] gives it back. Methods that cannot drop it and count it as a dead letter.
    Reject,
    /// It is dropped and counted as a dead letter.
    Drop,
    /// It is dropped, and the actor stops with [`StopReason::Overflow`]. All that are dropped until it has ended, or was restarted, are one failure.
    Stop,
}

/// Why a message was not sent; it comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TellError<M> {
    /// The mailbox is full, and its overflow policy is [`Overflow::Reject`].
    Full(M),
    /// The actor has stopped.
    Gone(M),
}

impl<M> TellError<M> {
    /// The message.
    pub fn into_message(self) -> M {
        match self {
            Self::Full(msg) | Self::Gone(msg) => msg,
        }
    }
}

impl<M> fmt::Debug for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Gone(_) => "Gone(..)",
        })
    }
}

impl<M> fmt::Display for TellError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the mailbox is full; try again later",
            Self::Gone(_) => "the actor has stopped",
        })
    }
}

impl<M> std::error::Error for TellError<M> {}

/// Whether messages of this type of actors are counted: a constant, so that others pay nothing.
pub(crate) const fn counts<A: Actor>() -> bool {
    const {
        assert!(
            !matches!(
                A::MAILBOX,
                Mailbox::Bounded { capacity: 0, .. } | Mailbox::Soft { most: 0 }
            ),
            "datil: this actor's MAILBOX has room for no message; its bound must be at least 1"
        );
    }
    !matches!(A::MAILBOX, Mailbox::Unbounded)
}

/// How many messages may wait before senders are held back, for types that want it.
const fn soft<A: Actor>() -> Option<u64> {
    match A::MAILBOX {
        Mailbox::Soft { most } => Some(most as u64),
        _ => None,
    }
}

/// Whether a message too many stops actors of this type.
const fn stops<A: Actor>() -> bool {
    matches!(
        A::MAILBOX,
        Mailbox::Bounded {
            overflow: Overflow::Stop,
            ..
        }
    )
}

/// What became of a wish to send.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    /// So many wait now.
    Yes(u64),
    Full,
    Gone,
}

/// Set as long as an actor that overflows has been told so.
const TOLD: u64 = 1 << 16;
const ONE_BIT: u32 = 17;
const ONE: u64 = 1 << ONE_BIT;
/// More than can wait.
const ANY: u64 = u64::MAX >> ONE_BIT;

fn admit(word: &AtomicU64, generation: u16, capacity: u64) -> Admission {
    let mut found = word.load(Relaxed);
    loop {
        let current = found as u16;
        if current > generation {
            return Admission::Gone;
        }
        let known = if current == generation {
            found
        } else {
            u64::from(generation)
        };
        let waiting = known >> ONE_BIT;
        if waiting >= capacity {
            return Admission::Full;
        }
        match word.compare_exchange_weak(found, known + ONE, Relaxed, Relaxed) {
            Ok(_) => return Admission::Yes(waiting + 1),
            Err(now) => found = now,
        }
    }
}

/// Takes back what [`admit`] has counted, of a message that was not sent.
fn withdraw(word: &AtomicU64, generation: u16) {
    let mut found = word.load(Relaxed);
    // If the actor is gone the count is a later one's, or will be begun anew.
    while found as u16 == generation {
        match word.compare_exchange_weak(found, found - ONE, Relaxed, Relaxed) {
            Ok(_) => return,
            Err(now) => found = now,
        }
    }
}

fn waiting(word: &AtomicU64, generation: u16) -> u64 {
    let found = word.load(Relaxed);
    if found as u16 == generation {
        found >> ONE_BIT
    } else {
        0
    }
}

/// Notes that an actor is told to stop because its mailbox is full; true if it was not told before, since it was made or has begun anew.
fn note_told(word: &AtomicU64, generation: u16) -> bool {
    let mut found = word.load(Relaxed);
    // If the actor is gone nobody has to tell it.
    while found as u16 == generation && found & TOLD == 0 {
        match word.compare_exchange_weak(found, found | TOLD, Relaxed, Relaxed) {
            Ok(_) => return true,
            Err(now) => found = now,
        }
    }
    false
}

/// An actor begins anew: the next message too many is a failure of its own.
pub(crate) fn begin_anew<A: Actor>(cell: *mut Header) {
    if stops::<A>() {
        // If the word is still about a former actor nobody asks for its bit any more.
        word(cell).fetch_and(!TOLD, Relaxed);
    }
}

/// A message was taken out of the mailbox of a live actor.
#[inline(always)]
pub(crate) fn release<A: Actor>(core: &Core, cell: *mut Header) {
    if counts::<A>() {
        // The word is about this actor: a message of it was counted.
        let before = word(cell).fetch_sub(ONE, Relaxed);
        #[cfg(feature = "metrics")]
        crate::meter::saw_waiting(before >> ONE_BIT);
        if let Some(most) = soft::<A>()
            && before >> ONE_BIT == most / 2 + 1
        {
            // SAFETY: the caller runs the actor.
            pressure::ease(core, unsafe { Target::of(cell) });
        }
    }
}

/// Whether somebody may rest until actors of this type have less to do.
pub(crate) const fn eases<A: Actor>() -> bool {
    soft::<A>().is_some()
}

/// An actor has stopped.
pub(crate) fn end<A: Actor>(core: &Core, actor: Target) {
    if soft::<A>().is_some() {
        pressure::ease(core, actor);
    }
}

/// Number of messages that wait for an actor whose type counts them.
pub(crate) fn waiting_for(actor: Target) -> u64 {
    waiting(word(actor.cell()), actor.generation())
}

/// A message that was not counted is put into the mailbox, from where it will be taken as if it was.
pub(crate) fn reenter<A: Actor>(to: Address<A>) {
    if counts::<A>() {
        admit(word(to.cell()), to.generation(), ANY);
    }
}

/// Sends what the runtime has promised to say, whether there is room or not: an end that is not heard of is never said again.
pub(crate) fn tell_in_any_case<A: Actor>(to: Address<A>, msg: A::Msg) {
    reenter(to);
    to.tell_admitted(msg);
}

/// Counts a message, or says what to do instead.
///
/// # Errors
/// The message, if it must not be sent.
#[inline(always)]
pub(crate) fn enter<A: Actor>(to: Address<A>, msg: A::Msg) -> Result<A::Msg, TellError<A::Msg>> {
    if counts::<A>() {
        enter_counted(to, msg)
    } else {
        Ok(msg)
    }
}

#[inline(never)]
fn enter_counted<A: Actor>(to: Address<A>, msg: A::Msg) -> Result<A::Msg, TellError<A::Msg>> {
    match count_in(to) {
        Admission::Yes(_) => Ok(msg),
        Admission::Gone => Err(TellError::Gone(msg)),
        Admission::Full => Err(TellError::Full(msg)),
    }
}

/// Counts a message for an actor whose type wants that, and lets the sender feel it if too many wait.
#[inline(always)]
fn count_in<A: Actor>(to: Address<A>) -> Admission {
    let capacity = match A::MAILBOX {
        Mailbox::Bounded { capacity, .. } => u64::from(capacity),
        _ => ANY,
    };
    let admission = admit(word(to.cell()), to.generation(), capacity);
    if let (Admission::Yes(waiting), Some(most)) = (&admission, soft::<A>())
        && *waiting > most
    {
        pressure::feel(to.target(), most / 2);
    }
    admission
}

/// A message that was counted and is not sent yet. Dropped, because there will be none, it is not counted any more.
struct Place<A: Actor>(Address<A>);

impl<A: Actor> Drop for Place<A> {
    fn drop(&mut self) {
        if counts::<A>() {
            withdraw(word(self.0.cell()), self.0.generation());
        }
    }
}

/// Does with a message that was not admitted what the type says. It may be one that would have been made into the actor's.
#[cold]
pub(crate) fn refuse<A: Actor, M>(to: Address<A>, refused: TellError<M>) {
    // The count of an actor that is gone stays what it was.
    let refused = if to.is_alive() {
        refused
    } else {
        TellError::Gone(refused.into_message())
    };
    let refused = Lost::refused(refused);
    if let TellError::Full(_) = refused {
        crate::trace::full(std::any::type_name::<A>(), to.id());
    }
    if let TellError::Full(_) = refused
        && stops::<A>()
        // Once: each further signal would wait until the actor has begun anew, and stop that.
        && note_told(word(to.cell()), to.generation())
    {
        watch::stop(to.target(), StopReason::Overflow);
    }
    crate::client::dead_letter(None, refused.into_message());
}

/// As [`Address::try_tell`], with what the message is made of. It is made only if it is sent, so that it can come back as
/// it was.
pub(crate) fn try_tell<A: Actor, M>(to: Address<A>, msg: M) -> Result<(), TellError<M>>
where
    A::Msg: From<M>,
{
    if !to.is_alive() {
        return Err(TellError::Gone(msg));
    }
    let rejects = matches!(
        A::MAILBOX,
        Mailbox::Bounded {
            overflow: Overflow::Reject,
            ..
        }
    );
    let admission = if counts::<A>() {
        count_in(to)
    } else {
        Admission::Yes(0)
    };
    match admission {
        Admission::Yes(_) => {
            // Code of users, which may panic.
            let place = Place(to);
            let msg = msg.into();
            std::mem::forget(place);
            to.tell_admitted(msg);
        }
        Admission::Gone => return Err(TellError::Gone(msg)),
        Admission::Full if rejects => return Err(TellError::Full(msg)),
        Admission::Full => refuse(to, TellError::Full(msg)),
    }
    Ok(())
}

impl<A: Actor> Address<A> {
    /// As [`Address::tell`], but says if the message was not sent.
    ///
    /// # Errors
    /// [`TellError::Full`] if the mailbox is bounded, full, and rejects; [`TellError::Gone`] if the actor has stopped, as far as can be seen: one that stops just now
    /// may still take the message and drop it.
    pub fn try_tell(self, msg: A::Msg) -> Result<(), TellError<A::Msg>> {
        try_tell(self, msg)
    }

    /// Number of messages that wait in the mailbox, or are on their way to it. `None` if the actor's type does not count them ([`Actor::MAILBOX`]). Takes constant time and does
    /// not disturb the actor.
    pub fn waiting(self) -> Option<usize> {
        counts::<A>().then(|| waiting(word(self.cell()), self.generation()) as usize)
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Address::try_tell`].
    ///
    /// # Errors
    /// As [`Address::try_tell`].
    pub fn try_tell<B: Actor>(&mut self, to: Address<B>, msg: B::Msg) -> Result<(), TellError<B::Msg>> {
        to.try_tell(msg)
    }
}

const PAGE: usize = 1 << 16;
/// Cells are multiples of 64 bytes.
const WORDS: usize = PAGE / 64;

type Piece = [AtomicU64; WORDS];
type Directory = [AtomicPtr<Piece>; 1 << 16];

/// By the upper, then the middle 16 bits of a cell's address.
static DIRECTORIES: [AtomicPtr<Directory>; 1 << 16] = [const { AtomicPtr::new(ptr::null_mut()) }; 1 << 16];

/// The count that belongs to a cell.
fn word(cell: *mut Header) -> &'static AtomicU64 {
    let addr = cell.addr();
    let directory = get_or_make(&DIRECTORIES[addr >> 32 & 0xFFFF]);
    let piece = get_or_make(&directory[addr >> 16 & 0xFFFF]);
    &piece[addr % PAGE / 64]
}

/// Sets the counts of all cells in this memory to zero.
#[cfg(shuttle)]
pub(crate) fn forget(start: *mut u8, size: usize) {
    let zero = |cell| word(cell).store(0, crate::atomic::Ordering::Relaxed);
    (0..size / 64).for_each(|i| zero(start.wrapping_add(i * 64).cast()));
}

/// A type for which zeroed memory is a value.
trait Zeroed {}
impl Zeroed for Piece {}
impl Zeroed for Directory {}

fn get_or_make<T: Zeroed + Sync>(place: &'static AtomicPtr<T>) -> &'static T {
    let found = place.load(Acquire);
    if found.is_null() {
        return make(place);
    }
    // SAFETY: what was published is never freed, and shared only.
    unsafe { &*found }
}

#[cold]
fn make<T: Zeroed + Sync>(place: &'static AtomicPtr<T>) -> &'static T {
    // SAFETY: zeros are a value of `T`.
    let made = Box::into_raw(unsafe { Box::<T>::new_zeroed().assume_init() });
    match place.compare_exchange(ptr::null_mut(), made, AcqRel, Acquire) {
        // SAFETY: published for ever.
        Ok(_) => unsafe { &*made },
        Err(other) => {
            // SAFETY: ours was not published; the other one was, for ever.
            unsafe {
                drop(Box::from_raw(made));
                &*other
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The count of each generation is what a list of admissions and releases says, and never exceeds the capacity.
        #[test]
        fn counts_like_a_list(steps in prop::collection::vec((0u8..5, any::<bool>()), 1..200), capacity in 1u64..5) {
            let word = AtomicU64::new(0);
            let mut generation = 0u16;
            let mut inside = 0u64;
            for (step, stale) in steps {
                match step {
                    0 if generation > 0 && stale => {
                        let outcome = admit(&word, generation - 1, capacity);
                        // The word may not know of the new generation yet; then the message goes to a dead address, and the count is begun anew later.
                        if word.load(Relaxed) as u16 == generation {
                            prop_assert_eq!(outcome, Admission::Gone);
                        }
                    }
                    0 | 1 => {
                        let expected = if inside < capacity { Admission::Yes(inside + 1) } else { Admission::Full };
                        prop_assert_eq!(admit(&word, generation, capacity), expected);
                        inside = (inside + 1).min(capacity);
                    }
                    2 if inside > 0 => {
                        word.fetch_sub(ONE, Relaxed);
                        inside -= 1;
                    }
                    3 => {
                        generation += 1;
                        inside = 0;
                    }
                    // One for the former actor, whose count is over if the word knows of this one.
                    4 if generation > 0 && stale && word.load(Relaxed) as u16 == generation => {
                        withdraw(&word, generation - 1);
                    }
                    4 if inside > 0 => {
                        withdraw(&word, generation);
                        inside -= 1;
                    }
                    _ => {}
                }
                prop_assert_eq!(waiting(&word, generation), inside);
            }
        }
    }

    #[test]
    fn an_actor_is_told_once_whatever_is_counted_meanwhile() {
        let word = AtomicU64::new(0);
        assert_eq!(
            [1, 1, 1].map(|_| admit(&word, 1, 2)),
            [Admission::Yes(1), Admission::Yes(2), Admission::Full]
        );
        assert!(!note_told(&word, 0), "it is gone");
        assert!(note_told(&word, 1));
        withdraw(&word, 1);
        assert_eq!(
            [1, 1].map(|_| admit(&word, 1, 2)),
            [Admission::Yes(2), Admission::Full]
        );
        assert!(!note_told(&word, 1) && waiting(&word, 1) == 2);
        // Another actor in this cell.
        assert_eq!(
            [1, 1].map(|_| admit(&word, 2, 1)),
            [Admission::Yes(1), Admission::Full]
        );
        assert!(note_told(&word, 2) && waiting(&word, 2) == 1);
    }

    #[test]
    fn words_of_different_cells_differ() {
        let at = |addr: usize| ptr::from_ref(word(ptr::without_provenance_mut(addr)));
        let base = 0x7f12_3456_0000;
        let mut words: Vec<_> = (0..3 * WORDS).map(|i| at(base + 64 * i)).collect();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), 3 * WORDS);
        assert_eq!(at(base), at(base));
    }
}
