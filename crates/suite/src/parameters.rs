//! Parameters of benchmarks: their kinds, their ranges, what holds between them, and the texts that refuse bad ones.
//!
//! The texts are those that the peer protocol prescribes for every language (`docs/protocol.md`).

use std::fmt::{self, Display};

use serde_json::{Map, Value};

/// A parameter of a benchmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name in the catalogue.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A 64-bit integer.
    Integer {
        /// Smallest value allowed, where there is one. There is one where there is a largest.
        min: Option<i64>,
        /// Largest value allowed, where there is one.
        max: Option<i64>,
        /// Whether only powers of two are allowed.
        power_of_two: bool,
    },
    /// A 64-bit float. JSON integers are accepted.
    Number(Bounds),
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The range of a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// Every finite number.
    Any,
    /// This or more.
    AtLeast(f64),
    /// More than this.
    Above(f64),
    /// Both limits included.
    Between(f64, f64),
}

impl Parameter {
    /// An integer without limits.
    pub const fn integer(name: &'static str) -> Self {
        Self::ranged(name, None, None)
    }

    /// An integer that has no upper limit.
    pub const fn at_least(name: &'static str, min: i64) -> Self {
        Self::ranged(name, Some(min), None)
    }

    /// An integer with both limits.
    pub const fn between(name: &'static str, min: i64, max: i64) -> Self {
        Self::ranged(name, Some(min), Some(max))
    }

    const fn ranged(name: &'static str, min: Option<i64>, max: Option<i64>) -> Self {
        let kind = Kind::Integer {
            min,
            max,
            power_of_two: false,
        };
        Self { name, kind }
    }

    /// The same integer, allowed to be a power of two only.
    ///
    /// # Panics
    /// If the parameter is no integer: a mistake in the benchmark's source, found at compile time.
    #[must_use]
    pub const fn power_of_two(self) -> Self {
        match self.kind {
            Kind::Integer { min, max, .. } => Self {
                name: self.name,
                kind: Kind::Integer {
                    min,
                    max,
                    power_of_two: true,
                },
            },
            _ => panic!("only an integer can be a power of two"),
        }
    }

    /// A float.
    pub const fn number(name: &'static str, bounds: Bounds) -> Self {
        Self {
            name,
            kind: Kind::Number(bounds),
        }
    }

