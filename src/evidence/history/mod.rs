//! The history: one JSON object a line for every finished campaign, in `results/history.jsonl`.
//!
//! A line says what was measured, on which machine and of which commit, with the value of every metric and the values of the
//! runs behind it, so that it can be compared with later ones when the campaign's folder is gone. Lines are only ever added.

mod older;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{EvidenceError, JournalError, Provenance};
use crate::digest::sha256;
use crate::plan::Plan;
use crate::unit::{Assumption, Case, Direction, Side, Statistic, Unit};

/// The format of a line.
pub const SCHEMA: &str = "gate.history/1";

/// One finished campaign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// [`SCHEMA`].
    pub schema: String,
    /// When the campaign started, UTC.
    pub date: jiff::Timestamp,
    /// The gate.
    pub gate: String,
    /// The name of the campaign's folder.
    pub campaign: String,
    /// SHA-256 of its plan.
    pub plan: String,
    /// The campaign's own digest.
    pub digest: String,
    /// The profile.
    pub profile: String,
    /// What must be the same for the figures of two campaigns to be about the same work: see [`conditions`].
    pub conditions: String,
    /// The commit of the candidate's repository, where it is known.
    pub commit: Option<String>,
    /// Whether the files that were measured differed from that commit, where it is known.
    pub dirty: Option<bool>,
    /// What the user calls the machine; never empty.
    pub machine: String,
    /// Logical CPUs.
    pub cores: Option<usize>,
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// Whether it was recorded to be a baseline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub baseline: bool,
    /// What was measured.
    pub metrics: Vec<Measured>,
}

/// One metric of one side in one case of a hypothesis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The hypothesis.
    pub hypothesis: String,
    /// The case.
    pub case: Case,
    /// The metric.
    pub metric: String,
    /// What reduced each run's samples to one number.
    pub statistic: Statistic,
    /// The side.
    pub side: Side,
    /// The median over the runs.
    pub value: f64,
    /// The unit of the values.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// Whether equal work gives equal values.
    pub assumption: Assumption,
    /// One number a run, in the order of the pairs.
    pub runs: Vec<f64>,
}

/// What a history has, and which of its lines can't be read.
#[derive(Debug, Default)]
pub struct Survey {
    /// The lines, in the order of the file.
    pub lines: Vec<Line>,
    /// What is wrong with each of the others.
    pub wrong: Vec<JournalError>,
    /// The metrics of lines in the older format, which does not say which way is better.
    pub older: BTreeSet<String>,
}

impl Line {
    /// The line of the campaign in the folder called `campaign`, whose own digest is `digest`, on the machine that the user
    /// calls `machine`; nothing measured yet.
    #[must_use]
    pub fn new(plan: &Plan, provenance: &Provenance, campaign: &str, digest: &str, machine: &str) -> Self {
        let host = &provenance.host;
        let (commit, dirty) = match plan.digests.sources.get(Side::Candidate.name()) {
            // What was built is a commit, or a tree that differs from one.
            Some(source) => match source.split_once('+') {
                Some((commit, _)) => (Some(commit.to_owned()), Some(true)),
                None => (Some(source.clone()), Some(false)),
            },
            None => (host.commit.clone(), host.dirty),
        };
        Self {
            schema: SCHEMA.to_owned(),
            date: provenance.started,
            gate: plan.gate.clone(),
            campaign: campaign.to_owned(),
            plan: provenance.plan.clone(),
            digest: digest.to_owned(),
            profile: plan.profile.name.clone(),
            conditions: conditions(plan),
            commit,
            dirty,
            machine: machine.to_owned(),
            cores: host.logical_cpus,
            cpu_model: host.cpu_model.clone(),
            baseline: false,
            metrics: Vec::new(),
        }
    }
}

/// SHA-256 of what the figures of a plan depend on beside the programs, the cases and the host: fixture, profile, and how
/// samples are reduced.
///
/// # Panics
///
/// Never: every part of a plan can be written as JSON.
#[must_use]
pub fn conditions(plan: &Plan) -> String {
    let parts = (&plan.fixture, &plan.profile, plan.analysis.quantile, plan.counted, plan.slowdown);
    sha256(serde_json::to_string(&parts).expect("a plan is plain data").as_bytes())
}

