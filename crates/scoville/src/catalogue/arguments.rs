//! The one definition of which parameters are good, and of the words that refuse bad ones in every language.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::model::benchmark::{Argument, Benchmark, Parameter, ParameterKind, Relation, Rule, Value};
use crate::model::linear::Linear;

/// Checks parameters as every peer must, in the protocol's order: missing, unknown, type, range, power of two, relations;
/// parameters and relations in catalogue order, unknown names sorted.
///
/// # Errors
/// The text of `bad-parameter`.
pub fn read(benchmark: &Benchmark, given: &Map<String, Json>) -> Result<BTreeMap<String, Argument>, String> {
    let parameters = &benchmark.parameters;
    let name = &benchmark.name;
    if let Some(missing) = parameters.iter().find(|p| !given.contains_key(&p.name)) {
        return Err(format!("{name}: parameter {} is missing", missing.name));
    }
    let known = |wanted: &str| parameters.iter().any(|p| p.name == wanted);
    if let Some(unknown) = given.keys().filter(|key| !known(key)).min() {
        return Err(format!("{name}: unknown parameter {unknown}"));
    }
    let refuse = |p: &str, demand: String| {
        let value = &given[p];
        format!("{name}: {p} is {value}; it must be {demand}")
    };
    let mut arguments = BTreeMap::new();
    for p in parameters {
        let argument = of_type(p, &given[&p.name]).ok_or_else(|| refuse(&p.name, kind(p)))?;
        arguments.insert(p.name.clone(), argument);
    }
    for p in parameters {
        if let Some(demand) = range(p).filter(|_| !in_range(p, &arguments[&p.name])) {
            return Err(refuse(&p.name, demand));
        }
    }
    for p in parameters.iter().filter(|p| p.power_of_two) {
        if !arguments[&p.name].number().is_some_and(is_power_of_two) {
            return Err(refuse(&p.name, "a power of two".into()));
        }
    }
    for relation in &benchmark.relations {
        if let Some(demand) = broken(relation, &arguments) {
            return Err(refuse(&relation.parameter, demand));
        }
    }
    Ok(arguments)
}

fn of_type(parameter: &Parameter, value: &Json) -> Option<Argument> {
    match parameter.kind {
        ParameterKind::I64 => value.as_i64().map(Argument::from),
        ParameterKind::F64 => value.as_f64().map(|x| Argument::Number(Value::Float(x))),
        ParameterKind::Choice => {
            let word = value
                .as_str()
                .filter(|word| parameter.choices.iter().any(|c| c == word));
            word.map(|word| Argument::Word(word.to_owned()))
        }
    }
}

/// The words for the type that a parameter must have.
pub fn kind(parameter: &Parameter) -> String {
    match parameter.kind {
        ParameterKind::I64 => "an integer".into(),
        ParameterKind::F64 => "a number".into(),
        ParameterKind::Choice => format!("one of {}", parameter.choices.join(", ")),
    }
}

/// The words for the range of a parameter, if it has one.
pub fn range(parameter: &Parameter) -> Option<String> {
    match (parameter.min, parameter.above, parameter.max) {
        (Some(min), _, Some(max)) => Some(format!("between {min} and {max}")),
        (Some(min), _, None) => Some(format!("at least {min}")),
        (None, Some(above), _) => Some(format!("above {above}")),
        (None, None, _) => None,
    }
}

/// All that a parameter must be by itself, for people.
pub fn demand(parameter: &Parameter) -> String {
    match range(parameter) {
        Some(range) if parameter.power_of_two => format!("a power of two {range}"),
        Some(range) => range,
        None if parameter.power_of_two => "a power of two".into(),
        None if parameter.kind == ParameterKind::I64 => "any integer".into(),
        None if parameter.kind == ParameterKind::F64 => "any number".into(),
        None => kind(parameter),
    }
}

fn in_range(parameter: &Parameter, argument: &Argument) -> bool {
    let Some(value) = argument.number() else {
        return true;
    };
    parameter.min.is_none_or(|min| !is_below(value, min))
        && parameter.above.is_none_or(|above| is_below(above, value))
        && parameter.max.is_none_or(|max| !is_below(max, value))
}

