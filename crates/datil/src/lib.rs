//! An actor runtime with worker-owned actors.
