//! Questions and answers: `ask` from inside an actor, from a task, and from a thread.
//!
//! A question is an ordinary message that carries a [`ReplyTo`]. Inside an actor the answer comes back as a signal in the asker's mailbox, in
//! order with what the other one has sent; the memory for it is taken from the worker's pool when the question is asked, and holds the
//! continuation meanwhile. A reply that is dropped is an answer, too: an [`AskError`]. So every question is answered, whatever happens to it.

use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Poll, Wake, Waker};
use std::time::Duration;

use crate::actor::{Actor, Context};
use crate::address::{Address, Target};
use crate::lost;
use crate::pool::lock;
use crate::recipient::Receiver;
use crate::signal::{At, Lane, Parcel, Signal};
use crate::sync::{self, Mutex, thread, thread_local};
use crate::timer::TimeOut;
use crate::worker::core::{Core, contain};
use crate::worker::team::Team;

/// Why a question got no answer.
///
/// [`AskError::Full`] and [`AskError::Gone`] are about the message that carried the [`ReplyTo`]: nobody has handled it, nor will. Who passes a question on
/// puts it into another message, and so they may be said of that one: then who was asked first has seen the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The mailbox is bounded ([`Actor::MAILBOX`]) and was full, whatever becomes of the actor then ([`crate::Overflow`]). The question was not handled: ask
    /// again when there may be room, or somebody else. Never the answer to queries and urgent messages, which are always taken.
    Full,
    /// The actor had stopped, or did while the question waited in its mailbox; a shutdown of its runtime is such an end. The question was not handled, and
    /// that actor will answer none any more.
    Gone,
    /// The [`ReplyTo`] was dropped otherwise: the handler does not answer, panicked, or keeps the reply in the actor's state or [stash](Context::stash), and
    /// the actor has stopped or begun anew. What was asked for may have been done, in part or in whole.
    Dropped,
    /// The time was up first. The answer may still come, and is dropped then.
    TimedOut,
    /// A handler called a blocking method, which might wait for itself. Use [`Context::ask`] inside actors.
    InsideActor,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "the question was not handled: the mailbox is full; ask again later",
            Self::Gone => "the question was not handled: the actor has stopped",
            Self::Dropped => {
                "the question was dropped without an answer: its handler panicked or does not answer, or the actor has stopped since"
            }
            Self::TimedOut => "no answer came in time",
            Self::InsideActor => "a handler must not block for an answer; use Context::ask",
        })
    }
}

impl std::error::Error for AskError {}

/// The place of a reply; what is behind it depends on who asks.
#[repr(C)]
struct Head<R> {
    /// Answers and takes the whole place; `None` says that there is no answer, why says [`lost::why`].
    complete: unsafe fn(NonNull<Head<R>>, Option<R>),
}

/// Where the answer to a question goes: one word, used once. Dropping it answers with [`AskError::Dropped`], or says what the runtime dropped it for.
#[must_use = "a reply that is dropped tells the asker that there is no answer"]
pub struct ReplyTo<R: Send + 'static> {
    head: NonNull<Head<R>>,
    answer: PhantomData<fn(R)>,
}

// SAFETY: what is behind the pointer is owned and `Send`: a continuation of an actor, or the sending side of a channel.
unsafe impl<R: Send + 'static> Send for ReplyTo<R> {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl<R: Send + 'static> Sync for ReplyTo<R> {}

impl<R: Send + 'static> ReplyTo<R> {
    /// Answers. If the asker is gone or does not wait any more the answer is dropped.
    ///
    /// Panics in what then runs of the asker's (the waker of its task, what its continuation holds) and in the destructor
    /// of such an answer do not reach the caller. On a worker they are told to [`crate::Builder::on_panic`].
    pub fn send(self, answer: R) {
        let head = ManuallyDrop::new(self).head;
        // SAFETY: the place is ours and used once, since `self` is gone.
        unsafe { (head.as_ref().complete)(head, Some(answer)) };
    }
}

