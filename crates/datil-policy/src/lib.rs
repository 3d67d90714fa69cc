//! Scheduling policies for actor runtimes as pure functions.
