//! The text of a gate file.

use super::found::{Found, Kind, Measured};
use super::repository::Repository;

/// How pairs are estimated, in every file that is written: by the estimator that keeps its error with few pairs.
const ESTIMATOR: &str = "hodges-lehmann";

/// The widest line that has a comment.
const WIDTH: usize = 99;

/// A gate about what was found: between two revisions where there is a repository, else between two programs.
#[must_use]
pub fn gate_file(found: &Found, repository: Option<&Repository>) -> String {
    let mut text = Text::default();
    text.comment("Written by `gate init` from what stands in the repository; every line is yours to change.");
    text.comment("`gate check` tells whether it is right, `gate run --profile quick` tries it, `gate run` decides.");
    text.push("gate = 1");
    text.line("name", &string(&found.name), "its evidence lands in results/ under this name");
    text.push(&format!("title = {}", string(&title(found))));
    text.push("");
    match repository {
        Some(repository) if found.kind != Kind::Skeleton => revisions(&mut text, found, repository),
        _ => command(&mut text, found),
    }
    text.push("");
    profiles(&mut text, found.measured);
    text.push("");
    text.push("[analysis]");
    text.push(&format!("estimator = {}", string(ESTIMATOR)));
    text.line("interval", "\"one-sided\"", "the question has one side: is it slower?");
    text.line("confidence", "0.95", "how sure a pass or a fail must be");
    text.push("");
    hypothesis(&mut text, found.measured);
    text.0
}

fn title(found: &Found) -> String {
    let name = &found.name;
    match found.measured {
        Measured::Benches(_) => format!("The benches of {name}, before and after a change"),
        Measured::Suite => format!("The bench script of {name}, before and after a change"),
        Measured::Program => format!("The time that {name} takes, before and after a change"),
    }
}

fn revisions(text: &mut Text, found: &Found, repository: &Repository) {
    text.push("[target.revisions]");
    if let Some(base) = &repository.base {
        let revision = string(&format!("{}...HEAD", base.revision()));
        text.line("baseline", &revision, "where the branch left it; or a commit, tag or branch");
    } else {
        text.comment("The last commit, for want of a branch called main or master: where changes start from");
        text.comment("another BRANCH, write \"BRANCH...HEAD\".");
        text.push("baseline = \"HEAD\"");
    }
    text.line("candidate", "\"worktree\"", "the files as they stand; \"HEAD\": only what is committed");
    if !found.overlay.is_empty() {
        text.comment("Taken from the candidate and laid over the baseline, so that both sides run one harness.");
        text.array("overlay", &found.overlay);
    } else if found.kind == Kind::Go {
        text.comment("Each side runs its own benches, for they stand beside the code. A file of benches alone");
        text.comment("can be shared: overlay = [\"bench_test.go\"]");
    }
    if !found.build.is_empty() {
        text.comment("Run once for each side, in a worktree of it, before anything is measured.");
        text.array("build", &found.build);
    }
    program(text, found);
    if found.mend.is_some() {
        text.comment("This works once cargo knows the bench as one of Criterion's: in Cargo.toml it needs a");
        text.comment("`[[bench]]` with its name and `harness = false`.");
    }
    text.array("run", &found.run);
    variables(text, found);
    output(text, found);
}

fn command(text: &mut Text, found: &Found) {
    text.push("[target.command]");
    if !found.build.is_empty() {
        text.comment("Run once, before anything is measured.");
        text.array("build", &found.build);
    }
    if found.kind == Kind::Skeleton {
        text.comment("A stand-in that is on every host: put two programs of yours in its place.");
    } else {
        program(text, found);
    }
    let run = format!("{{ run = {} }}", inline(&found.run));
    text.line("baseline", &run, "the program that is there today");
    text.line("candidate", &run, "the one that is proposed; so far the same");
    output(text, found);
}

/// What to know of the program and its arguments.
fn program(text: &mut Text, found: &Found) {
    text.comment(match (found.kind, found.measured) {
        (Kind::Cargo, _) => "`*` stands for the hash that cargo adds. Longer times, in seconds, make steadier runs.",
        (Kind::Go, _) => "-test.bench chooses benches by a pattern; a longer -test.benchtime makes steadier runs.",
        (Kind::Pytest, _) => "`{output}` becomes the file that the benches are read from. Add -k to choose some.",
        (_, Measured::Suite) => "The time of the whole script counts, so let it do nothing but its benches.",
        _ => "Add the arguments of a typical use; they should keep it busy for some milliseconds.",
    });
}

