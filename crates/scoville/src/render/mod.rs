//! An analysis as text: terminal, HTML, CSV, JSON, Markdown and more. Computes nothing.
//!
//! Every renderer is a pure function of an [`Analysis`](crate::model::analysis::Analysis). A cell with a wrong result
//! has no time in any of them: they all ask [`has_numbers`](crate::model::analysis::CellState::has_numbers) first.

pub mod bencher;
pub mod benchstat;
pub mod comparison;
pub mod csv;
pub mod field;
pub mod figure;
pub mod growth;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod number;
pub mod rows;
pub mod sheet;
pub mod terminal;
pub mod vega;
pub mod words;
