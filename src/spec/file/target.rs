//! The mirrors of the target: a suite, a pair of commands, or a pair of revisions.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Named;
use crate::reading::Format;
use crate::workload::catalogue::SUITES;

/// What is measured: exactly one of `suite`, `command` and `revisions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Target")]
pub(in crate::spec) struct TargetFile {
    /// A built-in suite.
    #[schemars(extend("enum" = SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>()))]
    pub(in crate::spec) suite: Option<String>,
    /// Any two programs.
    pub(in crate::spec) command: Option<CommandFile>,
    /// Two git revisions, each built once before any timing.
    pub(in crate::spec) revisions: Option<RevisionsFile>,
}

/// Any two programs: each operation executes one of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Command")]
pub(in crate::spec) struct CommandFile {
    /// The program that is there today; may be left out where every hypothesis takes its baseline from what was recorded.
    pub(in crate::spec) baseline: Option<ProgramFile>,
    /// The program that is proposed.
    #[schemars(required)]
    pub(in crate::spec) candidate: Option<ProgramFile>,
    /// A command that is run once before anything is measured, to make what the programs need.
    #[schemars(length(min = 1))]
    pub(in crate::spec) build: Option<Vec<String>>,
    /// Files that the programs rest on beside their executables, such as scripts: their digests are part of the plan.
    pub(in crate::spec) files: Option<Vec<String>>,
    /// What is measured: `time`, the execution itself, or the benches that the program reports, in one of these formats: on its standard output, or where the placeholder `{output}` tells it to write them.
    #[schemars(extend("enum" = outputs(), "default" = "time"))]
    pub(in crate::spec) output: Option<String>,
    /// What every execution must answer.
    pub(in crate::spec) expect: Option<ExpectFile>,
}

/// What `output` may be.
pub(in crate::spec) fn outputs() -> Vec<&'static str> {
    [TIME].into_iter().chain(Format::ALL.map(Format::name)).collect()
}

/// `output` where the execution itself is measured.
pub(in crate::spec) const TIME: &str = "time";

/// A program and its arguments, without a shell.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Program")]
pub(in crate::spec) struct ProgramFile {
    /// The program and its arguments; `{axis}` becomes the value of that axis, and doubled braces stand for themselves.
    #[schemars(required, length(min = 1))]
    pub(in crate::spec) run: Option<Vec<String>>,
    /// Environment variables that are set for it beside those that gate has.
    pub(in crate::spec) env: Option<Named<String>>,
    /// Its working folder; gate's own where it is left out.
    pub(in crate::spec) cwd: Option<String>,
}

/// What every execution must answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Expect")]
pub(in crate::spec) struct ExpectFile {
    /// The exit code.
    #[schemars(range(min = 0, max = 255), extend("default" = 0))]
    pub(in crate::spec) exit: Option<i64>,
    /// The SHA-256 of its standard output in hex, or `same`: the candidate's is the baseline's.
    #[schemars(regex(pattern = "^(same|[0-9a-f]{64})$"))]
    pub(in crate::spec) stdout_sha256: Option<String>,
    /// The lines of its standard output: a number, or a placeholder such as `{rows}`.
    pub(in crate::spec) lines: Option<LinesFile>,
}

/// A number of lines, or a placeholder that becomes one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Lines")]
pub(in crate::spec) enum LinesFile {
    /// The number itself.
    Number(u64),
    /// A text with a placeholder.
    Text(String),
}

/// Two git revisions, each built once in its own worktree before any timing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Revisions")]
pub(in crate::spec) struct RevisionsFile {
    /// The repository; the folder that gate runs in where it is left out.
    pub(in crate::spec) repo: Option<String>,
    /// The revision that is there today; `A...B` is the merge base of the two.
    #[schemars(required)]
    pub(in crate::spec) baseline: Option<String>,
    /// The revision that is proposed; `worktree` is the repository's files as they stand, what is not committed included.
    #[schemars(required)]
    pub(in crate::spec) candidate: Option<String>,
    /// Paths that are taken from the candidate and laid over both, so that both run one harness.
    pub(in crate::spec) overlay: Option<Vec<String>>,
    /// The folder that the overlay is taken from, in place of the candidate; seen from where gate runs.
    pub(in crate::spec) overlay_from: Option<String>,
    /// The command that builds a revision, in its worktree.
    #[schemars(length(min = 1))]
    pub(in crate::spec) build: Option<Vec<String>>,
    /// The program of a build and its arguments, in its worktree; the first may end in `*`, where a build names its files by a hash.
    #[schemars(required, length(min = 1))]
    pub(in crate::spec) run: Option<Vec<String>>,
    /// Environment variables that are set for it beside those that gate has.
    pub(in crate::spec) env: Option<Named<String>>,
    /// What is measured: `time`, the execution itself, or the benches that the program reports, in one of these formats: on its standard output, or where the placeholder `{output}` tells it to write them.
    #[schemars(extend("enum" = outputs(), "default" = "time"))]
    pub(in crate::spec) output: Option<String>,
    /// What every execution must answer.
    pub(in crate::spec) expect: Option<ExpectFile>,
}
