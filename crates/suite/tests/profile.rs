//! What is measured is optimised as the workspace says, whatever program it is linked into.

use std::fs;

use toml::Table;

/// With fat link-time optimisation the level of the package that is linked last, the laboratory, is the level at which all the others
/// are optimised together: whether a call from one package into another is inlined is decided there. At level 1, which a
/// laboratory that is not measured seemed to bear, tokio took a quarter more instructions for a counted message, ractor an
/// eighth more for a ping, and datil, whose code is mostly generic, none to speak of.
#[test]
fn no_package_is_optimised_less_than_the_others() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let text = fs::read_to_string(path).expect("the workspace has a manifest");
    let manifest: Table = text.parse().expect("the manifest is TOML");
    let release = &manifest["profile"]["release"];
    assert_eq!(release["opt-level"].as_integer(), Some(3));
    assert_eq!(release["lto"].as_str(), Some("fat"));
    let packages = release.get("package").and_then(|packages| packages.as_table());
    for (package, settings) in packages.into_iter().flatten() {
        assert!(
            settings.get("opt-level").is_none(),
            "{package} has a level of its own"
        );
    }
}
