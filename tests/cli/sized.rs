//! From an inconclusive campaign to a decision: `gate size`, `gate confirm`, `gate calibrate`.

use std::fs;

use crate::command::gate;
use crate::gate::Bench;

/// A gate over two programs that report benches; `sides` are the times in milliseconds that they report, one an execution.
fn reporting(bench: &Bench, bound: f64, sides: [&[f64]; 2]) -> String {
    let script = |name: &str, times: &[f64]| {
        let list: Vec<String> = times.iter().map(ToString::to_string).collect();
        bench.file(&format!("{name}.times"), &format!("{}\n", list.join("\n")));
        bench.file(&format!("{name}.count"), "0\n");
        // The next line of the list, and the first again behind the last.
        format!(
            "n=$(cat {name}.count); n=$((n % {} + 1)); echo $n > {name}.count; \
             echo BenchmarkA 1 $(sed -n ${{n}}p {name}.times)e6 ns/op; echo BenchmarkB 1 7 ns/op",
            times.len()
        )
    };
    let (baseline, candidate) = (script("b", sides[0]), script("c", sides[1]));
    gate(&baseline, &candidate, "output = \"go\"", "grade = \"comparison\"\npairs = 5\nsamples = 1")
        .replace("max_ratio = 50.0", &format!("max_ratio = {bound:?}\ncases = {{ bench = [\"A\"] }}"))
        .replace("metric = \"startup_time\"", "metric = \"latency\"\ncases = { bench = [\"B\"] }")
}

