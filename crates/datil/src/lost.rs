//! Messages that nobody handles, and what becomes of the questions in them.
//!
//! A message is opaque to the runtime, so whoever drops one cannot look for a question in it. It says why it drops it, on its thread and for as long as that
//! takes, and a [`crate::ReplyTo`] that is dropped meanwhile passes it on. Who handles a message, or answers, never comes here.

use std::cell::Cell;

use crate::answer::AskError;
use crate::gate::TellError;
use crate::sync::thread_local;

thread_local! {
    /// What a reply says that is dropped on this thread now.
    static WHY: Cell<AskError> = const { Cell::new(AskError::Dropped) };
}

/// Why a reply that is being dropped gives no answer.
pub(crate) fn why() -> AskError {
    // A thread that ends may have no such place any more.
    WHY.try_with(Cell::get).unwrap_or(AskError::Dropped)
}

/// Runs code of users that a lost message may lead to but that has nothing to do with it: what is dropped in there is not lost for its reason.
pub(crate) fn apart<R>(act: impl FnOnce() -> R) -> R {
    saying(AskError::Dropped, act)
}

fn saying<R>(why: AskError, act: impl FnOnce() -> R) -> R {
    let _restored = Said(say(why));
    act()
}

/// Returns what was said before.
fn say(why: AskError) -> AskError {
    WHY.try_with(|said| said.replace(why))
        .unwrap_or(AskError::Dropped)
}

/// What to say again afterwards, also if code of users panics.
struct Said(AskError);

impl Drop for Said {
    fn drop(&mut self) {
        say(self.0);
    }
}

/// A message that nobody handles, to be counted and dropped.
pub(crate) struct Lost<M> {
    why: AskError,
    msg: Option<M>,
}

impl<M> Lost<M> {
    /// Its receiver has ended, or ends before it handles it.
    pub(crate) fn gone(msg: M) -> Self {
        Self {
            why: AskError::Gone,
            msg: Some(msg),
        }
    }

    /// A mailbox has refused it.
    pub(crate) fn refused(refused: TellError<M>) -> TellError<Self> {
        match refused {
            TellError::Full(msg) => TellError::Full(Self {
                why: AskError::Full,
                msg: Some(msg),
            }),
            TellError::Gone(msg) => TellError::Gone(Self::gone(msg)),
        }
    }
}

impl<M> Drop for Lost<M> {
    fn drop(&mut self) {
        let msg = self.msg.take();
        saying(self.why, || drop(msg));
    }
}
