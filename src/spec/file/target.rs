//! The mirrors of the target: a suite, a pair of commands, or a pair of revisions.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Named;
use crate::workload::catalogue::SUITES;

/// What is measured: exactly one of `suite`, `command` and `revisions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Target")]
pub(in crate::spec) struct TargetFile {
    /// A built-in suite.
    #[schemars(extend("enum" = SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>()))]
    pub(in crate::spec) suite: Option<String>,
    /// Any two programs. Not there yet in this version.
    pub(in crate::spec) command: Option<CommandFile>,
    /// Two git revisions, each built once. Not there yet in this version.
    pub(in crate::spec) revisions: Option<RevisionsFile>,
}

/// Any two programs: wall time and resource use, or the bench output that they print.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Command")]
#[expect(
    dead_code,
    reason = "read to the last key, so that a file for a later version is told apart from a mistaken one"
)]
pub(in crate::spec) struct CommandFile {
    /// The program that is there today.
    #[schemars(required)]
    baseline: Option<ProgramFile>,
    /// The program that is proposed.
    #[schemars(required)]
    candidate: Option<ProgramFile>,
    /// What the programs print: `time` where nothing of it is read.
    output: Option<String>,
    /// What every run must answer.
    expect: Option<ExpectFile>,
}

/// A program and its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Program")]
#[expect(
    dead_code,
    reason = "read to the last key, so that a file for a later version is told apart from a mistaken one"
)]
struct ProgramFile {
    /// The program and its arguments; `{axis}` becomes the value of that axis.
    #[schemars(required, length(min = 1))]
    run: Option<Vec<String>>,
    /// Environment variables that are set for it.
    env: Option<Named<String>>,
}

/// What every run must answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Expect")]
#[expect(
    dead_code,
    reason = "read to the last key, so that a file for a later version is told apart from a mistaken one"
)]
struct ExpectFile {
    /// The exit code.
    exit: Option<i64>,
    /// The SHA-256 of its standard output in hex, or `same`: equal on both sides.
    stdout_sha256: Option<String>,
}

/// Two git revisions, each built once in its own worktree before any timing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Revisions")]
#[expect(
    dead_code,
    reason = "read to the last key, so that a file for a later version is told apart from a mistaken one"
)]
pub(in crate::spec) struct RevisionsFile {
    /// The repository.
    repo: Option<String>,
    /// The revision that is there today.
    #[schemars(required)]
    baseline: Option<String>,
    /// The revision that is proposed.
    #[schemars(required)]
    candidate: Option<String>,
    /// Paths taken from the candidate, or a folder, and laid over both, so that both run one harness.
    overlay: Option<Vec<String>>,
    /// The command that builds a revision.
    build: Option<Vec<String>>,
    /// The command that runs a build.
    #[schemars(required)]
    run: Option<Vec<String>>,
    /// What the command prints.
    output: Option<String>,
}
