//! What can be typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  scoville run --quick micro           a first impression, in about 90 s; without `micro` everything
  scoville run pingpong                one benchmark, carefully
  scoville run --runtime datil,tokio   two runtimes
  scoville compare datil tokio         what the last session says of them
  scoville report --open               the last session as one page

Exit status:
    0  all is well; a runtime that cannot be used and was not asked for by name is
       left out, and named with the reason
    1  `compare --fail-on`: something is slower than it may be
    2  the command line, a file or the place for results is wrong,
       or nothing can be run
    3  a runtime returned a wrong result
    4  a runtime crashed, hung or broke the protocol, or one that was asked for by
       name cannot be used; in `build`, one failed to build
    5  no honest measuring is possible here, or `compare --fail-on` cannot tell
  130  ended by Ctrl-C or a signal; what was measured or verified is kept";

/// Where sessions are kept, unless it is said otherwise.
pub const RESULTS: &str = "scoville-results";

/// Measures actor runtimes and compares them honestly.
#[derive(Debug, Parser)]
#[command(name = "scoville", version, after_help = EXAMPLES)]
pub struct Cli {
    /// Checkout that holds catalogue/ and peers/ [default: found from here, or from the program]
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Where sessions are kept
    #[arg(long, global = true, value_name = "DIR", default_value = RESULTS)]
    pub results: PathBuf,
    /// What to do; nothing for an orientation
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what is missing on this machine and what makes its numbers noisy
    Doctor {
        /// Every fact about the machine that a session keeps
        #[arg(long)]
        all: bool,
    },
    /// List benchmarks, runtimes with what they can run, or presets
    List {
        /// What to list; nothing for all
        what: Option<Listed>,
    },
    /// Show a benchmark or a runtime
    #[command(after_help = "Examples:\n  scoville show big\n  scoville show erlang")]
    Show {
        /// Name of a benchmark or of a runtime, which may have a policy: `datil:cls`
        name: String,
    },
    /// Build the runtimes that need it
    #[command(after_help = "Examples:\n  scoville build\n  scoville build erlang --check")]
    Build {
        /// Runtimes; nothing for all
        runtimes: Vec<String>,
        /// Also run each language's own checks
        #[arg(long)]
        check: bool,
    },
    /// Check results and counted work, without timing; at the smallest size if no other is named
    #[command(
        after_help = "Examples:\n  scoville verify\n  scoville verify --runtime go --preset quick\n  scoville verify filterbank --preset savina --time 20m\n  scoville verify --protocol --runtime go\n\nCtrl-C ends after the current invocation, twice at once, and shows what was verified until then."
    )]
    Verify(VerifyArgs),
    /// Show what `run` would do, how long it takes, and what it would leave out
    #[command(after_help = "Example:\n  scoville plan --quick --runtime datil,tokio")]
    Plan(PlanArgs),
    /// Measure
    #[command(
        after_help = "Examples:\n  scoville run --quick micro\n  scoville run pingpong big --runtime datil,tokio --cores 1,2\n  scoville run 'fj*' --blocks 20 --budget 30m\n  scoville run --runtime datil,again=datil    the noise floor: one runtime under two names\n  scoville run --resume\n\nCtrl-C ends after the current invocation, twice at once; nothing that was measured is lost."
    )]
    Run(RunArgs),
    /// Grow a benchmark in new processes until each runtime fails, and say where and why
    #[command(
        after_help = "Examples:\n  scoville grow --memory 4GiB\n  scoville grow spawn --runtime datil,erlang,go --cores 1,2 --time 60s\n  scoville run --resume    goes on with an interrupted one"
    )]
    Grow(GrowArgs),
    /// Say what a running, interrupted or finished session has so far
    Status {
        /// The session; nothing for the last
        session: Option<String>,
    },
    /// Compare two runtimes of a session, or the same runtimes of two sessions
    #[command(
        after_help = "Examples:\n  scoville compare datil tokio\n  scoville compare datil tokio --fail-on slower:3%\n  scoville compare 2026-11-20-calm-naga 2026-11-21-bold-tepin"
    )]
    Compare(CompareArgs),
    /// Write a session as one HTML page
    Report {
        /// The session; nothing for the last
        session: Option<String>,
        /// Show it in the browser
        #[arg(long)]
        open: bool,
    },
    /// Write a session in another format
    #[command(
        after_help = "Examples:\n  scoville export --format csv > samples.csv\n  scoville export --format benchstat | benchstat -col /runtime -\n  scoville export --format vega-lite --to figures"
    )]
    Export(ExportArgs),
    /// Simulate benchmarks and scheduling policies on a described machine, in virtual time
    #[command(
        after_help = "Examples:\n  scoville simulate\n  scoville simulate matrixsearch --policy cls-tp,lgs,lgs-uc --workers 16,32,64\n  scoville simulate big fjthrput --machine mine.xml --memory interleaved\n  scoville simulate philosopher --workers 32 --seeds 1000 --no-speed-up --json\n\nNothing of it is measured. mine.xml is what `lstopo --of xml mine.xml` writes on a machine."
    )]
    Simulate(super::simulate::SimulateArgs),
    /// Simulate what a publication measured, and say what comes out and what does not
    #[command(
        after_help = "Examples:\n  scoville reproduce woelke-2018 --seeds 3\n  scoville reproduce woelke-2018 --html chapter-6.html"
    )]
    Reproduce(super::reproduce::ReproduceArgs),
    /// Write a completion script for a shell
    #[command(
        after_help = "Example:\n  scoville completions bash > ~/.local/share/bash-completion/completions/scoville"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual page
    #[command(after_help = "Example:\n  scoville man | man -l -")]
    Man,
    /// Be a peer
    #[command(hide = true, disable_help_flag = true)]
    Peer {
        /// Arguments of the peer
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Be the launcher
    #[command(hide = true, name = "__launch", disable_help_flag = true)]
    Launch {
        /// Arguments of the launcher
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// What `list` can list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    /// The benchmarks.
    Benchmarks,
    /// The runtimes and what they can run.
    Runtimes,
    /// The presets.
    Presets,
    /// How many cells there are, how many are verified, and why the others are not.
    Matrix,
}

/// What to measure.
#[derive(Args, Clone, Debug)]
pub struct Filters {
    /// Benchmarks, by name, pattern (`fj*`) or category (`micro`); nothing for all that the baseline can run
    #[arg(value_name = "BENCHMARK", value_delimiter = ',')]
    pub positional: Vec<String>,
    /// The same as an option
    #[arg(long = "benchmark", value_name = "NAMES", value_delimiter = ',')]
    pub benchmarks: Vec<String>,
    /// Runtimes: `name`, `name:policy`, a pattern, or `newname=name`; nothing for all that are usable here, in `verify` with variants
    #[arg(long = "runtime", value_name = "NAMES", value_delimiter = ',')]
    pub runtimes: Vec<String>,
    /// Sizes, by name or pattern; nothing for `quick`, or for `tiny` in `verify`
    #[arg(long = "preset", value_name = "NAMES", value_delimiter = ',')]
    pub presets: Vec<String>,
    /// Numbers of CPUs, each with as many workers [default: all CPUs]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub cores: Vec<u32>,
}

impl Filters {
    /// All patterns of benchmarks.
    pub fn benchmarks(&self) -> Vec<String> {
        self.positional.iter().chain(&self.benchmarks).cloned().collect()
    }

    /// The sizes, or the default one.
    pub fn presets(&self, default: &str) -> Vec<String> {
        if self.presets.is_empty() {
            vec![default.into()]
        } else {
            self.presets.clone()
        }
    }
}

/// Arguments of `plan`: what is to be measured, and how.
#[derive(Args, Clone, Debug)]
pub struct PlanArgs {
    /// What to measure.
    #[command(flatten)]
    pub filters: Filters,
    /// Two to six blocks of short invocations in about 12 s for each benchmark, or as long as two blocks of everything take
    #[arg(long)]
    pub quick: bool,
    /// So many blocks, and up to a fifth more where sensors say that some were disturbed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "target")]
    pub blocks: Option<u32>,
    /// Stop a benchmark when every ratio to the baseline is known within this
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub target: Option<f64>,
    /// Start no further block after this much measuring, such as 90s or 2h; two blocks of everything always run, since one has no interval
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// The runtime that ratios are relative to [default: datil, else the first]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Seed of every random choice [default: drawn, and kept in the log]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Arguments of `run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// What to measure, and how.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Go on with an interrupted session: this one, or the last
    #[arg(long, value_name = "SESSION", num_args = 0..=1, conflicts_with_all = ["quick", "blocks", "target", "budget", "baseline", "seed", "runtimes", "presets", "cores"])]
    pub resume: Option<Option<String>>,
    /// Only show the plan
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
}

/// Arguments of `grow`.
#[derive(Args, Clone, Debug)]
pub struct GrowArgs {
    /// Benchmarks that grow; nothing for all of them
    #[arg(value_name = "BENCHMARK")]
    pub benchmarks: Vec<String>,
    /// Runtimes, as for `run`
    #[arg(long = "runtime", value_name = "NAMES", value_delimiter = ',')]
    pub runtimes: Vec<String>,
    /// Numbers of CPUs, each with as many workers [default: all CPUs]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub cores: Vec<u32>,
    /// Most resident memory of a process, such as 4GiB or 70% of the machine's [default: 70%, or 90% of what is available]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<Memory>,
    /// Most time of a step
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub time: Duration,
    /// Steps between the last that passed and the first that failed
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub bisect: u32,
    /// Start no further step after this much measuring
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Seed of every random choice [default: drawn, and kept in the log]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Only show the plan
    #[arg(long)]
    pub dry_run: bool,
}

/// An amount of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// So many bytes.
    Bytes(u64),
    /// This share of the machine's memory.
    Share(f64),
}

