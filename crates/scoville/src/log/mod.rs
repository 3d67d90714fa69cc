//! The append-only log of a session, its only writer, and replay.
