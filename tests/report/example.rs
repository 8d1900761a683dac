//! Campaigns built by hand, so that every verdict, outcome, waiver, check and warning is shown once.

use std::collections::BTreeMap;

use gate::evidence::{Evidence, Provenance};
use gate::measure::{Host, Load, host::Link};
use gate::plan::{Digests, Plan, PlannedHypothesis};
use gate::report::View;
use gate::spec::{
    self, Bound, Estimator, Fixture, Grade, Hypothesis, IntervalKind, Multiplicity, Order, Profile, QuantileKind,
    Selector, Target, Warmup,
};
use gate::unit::{AxisValue, Case, Metric, Side, Statistic};
use gate::verdict::{
    Analysis, BudgetResult, CheckOutcome, CheckStatus, HypothesisAnalysis, HypothesisVerdict, LeftOutCase, Outcome,
    Reason, Role, Verdict, Verdicts, WaiverState, WaiverUse, Warning,
};
use gate::workload::catalogue::Suite;

/// A campaign that a test may change before it is viewed.
#[derive(Clone)]
pub(crate) struct Campaign {
    pub(crate) plan: Plan,
    pub(crate) provenance: Provenance,
    pub(crate) analysis: Analysis,
    pub(crate) verdicts: Verdicts,
    pub(crate) name: String,
}

impl Campaign {
    /// A campaign of `grade` without a hypothesis.
    pub(crate) fn new(grade: Grade) -> Self {
        let digest = "3f9a2c1be5d07a4466b1f1d9c05a7c3e8f2b4d6a90c1e3f5a7b9d0c2e4f6a8b1";
        let (name, pairs) = match grade {
            Grade::Preliminary => ("quick", 3),
            Grade::Comparison => ("full", 10),
        };
        Self {
            plan: plan(name, grade, pairs),
            provenance: Provenance {
                schema: "gate.provenance/1".to_owned(),
                plan: digest.to_owned(),
                version: "0.1.0".to_owned(),
                started: "2026-07-30T10:15:00Z".parse().expect("a time"),
                attempt: 3,
                earlier: Vec::new(),
                ledger: None,
                host: host(),
                toolchains: BTreeMap::new(),
            },
            analysis: Analysis {
                schema: "gate.analysis/1".to_owned(),
                plan: digest.to_owned(),
                hypotheses: Vec::new(),
                look: None,
            },
            verdicts: Verdicts {
                schema: "gate.verdict/1".to_owned(),
                plan: digest.to_owned(),
                grade,
                hypotheses: Vec::new(),
            },
            name: "20260730T101500Z-3f9a2c1b".to_owned(),
        }
    }

    /// With one more hypothesis.
    pub(crate) fn with(mut self, claim: Claim) -> Self {
        let id = claim.id.to_owned();
        self.plan.hypotheses.push(PlannedHypothesis { hypothesis: hypothesis(&claim), matchup: 0, cases: Vec::new() });
        self.analysis.hypotheses.push(HypothesisAnalysis {
            id: id.clone(),
            checks: claim.checks,
            budgets: claim.budgets,
            left_out: claim.left_out,
            missing_runs: claim.missing_runs,
            warnings: claim.warnings,
        });
        self.verdicts.hypotheses.push(HypothesisVerdict {
            id,
            verdict: claim.verdict,
            line: claim.line,
            would: claim.would,
            reasons: claim.reasons,
        });
        self
    }

    pub(crate) fn view(&self) -> View {
        let evidence = Evidence::new(self.plan.clone());
        View::new(&evidence, &self.provenance, &self.analysis, &self.verdicts, &self.name)
    }
}

/// One hypothesis and everything that was found about it.
pub(crate) struct Claim {
    pub(crate) id: &'static str,
    pub(crate) sentence: &'static str,
    pub(crate) rollback: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) line: u8,
    pub(crate) would: Option<Verdict>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) checks: Vec<CheckOutcome>,
    pub(crate) budgets: Vec<BudgetResult>,
    pub(crate) left_out: Vec<LeftOutCase>,
    pub(crate) missing_runs: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
}

