//! A runtime that may take part in a plan.

use super::Request;
use crate::model::plan::Skip;
use crate::peers::Selection;

/// A runtime that was selected, with what is known of it here.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The runtime.
    pub selection: Selection,
    /// Why it cannot be run here, with what to do about it.
    pub unusable: Option<String>,
    /// Whether it was started and did not greet properly, which is then why it is unusable.
    pub silent: bool,
    /// The benchmarks that it says it can run; `None` if it was not asked.
    pub benchmarks: Option<Vec<String>>,
}

impl Candidate {
    /// Why it takes no part at all; `None` if it does.
    pub(super) fn out(&self, request: &Request) -> Option<Skip> {
        let skip = |reason, unusable| Skip {
            runtime: self.selection.shown.clone(),
            benchmark: None,
            reason,
            unusable,
        };
        match self.unwanted(request) {
            Some(reason) => Some(skip(reason, false)),
            None => self.unusable.clone().map(|reason| skip(reason, true)),
        }
    }

    /// Why it is not asked for; `None` if it is.
    fn unwanted(&self, request: &Request) -> Option<String> {
        let Selection {
            shown,
            runtime,
            named,
        } = &self.selection;
        if !runtime.by_default() && !named && !request.variants {
            let what = if runtime.variant { "a variant, " } else { "" };
            return Some(format!("{what}measured only when asked for: --runtime {shown}"));
        }
        None
    }
}
