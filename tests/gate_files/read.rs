//! What is read from a gate file.

use std::fs;
use std::path::Path;

use gate::spec::{self, Benefit, Bound, Grade, IntervalKind, Order, Target, Warmup};
use gate::unit::{AxisValue, Case, Statistic};
use serde_json::Value;

use super::{SKETCH, accepted, edited, parse};

/// `value` with each metric replaced by its name: what it is stands in the catalogue.
fn with_named_metrics(value: Value) -> Value {
    match value {
        Value::Object(mut map) if map.contains_key("default_statistic") => {
            map.remove("name").expect("a metric has a name")
        }
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_named_metrics(value))).collect(),
        Value::Array(values) => values.into_iter().map(with_named_metrics).collect(),
        scalar => scalar,
    }
}

#[test]
fn the_sketch_is_read_to_the_last_key() {
    let loaded = parse(SKETCH).unwrap_or_else(|error| panic!("{}", error.render(false)));
    let gate = with_named_metrics(serde_json::to_value(&loaded.gate).expect("is plain data"));
    insta::assert_json_snapshot!(gate);
}

#[test]
fn what_is_left_out_has_a_default() {
    let text = edited(&[("min_time = \"500ms\"\nmin_samples = 100", "samples = 100")]);
    let gate = parse(&text).expect("is accepted").gate;
    let profile = &gate.profiles[0];
    assert_eq!(gate.target, Target::Suite("dashboard".to_owned()));
    assert_eq!((gate.fixture.seed, gate.fixture.null_period), (538, 13));
    assert_eq!((profile.warmup, profile.order, profile.order_seed), (Warmup::Operations(1), Order::Alternate, 14_120));
    assert_eq!((profile.samples, profile.min_time_ns, profile.min_samples), (Some(100), None, None));
    assert_eq!((profile.cpus, profile.memory_bytes, profile.processes), (None, None, None));
    assert_eq!(profile.timeout_ns, 120_000_000_000);
    assert_eq!((gate.analysis.resamples, gate.analysis.seed, gate.analysis.confidence_parts), (20_000, 1_412, 9_500));
    assert_eq!(gate.analysis.interval, IntervalKind::TwoSided);
    let hypothesis = &gate.hypotheses[0];
    assert!(hypothesis.cases.matches(&Case::default()));
    let Benefit::Budget(budget) = &hypothesis.benefits[0] else { panic!("a budget") };
    assert_eq!((budget.statistic, budget.bound), (Statistic::Mean, Bound::MaxRatio(0.80)));
}

#[test]
fn a_warm_up_is_a_count_or_a_time() {
    let warmup =
        |text: &str| accepted(&[("pairs = 12", &format!("pairs = 12\nwarmup = {text}"))]).gate.profiles[0].warmup;
    assert_eq!(warmup("0"), Warmup::Operations(0));
    assert_eq!(warmup("21"), Warmup::Operations(21));
    assert_eq!(warmup("\"1.5s\""), Warmup::TimeNs(1_500_000_000));
}

#[test]
fn confidence_is_read_in_parts() {
    let parts = |keys: &str| {
        accepted(&[("[[hypothesis]]", &format!("[analysis]\n{keys}\n\n[[hypothesis]]"))]).gate.analysis.confidence_parts
    };
    assert_eq!(parts("confidence = 0.9"), 9_000);
    assert_eq!(parts("confidence = 0.9998"), 9_998);
    assert_eq!(parts("confidence = 0.9999\ninterval = \"one-sided\""), 9_999);
    assert_eq!(parts("confidence = 0.5001\ninterval = \"one-sided\""), 5_001);
}

#[test]
fn selectors_take_one_value_or_several() {
    let gate = accepted(&[("rollback =", "cases = { shape = \"wide\", rows = [50, 1000] }\nrollback =")]).gate;
    let case = |shape: &str, rows| {
        Case::new(vec![
            ("shape".to_owned(), AxisValue::Text(shape.to_owned())),
            ("rows".to_owned(), AxisValue::Integer(rows)),
        ])
    };
    let cases = &gate.hypotheses[0].cases;
    assert!(cases.matches(&case("wide", 50)) && cases.matches(&case("wide", 1_000)));
    assert!(!cases.matches(&case("narrow", 50)) && !cases.matches(&case("wide", 1)));
}