/// Arguments of `verify`.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// What to verify.
    #[command(flatten)]
    pub filters: Filters,
    /// Most time of an iteration [default: 2m for the sizes `tiny` and `quick`, 10m for the others]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Check that the runtimes keep the protocol, instead; with two workers, or as many as `--cores` says
    #[arg(long, conflicts_with_all = ["positional", "benchmarks", "presets", "time"])]
    pub protocol: bool,
}

/// Arguments of `compare`.
#[derive(Args, Clone, Debug)]
pub struct CompareArgs {
    /// A runtime, or a session
    pub a: String,
    /// What to compare it with
    pub b: String,
    /// The session to take two runtimes from [default: the last]
    #[arg(long, value_name = "SESSION")]
    pub session: Option<String>,
    /// End with status 1 if A is slower than B by more than this on any benchmark, by the whole 95 % interval: `slower:3%`;
    /// with 5 if that cannot be told: if there is no ratio, or it is beyond this, or its interval reaches beyond twice this
    #[arg(long, value_name = "RULE", value_parser = fail_on)]
    pub fail_on: Option<f64>,
}

/// Arguments of `export`.
#[derive(Args, Clone, Debug)]
pub struct ExportArgs {
    /// The session; nothing for the last
    pub session: Option<String>,
    /// The format
    #[arg(long, value_enum)]
    pub format: Format,
    /// The folder for the files of vega-lite; nothing for `figures` in the session's folder
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
}

