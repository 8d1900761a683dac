//! `gate profile`: real profiles of real lanes, opened and read as their users would.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::gate::{Answer, Bench};

const PROBE: &str = r#"gate = 1
name = "probe"
title = "a loop against another"
target = { suite = "probe" }
matrix = { work = [1000, 20000] }
profile.full = { grade = "comparison", pairs = 5, samples = 20 }
[[hypothesis]]
id = "loop"
claim = "the candidate is no slower"
baseline = { lane = "steady" }
candidate = { lane = "slow" }
rollback = "keep steady"
[[hypothesis.guardrail]]
metric = "rust_heap_bytes"
max_ratio = 1.05
"#;

/// The one profile under `results`.
fn folder(bench: &Bench, gate: &str) -> PathBuf {
    let entries = fs::read_dir(bench.results().join(gate).join("profiles")).expect("profiles");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn none_is_kept(bench: &Bench, gate: &str) {
    let left = fs::read_dir(bench.results().join(gate).join("profiles")).map_or(0, Iterator::count);
    assert_eq!(left, 0);
}

fn record(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(folder.join("profile.json")).expect("a record")).expect("JSON")
}

/// The fields of a message of protocol buffers: numbers, and bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (byte, rest) = bytes.split_first().expect("a number that ends");
            *bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        match key & 7 {
            0 => fields.push((key >> 3, value, Vec::new())),
            2 => {
                let (inner, rest) = bytes.split_at(usize::try_from(value).expect("a length"));
                bytes = rest;
                fields.push((key >> 3, value, inner.to_vec()));
            }
            other => panic!("wire type {other}"),
        }
    }
    fields
}

/// What a pprof file holds: the sums of both values, and of the first by the names of functions that stand on a stack.
fn pprof(path: &Path) -> ([u64; 2], BTreeMap<String, u64>) {
    let file = fs::File::open(path).expect("a file");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let all = fields(&bytes);
    let of = |number| all.iter().filter(move |(field, ..)| *field == number).map(|(.., bytes)| bytes);
    let texts: Vec<String> = of(6).map(|text| String::from_utf8(text.clone()).expect("text")).collect();
    let number = |message: &[u8], field| {
        fields(message).into_iter().find(|(found, ..)| *found == field).map_or(0, |(_, value, _)| value)
    };
    let names: BTreeMap<u64, String> = of(5)
        .map(|function| (number(function, 1), texts[usize::try_from(number(function, 2)).expect("small")].clone()))
        .collect();
    let packed = |message: &[u8], field| -> Vec<u64> {
        let (.., bytes) = fields(message).into_iter().find(|(found, ..)| *found == field).expect("packed numbers");
        // Numbers alone read as the values of fields do: each with a key of its own before it.
        let keyed: Vec<u8> = bytes
            .iter()
            .fold((Vec::new(), true), |(mut keyed, begins), byte| {
                if begins {
                    keyed.push(8);
                }
                keyed.push(*byte);
                (keyed, byte & 0x80 == 0)
            })
            .0;
        fields(&keyed).into_iter().map(|(_, value, _)| value).collect()
    };
    let (mut sums, mut on_stack) = ([0; 2], BTreeMap::new());
    for sample in of(2) {
        let values = packed(sample, 2);
        sums[0] += values[0];
        sums[1] += values[1];
        let stack: std::collections::BTreeSet<u64> = packed(sample, 1).into_iter().collect();
        for function in stack {
            *on_stack.entry(names[&function].clone()).or_insert(0) += values[0];
        }
    }
    (sums, on_stack)
}

fn with(on_stack: &BTreeMap<String, u64>, part: &str) -> u64 {
    on_stack.iter().filter(|(name, _)| name.contains(part)).map(|(_, count)| *count).max().unwrap_or(0)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a text")
}

