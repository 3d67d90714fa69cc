//! Tokio, both ways (feature `tokio`).
//!
//! From a task to an actor nothing is needed: `tell` never blocks, and an [`Answer`](crate::Answer) is a future. From an actor to a task there is [`Context::pipe`], and [`forward`] sends what
//! comes out of a channel to an actor.

use std::future::Future;

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::actor::{Actor, Context};
use crate::answer::AskError;
use crate::recipient::Recipient;

impl<A: Actor> Context<'_, A> {
    /// Runs a future in a tokio runtime and goes on; `then` runs in this actor with what came out of it.
    ///
    /// `then` gets [`AskError::Dropped`] if the task panics, is aborted by the handle returned, or its runtime ends. If the actor stops first the task goes on and its result is dropped.
    pub fn pipe<F>(
        &mut self,
        on: &Handle,
        future: F,
        then: impl FnOnce(&mut A, Result<F::Output, AskError>, &mut Context<'_, A>) + Send + 'static,
    ) -> AbortHandle
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let reply = self.reply(then);
        on.spawn(async move { reply.send(future.await) }).abort_handle()
    }
}

/// Sends what comes out of a channel to an actor, until the channel is closed or the actor has stopped. To be run as a task.
///
/// As with [`Address::tell`](crate::Address::tell), what a bounded mailbox has no room for is dropped and counted; nor does a mailbox that is [`Mailbox::Soft`](crate::Mailbox::Soft) hold the task back.
///
/// Whether the actor has stopped is looked at behind each message, so a channel that stays silent keeps the task. That message is counted as any that finds its actor gone; what is left in the channel is dropped with it.
pub async fn forward<M>(mut from: mpsc::Receiver<M>, to: impl Into<Recipient<M>>) {
    let to = to.into();
    while let Some(msg) = from.recv().await {
        to.tell(msg);
        if !to.is_alive() {
            return;
        }
    }
}