/// Export formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Everything, with a versioned schema.
    Json,
    /// The log itself.
    Jsonl,
    /// One row per invocation.
    Csv,
    /// One row per iteration.
    CsvIterations,
    /// One row per step of a growth session.
    CsvGrowth,
    /// A table for a README or a comment.
    Markdown,
    /// Go benchmark format, for benchstat.
    Benchstat,
    /// Bencher Metric Format.
    Bencher,
    /// JUnit XML: a cell is a test case.
    Junit,
    /// The report's figures, one file each, for a paper.
    VegaLite,
}

/// `2%`, or `0.02`.
fn percent(text: &str) -> Result<f64, String> {
    share(text, 1.0)
}

/// A share below `most`. Without its sign it is below 1 all the same: whoever writes 3 hardly means 300 %.
fn share(text: &str, most: f64) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a share; write it as 2% or 0.02");
    let (share, most) = match text.strip_suffix('%') {
        Some(number) => (number.trim().parse::<f64>().map_err(|_| wrong())? / 100.0, most),
        None => (text.parse().map_err(|_| wrong())?, 1.0),
    };
    if share > 0.0 && share < most {
        Ok(share)
    } else {
        Err(format!("`{text}` is not between 0% and {}%", most * 100.0))
    }
}

/// What memory is counted in, and how many bits each unit is shifted by.
const UNITS: [(&str, u32); 3] = [("TiB", 40), ("GiB", 30), ("MiB", 20)];

