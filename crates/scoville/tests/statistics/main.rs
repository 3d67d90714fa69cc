//! The statistics, tested by what they promise: coverage of every interval, false alarms of every verdict, power. All
//! random numbers have fixed seeds, and all tolerances follow from the binomial distribution of the counts.

mod coverage;
mod disturbance;
mod judging;
mod noise;
mod oracle;
mod properties;
mod segmentation;
mod sessions;
mod shares;
mod verdicts;
