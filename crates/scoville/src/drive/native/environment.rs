//! The world that a runtime is started into: the same for every one, and independent of the user's shell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::invocation::Order;

/// What is taken over from the laboratory's own environment: where programs, libraries, home and scratch space are.
/// Everything else could change a measurement without anybody seeing it.
const PASSED: [&str; 8] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "JAVA_HOME",
    "ERLANG_HOME",
];

/// The runtime's whole environment.
pub fn variables(order: &Order) -> BTreeMap<String, String> {
    let passed = PASSED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let mut variables: BTreeMap<String, String> = passed.collect();
    for (name, value) in [("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8")] {
        variables.insert(name.to_owned(), value.to_owned());
    }
    variables.insert("SCOVILLE_WORKERS".to_owned(), order.workers.to_string());
    if let Some(bytes) = order.memory_limit {
        variables.insert("SCOVILLE_MEMORY".to_owned(), bytes.to_string());
    }
    variables.extend(order.launch.env.clone());
    // The environment lies above the stack: its size shifts every address on it, which can change a time by some
    // per cent. Drawing it by block turns that from a bias into noise.
    variables.insert("SCOVILLE_PADDING".to_owned(), "x".repeat(order.padding as usize));
    variables
}

/// The file that a command's first word means: itself if it has a slash, else the first hit on `PATH`.
///
/// # Errors
/// Says what was looked for and where.
pub fn resolve(order: &Order, variables: &BTreeMap<String, String>) -> Result<PathBuf, String> {
    let Some(name) = order.launch.command.first() else {
        return Err("the runtime's command is empty".to_owned());
    };
    if name.contains('/') {
        let file = order.launch.cwd.join(name);
        return if file.exists() {
            Ok(file)
        } else {
            Err(format!(
                "{} does not exist; has the runtime been built?",
                file.display()
            ))
        };
    }
    let path = variables
        .get("PATH")
        .map_or("/usr/local/bin:/usr/bin:/bin", String::as_str);
    path.split(':')
        .map(|folder| order.launch.cwd.join(folder).join(name))
        .find(|file| executable(file))
        .ok_or_else(|| format!("there is no program {name} on PATH ({path}); install it, or mend PATH"))
}

fn executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
}
