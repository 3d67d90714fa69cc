//! Threads outside the runtime.

use std::sync::Arc;

use datil::policy::Random;
use datil::{Answer, AskError, Client, RuntimeHandle};

use crate::births::beget;
use crate::book::{Book, Record};
use crate::post::{Lane, Letter, Look, Reply, What};

/// What a thread does that is no actor.
pub struct Outsider {
    book: Arc<Book>,
    me: Arc<Record>,
    answers: Vec<Answer<Reply>>,
}

impl Outsider {
    pub fn new(book: &Arc<Book>, random: &mut Random) -> Self {
        Self {
            book: book.clone(),
            me: Record::new(book, random.next(), None),
            answers: Vec::new(),
        }
    }

    pub fn draw(&self, below: u32) -> u32 {
        self.me.draw(below)
    }

    fn other(&self) -> Arc<Record> {
        let somebody = self.me.somebody(&self.book);
        somebody.expect("the first actors are there before the threads")
    }

    fn letter(&self, lane: Lane, what: What) -> Letter {
        self.book.letter(&self.me, lane, what).harmless()
    }

    /// Writes to somebody, in one of the ways there are; asks, or stops.
    pub fn do_something(&mut self) {
        let seat = self.other().seat();
        match self.draw(16) {
            0 | 1 => {
                let question = |reply| self.letter(Lane::Plain, What::Question(reply));
                let answer = seat.recipient().ask(question);
                self.answers.push(answer);
            }
            2 => {
                let letter = self.letter(Lane::Plain, What::Act);
                if let Err(refused) = seat.recipient().try_tell(letter) {
                    refused.into_message().is_settled();
                }
            }
            3 => {
                let letter = self.letter(Lane::Urgent, What::Act);
                with!(seat, address => address.tell_urgently(letter.into()));
            }
            4 => {
                let look = Look(self.letter(Lane::Plain, What::Rest));
                with!(seat, address => address.query(look));
            }
            5 if self.draw(4) == 0 => with!(seat, address => address.stop()),
            _ => seat.recipient().tell(self.letter(Lane::Plain, What::Act)),
        }
    }

    /// Writes in a scope, and creates somebody who is written to before he is handed over.
    pub fn do_something_in(&mut self, client: &mut Client<'_>) {
        for _ in 0..1 + self.draw(6) {
            let letter = self.letter(Lane::Plain, What::Act);
            with!(self.other().seat(), address => client.tell(address, letter.into()));
        }
        match self.draw(4) {
            0 => beget(&self.book, client, &mut self.me.branch()),
            1 => self.do_something(),
            2 => client.flush(),
            _ => {}
        }
    }

    /// Creates somebody in a runtime that is perhaps over.
    pub fn do_something_with(&mut self, handle: &RuntimeHandle) {
        beget(&self.book, &mut handle.clone(), &mut self.me.branch());
    }

    /// Waits for all answers, as a thread or as a task.
    pub fn hear(self) {
        let wait = |(place, answer): (usize, Answer<Reply>)| {
            if place % 2 == 0 {
                answer.wait()
            } else {
                pollster::block_on(answer)
            }
        };
        for answer in self.answers.into_iter().enumerate().map(wait) {
            if let Err(error) = answer
                && !matches!(error, AskError::Full | AskError::Gone | AskError::Dropped)
            {
                self.book.fault(format!("a thread asked in vain: {error}"));
            }
        }
    }
}
