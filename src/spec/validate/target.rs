//! What is measured.

use std::path::{Component, Path};

use super::findings::Findings;
use crate::program::{Expect, OUTPUT, Output, Program, Stdout, placeholders};
use crate::spec::diagnostic::{Problem, listed, quoted};
use crate::spec::file::{
    CommandFile, ExpectFile, LinesFile, Named, ProgramFile, RevisionsFile, TIME, TargetFile, outputs,
};
use crate::spec::model::{Command, Revisions, Target};
use crate::spec::tree::At;
use crate::unit::Side;
use crate::workload::catalogue::{BENCHES, PROGRAM, SUITES, Suite};

/// The target, and what its lanes, checks and metrics are called; `axes` are those of the matrix, and with `none_is_run` all
/// hypotheses have recorded baselines.
pub(super) fn target(
    file: Option<&TargetFile>,
    root: At<'_>,
    axes: &[&str],
    none_is_run: bool,
    findings: &mut Findings,
) -> (Option<Target>, Option<&'static Suite>) {
    let Some(file) = file else {
        findings.error(
            root.value_span(),
            "missing table `[target]`",
            "expected a target in this file",
            "add `[target]` with `suite = \"dashboard\"`",
        );
        return (None, None);
    };
    let at = root.key("target");
    let named: Vec<&str> =
        [("suite", file.suite.is_some()), ("command", file.command.is_some()), ("revisions", file.revisions.is_some())]
            .into_iter()
            .filter_map(|(key, there)| there.then_some(key))
            .collect();
    match (named.as_slice(), file) {
        (["suite"], TargetFile { suite: Some(name), .. }) => {
            let suite = SUITES.iter().copied().find(|suite| suite.name == name);
            if suite.is_none() {
                let suites: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
                findings.unknown(at.key("suite").value_span(), "suite", name, "built-in suites", &suites);
            }
            (suite.map(|suite| Target::Suite(suite.name.to_owned())), suite)
        }
        (["command"], TargetFile { command: Some(file), .. }) => {
            let target = command(file, at.key("command"), axes, none_is_run, findings).map(Target::Command);
            let suite = suite_of(target.as_ref(), file.output.as_deref());
            (target, suite)
        }
        (["revisions"], TargetFile { revisions: Some(file), .. }) => {
            let target = revisions(file, at.key("revisions"), axes, findings).map(Target::Revisions);
            let suite = suite_of(target.as_ref(), file.output.as_deref());
            (target, suite)
        }
        _ => {
            findings.error(
                named.last().map_or(at, |key| at.key(key)).key_span(),
                format!("`[target]` names {}", listed(named.iter().copied(), "and")),
                "expected exactly one of `suite`, `command` and `revisions`",
                "write `suite = \"dashboard\"`, and nothing beside it",
            );
            (None, None)
        }
    }
}

/// What the hypotheses may name, also where the target has errors of its own.
fn suite_of(target: Option<&Target>, output: Option<&str>) -> Option<&'static Suite> {
    let benches = output.is_some_and(|name| name != TIME);
    let name = target.map_or(if benches { BENCHES.name } else { PROGRAM.name }, Target::suite);
    Suite::find(name)
}

fn command(
    file: &CommandFile,
    at: At<'_>,
    axes: &[&str],
    none_is_run: bool,
    findings: &mut Findings,
) -> Option<Command> {
    let candidate = side(Side::Candidate, file.candidate.as_ref(), at, axes, findings);
    // Where no baseline is run the candidate stands for it.
    let stands_in = none_is_run && file.baseline.is_none();
    let baseline =
        if stands_in { candidate.clone() } else { side(Side::Baseline, file.baseline.as_ref(), at, axes, findings) };
    if let (Some(baseline), Some(candidate)) = (&baseline, &candidate)
        && baseline == candidate
        && !none_is_run
    {
        findings.push(Problem::warning(
            at.key("candidate").value_span(),
            "both sides are the same program",
            "whatever this shows is the noise of the host",
            "name the program that is proposed, unless the gate itself is on trial",
        ));
    }
    let build = words(file.build.as_deref(), at.key("build"), findings);
    let files = paths(file.files.as_deref(), at.key("files"), findings);
    let output = output(file.output.as_deref(), at, findings);
    let expect = expect(file.expect.as_ref(), at.key("expect"), axes, findings);
    let (baseline, candidate, output) = (baseline?, candidate?, output?);
    let programs = [(Side::Baseline, &baseline), (Side::Candidate, &candidate)];
    for (side, program) in programs.into_iter().skip(usize::from(stands_in)) {
        tells(program, output, at.key(side.name()), findings).then_some(())?;
    }
    Some(Command { baseline, candidate, build: build?, files: files?, output, expect: expect? })
}