impl Claim {
    pub(crate) fn new(id: &'static str, verdict: Verdict, line: u8) -> Self {
        Self {
            id,
            sentence: "Streaming governed batches as native IPC beats the string projection on detail tables",
            rollback: "remove the native-v1 lane; api-direct is unchanged",
            verdict,
            line,
            would: None,
            reasons: Vec::new(),
            checks: Vec::new(),
            budgets: Vec::new(),
            left_out: Vec::new(),
            missing_runs: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

fn hypothesis(claim: &Claim) -> Hypothesis {
    Hypothesis {
        id: claim.id.to_owned(),
        claim: claim.sentence.to_owned(),
        baseline: "api-direct".to_owned(),
        candidate: "native-v1".to_owned(),
        cases: Selector::default(),
        rollback: claim.rollback.to_owned(),
        correctness: Vec::new(),
        benefits: Vec::new(),
        guardrails: Vec::new(),
        reports: Vec::new(),
    }
}

pub(crate) fn plan(profile: &str, grade: Grade, pairs: u32) -> Plan {
    Plan {
        schema: "gate.plan/1".to_owned(),
        gate: "dashboard-native".to_owned(),
        title: "Native Arrow IPC for dashboard detail tables".to_owned(),
        target: Target::Suite("dashboard".to_owned()),
        fixture: Fixture { seed: 538, null_period: 13 },
        profile: Profile {
            name: profile.to_owned(),
            grade,
            pairs,
            looks: Vec::new(),
            warmup: Warmup::Operations(21),
            min_time_ns: Some(500_000_000),
            samples: None,
            min_samples: Some(100),
            order: Order::Alternate,
            order_seed: 0,
            cpus: Some(1),
            memory_bytes: Some(8 << 30),
            processes: Some(4_096),
            timeout_ns: 120_000_000_000,
        },
        analysis: spec::Analysis {
            resamples: 20_000,
            seed: 1_412,
            estimator: Estimator::RatioOfMedians,
            interval: IntervalKind::TwoSided,
            confidence_parts: 9_500,
            multiplicity: Multiplicity::Holm,
            quantile: QuantileKind::NearestRank,
        },
        cases: Vec::new(),
        left_out: BTreeMap::new(),
        matchups: Vec::new(),
        contracts: BTreeMap::new(),
        hypotheses: Vec::new(),
        checks: Vec::new(),
        runs: Vec::new(),
        counted: 10,
        diagnostics: true,
        slowdown: None,
        confirms: None,
        recorded: BTreeMap::new(),
        records: false,
        metrics: Suite::find("dashboard").expect("the suite").metrics.to_vec(),
        digests: Digests {
            gate_file: "b7c1".repeat(16),
            executables: BTreeMap::from([("gate".to_owned(), "09af".repeat(16))]),
            sources: BTreeMap::new(),
            fixtures: BTreeMap::from([("orders-narrow-50".to_owned(), "51d2".repeat(16))]),
        },
    }
}

pub(crate) fn host() -> Host {
    Host {
        machine: Some("8c7d5b2e0f1a9348".to_owned()),
        cpu_model: Some("Intel(R) Xeon(R) Processor @ 2.80GHz".to_owned()),
        logical_cpus: Some(2),
        smt: Some(true),
        governor: None,
        turbo: None,
        kernel: Some("6.1.102".to_owned()),
        os: Some("Debian GNU/Linux 12 (bookworm)".to_owned()),
        architecture: "x86_64".to_owned(),
        memory_bytes: Some(8_331_997_184),
        swap_bytes: Some(0),
        clock_source: Some("tsc".to_owned()),
        clock_granularity_ns: Some(1),
        limits: BTreeMap::from([
            ("cgroup.memory.max".to_owned(), "unlimited".to_owned()),
            ("rlimit.nproc".to_owned(), "31771".to_owned()),
        ]),
        gate_version: "0.1.0".to_owned(),
        rustc: Some("1.95.0 (59807616e 2026-04-14)".to_owned()),
        duckdb: Some("v2.0.0 0123456789".to_owned()),
        link: Link::Bundled,
        commit: Some("4c2f8a91d7e35b60c1d2e3f4a5b6c7d8e9f00112".to_owned()),
        dirty: Some(true),
        load: Load {
            average_1m: Some(0.12),
            average_5m: Some(0.3),
            average_15m: None,
            steal_ticks: Some(335),
            throttled_periods: Some(0),
            throttled_ns: Some(0),
        },
    }
}

pub(crate) fn case(shape: &str, rows: i64) -> Case {
    Case::new(vec![
        ("shape".to_owned(), AxisValue::Text(shape.to_owned())),
        ("rows".to_owned(), AxisValue::Integer(rows)),
        ("clients".to_owned(), AxisValue::Integer(1)),
    ])
}

pub(crate) fn reason(line: u8, text: &str) -> Reason {
    Reason { line, text: text.to_owned() }
}

pub(crate) fn check(role: Role, check: &str, case: Case, status: CheckStatus, detail: Option<&str>) -> CheckOutcome {
    CheckOutcome { role, check: check.to_owned(), case, status, detail: detail.map(str::to_owned) }
}

pub(crate) fn passing_checks(role: Role, names: &[&str]) -> Vec<CheckOutcome> {
    let cases = [case("narrow", 50), case("narrow", 1_000), case("wide", 50), case("wide", 1_000)];
    let of = |name: &&str| cases.clone().map(|case| check(role, name, case, CheckStatus::Passed, None));
    names.iter().flat_map(of).collect()
}

fn metric(name: &str) -> Metric {
    let suite = Suite::find("dashboard").expect("the suite");
    suite.metric(name).expect("a metric of the suite").clone()
}

/// A budget on a ratio of two noisy medians, with its interval; it passes unless the test says otherwise.
pub(crate) fn noisy(
    role: Role,
    name: &str,
    statistic: Statistic,
    case: Case,
    bound: Bound,
    (baseline, candidate): (f64, f64),
    (low, high): (f64, f64),
) -> BudgetResult {
    let metric = metric(name);
    BudgetResult {
        role,
        metric: name.to_owned(),
        statistic,
        unit: metric.unit,
        direction: metric.direction,
        case,
        bound: Some(bound),
        baseline: Some(baseline),
        candidate: Some(candidate),
        ratio: Some(candidate / baseline),
        value: None,
        low: Some(low),
        high: Some(high),
        undefined: None,
        exact: false,
        unpaired: false,
        pairs: 10,
        point_within: Some(true),
        outcome: Some(Outcome::Pass),
        p: Some(if role == Role::Benefit { 0.000_976_562_5 } else { 1.0 }),
        p_adjusted: Some(if role == Role::Benefit { 0.003_906_25 } else { 1.0 }),
        confirmed: role == Role::Benefit,
        waiver: None,
        pairs_needed: None,
    }
}

/// A budget that is compared exactly.
pub(crate) fn exact(
    role: Role,
    name: &str,
    statistic: Statistic,
    case: Case,
    bound: Bound,
    values: (f64, f64),
) -> BudgetResult {
    let ratio = values.1 / values.0;
    let absolute = matches!(bound, Bound::Max(_) | Bound::Min(_));
    let number = if absolute { values.1 } else { ratio };
    BudgetResult {
        exact: true,
        unpaired: false,
        ratio: (!absolute).then_some(ratio),
        value: absolute.then_some(values.1),
        p: None,
        p_adjusted: None,
        confirmed: role == Role::Benefit,
        ..noisy(role, name, statistic, case, bound, values, (number, number))
    }
}

/// A budget without a number.
pub(crate) fn undefined(budget: BudgetResult, why: &str) -> BudgetResult {
    BudgetResult {
        baseline: None,
        candidate: None,
        ratio: None,
        value: None,
        low: None,
        high: None,
        exact: false,
        unpaired: false,
        pairs: 0,
        undefined: Some(why.to_owned()),
        point_within: None,
        outcome: budget.outcome.map(|_| Outcome::Inconclusive),
        p: None,
        p_adjusted: None,
        confirmed: false,
        ..budget
    }
}

/// A metric that is shown and not judged.
pub(crate) fn shown(budget: BudgetResult) -> BudgetResult {
    BudgetResult {
        role: Role::Report,
        bound: None,
        point_within: None,
        outcome: None,
        p: None,
        p_adjusted: None,
        confirmed: false,
        ..budget
    }
}

pub(crate) fn fails(budget: BudgetResult, p: f64, p_adjusted: f64) -> BudgetResult {
    BudgetResult {
        outcome: Some(Outcome::Fail),
        point_within: Some(false),
        p: Some(p),
        p_adjusted: Some(p_adjusted),
        confirmed: p_adjusted <= 0.025,
        ..budget
    }
}

/// An exact budget that fails.
pub(crate) fn fails_exactly(budget: BudgetResult) -> BudgetResult {
    BudgetResult { outcome: Some(Outcome::Fail), point_within: Some(false), confirmed: true, ..budget }
}

pub(crate) fn inconclusive(budget: BudgetResult, pairs_needed: Option<u32>) -> BudgetResult {
    BudgetResult {
        outcome: Some(Outcome::Inconclusive),
        point_within: Some(true),
        p: Some(0.31),
        p_adjusted: Some(1.0),
        confirmed: false,
        pairs_needed,
        ..budget
    }
}

pub(crate) fn waived(budget: BudgetResult, bound: f64, state: WaiverState) -> BudgetResult {
    let until = if state == WaiverState::Expired { "2026-06-30" } else { "2027-01-31" };
    let waiver = WaiverUse {
        reason: "IPC framing costs a fixed 512 bytes, which small answers feel".to_owned(),
        approved_by: "@perf-council".to_owned(),
        bound,
        until: until.parse().expect("a date"),
        state,
    };
    BudgetResult { waiver: Some(waiver), ..budget }
}

/// Comparison grade, two-sided, Holm: all four verdicts, and whatever can stand in one.
pub(crate) fn full() -> Campaign {
    Campaign::new(Grade::Comparison).with(proceed()).with(revise()).with(reject()).with(deferred())
}

fn proceed() -> Claim {
    let heap =
        |case, values| exact(Role::Benefit, "rust_heap_bytes", Statistic::Mean, case, Bound::MaxRatio(0.8), values);
    let latency = |role, case, bound, values, ends| noisy(role, "latency", Statistic::P95, case, bound, values, ends);
    let ipc = |case, values| exact(Role::Guardrail, "ipc_bytes", Statistic::Max, case, Bound::MaxRatio(1.1), values);
    let slowest =
        |case, values, ends| noisy(Role::Report, "latency", Statistic::P99, case, Bound::MaxRatio(1.0), values, ends);
    let benefit = Bound::MaxRatio(0.9);
    let mut checks = passing_checks(Role::Contract, &["exact-values", "null-positions", "row-count"]);
    checks.extend(passing_checks(Role::Correctness, &["physical-types", "one-query"]));
    checks.extend(passing_checks(Role::Capability, &["timestamp-zone"]));
    for check in checks.iter_mut().filter(|check| check.role == Role::Capability) {
        check.detail = Some("the baseline can't: `created_at` is Utf8, expected Timestamp(µs, UTC)".to_owned());
    }
    Claim {
        reasons: vec![reason(
            8,
            "checks hold, and 7 guardrails pass (1 more are waived); benefit: rust_heap_bytes mean in shape=narrow \
             rows=50 clients=1 is 0.0412, at most 0.8",
        )],
        checks,
        budgets: vec![
            heap(case("narrow", 50), (182_344.0, 7_512.8)),
            heap(case("wide", 1_000), (14_817_280.0, 81_920.0)),
            latency(Role::Benefit, case("narrow", 50), benefit, (412_113.0, 268_840.5), (0.6401, 0.6713)),
            BudgetResult {
                p: Some(0.0098),
                p_adjusted: Some(0.0294),
                confirmed: false,
                ..latency(Role::Benefit, case("wide", 1_000), benefit, (9_871_004.0, 8_739_221.0), (0.8611, 0.899_97))
            },
            latency(
                Role::Guardrail,
                case("narrow", 50),
                Bound::MaxRatio(1.05),
                (412_113.0, 268_840.5),
                (0.6401, 0.6713),
            ),
            latency(
                Role::Guardrail,
                case("wide", 1_000),
                Bound::MaxRatio(1.05),
                (9_871_004.0, 8_739_221.0),
                (0.8611, 0.8999),
            ),
            noisy(
                Role::Guardrail,
                "throughput",
                Statistic::Value,
                case("narrow", 50),
                Bound::MinRatio(0.95),
                (2_512.4, 3_871.9),
                (1.4871, 1.6012),
            ),
            exact(Role::Guardrail, "physical_queries", Statistic::Max, case("narrow", 50), Bound::Max(1.0), (1.0, 1.0)),
            BudgetResult {
                ratio: None,
                value: Some(61_341_696.0),
                ..noisy(
                    Role::Guardrail,
                    "peak_rss_bytes",
                    Statistic::Value,
                    case("wide", 1_000),
                    Bound::Max(67_108_864.0),
                    (88_211_456.0, 61_341_696.0),
                    (60_817_408.0, 62_914_560.0),
                )
            },
            waived(fails_exactly(ipc(case("narrow", 50), (5_120.0, 5_682.0))), 1.12, WaiverState::Used),
            waived(ipc(case("wide", 1_000), (801_344.0, 779_120.0)), 1.12, WaiverState::NotNeeded),
            shown(slowest(case("narrow", 50), (498_113.0, 311_402.0), (0.5912, 0.6624))),
            shown(undefined(slowest(case("wide", 1_000), (1.0, 1.0), (1.0, 1.0)), "62 samples do not resolve p99")),
        ],
        warnings: vec![Warning::Unresolved {
            metric: "latency".to_owned(),
            statistic: Statistic::P99,
            case: case("wide", 1_000),
            samples: 62,
        }],
        ..Claim::new("native-detail", Verdict::Proceed, 8)
    }
}

fn revise() -> Claim {
    let latency = |case, values, ends| {
        noisy(Role::Guardrail, "latency", Statistic::P95, case, Bound::MaxRatio(1.05), values, ends)
    };
    let mut checks = passing_checks(Role::Correctness, &["physical-types"]);
    let gap = "DuckDB marks every projected field nullable";
    checks.push(check(
        Role::Correctness,
        "nullability",
        case("narrow", 50),
        CheckStatus::KnownGapOpen,
        Some("DuckDB marks every projected field nullable: `id` is nullable, expected not"),
    ));
    checks.push(check(
        Role::Correctness,
        "decimal-scale",
        case("wide", 50),
        CheckStatus::KnownGapGone,
        Some(&format!("the check passes, so the gap is gone: take `known_gap = \"{gap}\"` out")),
    ));
    checks.push(check(
        Role::Contract,
        "row-count",
        case("wide", 10_000),
        CheckStatus::NotRun,
        Some("the check did not run on `native-v1`"),
    ));
    Claim {
        reasons: vec![
            reason(
                6,
                "check `nullability` has a known gap in shape=narrow rows=50 clients=1: DuckDB marks every projected field nullable: `id` is nullable, expected not",
            ),
            reason(
                6,
                "guardrail is inconclusive: latency p95 in shape=wide rows=50 clients=1 is 1.0213 [0.9871, 1.0588], at most 1.05; about 34 pairs would settle it",
            ),
            reason(
                6,
                "guardrail fails alone, but not after the correction: latency p95 in shape=wide rows=1000 clients=1 is 1.0712 [1.0503, 1.0988], at most 1.05",
            ),
            reason(6, "incomplete: 2 runs are missing, first `p04-baseline-wide-10000-1`"),
        ],
        checks,
        budgets: vec![
            latency(case("narrow", 50), (412_113.0, 409_020.0), (0.9811, 1.0104)),
            inconclusive(latency(case("wide", 50), (971_004.0, 991_686.0), (0.9871, 1.0588)), Some(34)),
            fails(latency(case("wide", 1_000), (9_871_004.0, 10_573_819.0), (1.050_02, 1.0988)), 0.0137, 0.0548),
            undefined(
                latency(case("wide", 10_000), (1.0, 1.0), (1.0, 1.0)),
                "run `p04-baseline-wide-10000-1` is missing",
            ),
            waived(
                inconclusive(latency(case("narrow", 1_000), (1_021_113.0, 1_061_957.0), (1.0311, 1.0622)), None),
                1.08,
                WaiverState::Used,
            ),
        ],
        missing_runs: vec!["p04-baseline-wide-10000-1".to_owned(), "p04-candidate-wide-10000-1".to_owned()],
        left_out: vec![LeftOutCase {
            case: case("wide", 100_000),
            reason: "heavy case, left out by --skip-heavy".to_owned(),
        }],
        warnings: vec![
            Warning::ExactVaried {
                metric: "rust_heap_allocs".to_owned(),
                case: case("wide", 50),
                side: Side::Candidate,
                low: 312.0,
                high: 314.0,
            },
            Warning::FewPairs { pairs: 7 },
            Warning::HolmOutOfReach { pairs: 7, claims: 12, needed: 9 },
            Warning::PeakNotReset { case: case("wide", 50) },
            Warning::LimitNotEnforced { what: "memory: no cgroup to write to".to_owned() },
        ],
        ..Claim::new("native-detail-tail", Verdict::Revise, 6)
    }
}

fn reject() -> Claim {
    let ipc = |case, values| exact(Role::Guardrail, "ipc_bytes", Statistic::Max, case, Bound::MaxRatio(1.1), values);
    let mut checks = passing_checks(Role::Contract, &["row-count"]);
    for case in [case("narrow", 50), case("narrow", 1_000), case("wide", 50), case("wide", 1_000)] {
        let detail = "row 12, column `note`: found \"\", expected null (row 12 + column 1 is a multiple of 13)";
        checks.push(check(Role::Correctness, "null-positions", case, CheckStatus::Failed, Some(detail)));
    }
    checks.push(check(
        Role::Capability,
        "timestamp-zone",
        case("narrow", 50),
        CheckStatus::Failed,
        Some("the baseline passes it too: nothing is gained"),
    ));
    Claim {
        sentence: "Dropping the null bitmap of the first row group saves a copy",
        rollback: "revert the commit that introduced fault:drop-null",
        reasons: vec![
            reason(
                2,
                "check `null-positions` fails in shape=narrow rows=50 clients=1 and 3 more cases: row 12, column `note`: found \"\", expected null",
            ),
            reason(
                3,
                "guardrail fails: ipc_bytes max in shape=wide rows=50 clients=1 is 1.1306, at most 1.1; its waiver up to 1.12 by @perf-council does not cover it",
            ),
            reason(
                4,
                "guardrail fails: latency p50 in shape=wide rows=50 clients=1 is 1.2134 [1.1821, 1.2511], at most 1.05",
            ),
            reason(5, "every benefit fails: nothing speaks for the candidate"),
        ],
        checks,
        budgets: vec![
            fails(
                noisy(
                    Role::Benefit,
                    "latency",
                    Statistic::P50,
                    case("wide", 50),
                    Bound::MaxRatio(0.9),
                    (971_004.0, 1_178_217.0),
                    (1.1821, 1.2511),
                ),
                1.0,
                1.0,
            ),
            fails(
                noisy(
                    Role::Guardrail,
                    "latency",
                    Statistic::P50,
                    case("wide", 50),
                    Bound::MaxRatio(1.05),
                    (971_004.0, 1_178_217.0),
                    (1.1821, 1.2511),
                ),
                0.000_976_562_5,
                0.007_812_5,
            ),
            waived(fails_exactly(ipc(case("narrow", 50), (5_120.0, 5_800.0))), 1.12, WaiverState::Expired),
            waived(fails_exactly(ipc(case("wide", 50), (20_480.0, 23_155.0))), 1.12, WaiverState::Exceeded),
            BudgetResult {
                baseline: Some(0.0),
                candidate: Some(3.0),
                ratio: None,
                low: None,
                high: None,
                undefined: Some("the baseline is zero and the candidate is 3".to_owned()),
                ..fails_exactly(exact(
                    Role::Guardrail,
                    "rust_heap_allocs",
                    Statistic::Mean,
                    case("wide", 50),
                    Bound::MaxRatio(1.0),
                    (1.0, 3.0),
                ))
            },
            fails_exactly(exact(
                Role::Guardrail,
                "physical_queries",
                Statistic::Max,
                case("wide", 50),
                Bound::Max(1.0),
                (1.0, 33.0),
            )),
        ],
        warnings: vec![Warning::CalibrationLane { lane: "fault:drop-null".to_owned() }],
        ..Claim::new("drop-null", Verdict::Reject, 2)
    }
}

fn deferred() -> Claim {
    let left = |shape: &str, reason: &str| LeftOutCase { case: case(shape, 10_000), reason: reason.to_owned() };
    Claim {
        sentence: "Batches of 2,048 rows keep the peak flat on large answers",
        reasons: vec![reason(
            1,
            "nothing of it was measured: shape=narrow rows=10000 clients=1 (heavy case, left out by --skip-heavy), \
             shape=wide rows=10000 clients=1 (needs more CPUs than this host has)",
        )],
        left_out: vec![
            left("narrow", "heavy case, left out by --skip-heavy"),
            left("wide", "needs more CPUs than this host has"),
        ],
        ..Claim::new("large-answers", Verdict::Deferred, 1)
    }
}

/// Preliminary grade, one-sided, no correction, one hypothesis.
pub(crate) fn quick() -> Campaign {
    let mut campaign = Campaign::new(Grade::Preliminary).with(Claim {
        would: Some(Verdict::Reject),
        reasons: vec![
            reason(4, "guardrail fails: latency p50 in shape=narrow rows=50 clients=1 is 1.2134 [1.1821, 1.2511], at most 1.05"),
            reason(6, "both sides are lane `api-direct`: this tries the gate, it compares nothing"),
            reason(7, "preliminary evidence: would reject"),
        ],
        checks: passing_checks(Role::Contract, &["row-count", "one-query"]),
        budgets: [("narrow", 50, Outcome::Fail), ("narrow", 1_000, Outcome::Pass)]
            .map(|(shape, rows, outcome)| BudgetResult {
                outcome: Some(outcome),
                p: Some(0.0),
                p_adjusted: None,
                confirmed: true,
                pairs: 3,
                ..noisy(Role::Guardrail, "latency", Statistic::P50, case(shape, rows), Bound::MaxRatio(1.05), (971_004.0, 1_178_217.0), (1.1821, 1.2511))
            })
            .to_vec(),
        warnings: vec![Warning::EqualSides { lane: "api-direct".to_owned() }],
        ..Claim::new("equal-sides", Verdict::Revise, 6)
    });
    campaign.plan.analysis.interval = IntervalKind::OneSided;
    campaign.plan.analysis.multiplicity = Multiplicity::None;
    campaign
}

/// No hypothesis at all.
pub(crate) fn empty() -> Campaign {
    Campaign::new(Grade::Comparison)
}
