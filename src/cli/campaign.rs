//! One campaign, from a frozen plan to shown verdicts.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::finished::Stored;
use super::progress::Progress;
use super::{Exit, Failure, calibrate, history, machine, print};
use crate::campaign::{Campaign, CampaignError};
use crate::evidence::history::Line;
use crate::evidence::{Attempt, Earlier, Event, Evidence, EvidenceError, Folder, Ledger, Outline, Provenance, State};
use crate::measure::{Host, interrupt};
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

impl From<Stored> for Finished {
    fn from(stored: Stored) -> Self {
        let view = stored.view();
        let Stored { folder, evidence, analysis, verdicts, .. } = stored;
        Self { evidence, analysis, folder, view, verdicts }
    }
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
        let plan = self.plan;
        let digest = plan.digest();
        let (folder, started) = folder(self.results, plan, &digest)?;
        let ledger = Ledger::of(self.results, &plan.gate);
        let attempts = ledger.read().map_err(Failure::work)?;
        let earlier = attempts.at(&digest).into_iter();
        let earlier: Vec<Earlier> =
            earlier.map(|(campaign, state)| Earlier { campaign: campaign.to_owned(), state }).collect();
        let attempt = u32::try_from(earlier.len()).unwrap_or(u32::MAX).saturating_add(1);
        let host = Host::observe();
        let mut provenance = Provenance::new(digest, started, attempt, host, executor.toolchains());
        let campaign = Underway { plan, folder: &folder, ledger: &ledger, results: self.results };
        provenance.ledger = Some(campaign.record(State::Started)?);
        provenance.earlier = earlier;
        if let Err(error) = self.freeze(&folder, &provenance, executor) {
            campaign.record(State::Failed)?;
            return Err(Failure::work(error));
        }
        print::note(&format!("{}: plan {} frozen, attempt {attempt}", plan.gate, provenance.plan));
        campaign.through(&provenance.host, &provenance, |campaign| campaign.execute(executor))
    }

    /// Writes what the campaign rests on.
    fn freeze(&self, folder: &Folder, provenance: &Provenance, executor: &dyn Executor) -> Result<(), EvidenceError> {
        folder.write(gate_file_name(self.source), self.source.text().as_bytes())?;
        folder.write("plan.json", self.plan.to_json().as_bytes())?;
        folder.write("provenance.json", json(provenance).as_bytes())?;
        executor.keepsakes().iter().try_for_each(|(name, text)| folder.write(name, text.as_bytes()))
    }
}

/// A campaign of which there is a folder and a line in the ledger.
pub(super) struct Underway<'a> {
    pub(super) plan: &'a Plan,
    pub(super) folder: &'a Folder,
    pub(super) ledger: &'a Ledger,
    /// Where campaigns land.
    pub(super) results: &'a Path,
}

impl Underway<'_> {
    /// Adds a line to the ledger, and returns its digest.
    pub(super) fn record(&self, state: State) -> Result<String, Failure> {
        let (plan, campaign) = (self.plan.digest(), self.folder.name());
        self.ledger.append(Attempt { at: now(), plan, campaign, state, previous: None }).map_err(Failure::work)
    }

    /// Has `run` do the campaign to its end, concludes from its evidence, and records how it ended.
    pub(super) fn through(
        &self,
        host: &Host,
        provenance: &Provenance,
        run: impl FnOnce(Campaign<'_>) -> Result<Evidence, CampaignError>,
    ) -> Result<Finished, Failure> {
        interrupt::listen().map_err(|error| Failure::work(format!("listen to signals: {error}")))?;
        let date = date_of(provenance.started);
        let settled =
            |evidence: &Evidence| analyse(evidence, date).is_ok_and(|found| judge(self.plan, &found).are_settled());
        let progress = Progress::new(self.plan);
        let mut watch = |event: &Event| progress.show(event);
        let campaign = Campaign {
            plan: self.plan,
            attempt: provenance.attempt,
            host,
            folder: self.folder,
            clock: &now,
            watch: &mut watch,
            settled: &settled,
        };
        let path = self.folder.path().display();
        let evidence = run(campaign).map_err(|error| {
            let goes_on = error.may_be_resumed();
            let recorded = self.record(if goes_on { State::Interrupted } else { State::Failed });
            // The first error is the one to tell.
            drop(recorded);
            let then = if goes_on {
                format!("what was finished is intact; `gate resume {path}` goes on")
            } else {
                format!("the evidence so far is in `{path}`")
            };
            Failure::work(format!("{error}\n{then}"))
        })?;
        let finished = self.conclude(evidence, provenance);
        let finished = finished.map_err(|message| {
            Failure::work(format!("{message}\nall runs are done; `gate resume {path}` concludes"))
        })?;
        self.record(State::Complete)?;
        match self.remember(&finished, provenance) {
            // A verdict is not lost with its line; a recording without one is none.
            Err(message) if !self.plan.records => print::error(&message),
            remembered => {
                remembered.map_err(|message| Failure::work(format!("{message}; `gate resume {path}` adds it")))?;
            }
        }
        Ok(finished)
    }

    /// Adds the line of the campaign, which is sealed, to the history.
    pub(super) fn remember(&self, finished: &Finished, provenance: &Provenance) -> Result<(), String> {
        if !history::keeps(self.plan) {
            return Ok(());
        }
        let digest = self.folder.digest().map_err(|error| error.to_string())?;
        let line = Line::new(self.plan, provenance, &self.folder.name(), &digest, machine::name()?);
        // Of a recording, nothing but that it is deferred is good news.
        let baseline = self.plan.records && finished.verdicts.gravest() == Some(Verdict::Deferred);
        let metrics = figures(&finished.evidence, &finished.analysis);
        history::keep(self.results, &Line { baseline, metrics, ..line })
    }

    /// Evidence → analysis → verdicts, each kept in the folder as it comes, and sealed.
    fn conclude(&self, evidence: Evidence, provenance: &Provenance) -> Result<Finished, String> {
        let keep = |name: &str, bytes: &[u8]| self.folder.write(name, bytes).map_err(|error| error.to_string());
        let analysis = analyse(&evidence, date_of(provenance.started)).map_err(|error| error.to_string())?;
        let verdicts = judge(self.plan, &analysis);
        keep("analysis.json", json(&analysis).as_bytes())?;
        keep("verdict.json", json(&verdicts).as_bytes())?;
        let folder = self.folder.path();
        let calibration = calibrate::of_gate(folder.parent().unwrap_or(folder), &provenance.host);
        let view = View::new(&evidence, provenance, &analysis, &verdicts, &self.folder.name())
            .calibrated(calibration.as_ref().map(Calibration::quote));
        keep("report.md", report::render(report::Format::Markdown, &view, Style::plain()).as_bytes())?;
        // What is sealed is what was journalled, whatever became of the files meanwhile.
        Outline::load(folder).and_then(|outline| outline.check_runs()).map_err(|error| error.to_string())?;
        let digest = self.folder.seal().map_err(|error| error.to_string())?;
        let view = view.sealed(digest);
        Ok(Finished { evidence, analysis, folder: folder.to_owned(), view, verdicts })
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