fn revisions(file: &RevisionsFile, at: At<'_>, axes: &[&str], findings: &mut Findings) -> Option<Revisions> {
    let repo = match file.repo.as_deref() {
        None => Some(".".to_owned()),
        Some(repo) => findings.line(at.key("repo"), "repo", repo),
    };
    let baseline = revision("baseline", file.baseline.as_deref(), "main", at, findings);
    let candidate = revision("candidate", file.candidate.as_deref(), "HEAD", at, findings);
    if baseline.as_deref() == Some(Revisions::WORKTREE) {
        findings.error(
            at.key("baseline").value_span(),
            "the baseline can't be the worktree",
            "expected a revision that stays what it is",
            "write `candidate = \"worktree\"`, and a commit, tag or branch as the baseline",
        );
        return None;
    }
    let overlay = paths(file.overlay.as_deref(), at.key("overlay"), findings);
    let overlay_from = match file.overlay_from.as_deref() {
        None => Some(None),
        Some(_) if file.overlay.is_none() => {
            findings.error(
                at.key("overlay_from").key_span(),
                "`overlay_from` without `overlay`",
                "expected the paths that are laid over both sides",
                "add `overlay = [\"benches/\"]`, or remove the key",
            );
            None
        }
        Some(folder) => findings.line(at.key("overlay_from"), "overlay_from", folder).map(Some),
    };
    let build = words(file.build.as_deref(), at.key("build"), findings);
    let run = run(file.run.as_deref(), at, axes, findings);
    let env = env(file.env.as_ref(), at.key("env"), axes, findings);
    let output = output(file.output.as_deref(), at, findings);
    let expect = expect(file.expect.as_ref(), at.key("expect"), axes, findings);
    let (program, output) = (Program { run: run?, env: env?, cwd: None }, output?);
    tells(&program, output, at.key("run"), findings).then_some(())?;
    Some(Revisions {
        repo: repo?,
        baseline: baseline?,
        candidate: candidate?,
        overlay: overlay?,
        overlay_from: overlay_from?,
        build: build?,
        program,
        output,
        expect: expect?,
    })
}

/// A revision's name, which no program that it is handed to can take for an option.
fn revision(key: &str, name: Option<&str>, example: &str, at: At<'_>, findings: &mut Findings) -> Option<String> {
    let name = findings.required_line(at, key, name, example)?;
    if name.starts_with('-') || name.contains(char::is_whitespace) || name.contains(':') {
        findings.error(
            at.key(key).value_span(),
            format!("{} is no revision", quoted(&name)),
            "expected a commit, tag or branch, `A...B` for a merge base, or for the candidate `worktree`",
            format!("write `{key} = \"{example}\"`"),
        );
        return None;
    }
    Some(name)
}

fn side(side: Side, file: Option<&ProgramFile>, at: At<'_>, axes: &[&str], findings: &mut Findings) -> Option<Program> {
    let file = findings.required(at, side.name(), file, "{ run = [\"./program\"] }")?;
    let at = at.key(side.name());
    let run = run(file.run.as_deref(), at, axes, findings);
    let env = env(file.env.as_ref(), at.key("env"), axes, findings);
    let cwd = match file.cwd.as_deref() {
        None => Some(None),
        Some(cwd) => findings.line(at.key("cwd"), "cwd", cwd).map(Some),
    };
    Some(Program { run: run?, env: env?, cwd: cwd? })
}

fn run(words_: Option<&[String]>, at: At<'_>, axes: &[&str], findings: &mut Findings) -> Option<Vec<String>> {
    let run = findings.required(at, "run", words_, "[\"./program\"]")?;
    let at = at.key("run");
    let run = words(Some(run), at, findings)?;
    let known = run.iter().enumerate().map(|(index, word)| known(word, at.index(index), axes, findings));
    known.fold(true, |all, known| all & known).then_some(run)
}

fn env(
    file: Option<&Named<String>>,
    at: At<'_>,
    axes: &[&str],
    findings: &mut Findings,
) -> Option<Vec<(String, String)>> {
    let variables = file.map_or(&[][..], |file| file.0.as_slice());
    let mut fit = true;
    for (name, value) in variables {
        if name.is_empty() || name.contains(['=', '\0']) {
            findings.error(
                at.key(name).key_span(),
                format!("{} is no name of an environment variable", quoted(name)),
                "expected a name without `=`",
                "write `NAME = \"value\"`",
            );
            fit = false;
        }
        fit &= without_zero(value, at.key(name), findings) && known(value, at.key(name), axes, findings);
    }
    fit.then(|| variables.to_vec())
}

