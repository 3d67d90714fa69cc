//! What the compiler says to mistakes that are easily made: one error for each, which says what to do. (That they are
//! errors at all: `src/misuse.rs`.)
#![cfg(not(any(loom, shuttle, miri)))]

use std::path::Path;
use std::process::Command;

/// Where a supervisor is told to start a child.
const PLACES: &str = r#"
use datil::{Actor, Address, Context, Restart, Runtime, Simulation, StartError, Supervisor};

pub struct Child;

impl Actor for Child {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

pub fn start(supervisor: &Supervisor, runtime: &mut Runtime) -> Result<Address<Child>, StartError> {
    supervisor.start(runtime, Restart::Always, || Child)
}

pub fn simulate(supervisor: &Supervisor, mut simulation: Simulation) -> Result<Address<Child>, StartError> {
    supervisor.start(&mut simulation, Restart::Always, || Child)
}
"#;

/// Where a closure for later uses the context of the handler around it, changing it or not.
const MISTAKES: &str = r#"
use datil::{Actor, Address, Context, Query, QueryContext, ReplyTo};
use std::time::Duration;

pub struct Oracle;

impl Actor for Oracle {
    type Msg = ReplyTo<u32>;
    fn handle(&mut self, _: ReplyTo<u32>, cx: &mut Context<'_, Self>) {
        cx.after(Duration::ZERO, |_, _| cx.stop());
    }
}

impl Query<u32> for Oracle {
    fn query(&self, _: u32, cx: &mut QueryContext<'_, Self>) {
        std::thread::scope(|scope| {
            scope.spawn(|| cx.address());
        });
    }
}

pub struct Asker(Address<Oracle>);

impl Actor for Asker {
    type Msg = bool;
    fn handle(&mut self, stops: bool, cx: &mut Context<'_, Self>) {
        if stops {
            cx.ask(self.0, |reply| reply, |_, _, _| cx.stop());
        } else {
            cx.ask(self.0, |reply| reply, |_, _, _| drop(cx.address()));
        }
    }
}
"#;

/// Where a message is told to what leads to an actor, but has to be dereferenced.
const RECEIVERS: &str = r#"
use datil::{Actor, Address, Context, Handle};

pub struct Clerk(Address<Clerk>, Handle<Clerk>);

impl Actor for Clerk {
    type Msg = u32;
    fn handle(&mut self, n: u32, cx: &mut Context<'_, Self>) {
        cx.tell(&self.0, n);
        cx.tell(self.1.clone(), n);
    }
}
"#;

/// What the compiler says to a library that uses datil.
fn said_to(library: &str, name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = \"mistakes\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n\
         [dependencies]\ndatil = {{ path = {here:?} }}\n"
    );
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.join("lib.rs"), library).unwrap();
    std::fs::copy(here.join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let check = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    String::from_utf8_lossy(&check.stderr).into_owned()
}

#[test]
fn a_supervisor_that_cannot_start_there_says_where_it_can() {
    let said = said_to(PLACES, "places");
    let count = |words: &str| said.matches(words).count();
    assert_eq!(count("error["), 2, "{said}");
    assert_eq!(
        count("error[E0277]: no actors can be created through `&mut "),
        2,
        "{said}"
    );
    assert_eq!(count("write `&mut &runtime`"), 2, "{said}");
}

#[test]
fn a_context_out_of_its_handler_is_one_error_that_says_what_to_do() {
    let said = said_to(MISTAKES, "mistakes");
    let count = |words: &str| said.matches(words).count();
    assert_eq!(count("error["), 4, "{said}");
    assert_eq!(
        count("error[E0277]: a context cannot be used after or outside of the handler that got it"),
        4,
        "{said}"
    );
    assert!(said.contains("as its last argument: use that one"), "{said}");
}

#[test]
fn a_message_to_a_reference_or_a_handle_is_one_error_that_says_what_to_do() {
    let said = said_to(RECEIVERS, "receivers");
    let count = |words: &str| said.matches(words).count();
    assert_eq!(count("error["), 2, "{said}");
    assert_eq!(count("is neither an `Address` nor a `Recipient`"), 2, "{said}");
    assert_eq!(count("write `*it`"), 2, "{said}");
}
