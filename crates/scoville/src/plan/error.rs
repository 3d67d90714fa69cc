//! Why there is no plan, in words for whoever asked for one.

use thiserror::Error;

use super::skipped::list;
use crate::digits::number_of;
use crate::model::plan::Skip;
use crate::model::runtime::RuntimeName;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlanError {
    /// There is nothing to choose from.
    #[error(
        "the catalogue has no benchmark; add a file NAME.toml to the folder catalogue/, or name another checkout with --home"
    )]
    Empty,
    /// A pattern that matches nothing.
    #[error("no benchmark matches `{pattern}`: {advice}")]
    Benchmark {
        /// The pattern.
        pattern: String,
        /// What may have been meant.
        advice: String,
    },
    /// No benchmark has the preset.
    #[error("unknown preset `{preset}`: {advice}")]
    Preset {
        /// The preset.
        preset: String,
        /// What may have been meant.
        advice: String,
    },
    /// More cores than there are, or none.
    #[error(
        "--cores {cores}: this machine lets scoville use {}; ask for {}",
        number_of(*.have, "CPU"),
        up_to(*.have)
    )]
    Cores {
        /// What was asked for.
        cores: u32,
        /// What there is.
        have: usize,
    },
    /// A benchmark without a parameter to grow.
    #[error("{benchmark} does not grow; what grows is: {others}")]
    Fixed {
        /// The benchmark.
        benchmark: String,
        /// Which do.
        others: String,
    },
    /// Two runtimes under one name.
    #[error("two runtimes are called `{name}`; name one of them anew with `--runtime NEWNAME={name}`")]
    Twice {
        /// The name.
        name: RuntimeName,
    },
    /// The baseline takes no part.
    #[error("--baseline {name}: this runtime takes no part ({why})")]
    Baseline {
        /// The name.
        name: RuntimeName,
        /// Why.
        why: String,
    },
    /// Nothing is left.
    #[error("nothing can be run:{}", list(.0))]
    Nothing(Vec<Skip>),
}

/// From 1 to the most, in words.
fn up_to(most: usize) -> String {
    match most {
        1 => "1".to_owned(),
        most => format!("1 to {most}"),
    }
}
