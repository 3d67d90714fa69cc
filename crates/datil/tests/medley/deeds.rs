//! What actors do of their own accord.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use datil::{Actor, Address, AskError, Context, Down, Handle, NameError, Pool, Route, StopReason};

use crate::births::{Apart, Guarded, beget};
use crate::book::{Book, Record, Watch, lock};
use crate::node::Node;
use crate::post::{Alarm, Asked, Lane, Look, Reply, What};
use crate::program::Feature;

impl<const KIND: u8, const SIZE: usize> Node<KIND, SIZE> {
    /// Does some of what the run's features allow.
    pub fn act(&mut self, cx: &mut Context<'_, Self>) {
        for _ in 0..1 + self.me.draw(3) {
            if !self.book.spend() {
                return;
            }
            self.do_something(cx);
        }
    }

    fn do_something(&mut self, cx: &mut Context<'_, Self>) {
        let book = self.book.clone();
        let has = |feature| book.program.has(feature);
        match self.me.draw(24) {
            0 | 1 if has(Feature::Questions) => self.ask(cx),
            2 if has(Feature::Timers) => self.set_timer(cx),
            3 | 4 if has(Feature::Monitors) => self.watch(cx),
            5 if has(Feature::Links) => self.link(cx),
            6 => self.fails(3),
            7 if has(Feature::Groups) => self.write_to_many(cx),
            8 if has(Feature::Behaviours) => self.close(cx),
            9 if has(Feature::Queries) => self.look_at_somebody(cx),
            10 if has(Feature::Stops) => self.stop_somebody(cx),
            11 | 12 if has(Feature::Births) => self.have_child(cx),
            13 if has(Feature::Handles) => self.hold_somebody(),
            14 if has(Feature::Names) => self.use_names(cx),
            15 if has(Feature::Dawdling) && self.me.draw(8) == 0 => {
                std::thread::sleep(Duration::from_millis(2));
            }
            way => self.tell(cx, way % 6),
        }
    }

    pub fn other(&self) -> Arc<Record> {
        let somebody = self.me.somebody(&self.book);
        somebody.expect("who acts has been found by somebody who is there")
    }

    /// A time that is short, and now and then not so short.
    fn soon(&self) -> Duration {
        Duration::from_micros(100 << self.me.draw(5))
    }

    /// Sends a message, in one of the ways there are.
    pub fn tell(&mut self, cx: &mut Context<'_, Self>, way: u32) {
        let to = self.other();
        let urgent = way == 4 && self.book.program.has(Feature::Urgent);
        let lane = if urgent { Lane::Urgent } else { Lane::Plain };
        let what = if self.me.draw(8) == 0 {
            What::Will(self.other())
        } else {
            What::Act
        };
        let letter = self.book.letter(&self.me, lane, what);
        with!(to.seat(), address => match way {
            0 => address.tell(letter.into()),
            1 => to.tell(letter),
            2 => if let Err(refused) = cx.try_tell(address, letter.into()) {
                refused.into_message().0.is_settled();
            },
            4 if urgent => address.tell_urgently(letter.into()),
            _ => cx.tell(address, letter.into()),
        });
    }

