//! Cells, blocks and the two mailboxes of an actor: the owner's private one and the remote list.

pub(crate) mod block;
pub(crate) mod cell;