fn is_below(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

fn is_power_of_two(value: Value) -> bool {
    matches!(value, Value::Int(v) if v > 0 && v.count_ones() == 1)
}

/// What a relation demands, if it does not hold.
fn broken(relation: &Relation, arguments: &BTreeMap<String, Argument>) -> Option<String> {
    let number = |name: &str| arguments.get(name).and_then(Argument::number);
    let value = number(&relation.parameter)?;
    let limit = Linear::parse(&relation.limit).ok()?.value(number).ok()?;
    let holds = match relation.rule {
        Rule::AtLeast => !is_below(value, limit),
        Rule::AtMost => !is_below(limit, value),
        Rule::Above => is_below(limit, value),
        Rule::MultipleOf => {
            matches!((value, limit), (Value::Int(v), Value::Int(l)) if l != 0 && v.checked_rem(l) == Some(0))
        }
    };
    (!holds).then(|| format!("{} {limit} ({})", relation.rule, relation.limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::read_benchmark;
    use serde_json::json;
    use std::path::Path;

    const MIX: &str = r#"name = "mix"
title = "Mix"
number = 1
category = "extended"
measures = "m"
origin = "o"
description = "d"
actors = "1"
messages = "1"
parameter = [
  { name = "n", symbol = "N", meaning = "m", type = "i64", power_of_two = true, min = 2, max = 64 },
  { name = "b", symbol = "B", meaning = "m", type = "i64", min = 1 },
  { name = "omega", symbol = "w", meaning = "m", type = "f64", min = 0.0, max = 2.0 },
  { name = "side", symbol = "S", meaning = "m", type = "f64", above = 0.0 },
  { name = "r", symbol = "R", meaning = "m", type = "f64" },
  { name = "seed", symbol = "s", meaning = "m", type = "i64" },
  { name = "mode", symbol = "M", meaning = "m", type = "choice", choices = ["copy", "share"] },
]
relation = [
  { parameter = "n", rule = "at-least", limit = "2 * b" },
  { parameter = "n", rule = "multiple-of", limit = "b" },
  { parameter = "b", rule = "at-most", limit = "99 - n" },
  { parameter = "r", rule = "above", limit = "side" },
]
field = [{ name = "result", type = "i64", meaning = "m", formula = "1" }]
[preset.tiny]
parameters = { n = 8, b = 4, omega = 1.25, side = 1.0, r = 2.5, seed = -7, mode = "copy" }
expect = { result = 1 }
work = { actors = 1, messages = 1 }
[preset.quick]
parameters = { n = 8, b = 4, omega = 1.25, side = 1.0, r = 2.5, seed = -7, mode = "share" }
expect = { result = 1 }
work = { actors = 1, messages = 1 }
"#;

    /// What is said of `tiny` with these values put over it.
    fn with(changes: Json) -> String {
        let benchmark = read_benchmark(Path::new("mix.toml"), MIX).expect("a sound benchmark");
        let mut given = json!(benchmark.presets["tiny"].parameters);
        for (name, value) in changes.as_object().expect("changes are an object") {
            match value {
                Json::String(word) if word == "remove" => {
                    given.as_object_mut().expect("an object").remove(name)
                }
                _ => given
                    .as_object_mut()
                    .expect("an object")
                    .insert(name.clone(), value.clone()),
            };
        }
        match read(&benchmark, given.as_object().expect("an object")) {
            Ok(arguments) => arguments
                .values()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" "),
            Err(text) => text,
        }
    }

    #[test]
    fn good_parameters_are_read() {
        assert_eq!(with(json!({})), "4 copy 8 1.25 2.5 -7 1");
        assert_eq!(
            with(json!({"omega": 2, "side": 0.5, "r": 1})),
            "4 copy 8 2 1 -7 0.5"
        );
    }

    #[test]
    fn bad_parameters_are_refused_in_the_words_and_order_of_the_protocol() {
        for (changes, text) in [
            (
                json!({"b": "remove", "n": "remove", "zz": 1}),
                "mix: parameter n is missing",
            ),
            (json!({"zz": 1, "aa": 1, "n": "x"}), "mix: unknown parameter aa"),
            (
                json!({"seed": 1.5, "n": 0}),
                "mix: seed is 1.5; it must be an integer",
            ),
            (
                json!({"n": 9_223_372_036_854_775_808_u64}),
                "mix: n is 9223372036854775808; it must be an integer",
            ),
            (json!({"omega": "1"}), "mix: omega is \"1\"; it must be a number"),
            (json!({"r": null}), "mix: r is null; it must be a number"),
            (
                json!({"mode": "Copy", "n": 0}),
                "mix: mode is \"Copy\"; it must be one of copy, share",
            ),
            (
                json!({"mode": 1}),
                "mix: mode is 1; it must be one of copy, share",
            ),
            (
                json!({"n": 1, "b": 0}),
                "mix: n is 1; it must be between 2 and 64",
            ),
            (json!({"b": 0}), "mix: b is 0; it must be at least 1"),
            (
                json!({"omega": 2.5}),
                "mix: omega is 2.5; it must be between 0 and 2",
            ),
            (json!({"side": 0}), "mix: side is 0; it must be above 0"),
            (
                json!({"n": 6, "side": -1, "r": -2}),
                "mix: side is -1; it must be above 0",
            ),
            (json!({"n": 6, "b": 8}), "mix: n is 6; it must be a power of two"),
            (json!({"b": 5}), "mix: n is 8; it must be at least 10 (2 * b)"),
            (json!({"b": 3}), "mix: n is 8; it must be a multiple of 3 (b)"),
            (json!({"n": 64, "b": 32, "seed": 0}), "4 copy"),
            (
                json!({"r": 1, "side": 1}),
                "mix: r is 1; it must be above 1 (side)",
            ),
            (
                json!({"r": -0.5, "side": 1.5}),
                "mix: r is -0.5; it must be above 1.5 (side)",
            ),
        ] {
            if text.starts_with("mix") {
                assert_eq!(with(changes.clone()), text, "{changes}");
            } else {
                assert!(!with(changes.clone()).starts_with("mix"), "{changes}");
            }
        }
    }
}