#[test]
fn a_suites_lane_is_profiled_and_its_functions_are_named() {
    let bench = Bench::new();
    bench.file("probe.toml", PROBE);
    let answer = bench.here(&["profile", "probe.toml", "--case", "work=20000", "--seconds", "1"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let folder = folder(&bench, "probe");
    let record = record(&folder);
    for (key, value) in [("schema", "gate.profile/1"), ("side", "candidate"), ("lane", "slow"), ("hypothesis", "loop")]
    {
        assert_eq!(record[key], value);
    }
    assert_eq!(record["case"], serde_json::json!({ "work": 20000 }));
    assert!(record["campaign"].is_null() && record["digests"]["executables"]["gate"].is_string(), "{record}");

    let (sums, on_stack) = pprof(&folder.join("cpu.pb.gz"));
    assert_eq!(record["cpu"]["samples"], sums[0]);
    assert!(with(&on_stack, "probe") * 10 >= sums[0] * 9, "{on_stack:?}");
    assert!(!on_stack.keys().any(|name| name.contains("cli::main")), "{on_stack:?}");
    let svg = text(&folder.join("cpu.svg"));
    assert!(svg.starts_with("<svg ") && svg.contains("gate::workload::probe::Probe as gate::workload::Bench"), "{svg}");

    // `slow` makes two answers of 64 bytes in each of the ten operations that are counted.
    let (sums, on_stack) = pprof(&folder.join("allocations.pb.gz"));
    assert_eq!(sums, [20, 1_280]);
    assert_eq!((&record["allocations"]["allocs"], &record["allocations"]["bytes"]), (&20.into(), &1_280.into()));
    assert_eq!(with(&on_stack, "probe"), 20, "{on_stack:?}");
    assert!(!on_stack.keys().any(|name| name.contains("CountingAllocator")), "{on_stack:?}");
    for (name, digest) in record["files"].as_object().expect("files") {
        let found = ::gate::digest::sha256(&fs::read(folder.join(name)).expect("a file"));
        assert_eq!(*digest, found, "{name}");
    }
    assert!(answer.stdout.contains("slow in work=20000") && answer.stderr.contains("profile: "), "{answer:?}");
}

#[test]
fn duckdbs_functions_are_named_and_a_profile_belongs_to_its_campaign() {
    let bench = Bench::new();
    let gate = r#"gate = 1
name = "page"
title = "a page"
target = { suite = "dashboard" }
matrix = { shape = ["wide"], rows = [1000] }
profile.full = { grade = "preliminary", pairs = 2, samples = 20, warmup = 2 }
[[hypothesis]]
id = "h"
claim = "c"
baseline  = { lane = "api-direct" }
candidate = { lane = "native-v1" }
rollback = "r"
[[hypothesis.guardrail]]
metric = "rust_heap_bytes"
max_ratio = 1.05
"#;
    bench.file("page.toml", gate);
    let run = bench.here(&["run", "page.toml"]);
    assert_eq!(run.code, 11, "{run:?}");
    let sealed = bench.results().join("page");
    let campaign = fs::read_dir(&sealed).expect("campaigns").map(|entry| entry.expect("one").path());
    let campaign: Vec<PathBuf> = campaign.filter(|path| path.is_dir()).collect();
    let answer = bench.here(&["profile", "page.toml", "--seconds", "2"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let folder = folder(&bench, "page");
    let record = record(&folder);
    assert_eq!(record["campaign"], campaign[0].file_name().expect("a name").to_str().expect("text"));
    let plan = ::gate::digest::sha256(&fs::read(campaign[0].join("plan.json")).expect("a plan"));
    assert_eq!(record["plan"], plan);
    let (_, on_stack) = pprof(&folder.join("cpu.pb.gz"));
    assert!(with(&on_stack, "duckdb::") > 0 && with(&on_stack, "gate::workload::dashboard::") > 0, "{on_stack:?}");
    // What a campaign counts of an operation is what the profile has of it.
    let (sums, _) = pprof(&folder.join("allocations.pb.gz"));
    let report = bench.here(&["report", "page", "--format", "json"]);
    let counted = report.json()["hypotheses"][0]["budgets"][0]["candidate"].as_f64().expect("bytes");
    #[expect(clippy::cast_precision_loss, reason = "some megabytes")]
    let of_profile = sums[1] as f64 / record["allocations"]["operations"].as_f64().expect("operations");
    assert!((of_profile / counted - 1.0).abs() < 0.01, "{of_profile} in the profile, {counted} in the campaign");
    // The campaign's seal holds.
    let mut check = std::process::Command::new("sha256sum");
    check.args(["--quiet", "-c", "MANIFEST.sha256"]).current_dir(&campaign[0]);
    assert!(check.status().expect("sha256sum").success());
}

#[test]
fn what_there_is_not_is_wrong_usage_and_leaves_nothing() {
    let bench = Bench::new();
    bench.file("probe.toml", PROBE);
    for (more, told) in [
        (&["--case", "wrk=1000"][..], "the matrix has no such axis; the only one of the axes of the matrix is `work`"),
        (&["--case", "work=2000"][..], "the axis has no such value; the values of `work` are `1000` and `20000`"),
        (&[][..], "2 fit, `work=1000`, `work=20000`; name `work` with --case, as in `--case work=1000`"),
        (&["--hypothesis", "lop"][..], "hypothesis `lop` is not in gate `probe`"),
        (&["--profile", "quick"][..], "profile `quick` is not in gate `probe`"),
        (&["--seconds", "0"][..], "1..=600"),
    ] {
        let answer = bench.here(&[&["profile", "probe.toml"], more].concat());
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains(told), "{told}: {}", answer.stderr);
        assert!(!bench.results().exists());
    }
}

fn of_lane(bench: &Bench, lane: &str, seconds: &str, profile: &str) -> Answer {
    let file = PROBE.replace("\"slow\"", &format!("\"{lane}\"")).replace("samples = 20", profile);
    bench.file("probe.toml", &file);
    bench.here(&["profile", "probe.toml", "--case", "work=1000", "--seconds", seconds])
}

#[test]
fn a_lane_that_breaks_its_contract_crashes_or_hangs_is_not_profiled() {
    let bench = Bench::new();
    for (lane, told) in [
        ("fault:wrong-answer", "it breaks its contract there: check `row-count`: expected 64 rows"),
        ("fault:short-answer", "answered wrongly: operation"),
        ("fault:crash", "the worker crashed"),
        ("fault:hang", "was killed after 2 s"),
    ] {
        let answer = of_lane(&bench, lane, "1", "samples = 20, timeout = \"1s\"");
        assert_eq!(answer.code, 1, "{answer:?}");
        assert!(answer.stderr.contains(told) && answer.stderr.contains("work=1000"), "{told}: {}", answer.stderr);
        none_is_kept(&bench, "probe");
    }
}

/// Two programs; `candidate` is the second.
fn programs(candidate: &str) -> String {
    let gate = assert_cmd::cargo::cargo_bin("gate");
    format!(
        r#"gate = 1
name = "two"
title = "two programs"
[target.command]
baseline = {{ run = ["true"] }}
candidate = {{ run = {} }}
[profile.full]
grade = "comparison"
pairs = 5
samples = 1
[[hypothesis]]
id = "h"
claim = "c"
rollback = "r"
[[hypothesis.guardrail]]
metric = "latency"
max_ratio = 50.0
"#,
        candidate.replace("GATE", &gate.display().to_string())
    )
}

#[test]
fn a_program_is_sampled_by_perf_where_that_may_and_its_allocations_are_not_seen() {
    let bench = Bench::new();
    bench.file("two.toml", &programs(r#"["GATE", "fixtures"]"#));
    let answer = bench.here(&["profile", "two.toml", "--seconds", "1"]);
    if answer.code == 1 {
        assert!(answer.stderr.contains("sample a program"), "{answer:?}");
        none_is_kept(&bench, "two");
        return;
    }
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.stderr.contains("no allocation profile"), "{answer:?}");
    let folder = folder(&bench, "two");
    let record = record(&folder);
    assert!(record["allocations"].is_null() && record["cpu"]["sampler"] == "perf", "{record}");
    let (sums, on_stack) = pprof(&folder.join("cpu.pb.gz"));
    assert!(sums[0] > 0 && with(&on_stack, "fixture::") > 0, "{on_stack:?}");
    // What executes it is not in it.
    assert_eq!(with(&on_stack, "worker::child::"), 0, "{on_stack:?}");
    assert!(!folder.join("perf.data").exists() && !folder.join("allocations.svg").exists());
}

#[test]
fn without_perf_or_without_its_leave_a_program_is_not_profiled() {
    let bench = Bench::new();
    bench.file("two.toml", &programs(r#"["true"]"#));
    let folder = bench.path("bin");
    fs::create_dir(&folder).expect("a folder");
    let answer = bench.here_with(&["profile", "two.toml"], "PATH", &folder);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("there is no `perf` in PATH; install it"), "{answer:?}");
    assert!(!bench.results().exists());
    let perf = folder.join("perf");
    fs::write(&perf, "#!/bin/sh\necho 'No permission.' >&2\nexit 255\n").expect("a script");
    fs::set_permissions(&perf, fs::Permissions::from_mode(0o755)).expect("an executable");
    let answer = bench.here_with(&["profile", "two.toml"], "PATH", &folder);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("No permission.") && answer.stderr.contains("perf_event_paranoid"), "{answer:?}");
    none_is_kept(&bench, "two");
}

#[test]
fn a_perf_that_samples_nothing_is_an_error() {
    let bench = Bench::new();
    bench.file("two.toml", &programs(r#"["true"]"#));
    let folder = bench.path("bin");
    fs::create_dir(&folder).expect("a folder");
    let perf = folder.join("perf");
    // It executes what stands behind its own words, and has seen nothing of it.
    let script =
        "#!/bin/sh\n[ \"$1\" = script ] && exit 0\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";
    fs::write(&perf, script).expect("a script");
    fs::set_permissions(&perf, fs::Permissions::from_mode(0o755)).expect("an executable");
    std::os::unix::fs::symlink("/bin/true", folder.join("true")).expect("a link");
    let answer = bench.here_with(&["profile", "two.toml", "--seconds", "1"], "PATH", &folder);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("the CPU profile is empty after "), "{answer:?}");
    none_is_kept(&bench, "two");
}

#[test]
fn beside_a_campaign_nothing_is_profiled() {
    let bench = Bench::new();
    let file = bench.file("probe.toml", PROBE);
    let _turn = crate::gate::turn();
    let lock = ::gate::target::Lock::acquire("a test").expect("the lock");
    let results = bench.results();
    let answer = crate::gate::gate(&[
        "profile".as_ref(),
        file.as_os_str(),
        "--case".as_ref(),
        "work=1000".as_ref(),
        "--results".as_ref(),
        results.as_os_str(),
    ]);
    drop(lock);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("a test"), "{}", answer.stderr);
    assert!(!results.exists());
}
