//! Formulas as the catalogue writes them for people: `2WN + 4W + 1`, `N(N+1)/2`, `ceil(n! / k)`.
//!
//! A formula ends at the first comma outside parentheses; what follows is prose, unless it begins with `where` and names
//! a part: `tasks + 1, where tasks = ceil(n! / chunks)`. Numbers are exact fractions, and a value is a whole number.
//! Text that is no formula at all (`drawn by Rng(3)`) is refused, so that a caller can tell the two apart.

use std::fmt;

use thiserror::Error;

/// A formula that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    value: Node,
    /// Names that the formula itself explains.
    parts: Vec<(String, Node)>,
}

/// Why a text is no formula, or why a formula has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormulaError {
    /// The text is not written as formulas are.
    #[error("no formula: {0}")]
    Syntax(String),
    /// Nothing is called that.
    #[error("`{0}` is not known")]
    Unknown(String),
    /// A value that is no whole number, or beyond 127 bits.
    #[error("{0}")]
    Value(String),
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(i128),
    Name(String),
    Negative(Box<Node>),
    Operation(Operator, Box<Node>, Box<Node>),
    Factorial(Box<Node>),
    Call(Function, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Ceiling,
    Floor,
    /// The binary logarithm of a power of two.
    Log2,
    /// Fibonacci's numbers, F(1) = F(2) = 1.
    Fibonacci,
    /// How many primes there are up to a number.
    Primes,
}

const FUNCTIONS: [(&str, Function); 5] = [
    ("ceil", Function::Ceiling),
    ("floor", Function::Floor),
    ("log2", Function::Log2),
    ("F", Function::Fibonacci),
    ("pi", Function::Primes),
];

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// [`FormulaError::Syntax`] if the text is none.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let (formula, rest) = at_comma(text);
        let parts = match rest.trim_start().strip_prefix("where ") {
            None => Vec::new(),
            Some(explained) => explained.split(" and ").map(part).collect::<Result<_, _>>()?,
        };
        Ok(Self {
            value: Parser::read(formula)?,
            parts,
        })
    }

    /// Its value; `of` knows the names. A name that nobody knows may be several letters that are known, one after the
    /// other: `WN` is W times N.
    ///
    /// # Errors
    /// A name is unknown, or the value is no whole number.
    pub fn value(&self, of: impl Fn(&str) -> Option<i128>) -> Result<i128, FormulaError> {
        let names = Names {
            given: &of,
            parts: &self.parts,
        };
        self.value.value(&names, 0)?.whole()
    }
}

