//! What the type system refuses, as tests that must not compile.

/// A message of another type.
///
/// ```compile_fail,E0308
/// # use datil::{Actor, Address, Context};
/// # struct Counter;
/// # impl Actor for Counter {
/// #     type Msg = u32;
/// #     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// # }
/// fn send(counter: Address<Counter>) {
///     counter.tell("one");
/// }
/// ```
///
/// A message that must not leave its thread.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Context};
/// # use std::rc::Rc;
/// struct Local;
/// impl Actor for Local {
///     type Msg = Rc<u32>;
///     fn handle(&mut self, _: Rc<u32>, _: &mut Context<'_, Self>) {}
/// }
/// ```
///
/// A state that must not leave its thread: actors move between workers.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Context};
/// # use std::rc::Rc;
/// struct Local(Rc<u32>);
/// impl Actor for Local {
///     type Msg = u32;
///     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// }
/// ```
///
/// A state that borrows: an actor may live longer.
///
/// ```compile_fail,E0477
/// # use datil::{Actor, Context};
/// struct Borrows<'a>(&'a str);
/// impl<'a> Actor for Borrows<'a> {
///     type Msg = u32;
///     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// }
/// ```
///
/// A context in another thread.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Context};
/// # struct Counter;
/// # impl Actor for Counter {
/// #     type Msg = u32;
/// #     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// # }
/// fn leak(cx: &mut Context<'_, Counter>) {
///     std::thread::scope(|scope| { scope.spawn(move || cx.stop()); });
/// }
/// ```
///
/// The context of the handler that asks, in what is done with the answer.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Address, Context, ReplyTo};
/// # struct Oracle;
/// # impl Actor for Oracle {
/// #     type Msg = ReplyTo<u32>;
/// #     fn handle(&mut self, reply: ReplyTo<u32>, _: &mut Context<'_, Self>) { reply.send(1) }
/// # }
/// struct Asker(Address<Oracle>);
/// impl Actor for Asker {
///     type Msg = ();
///     fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
///         cx.ask(self.0, |reply| reply, |_, _, _| cx.stop());
///     }
/// }
/// ```
///
/// A question that is answered twice.
///
/// ```compile_fail,E0382
/// fn twice(reply: datil::ReplyTo<u32>) {
///     reply.send(1);
///     reply.send(2);
/// }
/// ```
///
/// A recipient of what the actor does not understand.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Address, Context, Recipient};
/// # struct Counter;
/// # impl Actor for Counter {
/// #     type Msg = u32;
/// #     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// # }
/// fn hide(counter: Address<Counter>) -> Recipient<String> {
///     counter.recipient()
/// }
/// ```
///
/// Queries of a state that must not be read by several threads.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Context, Query, QueryContext};
/// # use std::cell::Cell;
/// struct Counter(Cell<u32>);
/// # impl Actor for Counter {
/// #     type Msg = ();
/// #     fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
/// # }
/// struct Next;
/// impl Query<Next> for Counter {
///     fn query(&self, _: Next, _: &mut QueryContext<'_, Self>) {
///         self.0.set(self.0.get() + 1);
///     }
/// }
/// ```
///
/// A query that the actor does not answer.
///
/// ```compile_fail,E0277
/// # use datil::{Actor, Address, Context};
/// # struct Counter;
/// # impl Actor for Counter {
/// #     type Msg = u32;
/// #     fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
/// # }
/// fn ask(counter: Address<Counter>) {
///     counter.query("how many?");
/// }
/// ```
///
/// A query that changes the state.
///
/// ```compile_fail,E0594
/// # use datil::{Actor, Context, Query, QueryContext};
/// # struct Counter(u32);
/// # impl Actor for Counter {
/// #     type Msg = ();
/// #     fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
/// # }
/// impl Query<u32> for Counter {
///     fn query(&self, n: u32, _: &mut QueryContext<'_, Self>) {
///         self.0 = n;
///     }
/// }
/// ```
///
/// A query that stops its actor under the eyes of others.
///
/// ```compile_fail,E0599
/// # use datil::{Actor, Context, Query, QueryContext};
/// # struct Counter(u32);
/// # impl Actor for Counter {
/// #     type Msg = ();
/// #     fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
/// # }
/// impl Query<u32> for Counter {
///     fn query(&self, _: u32, cx: &mut QueryContext<'_, Self>) {
///         cx.stop();
///     }
/// }
/// ```
///
/// A mailbox that takes no message.
///
/// ```compile_fail,E0080
/// # use datil::{Actor, Context, Mailbox, Overflow, Runtime};
/// struct Closed;
/// impl Actor for Closed {
///     type Msg = ();
///     const MAILBOX: Mailbox = Mailbox::Bounded { capacity: 0, overflow: Overflow::Reject };
///     fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
/// }
/// Runtime::builder().build().unwrap().spawn(Closed).tell(());
/// ```
///
/// A client that outlives its scope.
///
/// ```compile_fail,E0521
/// fn keep(runtime: &datil::Runtime) {
///     let mut kept = None;
///     runtime.client(|client| kept = Some(client));
/// }
/// ```
const _: () = ();