    /// One of several words.
    pub const fn choice(name: &'static str, words: &'static [&'static str]) -> Self {
        Self {
            name,
            kind: Kind::Choice(words),
        }
    }

    fn check_type(&self, value: &Value) -> Result<Argument, Demand> {
        match self.kind {
            Kind::Integer { .. } => value.as_i64().map(Argument::Integer).ok_or(Demand::Integer),
            Kind::Number(_) => value.as_f64().map(Argument::Number).ok_or(Demand::Number),
            Kind::Choice(words) => {
                let word = words.iter().find(|word| value.as_str() == Some(**word));
                word.map(|word| Argument::Word(word)).ok_or(Demand::OneOf(words))
            }
        }
    }

    fn check_range(&self, argument: Argument) -> Result<(), Demand> {
        match (self.kind, argument) {
            (Kind::Integer { min, max, .. }, Argument::Integer(value)) => match (min, max) {
                (Some(min), Some(max)) if value < min || value > max => {
                    Err(Demand::Between(min.to_string(), max.to_string()))
                }
                (Some(min), None) if value < min => Err(Demand::AtLeast(min.to_string())),
                _ => Ok(()),
            },
            (Kind::Number(bounds), Argument::Number(value)) => match bounds {
                Bounds::AtLeast(min) if value < min => Err(Demand::AtLeast(min.to_string())),
                Bounds::Above(min) if value <= min => Err(Demand::Above(min.to_string())),
                Bounds::Between(min, max) if value < min || value > max => {
                    Err(Demand::Between(min.to_string(), max.to_string()))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn check_power(&self, argument: Argument) -> Result<(), Demand> {
        match (self.kind, argument) {
            (
                Kind::Integer {
                    power_of_two: true, ..
                },
                Argument::Integer(value),
            ) if value.count_ones() != 1 || value < 0 => Err(Demand::PowerOfTwo),
            _ => Ok(()),
        }
    }
}

/// What holds between two parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `parameter >= times * of + plus`, for integers.
    AtLeast {
        /// The parameter that is refused.
        parameter: &'static str,
        /// Factor of the other parameter.
        times: i64,
        /// The other parameter.
        of: &'static str,
        /// What is added.
        plus: i64,
    },
    /// `parameter <= times * of + plus`, for integers.
    AtMost {
        /// The parameter that is refused.
        parameter: &'static str,
        /// Factor of the other parameter.
        times: i64,
        /// The other parameter.
        of: &'static str,
        /// What is added.
        plus: i64,
    },
    /// `parameter > of`, for floats.
    Above {
        /// The parameter that is refused.
        parameter: &'static str,
        /// The other parameter.
        of: &'static str,
    },
    /// `parameter` is a multiple of `of`, which is at least 1.
    MultipleOf {
        /// The parameter that is refused.
        parameter: &'static str,
        /// The other parameter.
        of: &'static str,
    },
}

impl Relation {
    const fn parameter(&self) -> &'static str {
        match self {
            Self::AtLeast { parameter, .. }
            | Self::AtMost { parameter, .. }
            | Self::Above { parameter, .. }
            | Self::MultipleOf { parameter, .. } => parameter,
        }
    }

    fn check(&self, arguments: &Arguments, given: &Map<String, Value>) -> Result<(), Demand> {
        let value = self.parameter();
        match *self {
            Self::AtLeast { times, of, plus, .. } => {
                let limit = line(times, arguments.get(of), plus);
                if i128::from(arguments.get(value)) >= limit {
                    return Ok(());
                }
                Err(Demand::AtLeast(format!(
                    "{limit} ({})",
                    expression(times, of, plus)
                )))
            }
            Self::AtMost { times, of, plus, .. } => {
                let limit = line(times, arguments.get(of), plus);
                if i128::from(arguments.get(value)) <= limit {
                    return Ok(());
                }
                Err(Demand::AtMost(format!(
                    "{limit} ({})",
                    expression(times, of, plus)
                )))
            }
            Self::Above { of, .. } => {
                if arguments.number(value) > arguments.number(of) {
                    return Ok(());
                }
                Err(Demand::Above(format!("{} ({of})", given[of])))
            }
            Self::MultipleOf { of, .. } => {
                if arguments.get(value) % arguments.get(of) == 0 {
                    return Ok(());
                }
                Err(Demand::MultipleOf(format!("{} ({of})", arguments.get(of))))
            }
        }
    }
}

/// `times * of + plus`, which cannot overflow here.
fn line(times: i64, of: i64, plus: i64) -> i128 {
    i128::from(times) * i128::from(of) + i128::from(plus)
}

/// The text of a linear expression; a falling one begins with its constant.
fn expression(times: i64, of: &str, plus: i64) -> String {
    let term = match times.unsigned_abs() {
        1 => of.to_owned(),
        factor => format!("{factor} * {of}"),
    };
    match plus {
        _ if times < 0 => format!("{plus} - {term}"),
        0 => term,
        ..0 => format!("{term} - {}", plus.unsigned_abs()),
        1.. => format!("{term} + {plus}"),
    }
}

/// What a refused value does not fulfil.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Demand {
    Integer,
    Number,
    OneOf(&'static [&'static str]),
    AtLeast(String),
    AtMost(String),
    Above(String),
    Between(String, String),
    PowerOfTwo,
    MultipleOf(String),
}

impl Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer => f.write_str("an integer"),
            Self::Number => f.write_str("a number"),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Self::AtLeast(limit) => write!(f, "at least {limit}"),
            Self::AtMost(limit) => write!(f, "at most {limit}"),
            Self::Above(limit) => write!(f, "above {limit}"),
            Self::Between(min, max) => write!(f, "between {min} and {max}"),
            Self::PowerOfTwo => f.write_str("a power of two"),
            Self::MultipleOf(of) => write!(f, "a multiple of {of}"),
        }
    }
}

/// Values for all parameters of a benchmark, complete, in range and fitting each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments(Vec<(&'static str, Argument)>);

/// The value of one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Argument {
    Integer(i64),
    Number(f64),
    Word(&'static str),
}

