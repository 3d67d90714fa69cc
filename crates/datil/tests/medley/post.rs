//! What is made, sent and dropped: each thing is counted while it exists, and some panic when they are dropped.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use datil::ReplyTo;

use crate::book::{Book, Record, Watch, lock};
use crate::program::Feature;

/// The message of all panics that belong to a run.
pub const ON_PURPOSE: &str = "on purpose";

/// A panic without the process's hook, which would print thousands of them.
pub fn fail_on_purpose() -> ! {
    resume_unwind(Box::new(ON_PURPOSE))
}

/// Something that is counted. A bomb panics when it is dropped.
///
/// No closure that returns something with a destructor holds a bomb: what a closure returns is leaked if the destructor of
/// what it had captured panics (rust-lang/rust issue 47949), and would be missed here although datil is right.
pub struct Thing {
    book: Arc<Book>,
    kind: &'static str,
    is_bomb: bool,
}

impl Drop for Thing {
    fn drop(&mut self) {
        let left = {
            let mut existing = lock(&self.book.existing);
            let left = existing.entry(self.kind).or_default();
            *left -= 1;
            *left
        };
        if left < 0 {
            self.book.fault(format!("a {} was dropped twice", self.kind));
        }
        if self.is_bomb && !std::thread::panicking() {
            fail_on_purpose();
        }
    }
}

/// In what order a message is among those of its sender.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lane {
    Plain,
    Urgent,
    /// Behind all plain ones.
    Last,
    /// In none.
    Free,
    /// In none; held by a timer until it is due, and then it is dropped uncounted if the timer is cancelled.
    Timed,
}

/// An answer: who gives it, and which of his messages it is.
pub struct Reply {
    pub from: u32,
    pub number: u64,
    pub lane: Lane,
}

/// What its receiver is to do.
pub enum What {
    /// Something.
    Act,
    /// Nothing.
    Rest,
    /// Answer, or not.
    Question(ReplyTo<Reply>),
    /// Take note of an end.
    Down(Arc<Watch>),
    /// As [`What::Act`]; and when the message is dropped unhandled, somebody hears of it.
    Will(Arc<Record>),
}

/// A message.
pub struct Letter {
    pub from: u32,
    pub number: u64,
    pub lane: Lane,
    pub what: Option<What>,
    /// It is sent: it must be handled, or counted as a dead letter.
    pub due: bool,
    /// Which it was of those that its receiver has put aside, if it was.
    pub aside: Option<u64>,
    /// The timer that sends it.
    pub alarm: Option<Arc<Alarm>>,
    thing: Thing,
}

impl Letter {
    /// It comes back, or is handled.
    pub fn is_settled(&mut self) {
        self.due = false;
    }

    /// No bomb, since its sender may have to drop it.
    pub fn harmless(mut self) -> Self {
        self.thing.is_bomb = false;
        self
    }
}

/// As groups make them: what a copy holds is its own.
impl Clone for Letter {
    fn clone(&self) -> Self {
        Self {
            what: Some(What::Act),
            alarm: None,
            thing: self.thing.book.thing("copy", false),
            ..*self
        }
    }
}

impl Drop for Letter {
    fn drop(&mut self) {
        let book = &self.thing.book;
        if !self.due {
            return;
        }
        let lost = if self.lane == Lane::Timed {
            &book.lost_by_timers
        } else {
            &book.lost
        };
        lost.fetch_add(1, SeqCst);
        if let Some(What::Will(heir)) = self.what.take()
            && book.spend()
        {
            // Not in order with anything.
            let stranger = Record::new(book, 0, None);
            heir.tell(book.letter(&stranger, Lane::Plain, What::Act));
        }
    }
}

/// A letter as actors of a certain type get it: with no words besides it lies in a cell's slot, with 40 in a box of its own.
pub struct Parcel<const SIZE: usize>(pub Box<Letter>, [u64; SIZE]);

impl<const SIZE: usize> From<Letter> for Parcel<SIZE> {
    fn from(letter: Letter) -> Self {
        Self(Box::new(letter), [7; SIZE])
    }
}

/// A query.
pub struct Look(pub Letter);

/// A timer: cancelled in time it must not fire.
#[derive(Default)]
pub struct Alarm(AtomicU32);

impl Alarm {
    pub fn fires(&self, book: &Book) {
        self.note(1, book);
    }

    pub fn is_cancelled(&self, book: &Book) {
        self.note(2, book);
    }

    fn note(&self, bit: u32, book: &Book) {
        if self.0.fetch_or(bit, SeqCst) | bit == 3 {
            book.fault("a timer fires that was cancelled in time".into());
        }
    }
}

/// What waits for an answer; it is run or dropped.
pub struct Asked {
    asker: Arc<Record>,
    ran: bool,
    thing: Thing,
}

impl Asked {
    pub fn new(book: &Arc<Book>, asker: &Arc<Record>) -> Self {
        book.pending.fetch_add(1, SeqCst);
        Self {
            asker: asker.clone(),
            ran: false,
            thing: book.thing("continuation", asker.draw(9) == 0),
        }
    }

    pub fn runs_in(&mut self, actor: &Arc<Record>) {
        self.ran = true;
        if !Arc::ptr_eq(&self.asker, actor) {
            self.thing
                .book
                .fault(format!("{} got an answer for {}", actor.name, self.asker.name));
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.ran {
            self.asker.unanswered.fetch_add(1, SeqCst);
        }
        self.thing.book.pending.fetch_sub(1, SeqCst);
    }
}

impl Book {
    pub fn thing(self: &Arc<Self>, kind: &'static str, is_bomb: bool) -> Thing {
        *lock(&self.existing).entry(kind).or_default() += 1;
        Thing {
            book: self.clone(),
            kind,
            is_bomb: is_bomb && self.program.has(Feature::Bombs),
        }
    }

    /// The next message of somebody.
    pub fn letter(self: &Arc<Self>, from: &Record, lane: Lane, what: What) -> Letter {
        let number = from.next_number();
        Letter {
            from: from.name,
            number,
            lane,
            what: Some(what),
            due: true,
            aside: None,
            alarm: None,
            thing: self.thing("message", number.is_multiple_of(23)),
        }
    }
}
