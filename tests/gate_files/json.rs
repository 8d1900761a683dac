//! Gate files in JSON.

use std::path::Path;

use gate::spec::{self, Format};

use super::{BASE, SKETCH, as_json, parse};

#[test]
fn json_says_the_same() {
    let mut gate = spec::parse("sketch.json", &as_json(SKETCH), Format::Json).expect("is accepted").gate;
    // A TOML table as a value has forgotten the order of its keys.
    let order = |axis: &str| ["shape", "rows", "clients", "cpus"].iter().position(|name| *name == axis);
    gate.matrix.axes.sort_by_key(|axis| order(&axis.name));
    for selector in [&mut gate.hypotheses[0].cases, &mut gate.matrix.exclude[0]] {
        selector.0.sort_by_key(|(axis, _)| order(axis));
    }
    gate.profiles.sort_by_key(|profile| profile.name != "quick");
    assert_eq!(gate, parse(SKETCH).expect("is accepted").gate);
}

#[test]
fn json_keeps_the_order_of_the_file() {
    let text = as_json(BASE).replace("\"matrix\": {", "\"matrix\": {\n    \"cpus\": 1,");
    let gate = spec::parse("trial.json", &text, Format::Json).expect("is accepted").gate;
    assert_eq!(gate.matrix.axes[0].name, "cpus");
}

#[test]
fn the_extension_says_which() {
    assert_eq!(Format::of(Path::new("gates/a.JSON")), Format::Json);
    assert_eq!(Format::of(Path::new("gates/a.toml")), Format::Toml);
    assert_eq!(Format::of(Path::new("gates/json")), Format::Toml);
}

#[test]
fn an_editor_may_be_told_of_the_schema() {
    let text = as_json(BASE).replacen('{', "{\n  \"$schema\": \"gate.schema.json\",", 1);
    spec::parse("trial.json", &text, Format::Json).expect("is accepted");
}

#[test]
fn refusals() {
    let base = as_json(BASE);
    let told: Vec<String> = [
        ("unknown metric", base.replace("\"rust_heap_bytes\"", "\"rust_heap_byte\"")),
        ("unknown key", base.replace("\"pairs\": 12", "\"pair\": 3, \"pairs\": 12")),
        ("null", base.replace("\"pairs\": 12", "\"pairs\": null")),
        ("duplicate key", base.replace("\"pairs\": 12", "\"pairs\": 12, \"pairs\": 13")),
        ("missing key", base.replace(",\n      \"pairs\": 12", "")),
        ("two commas", base.replace("\"pairs\": 12", "\"pairs\": 12,")),
        ("half a file", base[..base.len() / 2].to_owned()),
        ("an array", "[1, 2]".to_owned()),
        ("one long line", format!("{{\"gate\": 1, \"name\": \"{}\", \"title\": 3}}", "x".repeat(1_000))),
    ]
    .iter()
    .map(|(name, text)| {
        assert_ne!(*text, base, "`{name}` changes nothing");
        let error = spec::parse("gates/trial.json", text, Format::Json).expect_err(name);
        format!("──── {name}\n{}\n\n", error.render(false))
    })
    .collect();
    insta::assert_snapshot!(told.concat());
}