impl Arguments {
    /// Checks what came from outside.
    ///
    /// # Errors
    /// The text that the peer protocol prescribes. Tested in its order: missing, unknown, type, range, powers of two,
    /// relations; parameters in catalogue order, unknown ones sorted by name.
    pub fn check(
        benchmark: &str,
        parameters: &[Parameter],
        relations: &[Relation],
        given: &Map<String, Value>,
    ) -> Result<Self, String> {
        if let Some(missing) = parameters
            .iter()
            .find(|parameter| !given.contains_key(parameter.name))
        {
            return Err(format!("{benchmark}: parameter {} is missing", missing.name));
        }
        let is_known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        if let Some(unknown) = given.keys().filter(|name| !is_known(name)).min() {
            return Err(format!("{benchmark}: unknown parameter {unknown}"));
        }
        check_values(parameters, relations, given)
            .map_err(|(name, demand)| format!("{benchmark}: {name} is {}; it must be {demand}", given[name]))
    }

    /// The value of an integer.
    ///
    /// # Panics
    /// If the benchmark has no such parameter: a mistake in the benchmark's source.
    pub fn get(&self, name: &str) -> i64 {
        match self.find(name) {
            Argument::Integer(value) => value,
            other => panic!("{name} is {other:?} and no integer"),
        }
    }

    /// The value of a float.
    ///
    /// # Panics
    /// If the benchmark has no such parameter: a mistake in the benchmark's source.
    pub fn number(&self, name: &str) -> f64 {
        match self.find(name) {
            Argument::Number(value) => value,
            other => panic!("{name} is {other:?} and no float"),
        }
    }

    /// The value of a choice.
    ///
    /// # Panics
    /// If the benchmark has no such parameter: a mistake in the benchmark's source.
    pub fn word(&self, name: &str) -> &'static str {
        match self.find(name) {
            Argument::Word(value) => value,
            other => panic!("{name} is {other:?} and no choice"),
        }
    }

    fn find(&self, name: &str) -> Argument {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("no parameter is called {name}")).1
    }
}

