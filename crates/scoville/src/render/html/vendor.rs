//! The scripts that the report carries: Vega, Vega-Lite and the interpreter that evaluates Vega's expressions without
//! `eval`, so that the report's security policy can forbid it. The files stand as published in the npm registry;
//! `SHA256SUMS` beside them is verified by a test.

use base64::Engine as _;
use sha2::{Digest, Sha256};

const VEGA: &str = include_str!("assets/vendor/vega.min.js");
const VEGA_LITE: &str = include_str!("assets/vendor/vega-lite.min.js");
const INTERPRETER: &str = include_str!("assets/vendor/vega-interpreter.js");
const VEGA_LICENCE: &str = include_str!("assets/vendor/vega.LICENSE");
const VEGA_LITE_LICENCE: &str = include_str!("assets/vendor/vega-lite.LICENSE");
const INTERPRETER_LICENCE: &str = include_str!("assets/vendor/vega-interpreter.LICENSE");
/// The style sheet.
pub const STYLE: &str = include_str!("assets/report.css");

/// The script that sorts tables, of the report and of simulated results.
pub const SORT: &str = include_str!("assets/sort.js");

/// The report's own script.
pub const REPORT: &str = include_str!("assets/report.js");

/// The libraries in the order in which they must run.
pub fn libraries() -> [String; 3] {
    [
        licensed(VEGA, VEGA_LICENCE),
        licensed(VEGA_LITE, VEGA_LITE_LICENCE),
        licensed(&as_classic_script(INTERPRETER), INTERPRETER_LICENCE),
    ]
}

/// The licences ask for their text in every copy. References to source maps would be requests.
fn licensed(script: &str, licence: &str) -> String {
    let code: Vec<&str> = (script.lines())
        .filter(|l| !l.starts_with("//# sourceMappingURL"))
        .collect();
    format!("/*!\n{}*/\n{}\n", licence.replace("*/", "* /"), code.join("\n"))
}

/// The interpreter is published as a module only; its one import is part of Vega and its one export joins it.
fn as_classic_script(module: &str) -> String {
    let code = module
        .replacen("import {", "const {", 1)
        .replacen("} from 'vega-util';", "} = vega;", 1)
        .replacen(
            "export { expression as expressionInterpreter };",
            "vega.expressionInterpreter = expression;",
            1,
        );
    format!("(() => {{\n{code}\n}})();\n")
}

/// The source expression of a script for a Content-Security-Policy.
pub fn policy_hash(script: &str) -> String {
    let digest = Sha256::digest(script.as_bytes());
    format!(
        "'sha256-{}'",
        base64::engine::general_purpose::STANDARD.encode(digest)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendored_files_are_as_published() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/render/html/assets/vendor");
        let sums = include_str!("assets/vendor/SHA256SUMS");
        let mut files = 0;
        for line in sums.lines() {
            let (expected, name) = line.split_once("  ").expect("sum, two spaces, name");
            let bytes = std::fs::read(format!("{folder}/{name}")).expect(name);
            let got: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(got, expected, "{name} is not the published file");
            files += 1;
        }
        assert_eq!(files, 6);
    }

    #[test]
    fn scripts_cannot_end_their_element_and_ask_for_nothing() {
        for script in libraries().into_iter().chain([SORT, REPORT].map(str::to_owned)) {
            let lower = script.to_lowercase();
            assert!(!lower.contains("</script") && !lower.contains("<!--"));
            assert!(!script.contains("sourceMappingURL"));
        }
    }

    #[test]
    fn the_interpreter_has_no_module_syntax_left() {
        let script = as_classic_script(INTERPRETER);
        assert!((script.lines()).all(|l| !l.starts_with("import ") && !l.starts_with("export ")));
        assert!(script.contains("} = vega;") && script.contains("vega.expressionInterpreter = expression;"));
    }
}
