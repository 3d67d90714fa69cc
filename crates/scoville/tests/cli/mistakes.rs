//! What a user may get wrong, and what the machine may refuse: an error says what, where, and what to do.

use std::fs;

use scoville::log;

use crate::checkout::{BENCHMARK, Checkout, FEW, TWO};

#[test]
fn unknown_names_are_answered_with_the_likely_one() {
    let checkout = Checkout::new(TWO);
    for (arguments, text) in [
        (
            &["run", "alhpa", "--runtime", "fast"][..],
            "no benchmark matches `alhpa`: did you mean `alpha`?",
        ),
        (
            &["run", "--runtime", "fsat"],
            "unknown runtime `fsat`: did you mean `fast`?",
        ),
        (
            &["run", "--runtime", "fast", "--preset", "quik"],
            "unknown preset `quik`: did you mean `quick`?",
        ),
        (
            &["run", "--runtime", "fast:cls"],
            "fast has no policies to choose from; write `fast`",
        ),
        (
            &["run", "--runtime", "fast", "--baseline", "slow"],
            "this runtime takes no part",
        ),
        (&["run", "--runtime", "fast", "--cores", "4096"], "ask for 1 to "),
        (
            &["run", "--runtime", "fast", "--budget", "soon"],
            "write it as 90s, 5m or 1h30m",
        ),
        (
            &["run", "--runtime", "a=fast,a=slow"],
            "two runtimes are called `a`",
        ),
        (&["show", "gamma"], "neither a benchmark nor a runtime"),
        (&["compare", "fast", "slow"], "there is no session in "),
        (&["run", "--resume", "lost"], "there is no session `lost` in "),
        (&["reprot"], "'report'"),
    ] {
        checkout.run(arguments).ends_with(2).says(text);
    }
    assert!(log::sessions(&checkout.results()).is_empty(), "nothing was begun");
}

#[test]
fn a_wrong_catalogue_stops_and_a_wrong_manifest_only_leaves_out() {
    let checkout = Checkout::new(TWO);
    checkout.peer("odd", "language = 7\n");
    checkout
        .run(&["list"])
        .ends_with(0)
        .says("peers/odd/peer.toml:1:12: invalid type");
    checkout.run(&FEW).ends_with(0).says("its runtimes are left out");
    let file = checkout.path().join("catalogue/alpha.toml");
    fs::write(
        &file,
        BENCHMARK
            .replace("NAME", "alpha")
            .replace("NUMBER", "1")
            .replace("symbol", "symbl"),
    )
    .unwrap();
    checkout
        .run(&["list"])
        .ends_with(2)
        .says("alpha.toml:13:1: unknown key `symbl`; did you mean `symbol`?");
}
