//! An executor whose answers are written down, and a gate to run on it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use gate::campaign::{Campaign, CampaignError};
use gate::cli::Exit;
use gate::evidence::{Event, Evidence, Folder};
use gate::measure::Host;
use gate::plan::{Digests, Plan, Selection};
use gate::spec::{self, Format, Gate};
use gate::target::{Executor, RunError};
use gate::unit::Scope;
use gate::verdict::{Analysis, HypothesisVerdict, Verdict, analyse, judge};
use gate::worker::protocol::{Cell, Observed, Request, Samples, Task};
use gate::worker::{Cause, Output, WorkerError};
use gate::workload::CheckResult;
use gate::workload::catalogue::Suite;

/// What one side shows of one metric in one pair, given lane and pair (from 0).
pub(crate) type Script = Box<dyn Fn(&str, &str, u32) -> Samples>;

/// Answers requests from a script.
pub(crate) struct Scripted {
    /// Samples by metric, lane and pair.
    pub(crate) samples: Script,
    /// Checks that fail, by lane and check.
    pub(crate) failing: Vec<(&'static str, &'static str)>,
    /// Runs that have been asked for, by lane and first case.
    pub(crate) asked: BTreeMap<String, u32>,
    /// The order in which lanes were measured.
    pub(crate) order: Vec<String>,
    /// The digest of the executable, run by run; the last one stays.
    pub(crate) digests: Vec<&'static str>,
    /// The run, from 1, that does not come back.
    pub(crate) crashes_at: Option<usize>,
    /// Whether that run is stopped by a signal.
    pub(crate) interrupted: bool,
}

impl Scripted {
    /// A script in which each metric of each lane has the values of `value(metric, lane, pair)` in all samples.
    pub(crate) fn new(value: impl Fn(&str, &str, u32) -> f64 + 'static) -> Self {
        Self {
            samples: Box::new(move |metric, lane, pair| Samples::Reals(vec![value(metric, lane, pair)])),
            failing: Vec::new(),
            asked: BTreeMap::new(),
            order: Vec::new(),
            digests: vec!["0"],
            crashes_at: None,
            interrupted: false,
        }
    }

    /// The candidate's values are so much of the baseline's, with a little noise that depends on the pair.
    pub(crate) fn ratio(ratio: f64) -> Self {
        Self::new(move |metric, lane, pair| {
            let noise =
                if metric.starts_with("rust_heap") { 0.0 } else { [0.0, 1.0, -1.0, 2.0, -2.0][pair as usize % 5] };
            // Higher is better for throughput.
            let ratio = if metric == "throughput" { 1.0 / ratio } else { ratio };
            (1_000.0 + noise) * if lane == "slow" { ratio } else { 1.0 }
        })
    }
}

fn observed() -> Observed {
    Observed {
        cpus: vec![0],
        limits: BTreeMap::new(),
        unenforced: Vec::new(),
        peak_reset: true,
        duckdb: None,
        cpu_ns: 1,
        minor_faults: 0,
        major_faults: 0,
        voluntary_switches: 0,
        involuntary_switches: 0,
        meanwhile: None,
        log: Vec::new(),
    }
}

impl Executor for Scripted {
    fn execute(&mut self, request: &Request, _timeout: Duration) -> Result<Output, RunError> {
        let mut output = Output { observed: Some(observed()), ..Output::default() };
        match &request.task {
            Task::Check { checks } => {
                for case in &request.cases {
                    for check in checks {
                        let fails = self.failing.contains(&(request.lane.as_str(), check.as_str()));
                        output.checks.push(CheckResult {
                            check: check.clone(),
                            case: case.clone(),
                            failure: fails.then(|| "found 1, expected 2".to_owned()),
                        });
                    }
                    output.answers.push((case.clone(), "answer".to_owned()));
                }
            }
            Task::Profile(_) => panic!("a campaign takes no profile"),
            Task::Measure(measure) => {
                self.order.push(request.lane.clone());
                if self.crashes_at == Some(self.order.len()) {
                    let cause = if self.interrupted {
                        Cause::Interrupted("SIGINT")
                    } else {
                        Cause::Failed { message: "the disk is on fire".to_owned() }
                    };
                    return Err(WorkerError { cause, case: None, stderr: "its last words".to_owned() }.into());
                }
                let asked = self.asked.entry(format!("{} in {}", request.lane, request.cases[0])).or_default();
                let pair = *asked;
                *asked += 1;
                let suite = Suite::find(&request.suite).expect("a suite");
                for case in &request.cases {
                    let mut samples = BTreeMap::new();
                    for metric in suite.metrics {
                        let one = (self.samples)(&metric.name, &request.lane, pair);
                        let count = match metric.scope {
                            Scope::Run | Scope::Reported => 1,
                            Scope::Counted => measure.counted as usize,
                            Scope::Timed => measure.samples.or(measure.min_samples).unwrap_or(1) as usize,
                        };
                        let values = match one {
                            Samples::Integers(values) if values.len() == 1 => Samples::Integers(vec![values[0]; count]),
                            Samples::Reals(values) if values.len() == 1 => Samples::Reals(vec![values[0]; count]),
                            as_it_is => as_it_is,
                        };
                        samples.insert(metric.name.to_string(), values);
                    }
                    output.cells.push(Cell { case: case.clone(), samples, rss_at_start_bytes: 0, compared: 1 });
                }
            }
        }
        Ok(output)
    }