#[test]
fn what_is_inconclusive_is_sized_and_confirmed_by_fresh_pairs() {
    let bench = Bench::new();
    // The first is the check's; ratios of 1.0 to 1.1 around 1.05 under a bound of 1.06.
    let baseline = [10.0];
    let candidate = [10.5, 10.0, 11.0, 10.4, 10.6, 10.5];
    bench.file("two.toml", &reporting(&bench, 1.08, [&baseline, &candidate]));
    let run = bench.here(&["run", "two.toml"]);
    assert_eq!(run.code, 11, "{run:?}");
    let pilot = bench.campaign("two");
    let before = fs::read(pilot.join("verdict.json")).unwrap();

    let sized = bench.here(&["size", "two", "--format", "json"]);
    assert_eq!(sized.code, 0, "{sized:?}");
    let document = sized.json();
    let budget = &document["budgets"][0];
    assert_eq!(budget["case"]["bench"], "A");
    let (normal, simulated) = (budget["normal"].as_u64().unwrap(), budget["simulated"].as_u64().unwrap());
    assert!(normal > 5 && simulated > 5, "{budget}");
    assert_eq!(budget["powers"].as_array().unwrap().len(), 8);
    let told = bench.here(&["size", "two"]).stdout;
    assert!(told.contains("pairs for 80 % power") && told.lines().all(|line| line.chars().count() <= 80), "{told}");

    let confirmed = bench.here(&["confirm", "two", "--pairs", "20", "--format", "json"]);
    assert_eq!(confirmed.code, 0, "{confirmed:?}");
    let document = confirmed.json();
    let budgets = document["hypotheses"][0]["budgets"].as_array().unwrap();
    assert_eq!((&budgets[0]["pairs"], &budgets[0]["outcome"]), (&20.into(), &"pass".into()), "{budgets:?}");
    assert_eq!(fs::read(pilot.join("verdict.json")).unwrap(), before, "the first verdict stays");
    let report = bench.here(&["report", "two", "--format", "markdown"]).stdout;
    assert!(report.contains("none of its pairs are used here") && report.contains("inconclusive"), "{report}");
    let plan: serde_json::Value = {
        let mut campaigns = fs::read_dir(bench.results().join("two")).unwrap().map(|entry| entry.unwrap().path());
        let fresh = campaigns.find(|path| path.is_dir() && *path != pilot).unwrap();
        serde_json::from_slice(&fs::read(fresh.join("plan.json")).unwrap()).unwrap()
    };
    assert_eq!(plan["confirms"]["campaign"], pilot.file_name().unwrap().to_str().unwrap());
    assert_eq!((&plan["profile"]["order"], &plan["analysis"]["interval"]), (&"balanced".into(), &"one-sided".into()));
    let first = |pair: &serde_json::Value| pair["side"] == "baseline";
    let runs = plan["runs"].as_array().unwrap();
    assert_eq!(runs.iter().step_by(2).filter(|run| first(run)).count(), 10, "half of the pairs in each order");

    // The confirmation has nothing open any more.
    let nothing = bench.here(&["confirm", "two"]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(nothing.stderr.contains("none of its budgets is inconclusive"), "{nothing:?}");
}

#[test]
fn what_can_not_be_sized_says_why() {
    let bench = Bench::new();
    bench.file("two.toml", &reporting(&bench, 1.01, [&[10.0], &[10.5, 10.0, 11.0, 10.4, 10.6, 10.5]]));
    assert_eq!(bench.here(&["run", "two.toml"]).code, 11);
    let sized = bench.here(&["size", "two"]);
    assert_eq!(sized.code, 0, "{sized:?}");
    assert!(sized.stdout.contains("not attainable: the estimate is at or beyond the bound"), "{}", sized.stdout);
    let confirmed = bench.here(&["confirm", "two"]);
    assert_eq!(confirmed.code, 2, "{confirmed:?}");
    assert!(confirmed.stderr.contains("not attainable") && confirmed.stderr.contains("--pairs"), "{confirmed:?}");

    // What has been tampered with, and what is not finished.
    let campaign = bench.campaign("two");
    let analysis = campaign.join("analysis.json");
    let kept = fs::read_to_string(&analysis).unwrap();
    fs::write(&analysis, kept.replace("inconclusive", "pass")).unwrap();
    for command in ["size", "confirm"] {
        let refused = bench.here(&[command, "two"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains("analysis.json"), "{refused:?}");
    }
    fs::write(&analysis, kept).unwrap();
    fs::remove_file(campaign.join("runs/p03-baseline-all.arrow")).unwrap();
    for command in ["size", "confirm"] {
        let refused = bench.here(&[command, "two"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains("p03-baseline-all"), "{refused:?}");
    }
}

#[test]
fn a_confirmation_of_other_programs_is_refused() {
    let bench = Bench::new();
    let file = reporting(&bench, 1.08, [&[10.0], &[10.5, 10.0, 11.0, 10.4, 10.6, 10.5]])
        .replace("output = \"go\"", "output = \"go\"\nfiles = [\"b.times\"]");
    bench.file("two.toml", &file);
    assert_eq!(bench.here(&["run", "two.toml"]).code, 11);
    bench.file("b.times", "11\n");
    let refused = bench.here(&["confirm", "two", "--pairs", "10"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("what would be executed is not what it executed"), "{refused:?}");
}

#[test]
fn a_calibration_sees_a_large_slowdown_is_kept_and_quoted() {
    let bench = Bench::new();
    let busy = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done";
    // A slowdown of 10 % is within a bound of 2, and one that sits on the bound doubles the time.
    let file = gate(busy, busy, "", "grade = \"comparison\"\npairs = 6\nsamples = 1")
        .replace("max_ratio = 50.0", "max_ratio = 2.0");
    bench.file("two.toml", &file);
    let run = bench.here(&["calibrate", "two.toml", "--campaigns", "2", "--format", "json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let document = run.json();
    assert_eq!(document["identical"]["campaigns"], 2);
    assert_eq!(document["identical"]["rejected"], 0);
    let slowdowns = document["slowdowns"].as_array().unwrap();
    let ratios: Vec<f64> = slowdowns.iter().map(|one| one["ratio"].as_f64().unwrap()).collect();
    assert_eq!(ratios, [1.01, 1.02, 1.05, 1.1, 2.0]);
    assert_eq!(document["on_budget"]["ratio"], 2.0);
    assert!(document["extra_copy"]["caught"].is_null());
    // The spin was really there: the plan of a campaign says so, and the candidate took twice as long.
    let trials = bench.results().join("two.calibration");
    let mut campaigns = fs::read_dir(trials).unwrap().map(|entry| entry.unwrap().path());
    let plan = |folder: &std::path::Path| fs::read_to_string(folder.join("plan.json")).unwrap_or_default();
    let slowed = campaigns.find(|folder| plan(folder).contains("\"slowdown\": 2.0")).unwrap();
    let read =
        |name: &str| -> serde_json::Value { serde_json::from_slice(&fs::read(slowed.join(name)).unwrap()).unwrap() };
    let ratio = read("analysis.json")["hypotheses"][0]["budgets"][0]["ratio"].as_f64().unwrap();
    // Few runs of some milliseconds on a machine that does other things: far from 1 is what can be asked.
    assert!((1.25..4.0).contains(&ratio), "{ratio}");

    let run = bench.here(&["run", "two.toml"]);
    assert!(run.stdout.contains("this gate sees"), "{}", run.stdout);
    assert_eq!(bench.here(&["report", "two"]).stdout, run.stdout);
}

#[test]
fn a_gate_that_can_not_fail_a_slowdown_is_refused_and_one_too_fine_is_warned_of() {
    let bench = Bench::new();
    let file = gate("true", "true", "", "grade = \"comparison\"\npairs = 6\nsamples = 1");
    bench.file("two.toml", &file.replace("max_ratio = 50.0", "max = 1e12"));
    let refused = bench.here(&["calibrate", "two.toml"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("none of its guardrails is a ratio"), "{refused:?}");

    bench.file("two.toml", &file.replace("max_ratio = 50.0", "max_ratio = 1.0001"));
    assert_eq!(bench.here(&["calibrate", "two.toml", "--campaigns", "1"]).code, 0);
    for arguments in [&["check", "two.toml"][..], &["run", "two.toml"]] {
        let warned = bench.here(arguments);
        assert!(warned.stderr.contains("is finer than this host sees"), "{arguments:?}: {warned:?}");
    }
}