impl<R: Send + 'static> Drop for ReplyTo<R> {
    fn drop(&mut self) {
        // SAFETY: as in `send`.
        unsafe { (self.head.as_ref().complete)(self.head, None) };
    }
}

impl<R: Send + 'static> fmt::Debug for ReplyTo<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyTo").finish_non_exhaustive()
    }
}

/// Signal: the answer to a question of the receiver, an `A`, and what it does with it.
#[repr(C)]
struct Continuation<A, R, F> {
    /// First, so that a reply leads to the whole.
    head: Head<R>,
    asker: Target,
    answer: Result<R, AskError>,
    then: F,
    actor: PhantomData<fn(A)>,
}

impl<A, R, F> Signal for Continuation<A, R, F>
where
    A: Actor,
    R: Send + 'static,
    F: FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
{
    const LANE: Lane = Lane::Mail;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: by the caller; it was made for an `A`.
        let (actor, context) = unsafe { at.actor::<A>() };
        (self.then)(actor, self.answer, context);
    }

    fn lost(self, on: Option<&Core>) {
        drop_in_turn(self, on);
    }
}

thread_local! {
    /// What this thread has yet to drop, while it is in [`drop_in_turn`].
    static TO_DROP: RefCell<Option<Vec<Box<dyn Send>>>> = const { RefCell::new(None) };
}

/// Drops a continuation. It may hold the reply to another one whose asker is gone as well, and so on: dropped within each other, a long chain of them would
/// take more stack than there is.
fn drop_in_turn<T: Send + 'static>(continuation: T, on: Option<&Core>) {
    let mut continuation = Some(continuation);
    let begins = TO_DROP.try_with(|waiting| match &mut *waiting.borrow_mut() {
        Some(waiting) => {
            waiting.push(Box::new(continuation.take()));
            false
        }
        nothing => {
            *nothing = Some(Vec::new());
            true
        }
    });
    // While the thread ends there may be no list any more.
    if !begins.unwrap_or(false) {
        return;
    }
    let next = || TO_DROP.with(|waiting| waiting.borrow_mut().as_mut().and_then(Vec::pop));
    // Each by itself: a panic in one must not end this, or the list would stay, and with it all that is put there later.
    // Nor is it one of whoever answers, perhaps because of a panic.
    // And the replies in it are not lost for the reason for which the one to it may be.
    contain("a continuation", on, || lost::apart(|| drop(continuation)));
    while let Some(next) = next() {
        contain("a continuation", on, || lost::apart(|| drop(next)));
    }
    TO_DROP.with(|waiting| waiting.replace(None));
}

impl<A, R, F> Continuation<A, R, F>
where
    Self: Signal,
    R: Send + 'static,
{
    /// A place for an answer to `asker`.
    fn parcel(asker: Target, then: F) -> Parcel<Self> {
        Parcel::new(Self {
            head: Head {
                complete: Self::complete,
            },
            asker,
            answer: Err(AskError::Dropped),
            then,
            actor: PhantomData,
        })
    }

    /// # Safety
    /// The head is that of a `Continuation<A, R, F>` in a parcel that was left, and is used once.
    unsafe fn complete(head: NonNull<Head<R>>, answer: Option<R>) {
        let place = head.cast::<Self>();
        // SAFETY: by the caller. Nobody else refers to the parcel until it is sent.
        unsafe {
            (*place.as_ptr()).answer = answer.ok_or_else(lost::why);
            let asker = (*place.as_ptr()).asker;
            Parcel::at(place).send(asker);
        }
    }
}

