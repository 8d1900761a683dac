//! Budgets and reported metrics: a metric, a statistic, a bound, and perhaps a waiver.

use std::borrow::Cow;

use super::bound::{BoundKeys, bound};
use super::cases::{CaseSet, Ground};
use super::findings::Findings;
use super::resolution::samples_needed;
use super::waiver::waiver;
use crate::reading;
use crate::spec::diagnostic::{Problem, listed, quoted};
use crate::spec::file::{BenefitFile, BudgetFile, ReportFile, SelectorFile, WaiverFile};
use crate::spec::model::{Budget, COUNTED_OPERATIONS, Reported, Selector};
use crate::spec::tree::At;
use crate::unit::{Assumption, Direction, Metric, Scope, Statistic, Unit};

/// The keys of a budget, wherever it stands.
pub(super) struct BudgetKeys<'f> {
    metric: Option<&'f str>,
    statistic: Option<&'f str>,
    bounds: BoundKeys,
    cases: Option<&'f SelectorFile>,
    waiver: Option<&'f WaiverFile>,
}

impl<'f> From<&'f BudgetFile> for BudgetKeys<'f> {
    fn from(file: &'f BudgetFile) -> Self {
        Self {
            metric: file.metric.as_deref(),
            statistic: file.statistic.as_deref(),
            bounds: bounds(file.max_ratio, file.min_ratio, file.max, file.min),
            cases: file.cases.as_ref(),
            waiver: file.waiver.as_ref(),
        }
    }
}

impl<'f> From<&'f BenefitFile> for BudgetKeys<'f> {
    fn from(file: &'f BenefitFile) -> Self {
        Self {
            metric: file.metric.as_deref(),
            statistic: file.statistic.as_deref(),
            bounds: bounds(file.max_ratio, file.min_ratio, file.max, file.min),
            cases: file.cases.as_ref(),
            waiver: None,
        }
    }
}

impl BudgetKeys<'_> {
    /// The first of the keys that make a budget which is there.
    pub(super) fn first_key(&self) -> Option<&'static str> {
        let bound = self.bounds.iter().find(|(_, value)| value.is_some()).map(|(key, _)| *key);
        self.metric.map(|_| "metric").or(self.statistic.map(|_| "statistic")).or(bound)
    }
}

const fn bounds(max_ratio: Option<f64>, min_ratio: Option<f64>, max: Option<f64>, min: Option<f64>) -> BoundKeys {
    [("max_ratio", max_ratio), ("min_ratio", min_ratio), ("max", max), ("min", min)]
}

/// What the budgets of one list have in common, and what they leave for later checks.
pub(super) struct Budgets<'s, 't> {
    ground: Ground<'s>,
    /// What was seen in this list: its identity, its cases, where.
    seen: Vec<(String, CaseSet, At<'t>)>,
    /// The percentiles that are used in this list.
    pub(super) percentiles: Vec<Percentile>,
    /// Results on noisy metrics that this list makes: one for each budget and case.
    pub(super) noisy: usize,
    /// Budgets on exact metrics in this list.
    pub(super) exact: usize,
}

/// A percentile of timed samples that a gate uses.
#[derive(Debug)]
pub(super) struct Percentile {
    /// Which.
    pub(super) statistic: Statistic,
    /// Its metric's name.
    pub(super) metric: String,
    /// Whether a budget depends on it.
    pub(super) judged: bool,
    /// Where it is named.
    pub(super) span: std::ops::Range<usize>,
}

impl<'s, 't> Budgets<'s, 't> {
    /// An empty list.
    pub(super) const fn new(ground: Ground<'s>) -> Self {
        Self { ground, seen: Vec::new(), percentiles: Vec::new(), noisy: 0, exact: 0 }
    }

    /// The budget at `at`.
    pub(super) fn budget(&mut self, keys: &BudgetKeys<'_>, at: At<'t>, findings: &mut Findings) -> Option<Budget> {
        let mut metric = self.metric(keys.metric, at, findings);
        // Of a unit that nobody knows, the bound tells which way is worse.
        let open = metric.as_ref().is_some_and(|metric| metric.unit == Unit::Other);
        let bound = bound(&keys.bounds, metric.as_deref().filter(|_| !open), at, findings);
        if let (true, Some(metric), Some(bound)) = (open, &mut metric, bound) {
            metric.to_mut().direction = if bound.is_upper() { Direction::Lower } else { Direction::Higher };
        }
        let metric = metric.as_deref();
        let statistic = metric.and_then(|metric| statistic(metric, keys.statistic, at, findings));
        let waiver = match (keys.waiver, bound) {
            (None, _) => Some(None),
            (Some(file), bound) => waiver(file, bound, at.key("waiver"), findings).map(Some),
        };
        let narrowed = self.ground.narrow(keys.cases, at, findings);
        let ((metric, statistic), bound, (cases, set)) = ((metric?, statistic?), bound?, narrowed?);
        match metric.assumption {
            Assumption::Noisy => self.noisy += set.count(),
            Assumption::Exact => self.exact += 1,
        }
        self.note_percentile(metric, statistic, true, at);
        resolved_by_count(metric, statistic, at, findings).then_some(())?;
        let identity =
            format!("budget with `{}` on `{statistic}` of `{}`{}", bound.key(), metric.name, benches(&cases));
        self.once(identity, set, at, findings)?;
        Some(Budget { metric: metric.clone(), statistic, bound, cases, waiver: waiver? })
    }