#[test]
fn what_looks_like_a_duplicate_and_is_none() {
    let again = |keys: &str| {
        format!("[[hypothesis.guardrail]]\nmetric = \"latency\"\nstatistic = \"p95\"\n{keys}\n\n[[hypothesis.report]]")
    };
    // A bound relative to the baseline and one on the value itself are two budgets.
    accepted(&[("[[hypothesis.report]]", &again("max = 5e9"))]);
    // So are two in different cases, one of them tighter.
    accepted(&[("[[hypothesis.report]]", &again("max_ratio = 1.02\ncases = { rows = 50 }"))]);
    // A gap may be known in some cases, and closed in the others.
    accepted(&[(
        "check = \"exact-values\"",
        "check = \"exact-values\"\ncases = { rows = [1, 50] }\n[[hypothesis.correctness]]\ncheck = \"exact-values\"\nknown_gap = \"rounds\"\ncases = { rows = 1000 }",
    )]);
}

#[test]
fn axes_and_profiles_keep_the_order_of_the_file() {
    let gate = accepted(&[
        (
            "shape = [\"narrow\", \"wide\"]\nrows = [1, 50, 1000]",
            "rows = [1000, 1]\ncpus = 2\nshape = [\"wide\", \"narrow\"]",
        ),
        ("[profile.full]", "[profile.quick]\ngrade = \"preliminary\"\npairs = 1\nsamples = 20\n[profile.full]"),
    ])
    .gate;
    let axes: Vec<_> = gate.matrix.axes.iter().map(|axis| axis.name.as_str()).collect();
    assert_eq!(axes, ["rows", "cpus", "shape"]);
    assert_eq!(gate.matrix.axes[0].values, [AxisValue::Integer(1_000), AxisValue::Integer(1)]);
    let profiles: Vec<_> = gate.profiles.iter().map(|profile| (profile.name.as_str(), profile.grade)).collect();
    assert_eq!(profiles, [("quick", Grade::Preliminary), ("full", Grade::Comparison)]);
}

#[test]
fn a_waiver_is_read() {
    let gate = parse(SKETCH).expect("is accepted").gate;
    let budget = &gate.hypotheses[0].guardrails[3];
    let waiver = budget.waiver.as_ref().expect("a waiver");
    assert_eq!((waiver.bound, waiver.until.to_string()), (1.12, "2027-01-31".to_owned()));
    assert!(budget.bound.with(waiver.bound).is_looser_than(budget.bound));
}

#[test]
fn the_gates_that_ship_are_flawless() {
    let gates = Path::new(env!("CARGO_MANIFEST_DIR")).join("gates");
    let shipped = fs::read_dir(&gates).unwrap().map(|entry| entry.unwrap().path());
    let mut shipped: Vec<_> = shipped.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    shipped.push(gates.join("examples/minimal.toml"));
    assert_eq!(shipped.len(), 9);
    for path in &shipped {
        let loaded = spec::load(path).unwrap_or_else(|error| panic!("{}", error.render(false)));
        assert_eq!(loaded.render_warnings(false), Vec::<String>::new(), "{}", path.display());
        assert_eq!(path.file_stem().unwrap(), loaded.gate.name.as_str());
    }
    let minimal = fs::read_to_string(gates.join("examples/minimal.toml")).unwrap();
    assert!(minimal.lines().count() <= 20);
}

#[test]
fn the_native_gate_asks_for_the_whole_contract() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("gates/dashboard-native.toml");
    let gate = spec::load(&path).unwrap().gate;
    let suite = gate::workload::catalogue::Suite::find("dashboard").unwrap();
    let hypothesis = &gate.hypotheses[0];
    let checks: Vec<&str> = hypothesis.correctness.iter().map(|check| check.check.as_str()).collect();
    for check in suite.lane(&hypothesis.candidate).unwrap().contract {
        assert!(checks.contains(check), "`{check}` is in the lane's contract and not in the gate");
    }
    assert!(hypothesis.correctness.iter().all(|check| check.known_gap.is_none()));
}
