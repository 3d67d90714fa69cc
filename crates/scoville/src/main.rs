//! The command line of Scoville.

use scoville::drive::launcher;

fn main() -> std::io::Result<()> {
    // Before anything else, while the process is small: see the launcher's documentation.
    if std::env::args().nth(1).as_deref() == Some(launcher::ARGUMENT) {
        return launcher::main();
    }
    Ok(())
}