    /// The metric that is reported at `at`.
    pub(super) fn reported(&mut self, file: &ReportFile, at: At<'t>, findings: &mut Findings) -> Option<Reported> {
        let metric = self.metric(file.metric.as_deref(), at, findings);
        let metric = metric.as_deref();
        let statistic = metric.and_then(|metric| statistic(metric, file.statistic.as_deref(), at, findings));
        let narrowed = self.ground.narrow(file.cases.as_ref(), at, findings);
        let (metric, statistic, (cases, set)) = (metric?, statistic?, narrowed?);
        self.note_percentile(metric, statistic, false, at);
        resolved_by_count(metric, statistic, at, findings).then_some(())?;
        self.once(format!("report of `{statistic}` of `{}`{}", metric.name, benches(&cases)), set, at, findings)?;
        Some(Reported { metric: metric.clone(), statistic, cases })
    }

    fn metric(&self, name: Option<&str>, at: At<'_>, findings: &mut Findings) -> Option<Cow<'static, Metric>> {
        let name = findings.required(at, "metric", name, "\"latency\"")?;
        let suite = self.ground.suite;
        if suite.any_metric {
            let name = findings.line(at.key("metric"), "metric", name)?;
            return Some(Cow::Owned(reported(&name)));
        }
        let metric = suite.metric(name);
        if metric.is_none() {
            let names: Vec<&str> = suite.metrics.iter().map(|metric| metric.name.as_ref()).collect();
            let what = suite.owning("metrics");
            findings.unknown(at.key("metric").value_span(), "metric", name, &what, &names);
        }
        metric.map(Cow::Borrowed)
    }

    fn note_percentile(&mut self, metric: &Metric, statistic: Statistic, judged: bool, at: At<'_>) {
        if metric.scope == Scope::Timed && statistic.quantile_parts().is_some() {
            let span = at.key(if at.has("statistic") { "statistic" } else { "metric" }).value_span();
            self.percentiles.push(Percentile { statistic, metric: metric.name.to_string(), judged, span });
        }
    }

    /// Refuses a second one of the same identity and the same cases.
    fn once(&mut self, identity: String, set: CaseSet, at: At<'t>, findings: &mut Findings) -> Option<()> {
        if let Some((.., first)) = self.seen.iter().find(|(other, cases, _)| *other == identity && *cases == set) {
            findings.push(
                Problem::error(
                    at.key("metric").value_span(),
                    format!("duplicate {identity}"),
                    "expected one for the same cases",
                    "remove one of the two, or narrow its `cases`",
                )
                .beside(first.key("metric").value_span(), "first here"),
            );
            return None;
        }
        self.seen.push((identity, set, at));
        Some(())
    }
}

/// The benches of a selector, as a message tells them.
fn benches(cases: &Selector) -> String {
    cases.benches().map_or_else(String::new, |benches| {
        let names: Vec<String> = benches.iter().map(|bench| quoted(&bench.to_string())).collect();
        format!(" in bench {}", listed(names.iter().map(String::as_str), "and"))
    })
}

/// What is known, before it runs, of a metric that a program reports itself.
fn reported(name: &str) -> Metric {
    let (name, unit, direction) = reading::named(name);
    Metric {
        name: Cow::Owned(name),
        unit,
        direction,
        assumption: Assumption::Noisy,
        scope: Scope::Reported,
        default_statistic: Statistic::P50,
        about: Cow::Borrowed("as the program reports it"),
    }
}

fn statistic(metric: &Metric, name: Option<&str>, at: At<'_>, findings: &mut Findings) -> Option<Statistic> {
    let Some(name) = name else { return Some(metric.default_statistic) };
    let at = at.key("statistic");
    let known: Vec<&str> = metric.statistics().iter().map(|statistic| statistic.name()).collect();
    match name.parse::<Statistic>() {
        Ok(statistic) if metric.statistics().contains(&statistic) => Some(statistic),
        Ok(statistic) => {
            let why = if metric.scope == Scope::Run { "a run reports one number" } else { "a run reports samples" };
            findings.error(
                at.value_span(),
                format!("`{}` has no statistic `{statistic}`", metric.name),
                format!("expected {}: {why}", listed(known, "or")),
                format!("leave `statistic` out: for `{}` it is then `{}`", metric.name, metric.default_statistic),
            );
            None
        }
        Err(()) => {
            let what = format!("statistics of `{}`", metric.name);
            findings.unknown(at.value_span(), "statistic", name, &what, &known);
            None
        }
    }
}

/// Whether the counted pass, whose length no profile changes, resolves the statistic of a counted metric.
fn resolved_by_count(metric: &Metric, statistic: Statistic, at: At<'_>, findings: &mut Findings) -> bool {
    let needed = samples_needed(statistic);
    if metric.scope != Scope::Counted || needed <= COUNTED_OPERATIONS {
        return true;
    }
    findings.error(
        at.key("statistic").value_span(),
        format!("`{statistic}` of `{}` can't be resolved", metric.name),
        format!("it needs {needed} samples, and the pass that counts allocations has {COUNTED_OPERATIONS} operations"),
        "write `statistic = \"max\"`, or leave the key out",
    );
    false
}