    fn digests(&mut self) -> Result<BTreeMap<String, String>, RunError> {
        let digest = if self.digests.len() > 1 { self.digests.remove(0) } else { self.digests[0] };
        Ok(BTreeMap::from([("gate".to_owned(), digest.to_owned())]))
    }
}

/// A gate over the `probe` suite: `profile` and `hypothesis` are TOML.
pub(crate) fn gate(profile: &str, hypothesis: &str) -> String {
    format!(
        r#"gate = 1
name = "scripted"
title = "a script"
[target]
suite = "probe"
[matrix]
work = [1, 2]
heavy = [{{ work = 2 }}]
[profile.p]
{profile}
[analysis]
resamples = 2000
seed = 7
{hypothesis}
"#
    )
}

/// A hypothesis that `slow` is better than `steady`, with `parts` after its head.
pub(crate) fn hypothesis(parts: &str) -> String {
    format!(
        r#"[[hypothesis]]
id = "h"
claim = "slow is better than steady"
baseline = {{ lane = "steady" }}
candidate = {{ lane = "slow" }}
rollback = "keep steady"
{parts}
"#
    )
}

/// Ten pairs of comparison grade, twenty samples a run.
pub(crate) const COMPARISON: &str = "grade = \"comparison\"\npairs = 10\nsamples = 20";
/// Three pairs of preliminary grade, twenty samples a run.
pub(crate) const PRELIMINARY: &str = "grade = \"preliminary\"\npairs = 3\nsamples = 20";

/// What a campaign came to.
pub(crate) struct Done {
    pub(crate) evidence: Evidence,
    pub(crate) analysis: Analysis,
    pub(crate) verdict: HypothesisVerdict,
    pub(crate) exit: u8,
    pub(crate) events: Vec<Event>,
}

pub(crate) fn plan(gate: &str, skip_heavy: bool) -> Plan {
    selected(&parsed(gate), Selection { skip_heavy, ..Selection::default() })
}

pub(crate) fn parsed(gate: &str) -> Gate {
    spec::parse("scripted.toml", gate, Format::Toml).unwrap_or_else(|error| panic!("{}", error.render(false))).gate
}

/// The plan of the gate's only profile.
pub(crate) fn selected(gate: &Gate, selection: Selection) -> Plan {
    let selection = Selection { profile: "p".to_owned(), host_cpus: 2, ..selection };
    let digests = Digests {
        gate_file: "g".to_owned(),
        executables: BTreeMap::from([("gate".to_owned(), "0".to_owned())]),
        fixtures: BTreeMap::new(),
        sources: BTreeMap::new(),
    };
    Plan::new(gate, &selection, digests).expect("a plan")
}

pub(crate) fn noon() -> jiff::Timestamp {
    "2026-11-30T12:00:00Z".parse().expect("a time")
}

/// Executes `plan` into a fresh folder under `results`.
pub(crate) fn execute(
    plan: &Plan,
    executor: &mut Scripted,
    results: &Path,
) -> (Result<Evidence, CampaignError>, Folder, Vec<Event>) {
    let folder = Folder::create(results, &plan.gate, noon(), &plan.digest()).expect("a folder");
    let mut events = Vec::new();
    let mut watch = |event: &Event| events.push(event.clone());
    let result = campaign(plan, &folder, &mut watch, &settled).execute(executor);
    (result, folder, events)
}

/// A campaign of `plan` in `folder`, on a host that is always the same.
pub(crate) fn campaign<'a>(
    plan: &'a Plan,
    folder: &'a Folder,
    watch: &'a mut dyn FnMut(&Event),
    settled: &'a dyn Fn(&Evidence) -> bool,
) -> Campaign<'a> {
    static HOST: LazyLock<Host> = LazyLock::new(Host::observe);
    Campaign { plan, attempt: 1, host: &HOST, folder, clock: &noon, watch, settled }
}

/// Whether every verdict is settled.
pub(crate) fn settled(evidence: &Evidence) -> bool {
    let analysis = analyse(evidence, "2026-11-30".parse().expect("a date")).expect("an analysis");
    judge(&evidence.plan, &analysis).are_settled()
}

/// Runs a whole campaign and judges it.
pub(crate) fn run(gate: &str, executor: &mut Scripted, skip_heavy: bool) -> Done {
    run_plan(&plan(gate, skip_heavy), executor)
}

/// Runs a whole campaign of `plan` and judges it.
pub(crate) fn run_plan(plan: &Plan, executor: &mut Scripted) -> Done {
    let results = tempfile::tempdir().expect("a folder");
    let (evidence, _, events) = execute(plan, executor, results.path());
    let evidence = evidence.expect("a campaign");
    let analysis = analyse(&evidence, "2026-11-30".parse().expect("a date")).expect("an analysis");
    let verdicts = judge(plan, &analysis);
    let verdict = verdicts.hypotheses[0].clone();
    let exit = Exit::of(verdicts.gravest().expect("a hypothesis")).code();
    Done { evidence, analysis, verdict, exit, events }
}

/// Asserts verdict, line of the table and exit code.
pub(crate) fn expect(done: &Done, verdict: Verdict, line: u8, exit: u8) {
    assert_eq!((done.verdict.verdict, done.verdict.line, done.exit), (verdict, line, exit), "{:#?}", done.verdict);
}