/// Everything before the first comma outside parentheses, and everything after it.
fn at_comma(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

/// `name = formula`.
fn part(text: &str) -> Result<(String, Node), FormulaError> {
    let explained = text.split_once(" = ");
    let (name, formula) =
        explained.ok_or_else(|| syntax(format!("`{text}` does not say what equals what")))?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(is_in_name) {
        return Err(syntax(format!("`{name}` is no name")));
    }
    Ok((name.to_owned(), Parser::read(formula)?))
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn syntax(text: impl Into<String>) -> FormulaError {
    FormulaError::Syntax(text.into())
}

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn read(text: &str) -> Result<Node, FormulaError> {
        let mut parser = Parser {
            rest: text.trim_start(),
        };
        let node = parser.sum()?;
        match parser.rest {
            "" => Ok(node),
            rest => Err(syntax(format!("`{rest}` follows"))),
        }
    }

    fn sum(&mut self) -> Result<Node, FormulaError> {
        let mut left = self.product()?;
        loop {
            let operator = match self.rest.chars().next() {
                Some('+') => Operator::Plus,
                Some('-') => Operator::Minus,
                _ => return Ok(left),
            };
            self.skip(1);
            left = Node::Operation(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Node, FormulaError> {
        let mut left = self.power()?;
        loop {
            let (operator, length) = match self.rest.chars().next() {
                Some('*') => (Operator::Times, 1),
                Some('/') => (Operator::Over, 1),
                _ if self.rest.starts_with("mod ") => (Operator::Modulo, 4),
                // What stands side by side is multiplied.
                Some(c) if c == '(' || c.is_ascii_alphabetic() => (Operator::Times, 0),
                _ => return Ok(left),
            };
            self.skip(length);
            left = Node::Operation(operator, Box::new(left), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Result<Node, FormulaError> {
        let mut base = self.atom()?;
        while self.rest.starts_with('!') {
            self.skip(1);
            base = Node::Factorial(Box::new(base));
        }
        if !self.rest.starts_with('^') {
            return Ok(base);
        }
        self.skip(1);
        Ok(Node::Operation(
            Operator::Power,
            Box::new(base),
            Box::new(self.power()?),
        ))
    }

    fn atom(&mut self) -> Result<Node, FormulaError> {
        match self.rest.chars().next() {
            Some('-') => {
                self.skip(1);
                Ok(Node::Negative(Box::new(self.atom()?)))
            }
            Some('(') => self.parenthesis(),
            Some(c) if c.is_ascii_digit() => {
                let digits = self.take(|c| c.is_ascii_digit());
                let number = digits
                    .parse()
                    .map_err(|_| syntax(format!("{digits} is too large")))?;
                Ok(Node::Number(number))
            }
            Some(c) if c.is_ascii_alphabetic() => {
                let name = self.take(is_in_name);
                let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
                match function.filter(|_| self.rest.starts_with('(')) {
                    Some((_, function)) => Ok(Node::Call(*function, Box::new(self.parenthesis()?))),
                    None => Ok(Node::Name(name)),
                }
            }
            Some(_) => Err(syntax(format!("`{}` is no number and no name", self.rest))),
            None => Err(syntax("it ends too early")),
        }
    }

    fn parenthesis(&mut self) -> Result<Node, FormulaError> {
        self.skip(1);
        let inside = self.sum()?;
        if !self.rest.starts_with(')') {
            return Err(syntax("a parenthesis is not closed"));
        }
        self.skip(1);
        Ok(inside)
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }

    fn take(&mut self, belongs: fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let taken = self.rest[..end].to_owned();
        self.skip(end);
        taken
    }
}

/// An exact fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

const TOO_LARGE: &str = "the value is beyond 127 bits";

impl Fraction {
    fn new(numerator: i128, denominator: i128) -> Result<Self, FormulaError> {
        if denominator == 0 {
            return Err(FormulaError::Value("division by 0".into()));
        }
        let common = greatest_common_divisor(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let sign = denominator.signum();
        Ok(Self {
            numerator: sign * numerator / common,
            denominator: sign * denominator / common,
        })
    }

    fn from(whole: i128) -> Self {
        Self {
            numerator: whole,
            denominator: 1,
        }
    }

    fn whole(self) -> Result<i128, FormulaError> {
        match self.denominator {
            1 => Ok(self.numerator),
            _ => Err(FormulaError::Value(format!("{self} is no whole number"))),
        }
    }

    fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 {
        a.max(1)
    } else {
        greatest_common_divisor(b, a % b)
    }
}

struct Names<'a> {
    given: &'a dyn Fn(&str) -> Option<i128>,
    parts: &'a [(String, Node)],
}

/// A part may name a part, and no chain of them is as long as this.
const DEEPEST: usize = 8;

impl Node {
    fn value(&self, names: &Names<'_>, depth: usize) -> Result<Fraction, FormulaError> {
        Ok(match self {
            Node::Number(number) => Fraction::from(*number),
            Node::Name(name) => named(name, names, depth)?,
            Node::Negative(node) => {
                let value = node.value(names, depth)?;
                Fraction::new(-value.numerator, value.denominator)?
            }
            Node::Operation(operator, left, right) => {
                operator.apply(left.value(names, depth)?, right.value(names, depth)?)?
            }
            Node::Factorial(node) => {
                let of = node.value(names, depth)?.whole()?;
                let product = (1..=of).try_fold(1_i128, i128::checked_mul);
                Fraction::from(product.ok_or_else(too_large)?)
            }
            Node::Call(function, node) => Fraction::from(function.of(node.value(names, depth)?)?),
        })
    }
}

fn named(name: &str, names: &Names<'_>, depth: usize) -> Result<Fraction, FormulaError> {
    let unknown = || FormulaError::Unknown(name.to_owned());
    if let Some((_, node)) = names.parts.iter().find(|(known, _)| known == name) {
        return if depth < DEEPEST {
            node.value(names, depth + 1)
        } else {
            Err(FormulaError::Value(format!("`{name}` explains itself")))
        };
    }
    if let Some(value) = (names.given)(name) {
        return Ok(Fraction::from(value));
    }
    let mut letters = name.chars().map(|letter| {
        let letter = letter.to_string();
        let is_known =
            (names.given)(&letter).is_some() || names.parts.iter().any(|(known, _)| *known == letter);
        if name.len() > 1 && is_known {
            named(&letter, names, depth)
        } else {
            Err(unknown())
        }
    });
    letters.try_fold(Fraction::from(1), |product, letter| {
        Operator::Times.apply(product, letter?)
    })
}

fn too_large() -> FormulaError {
    FormulaError::Value(TOO_LARGE.into())
}

impl Operator {
    fn apply(self, a: Fraction, b: Fraction) -> Result<Fraction, FormulaError> {
        let times = |x: i128, y: i128| x.checked_mul(y).ok_or_else(too_large);
        let sum = |x: i128, y: i128| x.checked_add(y).ok_or_else(too_large);
        match self {
            Operator::Plus => {
                let numerator = sum(
                    times(a.numerator, b.denominator)?,
                    times(b.numerator, a.denominator)?,
                )?;
                Fraction::new(numerator, times(a.denominator, b.denominator)?)
            }
            Operator::Minus => {
                let negative = Fraction::new(-b.numerator, b.denominator)?;
                Operator::Plus.apply(a, negative)
            }
            Operator::Times => Fraction::new(
                times(a.numerator, b.numerator)?,
                times(a.denominator, b.denominator)?,
            ),
            Operator::Over => Fraction::new(
                times(a.numerator, b.denominator)?,
                times(a.denominator, b.numerator)?,
            ),
            Operator::Modulo => {
                let (a, b) = (a.whole()?, b.whole()?);
                let rest = a.checked_rem_euclid(b);
                rest.map(Fraction::from)
                    .ok_or_else(|| FormulaError::Value("modulo 0".into()))
            }
            Operator::Power => {
                let exponent = u32::try_from(b.whole()?).map_err(|_| too_large())?;
                let power = |x: i128| x.checked_pow(exponent).ok_or_else(too_large);
                Fraction::new(power(a.numerator)?, power(a.denominator)?)
            }
        }
    }
}

/// Numbers are counted up to here at most, so that a wrong formula cannot take for ever.
const LONGEST_COUNT: i128 = 100_000_000;

impl Function {
    fn of(self, x: Fraction) -> Result<i128, FormulaError> {
        match self {
            Function::Ceiling => Ok(-Fraction::new(-x.numerator, x.denominator)?.floor()),
            Function::Floor => Ok(x.floor()),
            Function::Log2 => match x.whole()? {
                power if power > 0 && power & (power - 1) == 0 => Ok(i128::from(power.trailing_zeros())),
                other => Err(FormulaError::Value(format!("{other} is no power of two"))),
            },
            Function::Fibonacci => {
                let last =
                    (1..x.whole()?).try_fold((0_i128, 1_i128), |(a, b), _| Some((b, a.checked_add(b)?)));
                last.map(|(_, last)| last).ok_or_else(too_large)
            }
            Function::Primes => primes(x.whole()?),
        }
    }
}

/// Eratosthenes' sieve.
fn primes(up_to: i128) -> Result<i128, FormulaError> {
    let limit = usize::try_from(up_to.clamp(0, LONGEST_COUNT)).unwrap_or(0);
    if up_to > LONGEST_COUNT {
        return Err(too_large());
    }
    let mut composite = vec![false; limit + 1];
    let mut count = 0;
    for number in 2..=limit {
        if !composite[number] {
            count += 1;
            (number * number..=limit)
                .step_by(number)
                .for_each(|multiple| composite[multiple] = true);
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i128, FormulaError> {
        let of = |name: &str| match name {
            "W" => Some(5),
            "N" => Some(7),
            "n" => Some(4),
            "it" => Some(3),
            "size" => Some(100),
            _ => None,
        };
        Formula::parse(text)?.value(of)
    }

    #[test]
    fn formulas_of_people_have_values() {
        for (text, expected) in [
            ("2", 2),
            ("2WN + 4W + 1", 91),
            ("N(N+1)/2", 28),
            ("N(N-1)/2 mod 3", 0),
            ("(size/W)^2 * (3 + 2(size/W - 1)*W)", 400 * 193),
            ("(2*it - 1)*2W(W-1)", 200),
            ("2F(N) - 1", 25),
            ("ceil(n! / W)", 5),
            ("floor(n! / W)", 4),
            ("log2(n) + 2", 4),
            ("pi(N-1)", 3),
            ("-n + 2^n^1", 12),
            ("7N + 3, three for every refusal (or so, perhaps)", 52),
            (
                "tasks + 1, where tasks = ceil(n! / chunk) and chunk = ceil(n! / 5)",
                6,
            ),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "the same",
            "drawn by Rng(123456)",
            "2 +",
            "(N",
            "N)",
            "N N2",
            "N/0",
            "N/2",
            "log2(N)",
            "x := N",
            "WX",
            "w, where w = w",
            "N, where it is known",
            "99!",
        ] {
            assert!(value(text).is_err(), "{text}: {:?}", value(text));
        }
    }
}