impl<A: Actor> Context<'_, A> {
    /// Asks another actor, by its [`Address`] or as a [`crate::Recipient`], and goes on; `then` runs in this actor when the
    /// answer is there.
    ///
    /// `request` makes the question, a message that carries the [`ReplyTo`]. The answer comes in order with the messages of whoever sends it.
    /// If this actor stops first the answer is dropped. There is no time-out; see [`Context::ask_within`].
    ///
    /// In `then` use the state and the context that it gets. Those of the handler that asks do not live that long, and the
    /// compiler refuses them.
    ///
    /// ```
    /// # use datil::{Actor, Context, ReplyTo, Runtime};
    /// struct Square;
    /// impl Actor for Square {
    ///     type Msg = (u64, ReplyTo<u64>);
    ///     fn handle(&mut self, (n, reply): Self::Msg, _: &mut Context<'_, Self>) {
    ///         reply.send(n * n);
    ///     }
    /// }
    /// struct Asker(Option<ReplyTo<u64>>);
    /// impl Actor for Asker {
    ///     type Msg = ();
    ///     fn started(&mut self, cx: &mut Context<'_, Self>) {
    ///         let square = cx.spawn(Square);
    ///         cx.ask(square, |reply| (12, reply), |me, answer, cx| {
    ///             me.0.take().expect("asked once").send(answer.expect("Square answers"));
    ///             cx.stop();
    ///         });
    ///     }
    ///     fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    /// }
    /// let runtime = Runtime::builder().workers(1).build()?;
    /// let (reply, answer) = datil::promise();
    /// runtime.spawn(Asker(Some(reply)));
    /// assert_eq!(answer.wait(), Ok(144));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn ask<T: Receiver, R: Send + 'static>(
        &mut self,
        to: T,
        request: impl FnOnce(ReplyTo<R>) -> T::Msg,
        then: impl FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
    ) {
        let reply = self.reply(then);
        to.tell_in(self, request(reply));
    }

    /// As [`Context::ask`], but if no answer has come when `most` is over `then` gets [`AskError::TimedOut`], usually
    /// within a millisecond, and an answer that still comes is dropped. [`crate::Runtime::wait_quiescent`] does not wait
    /// for the time-out.
    ///
    /// # Panics
    /// As [`crate::Runtime::tell_after`].
    pub fn ask_within<T: Receiver, R: Send + 'static>(
        &mut self,
        most: Duration,
        to: T,
        request: impl FnOnce(ReplyTo<R>) -> T::Msg,
        then: impl FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
    ) {
        let asker = self.address().target();
        let reply = bounded_reply::<A, R, _>(&self.engine.team, most, asker, then);
        to.tell_in(self, request(reply));
    }

    /// A reply that runs `then` in this actor when it is used or dropped. For questions that are more than one message.
    pub fn reply<R: Send + 'static>(
        &mut self,
        then: impl FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
    ) -> ReplyTo<R> {
        let asker = self.address().target();
        reply::<A, R, _>(asker, then)
    }
}

/// A reply that arrives at an actor of type `A`.
fn reply<A, R, F>(asker: Target, then: F) -> ReplyTo<R>
where
    A: Actor,
    R: Send + 'static,
    F: FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
{
    let parcel = Continuation::<A, R, F>::parcel(asker, then);
    ReplyTo {
        head: parcel.leave().cast(),
        answer: PhantomData,
    }
}

/// The place of a reply that a time-out may overtake: whoever comes first takes the parcel.
#[repr(C)]
struct Bounded<A, R, F>
where
    Continuation<A, R, F>: Signal,
{
    head: Head<R>,
    race: Mutex<Race<Continuation<A, R, F>>>,
}

struct Race<S: Signal> {
    parcel: Option<Parcel<S>>,
    time_out: Option<TimeOut>,
}

impl<A, R, F> Bounded<A, R, F>
where
    Continuation<A, R, F>: Signal,
    R: Send + 'static,
{
    /// # Safety
    /// The head is that of a `Bounded<A, R, F>` from `Arc::into_raw`, used once.
    unsafe fn complete(head: NonNull<Head<R>>, answer: Option<R>) {
        // SAFETY: by the caller.
        let bounded = unsafe { Arc::from_raw(head.cast::<Self>().as_ptr()) };
        bounded.settle(answer.ok_or_else(lost::why));
    }

    fn settle(&self, answer: Result<R, AskError>) {
        let mut race = lock(&self.race);
        let (parcel, time_out) = (race.parcel.take(), race.time_out.take());
        drop(race);
        if let Some(time_out) = time_out {
            time_out.cancel();
        }
        if let Some(parcel) = parcel {
            let place = parcel.place().as_ptr();
            // SAFETY: the parcel is ours and not sent yet; it was made for this asker.
            unsafe {
                (*place).answer = answer;
                let asker = (*place).asker;
                parcel.send(asker);
            }
        }
    }
}

