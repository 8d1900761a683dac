//! What is generated and committed is what the program generates.

use std::fs;
use std::path::Path;

fn committed(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_schema_is_committed() {
    assert!(
        committed("gates/gate.schema.json") == gate::spec::schema(),
        "gates/gate.schema.json has drifted: cargo run --release -- schema > gates/gate.schema.json"
    );
}

#[test]
fn the_fixture_manifest_is_committed() {
    assert!(
        committed("fixtures/manifest.toml") == gate::fixture::manifest_toml().unwrap(),
        "fixtures/manifest.toml has drifted: cargo run --release -- fixtures > fixtures/manifest.toml"
    );
}