/// Checks values of which none is missing and none unknown.
fn check_values(
    parameters: &[Parameter],
    relations: &[Relation],
    given: &Map<String, Value>,
) -> Result<Arguments, (&'static str, Demand)> {
    let mut arguments = Arguments(Vec::with_capacity(parameters.len()));
    for parameter in parameters {
        let argument = parameter
            .check_type(&given[parameter.name])
            .map_err(|demand| (parameter.name, demand))?;
        arguments.0.push((parameter.name, argument));
    }
    for check in [Parameter::check_range, Parameter::check_power] {
        for (parameter, (name, argument)) in parameters.iter().zip(&arguments.0) {
            check(parameter, *argument).map_err(|demand| (*name, demand))?;
        }
    }
    for relation in relations {
        relation
            .check(&arguments, given)
            .map_err(|demand| (relation.parameter(), demand))?;
    }
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PARAMETERS: [Parameter; 2] = [Parameter::at_least("size", 1), Parameter::between("index", 1, 45)];

    fn check(given: &Value) -> Result<Arguments, String> {
        let given = given.as_object().expect("an object");
        Arguments::check("fib", &PARAMETERS, &[], given)
    }

    #[test]
    fn good_parameters_are_found_by_name() {
        let arguments = check(&json!({"index": 45, "size": 1})).expect("good parameters");
        assert_eq!((arguments.get("size"), arguments.get("index")), (1, 45));
    }

    #[test]
    fn bad_parameters_are_named_in_the_order_of_the_protocol() {
        let cases = [
            (json!({"zeta": 1}), "fib: parameter size is missing"),
            (json!({"size": 0, "zeta": 1}), "fib: parameter index is missing"),
            (
                json!({"size": 0, "index": "x", "zeta": 1, "alpha": 2}),
                "fib: unknown parameter alpha",
            ),
            (
                json!({"size": 0, "index": "x"}),
                "fib: index is \"x\"; it must be an integer",
            ),
            (
                json!({"size": 1.5, "index": null}),
                "fib: size is 1.5; it must be an integer",
            ),
            (
                json!({"size": 1, "index": [1]}),
                "fib: index is [1]; it must be an integer",
            ),
            (
                json!({"size": 1, "index": 9_223_372_036_854_775_808_u64}),
                "fib: index is 9223372036854775808; it must be an integer",
            ),
            (
                json!({"size": 0, "index": 46}),
                "fib: size is 0; it must be at least 1",
            ),
            (
                json!({"size": 1, "index": 46}),
                "fib: index is 46; it must be between 1 and 45",
            ),
            (
                json!({"size": 1, "index": -1}),
                "fib: index is -1; it must be between 1 and 45",
            ),
        ];
        for (given, text) in cases {
            assert_eq!(check(&given), Err(text.to_owned()), "{given}");
        }
    }

    #[test]
    fn every_kind_refuses_in_its_own_words() {
        let parameters = [
            Parameter::at_least("n", 2).power_of_two(),
            Parameter::number("omega", Bounds::Between(0.0, 2.0)),
            Parameter::number("a", Bounds::Above(0.0)),
            Parameter::choice("mode", &["exhaust", "first"]),
            Parameter::integer("seed"),
        ];
        let check = |name: &str, value: Value| {
            let mut given = json!({"n": 8, "omega": 1.25, "a": 2, "mode": "first", "seed": -3});
            given[name] = value;
            Arguments::check("b", &parameters, &[], given.as_object().expect("an object"))
        };
        let good = check("n", json!(16)).expect("good parameters");
        assert_eq!(
            (good.get("n"), good.number("a"), good.word("mode")),
            (16, 2.0, "first")
        );

        let cases = [
            ("n", json!(1), "n is 1; it must be at least 2"),
            ("n", json!(12), "n is 12; it must be a power of two"),
            ("omega", json!(2.5), "omega is 2.5; it must be between 0 and 2"),
            ("omega", json!("1"), "omega is \"1\"; it must be a number"),
            ("a", json!(0), "a is 0; it must be above 0"),
            (
                "mode",
                json!("last"),
                "mode is \"last\"; it must be one of exhaust, first",
            ),
            ("mode", json!(3), "mode is 3; it must be one of exhaust, first"),
            ("seed", json!(0.5), "seed is 0.5; it must be an integer"),
        ];
        for (name, value, text) in cases {
            assert_eq!(check(name, value), Err(format!("b: {text}")));
        }
    }

    #[test]
    fn relations_name_their_limit_and_where_it_comes_from() {
        let pair = |relation: Relation, value: Value, of: Value| {
            let float = value.is_f64() || of.is_f64();
            let parameters = ["p", "q"].map(|name| match float {
                true => Parameter::number(name, Bounds::Any),
                false => Parameter::integer(name),
            });
            let given = json!({"p": value, "q": of});
            Arguments::check(
                "b",
                &parameters,
                &[relation],
                given.as_object().expect("an object"),
            )
            .map(drop)
        };
        let at_least = |times, plus| Relation::AtLeast {
            parameter: "p",
            times,
            of: "q",
            plus,
        };
        let at_most = Relation::AtMost {
            parameter: "p",
            times: -2,
            of: "q",
            plus: 99,
        };
        let above = Relation::Above {
            parameter: "p",
            of: "q",
        };
        let multiple = Relation::MultipleOf {
            parameter: "p",
            of: "q",
        };
        let fitting = [
            (at_least(1, 1), json!(5), json!(4)),
            (at_least(2, 0), json!(8), json!(4)),
            (at_most, json!(79), json!(10)),
            (above, json!(1.5), json!(1.25)),
            (multiple, json!(12), json!(4)),
        ];
        for (relation, value, of) in fitting {
            assert_eq!(pair(relation, value, of), Ok(()), "{relation:?}");
        }
        let cases = [
            (
                at_least(1, 1),
                json!(4),
                json!(4),
                "4; it must be at least 5 (q + 1)",
            ),
            (at_least(1, 0), json!(3), json!(4), "3; it must be at least 4 (q)"),
            (
                at_least(2, -1),
                json!(6),
                json!(4),
                "6; it must be at least 7 (2 * q - 1)",
            ),
            (
                at_most,
                json!(80),
                json!(10),
                "80; it must be at most 79 (99 - 2 * q)",
            ),
            (above, json!(1.5), json!(1.5), "1.5; it must be above 1.5 (q)"),
            (
                multiple,
                json!(10),
                json!(4),
                "10; it must be a multiple of 4 (q)",
            ),
            (
                at_least(2, 0),
                json!(1),
                json!(i64::MAX),
                "1; it must be at least 18446744073709551614 (2 * q)",
            ),
        ];
        for (relation, value, of, text) in cases {
            assert_eq!(pair(relation, value, of), Err(format!("b: p is {text}")));
        }
    }
}
