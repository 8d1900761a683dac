//! What a gate file may say of a baseline that was recorded.

use super::parse;
use super::refused::refusals;

#[test]
fn recorded_baselines() {
    const LANE: &str = "baseline = { lane = \"api-direct\" }";
    const HISTORY: &str = "baseline = { history = \"latest\" }";
    let command = |more: &str| {
        format!(
            "[target.command]\ncandidate = {{ run = [\"./new\"] }}\n{more}\n[matrix]\nrows = [1, 50, 1000]\n[profile.full]\n\
             grade = \"comparison\"\npairs = 12\nsamples = 1\n[[hypothesis]]\nid = \"h\"\nclaim = \"c\"\nrollback = \"r\"\n"
        )
    };
    let whole = |more: &str, side: &str| {
        format!(
            "gate = 1\nname = \"n\"\ntitle = \"t\"\n{}{side}\n[[hypothesis.guardrail]]\nmetric = \"latency\"\nmax_ratio = 1.05\n",
            command(more)
        )
    };
    let refused = |name: &str, text: &str| {
        let error = parse(text).err().unwrap_or_else(|| panic!("`{name}` is accepted"));
        format!("──── {name}\n{}\n\n", error.render(false))
    };
    assert!(parse(&whole("", HISTORY)).is_ok());
    let mut told = refusals(&[
        (
            "capability over what was recorded",
            &[(LANE, HISTORY), ("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "check = \"physical-types\"")],
        ),
        ("history beside a lane", &[(LANE, "baseline = { lane = \"api-direct\", history = \"latest\" }")]),
        ("another history than the latest", &[(LANE, "baseline = { history = \"oldest\" }")]),
        ("a recorded candidate", &[("candidate = { lane = \"native-v1\" }", "candidate = { history = \"latest\" }")]),
        ("neither lane nor history", &[(LANE, "baseline = {}")]),
    ]);
    told.push_str(&refused("no baseline to run and none that was recorded", &whole("", "")));
    told.push_str(&refused(
        "the output of a baseline that is not run",
        &whole("expect = { stdout_sha256 = \"same\" }", HISTORY),
    ));
    let revisions = whole("", HISTORY).replace(
        "[target.command]\ncandidate = { run = [\"./new\"] }",
        "[target.revisions]\nbaseline = \"main\"\ncandidate = \"HEAD\"\nrun = [\"./x\"]",
    );
    told.push_str(&refused("two revisions that can be run", &revisions));
    insta::assert_snapshot!(told);
}