fn bounded_reply<A, R, F>(team: &Arc<Team>, most: Duration, asker: Target, then: F) -> ReplyTo<R>
where
    A: Actor,
    R: Send + 'static,
    F: FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
{
    let parcel = Continuation::<A, R, F>::parcel(asker, then);
    let bounded = Arc::new(Bounded {
        head: Head {
            complete: Bounded::<A, R, F>::complete,
        },
        race: Mutex::new(Race {
            parcel: Some(parcel),
            time_out: None,
        }),
    });
    let timed = bounded.clone();
    let time_out = TimeOut::set(team, most, move || timed.settle(Err(AskError::TimedOut)));
    lock(&bounded.race).time_out = Some(time_out);
    let head = Arc::into_raw(bounded).cast_mut();
    ReplyTo {
        // SAFETY: an `Arc`'s pointer is not null.
        head: unsafe { NonNull::new_unchecked(head) }.cast(),
        answer: PhantomData,
    }
}

/// Tells a task or thread that waits; dropped, it tells why it does not.
pub(crate) struct Waiter<R>(Option<oneshot::Sender<Result<R, AskError>>>);

impl<R> Waiter<R> {
    pub(crate) fn new() -> (Self, Answer<R>) {
        let (sender, receiver) = oneshot::channel();
        let answer = Answer {
            receiver,
            polled: false,
        };
        (Self(Some(sender)), answer)
    }

    /// Whether nobody waits any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    pub(crate) fn tell(mut self, answer: R) {
        let sender = self.0.take();
        // Code of users that is not the answering actor's: the waker of the task that waits, or the destructor of an answer
        // for which nobody does.
        contain("an answer", None, || {
            drop(sender.map(|sender| sender.send(Ok(answer))))
        });
    }
}

impl<R> Drop for Waiter<R> {
    fn drop(&mut self) {
        if let Some(sender) = self.0.take() {
            let why = lost::why();
            // As above. It may be dropped because of a panic, and a second one would end the process.
            contain("an answer", None, || lost::apart(|| drop(sender.send(Err(why)))));
        }
    }
}

/// The place of a reply that a task or thread waits for.
#[repr(C)]
struct Promise<R> {
    head: Head<R>,
    waiter: Waiter<R>,
}

impl<R> Promise<R> {
    /// # Safety
    /// The head is that of a `Promise<R>` from `Box::into_raw`, used once.
    unsafe fn complete(head: NonNull<Head<R>>, answer: Option<R>) {
        // SAFETY: by the caller.
        let promise = unsafe { Box::from_raw(head.cast::<Self>().as_ptr()) };
        match answer {
            Some(answer) => promise.waiter.tell(answer),
            None => drop(promise),
        }
    }
}

/// A reply and the answer that it gives, for a thread or task that puts together a question by itself.
pub fn promise<R: Send + 'static>() -> (ReplyTo<R>, Answer<R>) {
    let (waiter, answer) = Waiter::new();
    let promise = Box::new(Promise {
        head: Head {
            complete: Promise::<R>::complete,
        },
        waiter,
    });
    let reply = ReplyTo {
        head: NonNull::from(Box::leak(promise)).cast(),
        answer: PhantomData,
    };
    (reply, answer)
}

/// An answer on its way. As a future it can be awaited with any executor; a thread can [`wait`](Answer::wait) for it.
///
/// Dropping it does not withdraw the question.
#[must_use = "an answer that nobody waits for is lost"]
pub struct Answer<R> {
    receiver: oneshot::Receiver<Result<R, AskError>>,
    /// It holds a task's waker, with which the channel lets no thread wait.
    polled: bool,
}