/// `4GiB`, `512MiB`, `1TiB`, or `70%`.
fn memory(text: &str) -> Result<Memory, String> {
    if text.ends_with('%') {
        return percent(text).map(Memory::Share);
    }
    let bytes = UNITS.iter().find_map(|(unit, shift)| {
        let number: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        number.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
    });
    bytes.map(Memory::Bytes).ok_or_else(|| {
        format!(
            "`{text}` is no amount of memory; write it as 4GiB or 70%, a whole number of MiB, GiB or TiB or a share of the machine's"
        )
    })
}

/// `90s`, `5m`, `1h 30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write it as 90s, 5m or 1h30m");
    let signed: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from(signed).map_err(|_| wrong())?;
    if duration.is_zero() {
        Err(wrong())
    } else {
        Ok(duration)
    }
}

/// `slower:3%`, or `slower:100%`: more than twice the time.
fn fail_on(text: &str) -> Result<f64, String> {
    match text.strip_prefix("slower:") {
        Some(limit) => share(limit, 100.0),
        None => Err(format!("`{text}` is no rule; write it as slower:3%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn shares_and_durations_are_read_as_people_write_them() {
        assert_eq!(percent("2%"), Ok(0.02));
        assert_eq!(percent("0.5"), Ok(0.5));
        assert!(percent("2").unwrap_err().contains("between"));
        assert!(percent("two").unwrap_err().contains("write it as 2%"));
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        for wrong in ["5", "-3s", "0s", "soon"] {
            assert!(
                duration(wrong).unwrap_err().contains("write it as 90s"),
                "{wrong}"
            );
        }
        assert_eq!(memory("4GiB"), Ok(Memory::Bytes(4 << 30)));
        assert_eq!(memory("512MiB"), Ok(Memory::Bytes(512 << 20)));
        assert_eq!(memory("2TiB"), Ok(Memory::Bytes(2 << 40)));
        assert_eq!(memory("70%"), Ok(Memory::Share(0.7)));
        for wrong in ["4", "4GB", "0MiB", "170%", "much", "99999999999999GiB"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
        for wrong in ["4GB", "1.5GiB", "512KiB"] {
            assert!(memory(wrong).unwrap_err().contains("MiB, GiB or TiB"), "{wrong}");
        }
        assert_eq!(fail_on("slower:3%"), Ok(0.03));
        assert!(fail_on("faster:3%").unwrap_err().contains("slower:3%"));
        assert_eq!(fail_on("slower:100%"), Ok(1.0));
        assert_eq!(fail_on("slower:900%"), Ok(9.0));
        for wrong in [
            "0%", "-3%", "NaN%", "inf%", "10000%", "3", "1", "0", "-0.03", "NaN",
        ] {
            let refused = fail_on(&format!("slower:{wrong}")).unwrap_err();
            assert!(refused.contains("is not between 0% and 100"), "{refused}");
        }
    }
}
