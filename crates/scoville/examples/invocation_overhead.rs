//! What the laboratory adds to a process: the same dummy, started by the laboratory and by a bare fork and exec, in
//! turn. `cargo run --release --example invocation_overhead` prints medians; see `docs/measuring.md`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use scoville::drive::native::{NativeHost, Options};
use scoville::drive::{Host, Interrupt, launcher};
use scoville::model::benchmark::{Value, Work};
use scoville::model::invocation::{Order, Outcome};
use scoville::model::plan::{GroupKey, IterationRule, Limits};
use scoville::model::runtime::Launch;

const ROUNDS: usize = 200;
const MANY: u32 = 2_000;

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some(launcher::ARGUMENT) {
        return launcher::main();
    }
    let dummy = dummy()?;
    let mut host = NativeHost::start(Options::new()?)?;
    let mut without = NativeHost::start(Options {
        cgroups: false,
        ..Options::new()?
    })?;
    let (mut bare, mut lab, mut plain, mut iterations) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        // There and back, so that a drift of the machine hits all alike.
        let mut measures: [(&mut Vec<f64>, &mut dyn FnMut() -> f64); 3] = [
            (&mut bare, &mut || fork_and_exec(&dummy)),
            (&mut lab, &mut || invoke(&mut host, &dummy, 1)),
            (&mut plain, &mut || invoke(&mut without, &dummy, 1)),
        ];
        if round % 2 == 1 {
            measures.reverse();
        }
        for (times, measure) in measures {
            times.push(measure());
        }
        if round % 20 == 0 {
            let many = invoke(&mut host, &dummy, MANY);
            iterations.push((many - lab[lab.len() - 1]) / f64::from(MANY - 1));
        }
    }
    println!("{ROUNDS} rounds in turn; microseconds: least, median (first to third quartile)");
    print("bare fork and exec", &mut bare);
    print("laboratory, with a control group", &mut lab);
    print("laboratory, without", &mut plain);
    print("one empty iteration, there and back", &mut iterations);
    Ok(())
}

/// The dummy lies beside this example.
fn dummy() -> std::io::Result<PathBuf> {
    let dummy = std::env::current_exe()?.with_file_name("dummy_peer");
    if dummy.exists() {
        return Ok(dummy);
    }
    let message = format!(
        "{} is missing: cargo build --release --example dummy_peer",
        dummy.display()
    );
    Err(std::io::Error::other(message))
}

/// One process that finds all its messages waiting, from fork to reaping, us.
fn fork_and_exec(dummy: &Path) -> f64 {
    let pair = || {
        rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::empty(),
            None,
        )
    };
    let (ours, theirs) = pair().expect("a socket pair");
    let mut ours = File::from(ours);
    ours.write_all(b"{\"type\":\"run\",\"iteration\":0,\"count_messages\":false}\n{\"type\":\"bye\"}\n")
        .expect("room");
    let start = Instant::now();
    let mut command = Command::new(dummy);
    command
        .args(["--fd", &theirs.as_raw_fd().to_string()])
        .env_clear();
    let status = command.status().expect("the dummy starts");
    let us = start.elapsed().as_secs_f64() * 1e6;
    assert!(status.success());
    us
}

/// The same by the laboratory, us.
fn invoke(host: &mut NativeHost, dummy: &Path, iterations: u32) -> f64 {
    let order = order(dummy, iterations);
    let start = Instant::now();
    let invocation = host.invoke(&order, &Interrupt::default());
    let us = start.elapsed().as_secs_f64() * 1e6;
    assert_eq!(invocation.outcome, Outcome::Ok);
    us
}

fn order(dummy: &Path, iterations: u32) -> Order {
    const MINUTE: u64 = 60_000_000_000;
    Order {
        launch: Launch {
            command: vec![dummy.display().to_string()],
            env: BTreeMap::new(),
            cwd: "/".into(),
            quit: None,
        },
        reports_as: "dummy".to_owned(),
        group: GroupKey {
            benchmark: "pingpong".to_owned(),
            preset: "tiny".to_owned(),
            cores: 1,
        },
        parameters: BTreeMap::new(),
        expect: BTreeMap::from([("result".to_owned(), Value::Int(42))]),
        work: Work {
            actors: 1,
            messages: Some(1),
        },
        messages_plus: String::new(),
        workers: 1,
        cpus: vec![scoville::probe::topology::cpus()[0].id],
        iterations: IterationRule {
            min: iterations,
            max: iterations,
            floor_ns: 0,
            ceiling_ns: u64::MAX,
        },
        limits: Limits {
            start_ns: MINUTE,
            iteration_ns: MINUTE,
            leave_ns: MINUTE,
        },
        count_messages: false,
        padding: 0,
        memory_limit: None,
    }
}

fn print(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what:40} {:8.1} {:8.1} ({:.1} to {:.1})",
        at(0.0),
        at(0.5),
        at(0.25),
        at(0.75)
    );
}
