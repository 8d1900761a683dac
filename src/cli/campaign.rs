//! One campaign, from a frozen plan to shown verdicts.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::progress::Progress;
use super::{Exit, Failure, calibrate, history, machine, print};
use crate::campaign::Campaign;
use crate::evidence::history::Line;
use crate::evidence::{Attempt, Event, Evidence, EvidenceError, Folder, Ledger, Provenance, attempts};
use crate::measure::Host;
use crate::plan::Plan;
use crate::report::{self, Style, View};
use crate::spec::{self, Source};
use crate::target::Executor;
use crate::verdict::{Analysis, Calibration, Verdict, Verdicts, analyse, figures, judge};

/// How to show verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person at 80 columns
    Terminal,
    /// For a pull request
    Markdown,
    /// For a program
    Json,
}

/// What a campaign needs beside its plan and its executor.
pub(super) struct Start<'a> {
    /// Where campaigns land.
    pub(super) results: &'a Path,
    /// The gate file, as it was read.
    pub(super) source: &'a Source,
    /// The plan.
    pub(super) plan: &'a Plan,
}

/// What a campaign has come to.
pub(super) struct Finished {
    pub(super) evidence: Evidence,
    pub(super) analysis: Analysis,
    folder: PathBuf,
    view: View,
    verdicts: Verdicts,
}

impl Finished {
    /// Shows the verdicts, and tells where the evidence is.
    pub(super) fn show(&self, format: Format, several: bool) -> Result<Exit, Failure> {
        print::data(&rendered(&self.view, format, several))?;
        print::note(&format!("evidence: {}", self.folder.display()));
        Ok(self.verdicts.gravest().map_or(Exit::Failed, Exit::of))
    }
}

impl Start<'_> {
    /// Executes the plan; the ledger has it from its start, however it ends.
    pub(super) fn execute(&self, executor: &mut dyn Executor) -> Result<Finished, Failure> {
        let digest = self.plan.digest();
        let (folder, started) = folder(self.results, self.plan, &digest)?;
        let ledger = Ledger::of(self.results, &self.plan.gate);
        let attempt = attempts(&ledger.read().map_err(Failure::work)?, &digest) + 1;
        let entry =
            |state: &str| Attempt { at: now(), plan: digest.clone(), campaign: folder.name(), state: state.to_owned() };
        ledger.append(&entry("started")).map_err(Failure::work)?;
        let finished = self.conclude(executor, &folder, started, attempt);
        ledger.append(&entry(if finished.is_ok() { "complete" } else { "failed" })).map_err(Failure::work)?;
        finished.map_err(|message| {
            Failure::work(format!("{message}\nthe evidence so far is in `{}`", folder.path().display()))
        })
    }

    /// Plan → evidence → analysis → verdicts, each kept in the folder as it comes, and sealed.
    fn conclude(
        &self,
        executor: &mut dyn Executor,
        folder: &Folder,
        started: jiff::Timestamp,
        attempt: u32,
    ) -> Result<Finished, String> {
        let plan = self.plan;
        let host = Host::observe();
        let machine = history::keeps(plan).then(machine::name).transpose()?;
        let calibration = calibrate::of_gate(&self.results.join(&plan.gate), &host);
        let provenance = Provenance::new(plan.digest(), started, attempt, host, executor.toolchains());
        let keep = |name: &str, bytes: &[u8]| folder.write(name, bytes).map_err(|error| error.to_string());
        keep(gate_file_name(self.source), self.source.text().as_bytes())?;
        keep("plan.json", plan.to_json().as_bytes())?;
        keep("provenance.json", json(&provenance).as_bytes())?;
        for (name, text) in executor.keepsakes() {
            keep(&name, text.as_bytes())?;
        }
        print::note(&format!("{}: plan {} frozen, attempt {attempt}", plan.gate, plan.digest()));
        let progress = Progress::new(plan);
        let mut watch = |event: &Event| progress.show(event);
        let campaign = Campaign { plan, attempt, folder, clock: &now, watch: &mut watch };
        let evidence = campaign.execute(executor).map_err(|error| error.to_string())?;
        let date = date_of(started);
        let analysis = analyse(&evidence, date).map_err(|error| error.to_string())?;
        let verdicts = judge(plan, &analysis);
        keep("analysis.json", json(&analysis).as_bytes())?;
        keep("verdict.json", json(&verdicts).as_bytes())?;
        let view = View::new(plan, &provenance, &analysis, &verdicts, &folder.name())
            .calibrated(calibration.as_ref().map(Calibration::quote));
        keep("report.md", report::render(report::Format::Markdown, &view, Style::plain()).as_bytes())?;
        folder.seal().map_err(|error| error.to_string())?;
        if let Some(machine) = machine {
            let digest = history::manifest_digest(folder)?;
            let line = Line::new(plan, &provenance, &folder.name(), &digest, machine);
            // Of a recording, nothing but that it is deferred is good news.
            let baseline = plan.records && verdicts.gravest() == Some(Verdict::Deferred);
            history::keep(self.results, &Line { baseline, metrics: figures(&evidence, &analysis), ..line })?;
        }
        Ok(Finished { evidence, analysis, folder: folder.path().to_owned(), view, verdicts })
    }
}

/// The UTC day of `time`.
pub(super) fn date_of(time: jiff::Timestamp) -> jiff::civil::Date {
    jiff::tz::Offset::UTC.to_datetime(time).date()
}

#[expect(clippy::disallowed_methods, reason = "the command line is where dates come from")]
pub(super) fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// A new folder for a campaign that starts now. A folder's name tells the second; where that one is taken, the next is waited for.
fn folder(results: &Path, plan: &Plan, digest: &str) -> Result<(Folder, jiff::Timestamp), Failure> {
    let started = now();
    match Folder::create(results, &plan.gate, started, digest) {
        Err(EvidenceError::Exists { .. }) => {
            std::thread::sleep(std::time::Duration::from_millis(1_100));
            let started = now();
            Folder::create(results, &plan.gate, started, digest).map(|folder| (folder, started))
        }
        created => created.map(|folder| (folder, started)),
    }
    .map_err(Failure::work)
}

/// The gate file keeps its format's extension.
const fn gate_file_name(source: &Source) -> &'static str {
    match source.format() {
        spec::Format::Toml => "gate.toml",
        spec::Format::Json => "gate.json",
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("evidence is plain data");
    text.push('\n');
    text
}

/// The view in `format`; JSON takes one line a gate where there are several.
pub(super) fn rendered(view: &View, format: Format, several: bool) -> String {
    match format {
        Format::Terminal => {
            report::render(report::Format::Terminal, view, Style { color: print::stdout_has_color(), ..Style::plain() })
        }
        Format::Markdown => report::render(report::Format::Markdown, view, Style::plain()),
        Format::Json if several => report::render(report::Format::JsonLine, view, Style::plain()),
        Format::Json => report::render(report::Format::Json, view, Style::plain()),
    }
}