impl<R> Answer<R> {
    /// Blocks the calling thread until the answer is there: for ever, if the [`ReplyTo`] is kept and not used. A shutdown
    /// drops those of actors that are left, and so ends the wait. It may have been awaited for a while before.
    ///
    /// # Errors
    /// [`AskError::Full`], [`AskError::Gone`] or [`AskError::Dropped`], and [`AskError::InsideActor`] if a worker calls this and the answer is not there
    /// already.
    pub fn wait(self) -> Result<R, AskError> {
        if let Some(here) = self.without_waiting() {
            return here;
        }
        if self.polled {
            return self.park(None);
        }
        sync::receive(self.receiver)
    }

    /// Blocks the calling thread until the answer is there, at most so long.
    ///
    /// # Errors
    /// As [`Answer::wait`], and [`AskError::TimedOut`].
    pub fn wait_for(self, most: Duration) -> Result<R, AskError> {
        if let Some(here) = self.without_waiting() {
            return here;
        }
        if self.polled {
            return self.park(std::time::Instant::now().checked_add(most));
        }
        let answer = self.receiver.recv_timeout(most);
        answer.unwrap_or_else(|error| match error {
            oneshot::RecvTimeoutError::Timeout => Err(AskError::TimedOut),
            oneshot::RecvTimeoutError::Disconnected => Err(AskError::Dropped),
        })
    }

    /// Blocks the calling thread in place of the task that has waited.
    fn park(mut self, until: Option<std::time::Instant>) -> Result<R, AskError> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut cx = std::task::Context::from_waker(&waker);
        loop {
            if let Poll::Ready(answer) = Pin::new(&mut self).poll(&mut cx) {
                return answer;
            }
            let Some(until) = until else {
                thread::park();
                continue;
            };
            let left = until.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return Err(AskError::TimedOut);
            }
            thread::park_timeout(left);
        }
    }

    /// The answer if it is there.
    pub(crate) fn look(&self) -> Option<Result<R, AskError>> {
        match self.receiver.try_recv() {
            Ok(answer) => Some(answer),
            Err(oneshot::TryRecvError::Disconnected) => Some(Err(AskError::Dropped)),
            Err(oneshot::TryRecvError::Empty) => None,
        }
    }

    /// The answer if it is there, or the refusal to wait for it here; `None` if the thread may wait.
    fn without_waiting(&self) -> Option<Result<R, AskError>> {
        let refusal = || crate::worker::current::must_not_block().then_some(Err(AskError::InsideActor));
        self.look().or_else(refusal)
    }
}

impl<R> Future for Answer<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        self.polled = true;
        Pin::new(&mut self.receiver)
            .poll(cx)
            .map(|answer| answer.unwrap_or(Err(AskError::Dropped)))
    }
}

/// Wakes a thread that waits in place of a task.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<R> fmt::Debug for Answer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}

impl<A: Actor> Address<A> {
    /// Asks the actor from any thread or task. `request` makes the question, a message that carries the [`ReplyTo`].
    ///
    /// ```
    /// # use datil::{Actor, Context, ReplyTo, Runtime};
    /// # struct Square;
    /// # impl Actor for Square {
    /// #     type Msg = (u64, ReplyTo<u64>);
    /// #     fn handle(&mut self, (n, reply): Self::Msg, _: &mut Context<'_, Self>) { reply.send(n * n) }
    /// # }
    /// # let runtime = Runtime::builder().workers(1).build()?;
    /// let square = runtime.spawn(Square);
    /// assert_eq!(square.ask(|reply| (12, reply)).wait(), Ok(144));
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn ask<R: Send + 'static>(self, request: impl FnOnce(ReplyTo<R>) -> A::Msg) -> Answer<R> {
        let (reply, answer) = promise();
        self.tell(request(reply));
        answer
    }
}
