//! The actor: its life, and what it does with what it gets.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use datil::{Actor, AskError, Context, Mailbox, MonitorId, Overflow, Query, QueryContext, TimerId};

use crate::book::{Book, Record, Turn, Watch};
use crate::post::{Alarm, Asked, Lane, Letter, Look, Parcel, Reply, Thing, What, fail_on_purpose};
use crate::program::Feature;

pub const PLAIN: u8 = 0;
pub const LAZY: u8 = 1;
pub const REJECTING: u8 = 2;
pub const ENDING: u8 = 3;
pub const SOFT: u8 = 4;

/// Where a state is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Made,
    Started,
    Stopped,
}

/// Does at random what actors can do. Kinds differ in their mailbox, sizes in where state and messages lie.
pub struct Node<const KIND: u8, const SIZE: usize> {
    pub book: Arc<Book>,
    pub me: Arc<Record>,
    phase: Phase,
    pub monitor: Option<(MonitorId, Arc<Watch>)>,
    pub alarm: Option<(TimerId, Arc<Alarm>)>,
    /// Handles of others.
    pub held: Vec<Box<dyn Any + Send + Sync>>,
    _weight: [[u64; 4]; SIZE],
    _thing: Thing,
}

impl<const KIND: u8, const SIZE: usize> Node<KIND, SIZE> {
    pub fn new(book: &Arc<Book>, me: &Arc<Record>, is_bomb: bool) -> Self {
        me.lives.fetch_add(1, SeqCst);
        Self {
            book: book.clone(),
            me: me.clone(),
            phase: Phase::Made,
            monitor: None,
            alarm: None,
            held: Vec::new(),
            _weight: [[0; 4]; SIZE],
            _thing: book.thing("state", is_bomb),
        }
    }

    /// Begins to handle something that the runtime counts as a message.
    pub fn begin(&self) -> Turn {
        self.book.handled.fetch_add(1, SeqCst);
        self.in_phase(Phase::Started);
        self.me.begin(&self.book)
    }

    fn in_phase(&self, due: Phase) {
        if self.phase != due {
            let (who, phase) = (self.me.name, self.phase);
            self.book.fault(format!("{who} is {phase:?}, not {due:?}"));
        }
    }

    fn enter_phase(&mut self, from: Phase, to: Phase) -> Turn {
        self.in_phase(from);
        self.phase = to;
        self.me.begin(&self.book)
    }

    pub fn fails(&self, one_in: u32) {
        if self.book.program.has(Feature::Failures) && self.me.draw(one_in) == 0 {
            fail_on_purpose();
        }
    }
}

impl<const KIND: u8, const SIZE: usize> Actor for Node<KIND, SIZE> {
    type Msg = Parcel<SIZE>;
    const EAGER: bool = KIND != LAZY;
    const MAILBOX: Mailbox = match KIND {
        LAZY => Mailbox::Counted,
        REJECTING => Mailbox::Bounded {
            capacity: 3,
            overflow: Overflow::Reject,
        },
        ENDING => Mailbox::Bounded {
            capacity: 6,
            overflow: Overflow::Stop,
        },
        SOFT => Mailbox::Soft { most: 2 },
        _ => Mailbox::Unbounded,
    };

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        let _turn = self.enter_phase(Phase::Made, Phase::Started);
        if self.me.is_closed.swap(false, SeqCst) {
            // What a former state has put aside.
            cx.unstash();
        }
        self.fails(40);
        if self.book.program.has(Feature::Links) && self.me.draw(3) == 0 {
            let (book, me) = (self.book.clone(), self.me.clone());
            me.traps.store(true, SeqCst);
            cx.trap_links(move |_| book.letter(&me, Lane::Free, What::Rest).into());
        }
    }

    fn handle(&mut self, parcel: Parcel<SIZE>, cx: &mut Context<'_, Self>) {
        let _turn = self.begin();
        self.take(*parcel.0, cx);
    }

    fn stopped(&mut self, cx: &mut Context<'_, Self>) {
        let _turn = self.enter_phase(Phase::Started, Phase::Stopped);
        if self.book.spend() {
            self.tell(cx, 0);
        }
        self.fails(10);
    }
}

impl<const KIND: u8, const SIZE: usize> Drop for Node<KIND, SIZE> {
    fn drop(&mut self) {
        if self.me.readers.load(SeqCst) > 0 {
            self.book
                .fault(format!("{} ends before a reader's eyes", self.me.name));
        }
        if self.book.program.has(Feature::Farewells)
            && self.book.spend()
            && let Some(somebody) = self.me.somebody(&self.book)
        {
            somebody.tell(self.book.letter(&self.me, Lane::Plain, What::Act));
        }
    }
}