/// The history of the campaigns under `results`.
#[must_use]
pub fn of(results: &Path) -> PathBuf {
    results.join("history.jsonl")
}

/// Adds `line` to the history at `path` in one piece, and waits until it is on the disk.
///
/// # Errors
///
/// A disk that does not take it.
///
/// # Panics
///
/// Never: every line can be written as JSON.
pub fn append(path: &Path, line: &Line) -> Result<(), EvidenceError> {
    let mut text = serde_json::to_string(line).expect("a line is plain data");
    text.push('\n');
    let written = OpenOptions::new().append(true).read(true).create(true).open(path).and_then(|mut file| {
        // A line that was torn off by a crash stays a line of its own, and does not take this one with it.
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(|source| EvidenceError::io("write", path, source))
}

/// The lines of the history at `path`; none where there is no history yet.
///
/// # Errors
///
/// A file that can't be read, and the first line that is wrong.
pub fn read(path: &Path) -> Result<Vec<Line>, EvidenceError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let Survey { lines, wrong, older } = survey(path, &BTreeMap::new())?;
    if let Some(first) = wrong.into_iter().next() {
        return Err(first.into());
    }
    if let Some(metric) = older.first() {
        let what = format!("its lines are of an older format, which does not say which way `{metric}` is better");
        return Err(EvidenceError::Json { path: path.to_owned(), what });
    }
    Ok(lines)
}

/// Reads the history at `path`, whose lines may be of an older format too, `better` then saying of each metric which way is
/// better; a metric that it does not name is left out of them. What is wrong with a line keeps no other from being read.
///
/// # Errors
///
/// A file that can't be read at all.
pub fn survey(path: &Path, better: &BTreeMap<String, Direction>) -> Result<Survey, EvidenceError> {
    let bytes = super::folder::read(path)?;
    let mut survey = Survey::default();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let read = match std::str::from_utf8(line) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => parse(text, better, &mut survey.older),
            Err(error) => Err(format!("it is no text in UTF-8: {error}")),
        };
        match read {
            Ok(line) => survey.lines.push(line),
            Err(what) => {
                let what = format!("{what}; mend or remove the line: the others are not touched by it");
                survey.wrong.push(JournalError { path: path.to_owned(), line: index + 1, what });
            }
        }
    }
    Ok(survey)
}