fn variables(text: &mut Text, found: &Found) {
    if !found.env.is_empty() {
        let env: Vec<String> = found.env.iter().map(|(name, value)| format!("{name} = {}", string(value))).collect();
        text.comment("So that each side imports its own sources, also where the package is installed.");
        text.push(&format!("env = {{ {} }}", env.join(", ")));
    }
}

fn output(text: &mut Text, found: &Found) {
    match found.measured {
        Measured::Benches(format) => text.line("output", &string(format), "what the program reports its benches in"),
        Measured::Suite | Measured::Program => {
            text.line("output", "\"time\"", "the execution itself");
            text.comment("What every execution must end with. stdout_sha256 = \"same\" beside it holds the");
            text.comment("candidate to what the baseline prints, byte for byte.");
            text.push("expect = { exit = 0 }");
        }
    }
}

fn profiles(text: &mut Text, measured: Measured) {
    // The estimator takes five pairs to tell anything at all.
    let (quick, full, samples, what) = match measured {
        Measured::Benches(_) => ("5", "10", "1", "how often a run executes the benches"),
        Measured::Suite => ("5", "10", "1", "executions in a run"),
        Measured::Program => ("5", "20", "8", "executions in a run"),
    };
    let long = measured != Measured::Program;
    text.push("[profile.quick]");
    text.line("grade", "\"preliminary\"", "a smoke check: whatever it shows, it never proceeds");
    text.push(&format!("pairs = {quick}"));
    text.line("samples", samples, what);
    if long {
        text.line("timeout", "\"10m\"", "of one run");
    }
    text.push("");
    text.push("[profile.full]");
    text.push("grade = \"comparison\"");
    text.line("pairs", full, "more see smaller changes, and take longer");
    text.line("samples", samples, what);
    if long {
        text.line("timeout", "\"10m\"", "of one run");
    }
}

fn hypothesis(text: &mut Text, measured: Measured) {
    let claim = match measured {
        Measured::Benches(_) => "No bench is slower than before",
        Measured::Suite => "The bench script is no slower than before",
        Measured::Program => "The program is no slower than before",
    };
    text.push("[[hypothesis]]");
    text.push("id = \"no-slower\"");
    text.line("claim", &string(claim), "what a change promises");
    text.line("rollback", "\"revert the change\"", "what to do when it turns out wrong");
    text.push("");
    text.line_of("[[hypothesis.guardrail]]", "must hold, in every case; [[hypothesis.benefit]]: one must");
    match measured {
        Measured::Benches(_) => {
            text.line("metric", "\"latency\"", "of each bench");
            text.line("max_ratio", "1.05", "candidate / baseline: at most 5 % slower");
            text.comment("cases = { bench = [\"NAME\"] } judges only some of the benches.");
        }
        Measured::Suite => {
            text.line("metric", "\"latency\"", "wall time; \"cpu_time\" is steadier");
            text.line("max_ratio", "1.05", "candidate / baseline: at most 5 % slower");
        }
        Measured::Program => {
            text.line("metric", "\"latency\"", "wall time; \"cpu_time\" is steadier");
            text.line("statistic", "\"min\"", "of a run's executions: what disturbs one only adds to it");
            text.line("max_ratio", "1.01", "candidate / baseline: at most 1 % slower");
        }
    }
}

/// A file as it is written.
#[derive(Debug, Default)]
struct Text(String);

impl Text {
    fn push(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn comment(&mut self, comment: &str) {
        self.push(&format!("# {comment}"));
    }

    /// A key with a comment.
    fn line(&mut self, key: &str, value: &str, comment: &str) {
        self.line_of(&format!("{key} = {value}"), comment);
    }

    /// A line with a comment: behind it where it fits, else above it.
    fn line_of(&mut self, line: &str, comment: &str) {
        let whole = format!("{line:<34}  # {comment}");
        if whole.chars().count() <= WIDTH {
            self.push(&whole);
        } else {
            self.comment(comment);
            self.push(line);
        }
    }

    /// A key with texts: on one line where they fit, else on as few as they do.
    fn array(&mut self, key: &str, texts: &[String]) {
        let line = format!("{key} = {}", inline(texts));
        if line.chars().count() <= WIDTH {
            return self.push(&line);
        }
        self.push(&format!("{key} = ["));
        let mut line = "   ".to_owned();
        for text in texts {
            let next = format!(" {},", string(text));
            if line.chars().count() + next.chars().count() > WIDTH && !line.trim().is_empty() {
                self.push(&line);
                "   ".clone_into(&mut line);
            }
            line.push_str(&next);
        }
        self.push(&line);
        self.push("]");
    }
}

fn inline(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| string(text)).collect::<Vec<_>>().join(", "))
}

/// `text` as TOML has it, escaped where it must be.
fn string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
