//! Words for session names: easy to say, easy to complete.

const FIRST: [&str; 40] = [
    "amber", "bold", "brave", "brisk", "bright", "calm", "clear", "copper", "crisp", "dry", "early", "even",
    "fair", "fine", "fresh", "gentle", "golden", "green", "honest", "keen", "late", "lively", "lucid",
    "mild", "neat", "noble", "plain", "proud", "quick", "quiet", "red", "ripe", "sharp", "silver", "steady",
    "still", "sunny", "swift", "warm", "wild",
];

const SECOND: [&str; 40] = [
    "aji",
    "ancho",
    "bell",
    "bishop",
    "cascabel",
    "cayenne",
    "cherry",
    "chipotle",
    "cubanelle",
    "datil",
    "espelette",
    "fresno",
    "guajillo",
    "habanero",
    "jalapeno",
    "kashmiri",
    "lemon",
    "lunchbox",
    "malagueta",
    "mulato",
    "naga",
    "paprika",
    "pasilla",
    "peppercorn",
    "pequin",
    "piccante",
    "pimento",
    "piquin",
    "poblano",
    "reaper",
    "rocoto",
    "romesco",
    "santaka",
    "scotch",
    "serrano",
    "shishito",
    "tabasco",
    "tepin",
    "tien",
    "urfa",
];

/// Two words drawn from the seed.
pub fn of_seed(seed: u64) -> String {
    // A multiplication spreads small seeds over both lists.
    let spread = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let first = FIRST[(spread % 40) as usize];
    let second = SECOND[(spread / 40 % 40) as usize];
    format!("{first}-{second}")
}