impl<const KIND: u8, const SIZE: usize> Query<Look> for Node<KIND, SIZE> {
    fn query(&self, Look(mut letter): Look, _: &mut QueryContext<'_, Self>) {
        letter.is_settled();
        self.book.handled.fetch_add(1, SeqCst);
        self.in_phase(Phase::Started);
        self.me.readers.fetch_add(1, SeqCst);
        if self.me.acts() {
            self.book
                .fault(format!("{} changes before a reader's eyes", self.me.name));
        }
        self.me.be_seen(&self.book, letter.from, letter.number);
        if let Some(What::Question(reply)) = letter.what.take() {
            // Others may answer at the same time.
            reply.send(self.me.reply(Lane::Free));
        }
        if self.book.program.has(Feature::Dawdling) && letter.number.is_multiple_of(2) {
            // Worth it to call other workers for help.
            std::thread::sleep(Duration::from_micros(100));
        }
        let fails = self.book.program.has(Feature::Failures) && letter.number.is_multiple_of(11);
        self.me.readers.fetch_sub(1, SeqCst);
        if fails {
            fail_on_purpose();
        }
    }
}

impl<const KIND: u8, const SIZE: usize> Node<KIND, SIZE> {
    /// Handles a message.
    pub fn take(&mut self, mut letter: Letter, cx: &mut Context<'_, Self>) {
        letter.is_settled();
        if let Some(alarm) = &letter.alarm {
            alarm.fires(&self.book);
        }
        self.check_turn(&letter);
        match letter.what.take() {
            Some(What::Act | What::Will(_)) => self.act(cx),
            Some(What::Question(reply)) => self.be_asked(reply, cx),
            Some(What::Down(watch)) => _ = watch.heard.fetch_add(1, SeqCst),
            Some(What::Rest) => {}
            None => self.book.fault("a message comes twice".into()),
        }
    }

    /// Whether it is this message's turn.
    fn check_turn(&self, letter: &Letter) {
        let (put, taken) = (self.me.put_aside.load(SeqCst), self.me.taken_up.load(SeqCst));
        if let Some(aside) = letter.aside {
            self.me.taken_up.store(aside, SeqCst);
            if taken + 1 != aside {
                let who = self.me.name;
                self.book
                    .fault(format!("{who} takes up the {aside}th after the {taken}th"));
            }
            return;
        }
        self.me.hear(&self.book, letter.from, letter.lane, letter.number);
        if letter.lane != Lane::Urgent && !self.me.is_closed.load(SeqCst) && put != taken {
            self.book
                .fault(format!("{} forgets what it has put aside", self.me.name));
        }
    }

    /// What handles messages meanwhile: puts them aside.
    pub fn put_aside(&mut self, mut parcel: Parcel<SIZE>, cx: &mut Context<'_, Self>) {
        let _turn = self.begin();
        let letter = &mut *parcel.0;
        if letter.lane == Lane::Urgent {
            return self.take(*parcel.0, cx);
        }
        if letter.aside.is_none() {
            self.me.hear(&self.book, letter.from, letter.lane, letter.number);
            letter.aside = Some(self.me.put_aside.fetch_add(1, SeqCst) + 1);
        }
        cx.stash(parcel);
        if self.me.draw(4) == 0 {
            self.open(cx);
        }
    }

    pub fn open(&mut self, cx: &mut Context<'_, Self>) {
        self.me.is_closed.store(false, SeqCst);
        cx.unbecome();
        cx.unstash();
    }

    /// Answers, now or later, lets somebody else answer, or nobody.
    fn be_asked(&mut self, reply: datil::ReplyTo<Reply>, cx: &mut Context<'_, Self>) {
        match self.me.draw(6) {
            0 => drop(reply),
            1 => {
                self.later(cx, Duration::from_micros(300), move |me, _| {
                    reply.send(me.me.reply(Lane::Plain));
                });
            }
            2 if self.book.spend() => {
                let question = self.book.letter(&self.me, Lane::Plain, What::Question(reply));
                self.other().tell(question);
            }
            _ => reply.send(self.me.reply(Lane::Plain)),
        }
    }

    /// Continues with an answer.
    pub fn be_answered(
        &mut self,
        asked: Asked,
        answer: Result<Reply, AskError>,
        within: bool,
        cx: &mut Context<'_, Self>,
    ) {
        let _turn = self.begin();
        let mut asked = asked;
        asked.runs_in(&self.me);
        match answer {
            Ok(reply) => self.me.hear(&self.book, reply.from, reply.lane, reply.number),
            Err(AskError::Full | AskError::Gone | AskError::Dropped) => {}
            Err(AskError::TimedOut) if within => {}
            Err(error) => self.book.fault(format!("asked in vain: {error}")),
        }
        self.act(cx);
    }

    /// Does something later, unless it ends before.
    pub fn later(
        &mut self,
        cx: &mut Context<'_, Self>,
        delay: Duration,
        act: impl FnOnce(&mut Self, &mut Context<'_, Self>) + Send + 'static,
    ) -> TimerId {
        let thing = self.book.thing("timer", self.me.draw(9) == 0);
        cx.after(delay, move |me, cx| {
            let (_thing, _turn) = (thing, me.begin());
            act(me, cx);
        })
    }
}
