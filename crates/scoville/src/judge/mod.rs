//! Samples become one [`Analysis`](crate::model::analysis::Analysis).