/// A command and its arguments; empty where it is left out.
fn words(words: Option<&[String]>, at: At<'_>, findings: &mut Findings) -> Option<Vec<String>> {
    let Some(words) = words else { return Some(Vec::new()) };
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        findings.error(
            at.value_span(),
            "command without a program",
            "expected the program first, then its arguments",
            "write `[\"program\", \"argument\"]`",
        );
        return None;
    }
    let fit = words.iter().enumerate().map(|(index, word)| without_zero(word, at.index(index), findings));
    fit.fold(true, |all, fit| all & fit).then(|| words.to_vec())
}

/// Paths within the project; empty where they are left out.
fn paths(paths: Option<&[String]>, at: At<'_>, findings: &mut Findings) -> Option<Vec<String>> {
    let paths = paths.unwrap_or_default();
    let mut fit = true;
    for (index, path) in paths.iter().enumerate() {
        let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if path.trim().is_empty() || path.starts_with('-') || !inside {
            findings.error(
                at.index(index).value_span(),
                format!("{} is no path within the project", quoted(path)),
                "expected a path without `..` that does not begin with `/` or `-`",
                "write it as seen from the project's folder",
            );
            fit = false;
        }
        fit &= without_zero(path, at.index(index), findings);
    }
    fit.then(|| paths.to_vec())
}

fn without_zero(text: &str, at: At<'_>, findings: &mut Findings) -> bool {
    let fit = !text.contains('\0');
    if !fit {
        let expected = "expected a text that a program can be handed";
        findings.error(at.value_span(), "a text with a zero byte", expected, "remove the `\\u0000`");
    }
    fit
}

/// Whether every placeholder in `text` is an axis of the matrix.
fn known(text: &str, at: At<'_>, axes: &[&str], findings: &mut Findings) -> bool {
    let unknown = placeholders(text).find(|name| *name != OUTPUT && !axes.contains(name));
    if let Some(name) = unknown {
        findings.error(
            at.value_span(),
            format!("unknown placeholder `{{{name}}}`"),
            "expected an axis of the matrix between the braces",
            format!("add `{name}` to `[matrix]`, or double the braces that are to stay: `{{{{{name}}}}}`"),
        );
    }
    unknown.is_none()
}

fn output(name: Option<&str>, at: At<'_>, findings: &mut Findings) -> Option<Output> {
    let Some(name) = name else { return Some(Output::Time) };
    let formats: Vec<(&str, Output)> =
        outputs().into_iter().map(|name| (name, name.parse().map_or(Output::Time, Output::Benches))).collect();
    findings.choice(at.key("output"), "output", name, &formats)
}

/// Whether a program tells what is read of it: `{output}` only where something is read.
fn tells(program: &Program, output: Output, at: At<'_>, findings: &mut Findings) -> bool {
    let fits = output != Output::Time || !program.is_told_where();
    if !fits {
        findings.error(
            at.value_span(),
            "placeholder `{output}`, and no benches are read",
            "expected it where `output` names a format of benches",
            "write `output = \"go\"` or another format, or double the braces that are to stay",
        );
    }
    fits
}

fn expect(file: Option<&ExpectFile>, at: At<'_>, axes: &[&str], findings: &mut Findings) -> Option<Expect> {
    let Some(file) = file else { return Some(Expect::default()) };
    let exit = match file.exit {
        None => Some(0),
        Some(exit) => {
            findings.whole(at.key("exit"), "exit", exit, 0..=255, "0").and_then(|exit| u8::try_from(exit).ok())
        }
    };
    let stdout = match file.stdout_sha256.as_deref() {
        None => Some(None),
        Some("same") => Some(Some(Stdout::Same)),
        Some(digest) if digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) => {
            Some(Some(Stdout::Sha256(digest.to_owned())))
        }
        Some(other) => {
            findings.error(
                at.key("stdout_sha256").value_span(),
                format!("{} is no SHA-256", quoted(other)),
                "expected 64 lower-case hexadecimal digits, or `same`",
                "write `stdout_sha256 = \"same\"`, or what `sha256sum` prints of the output",
            );
            None
        }
    };
    let lines = match &file.lines {
        None => Some(None),
        Some(LinesFile::Number(number)) => Some(Some(number.to_string())),
        Some(LinesFile::Text(text)) if placeholders(text).next().is_some() => {
            known(text, at.key("lines"), axes, findings).then(|| Some(text.clone()))
        }
        Some(LinesFile::Text(text)) => {
            findings.error(
                at.key("lines").value_span(),
                format!("{} is no number of lines", quoted(text)),
                "expected a whole number, or a placeholder that becomes one",
                "write `lines = 100` or `lines = \"{rows}\"`",
            );
            None
        }
    };
    Some(Expect { exit: exit?, stdout: stdout?, lines: lines? })
}
