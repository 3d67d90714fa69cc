//! Remembers what a thread panicked with, so that a failed iteration can say why.

use std::cell::Cell;
use std::panic::PanicHookInfo;
use std::sync::Once;

thread_local! {
    static LAST: Cell<Option<String>> = const { Cell::new(None) };
}

/// Starts remembering, in addition to what already happens at a panic. Further calls do nothing.
pub fn remember() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            LAST.set(Some(describe(info)));
            usual(info);
        }));
    });
}

/// What this thread panicked with last, if that was not taken yet.
pub fn take_last() -> Option<String> {
    LAST.take()
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let text = info
        .payload_as_str()
        .unwrap_or("panicked with a value that is not text");
    match info.location() {
        Some(place) => format!("{text} ({}:{})", place.file(), place.line()),
        None => text.to_owned(),
    }
}
