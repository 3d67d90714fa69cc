//! "Did you mean": the known name nearest to an unknown one.

/// The candidate that `unknown` is most likely a misspelling of, if any is near enough to be worth printing.
pub fn nearest<'a>(unknown: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (likeness(unknown, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.5)
        // The first of equals: lists begin with what is used most.
        .reduce(|best, other| if other.0 > best.0 { other } else { best })
        .map(|(_, candidate)| candidate)
}

/// 1 for the same text, 0 for nothing in common. A prefix counts as near: people abbreviate.
fn likeness(unknown: &str, candidate: &str) -> f64 {
    let (unknown, candidate) = (unknown.to_lowercase(), candidate.to_lowercase());
    if unknown.len() >= 3 && candidate.starts_with(&unknown) {
        return 0.9;
    }
    strsim::normalized_damerau_levenshtein(&unknown, &candidate)
}

/// What to do about an unknown name: the nearest one, else the list of all.
pub fn advice<'a>(unknown: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match nearest(unknown, candidates.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if candidates.is_empty() => "there is none".into(),
        None => format!("known: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_misspellings_and_prefixes_only() {
        let known = ["pingpong", "threadring", "fib", "fjcreate"];
        assert_eq!(nearest("pingpogn", known), Some("pingpong"));
        assert_eq!(nearest("thread", known), Some("threadring"));
        assert_eq!(nearest("FIB", known), Some("fib"));
        assert_eq!(nearest("barber", known), None);
        assert_eq!(advice("zzz", ["a", "b"]), "known: a, b");
    }
}