fn parse(text: &str, better: &BTreeMap<String, Direction>, older: &mut BTreeSet<String>) -> Result<Line, String> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    let head: Head = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match head.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(format!("its schema is `{}`, and this program reads `{SCHEMA}`", other.escape_debug()));
        }
        None => return older::parse(text, better, older),
    }
    let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if line.machine.trim().is_empty() {
        return Err("it names no machine, and figures of unknown machines can't be compared".to_owned());
    }
    match line.metrics.iter().find(|measured| measured.runs.is_empty()) {
        Some(measured) => Err(format!("`{}` has no runs behind its value", measured.metric.escape_debug())),
        None => Ok(line),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A line with one metric of `value`, on `machine`.
    pub(crate) fn line(machine: &str, date: &str, value: f64) -> Line {
        Line {
            schema: SCHEMA.to_owned(),
            date: format!("{date}T10:00:00Z").parse().unwrap(),
            gate: "g".to_owned(),
            campaign: format!("{}T100000Z-00000000", date.replace('-', "")),
            plan: "p".to_owned(),
            digest: "d".to_owned(),
            profile: "full".to_owned(),
            conditions: "c".to_owned(),
            commit: Some("1f929d2ffe001f929d2ffe001f929d2ffe001f92".to_owned()),
            dirty: Some(false),
            machine: machine.to_owned(),
            cores: Some(2),
            cpu_model: Some("a CPU".to_owned()),
            baseline: false,
            metrics: vec![Measured {
                hypothesis: "h".to_owned(),
                case: Case::new(vec![("rows".to_owned(), crate::unit::AxisValue::Integer(50))]),
                metric: "latency".to_owned(),
                statistic: Statistic::P50,
                side: Side::Candidate,
                value,
                unit: Unit::Nanoseconds,
                direction: Direction::Lower,
                assumption: Assumption::Noisy,
                runs: vec![value],
            }],
        }
    }

    fn better(names: &[&str]) -> BTreeMap<String, Direction> {
        names.iter().map(|name| ((*name).to_owned(), Direction::Higher)).collect()
    }

    #[test]
    fn lines_are_added_and_read_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = of(folder.path());
        assert_eq!(read(&path).unwrap(), []);
        let lines = [line("one", "2026-01-01", 0.1 + 0.2), Line { baseline: true, ..line("one", "2026-01-02", 1e300) }];
        for line in &lines {
            append(&path, line).unwrap();
        }
        assert_eq!(read(&path).unwrap(), lines);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), text.matches("\"baseline\":").count()), (2, 1));
    }

    #[test]
    fn a_torn_line_is_named_and_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = of(folder.path());
        append(&path, &line("one", "2026-01-01", 1.0)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
        append(&path, &line("one", "2026-01-03", 3.0)).unwrap();
        let survey = survey(&path, &BTreeMap::new()).unwrap();
        assert_eq!(survey.lines, [line("one", "2026-01-01", 1.0), line("one", "2026-01-03", 3.0)]);
        assert_eq!(survey.wrong.iter().map(|wrong| wrong.line).collect::<Vec<_>>(), [2]);
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2 of") && error.contains("mend or remove the line"), "{error}");
    }

    #[test]
    fn what_is_no_line_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.jsonl");
        let good = serde_json::to_string(&line("one", "2026-01-01", 1.0)).unwrap();
        for (text, said) in [
            (good.replace("history/1", "history/2"), "its schema is `gate.history/2`"),
            (good.replace("\"one\"", "\" \""), "it names no machine"),
            (good.replace("\"runs\":[1.0]", "\"runs\":[]"), "`latency` has no runs"),
            (good.replace("\"unit\"", "\"united\""), "missing field `unit`"),
            ("{\"date\":\"2026-01-01\"}".to_owned(), "missing field `results`"),
            ("3".to_owned(), "invalid type"),
        ] {
            std::fs::write(&path, &text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("line 1") && error.contains(said), "{text}: {error}");
        }
        std::fs::write(&path, b"\n\xff\n").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("line 2"));
        assert!(survey(&folder.path().join("none"), &BTreeMap::new()).is_err());
    }

    #[test]
    fn the_older_format_is_read_with_its_directions() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/foreign/history/older.jsonl");
        let survey = survey(&path, &better(&["write_mbs"])).unwrap();
        assert_eq!(survey.older.iter().map(String::as_str).collect::<Vec<_>>(), ["files", "seal_ms", "write_mbs"]);
        assert_eq!(survey.lines.len(), 3);
        let first = &survey.lines[0];
        assert_eq!(
            (first.machine.as_str(), first.cores, first.campaign.as_str()),
            ("unnamed", Some(8), "version 0.1.0")
        );
        assert_eq!(first.date.to_string(), "2026-02-01T00:00:00Z");
        let told: Vec<(String, &str, f64)> =
            first.metrics.iter().map(|one| (one.case.to_string(), one.metric.as_str(), one.value)).collect();
        assert_eq!(told, [("name=small".to_owned(), "write_mbs", 120.5), ("name=large".to_owned(), "write_mbs", 95.0)]);
        assert_eq!((survey.lines[2].machine.as_str(), survey.lines[2].gate.as_str()), ("bench-1", "seal"));
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("older format") && error.contains("`files`"), "{error}");
    }

    #[test]
    fn what_is_wrong_in_the_older_format_says_where() {
        let parse = |result: &str| {
            let text = format!(r#"{{"date":"2026-02-01","results":[{{"name":"a"}},{result}]}}"#);
            older::parse(&text, &BTreeMap::new(), &mut BTreeSet::new())
        };
        for (result, said) in [
            (r#"{"name":"b","x":-1}"#, "`x` of result 2 is no measurement"),
            (r#"{"name":"b","x":null}"#, "`x` of result 2 is neither"),
            (r#"{"x":1}"#, "`name` of result 2 is missing"),
            ("3", "invalid type"),
        ] {
            let error = parse(result).unwrap_err();
            assert!(error.contains(said), "{result}: {error}");
        }
        assert!(parse(r#"{"name":"b","x":1}"#).is_ok());
    }
}