    fn ask(&mut self, cx: &mut Context<'_, Self>) {
        let to = self.other().seat();
        let (book, me) = (self.book.clone(), self.me.clone());
        let question = move |reply| book.letter(&me, Lane::Plain, What::Question(reply));
        let (way, within) = (self.me.draw(6), 2 * self.soon());
        if way == 0 {
            // As threads do. A handler must not wait, unless it has a thread of its own.
            let answer = with!(to, address => address.ask(|reply| question(reply).into()));
            return drop(answer.wait_for(Duration::from_millis(1)));
        }
        let asked = Asked::new(&self.book, &self.me);
        let has_limit = way < 3;
        let then = move |me: &mut Self, answer: Result<Reply, AskError>, cx: &mut Context<'_, Self>| {
            me.be_answered(asked, answer, has_limit, cx);
        };
        match way {
            1 => cx.ask_within(within, to.recipient(), question, then),
            2 => with!(to, address => cx.ask_within(within, address, |reply| question(reply).into(), then)),
            3 if self.book.program.has(Feature::Queries) => {
                with!(to, address => cx.ask_query(address, |reply| Look(question(reply)), then));
            }
            4 => cx.ask(to.recipient(), question, then),
            _ => with!(to, address => cx.ask(address, |reply| question(reply).into(), then)),
        }
    }

    /// Sets a timer, and cancels the last one, if that is still there.
    fn set_timer(&mut self, cx: &mut Context<'_, Self>) {
        if let Some((timer, alarm)) = self.alarm.take()
            && cx.cancel(timer)
        {
            alarm.is_cancelled(&self.book);
        }
        let (soon, alarm) = (self.soon(), Arc::new(Alarm::default()));
        let timer = match self.me.draw(3) {
            0 => {
                let mut letter = self.book.letter(&self.me, Lane::Timed, What::Act);
                letter.alarm = Some(alarm.clone());
                with!(self.other().seat(), address => cx.tell_after(soon, address, letter.into()))
            }
            1 => {
                let rings = alarm.clone();
                self.later(cx, soon, move |me, cx| {
                    rings.fires(&me.book);
                    me.act(cx);
                })
            }
            _ => return self.beat(cx, soon),
        };
        self.alarm = Some((timer, alarm));
    }

    /// Sends a message again and again, for a while.
    fn beat(&mut self, cx: &mut Context<'_, Self>, period: Duration) {
        let (book, me) = (self.book.clone(), self.me.clone());
        let (thing, over) = (book.thing("beat", false), Arc::new(AtomicBool::new(false)));
        let (is_over, life) = (over.clone(), me.lives.load(SeqCst));
        let timer = with!(self.other().seat(), address => cx.tell_every(period, address, move || {
            let _thing = &thing;
            // On threads it may be under way while its actor ends or begins anew.
            let outlives = book.program.is_simulated && !(me.is_alive() && me.lives.load(SeqCst) == life);
            if is_over.load(SeqCst) || outlives {
                book.fault("a beat comes after the last one".into());
            }
            book.letter(&me, Lane::Free, What::Rest).into()
        }));
        self.later(cx, 4 * period, move |_, cx| {
            // If that is too late it fires just now, and never again.
            if cx.cancel(timer) {
                over.store(true, SeqCst);
            }
        });
    }

    /// Watches somebody, and perhaps no longer the one before.
    fn watch(&mut self, cx: &mut Context<'_, Self>) {
        if let Some((id, watch)) = self.monitor.take()
            && self.me.draw(2) == 0
        {
            watch.withdrawn.store(true, SeqCst);
            cx.demonitor(id);
        }
        let watch = Arc::new(Watch {
            by: self.me.clone(),
            of: self.other(),
            told: AtomicU32::new(0),
            heard: AtomicU32::new(0),
            withdrawn: AtomicBool::new(false),
        });
        lock(&self.book.watches).push(watch.clone());
        let (book, mine) = (self.book.clone(), watch.clone());
        let thing = book.thing("monitor", false);
        let tell = move |down: Down| {
            let _thing = &thing;
            mine.told.fetch_add(1, SeqCst);
            // What was over before is in no order with what it had sent, if that was from another runtime.
            let lane = if down.reason == StopReason::Gone {
                Lane::Free
            } else {
                Lane::Last
            };
            let of = mine.of.clone();
            book.letter(&of, lane, What::Down(mine))
        };
        let seat = watch.of.seat();
        let id = match self.me.draw(2) {
            0 => cx.monitor(seat.recipient(), |down| tell(down).into()),
            _ => with!(seat, address => cx.monitor(address, |down| tell(down).into())),
        };
        self.monitor = Some((id, watch));
    }

    fn link(&mut self, cx: &mut Context<'_, Self>) {
        let other = self.other();
        if Arc::ptr_eq(&other, &self.me) {
            return;
        }
        if self.me.draw(4) == 0 {
            let (one, two) = (self.me.name, other.name);
            lock(&self.book.loosened).insert([one.min(two), one.max(two)]);
            return with!(other.seat(), address => cx.unlink(address));
        }
        with!(other.seat(), address => cx.link(address));
        lock(&self.book.links).push([self.me.clone(), other]);
    }

    /// Joins the group or leaves it, writes to all of it, or to one of a pool.
    fn write_to_many(&mut self, cx: &mut Context<'_, Self>) {
        let group = self.book.group.clone();
        match self.me.draw(6) {
            0 => group.join(cx.address()),
            1 => _ = group.leave(cx.address()),
            2 | 3 => {
                let letter = self.book.letter(&self.me, Lane::Plain, What::Act).harmless();
                if group.tell_all(letter) == 0 {
                    // It was sent to nobody, and dropped.
                    self.book.lost.fetch_sub(1, SeqCst);
                }
            }
            _ => self.write_to_pool(),
        }
    }

    fn write_to_pool(&mut self) {
        let letter = self.book.letter(&self.me, Lane::Plain, What::Act);
        let seed = u64::from(self.me.draw(100));
        let routes = [
            Route::RoundRobin,
            Route::Random(seed),
            Route::LessLoaded(seed),
            Route::LeastLoaded,
        ];
        let (route, insists) = (routes[self.me.draw(4) as usize], self.me.draw(2) == 0);
        with!(self.other().seat(), address => {
            let pool = Pool::new(all_like(&self.book, address), route);
            let refused = if insists {
                pool.try_tell(letter.into()).map_err(datil::TellError::into_message)
            } else {
                pool.tell(letter.into())
            };
            if let Err(mut parcel) = refused {
                parcel.0.is_settled();
            }
        });
    }

    /// Puts messages aside for a while.
    fn close(&mut self, cx: &mut Context<'_, Self>) {
        if self.me.is_closed.swap(true, SeqCst) {
            return;
        }
        cx.become_with(Self::put_aside);
        self.later(cx, Duration::from_micros(500), |me, cx| me.open(cx));
    }

    fn look_at_somebody(&mut self, cx: &mut Context<'_, Self>) {
        let seat = self.other().seat();
        for _ in 0..4 {
            let look = Look(self.book.letter(&self.me, Lane::Plain, What::Rest));
            with!(seat, address => cx.query(address, look));
        }
    }

    fn stop_somebody(&mut self, cx: &mut Context<'_, Self>) {
        let seat = self.other().seat();
        match self.me.draw(9) {
            0 => with!(seat, address => address.stop()),
            1 => with!(seat, address => address.kill()),
            2 => {
                self.book.stops_in_turn.fetch_add(1, SeqCst);
                with!(seat, address => address.stop_in_turn());
            }
            3 => cx.stop_because(StopReason::Killed),
            4 if self.me.draw(8) == 0 => {
                let supervisors = &self.book.supervisors;
                supervisors[self.me.draw(supervisors.len() as u32) as usize].stop();
            }
            _ => cx.stop(),
        }
    }

    fn have_child(&mut self, cx: &mut Context<'_, Self>) {
        let (book, mut random) = (self.book.clone(), self.me.branch());
        match random.below(10) {
            0 if book.program.has(Feature::Blocking) => {
                book.has_blocking.store(true, SeqCst);
                beget(&book, &mut Apart(cx), &mut random);
            }
            1..4 if book.program.has(Feature::Supervision) => {
                let mut guarded = Guarded {
                    place: cx,
                    book: &book,
                    which: random.below(12),
                };
                beget(&book, &mut guarded, &mut random);
            }
            _ => beget(&book, cx, &mut random),
        }
    }

    /// Ties somebody's life to this one's.
    fn hold_somebody(&mut self) {
        if self.held.len() < 2 {
            self.book.stops_in_turn.fetch_add(1, SeqCst);
            with!(self.other().seat(), address => self.held.push(Box::new(Handle::new(address))));
        }
    }

    /// Takes, gives back or looks up a name; the book is held meanwhile, so that it says the same as the runtime.
    fn use_names(&mut self, cx: &mut Context<'_, Self>) {
        let (book, name) = (self.book.clone(), format!("name {}", self.me.draw(6)));
        let mut registered = lock(&book.registered);
        let holder = registered.get(&name).copied();
        let wrong = |what: &str| book.fault(format!("{name}, of {holder:?}: {what}"));
        match self.me.draw(6) {
            0 => {
                registered.remove(&name);
                if cx.unregister(&name) && holder.is_none() {
                    wrong("taken away from nobody");
                }
            }
            1 | 2 => match cx.register(&name, cx.address()) {
                Ok(()) => {
                    registered.insert(name.clone(), cx.address().recipient());
                    if holder.is_some_and(|holder| holder.is_alive()) {
                        wrong("given twice");
                    }
                }
                Err(NameError::Taken { .. }) if holder.is_some() => {}
                Err(error) => wrong(&error.to_string()),
            },
            _ => match cx.whereis::<Self>(&name) {
                Ok(found) if holder.is_some_and(|holder| holder.id() == found.id()) => {}
                Err(NameError::Unknown { .. }) if holder.is_none_or(|holder| !holder.is_alive()) => {}
                Err(NameError::OtherType { .. }) if holder.is_some() => {}
                found => wrong(&format!("{found:?} was found")),
            },
        }
    }
}

/// The actors of a type.
fn all_like<A: Actor>(book: &Book, _: Address<A>) -> Vec<Address<A>> {
    let actors = lock(&book.actors);
    let young = &actors[actors.len().saturating_sub(12)..];
    young.iter().filter_map(|actor| actor.seat().of()).collect()
}
