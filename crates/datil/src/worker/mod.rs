//! Workers: threads that own actors.

pub(crate) mod absence;
pub(crate) mod brought;
pub(crate) mod core;
pub(crate) mod current;
pub(crate) mod forwarded;
pub(crate) mod giving;
pub(crate) mod intake;
pub(crate) mod learning;
pub(crate) mod port;
pub(crate) mod queue;
pub(crate) mod rest;
pub(crate) mod routed;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod stint;
pub(crate) mod team;
pub(crate) mod thief;
pub(crate) mod toll;
