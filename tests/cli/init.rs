//! `gate init` in repositories of every kind: what it writes is a snapshot, and passes `gate check`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use crate::gate::{Answer, Bench};

/// A folder that is a repository, or is to become one.
struct Repository {
    bench: Bench,
}

impl Repository {
    /// A folder that is in no repository.
    fn none() -> Self {
        let repository = Self { bench: Bench::new() };
        fs::create_dir(repository.path("")).unwrap();
        repository
    }

    /// A repository with these files and no commit.
    fn unborn(files: &[(&str, &str)]) -> Self {
        let repository = Self::none();
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.git(&["config", "user.email", "a@example.com"]);
        repository.git(&["config", "user.name", "A"]);
        repository.file(".gitignore", "/results/\n");
        for (path, text) in files {
            repository.file(path, text);
        }
        repository
    }

    /// A repository with these files, committed.
    fn of(files: &[(&str, &str)]) -> Self {
        let repository = Self::unborn(files);
        repository.commit();
        repository
    }

    fn path(&self, path: &str) -> PathBuf {
        self.bench.path("repo").join(path)
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn git(&self, words: &[&str]) {
        let output = Command::new("git").arg("-C").arg(self.path("")).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "a commit"]);
    }

    /// Has the repository know `branch` as its origin's default.
    fn origin(&self, branch: &str) {
        let name = format!("refs/remotes/origin/{branch}");
        self.git(&["update-ref", &name, "HEAD"]);
        self.git(&["symbolic-ref", "refs/remotes/origin/HEAD", &name]);
    }

    fn gate(&self, arguments: &[&str]) -> Answer {
        self.bench.within("repo", arguments)
    }

    /// What `gate init` writes to `gates/NAME.toml`, after `gate check` has found nothing wrong with it.
    fn writes(&self, arguments: &[&str], name: &str) -> String {
        let init = self.gate(&[&["init"], arguments].concat());
        assert_eq!(init.code, 0, "{init:?}");
        assert!(!init.stderr.contains('\u{1b}'), "{init:?}");
        let path = format!("gates/{name}.toml");
        assert_eq!(init.stdout.lines().next(), Some(path.as_str()), "{init:?}");
        assert!(
            init.stderr.ends_with(&format!("next: gate check {name}; gate run {name} --profile quick\n")),
            "{init:?}"
        );
        let check = self.gate(&["check", name]);
        assert_eq!(check.code, 0, "{check:?}");
        assert!(!check.stderr.contains("error"), "{check:?}");
        let text = self.read(&path);
        let wide: Vec<&str> = text.lines().filter(|line| line.contains("# ") && line.chars().count() > 99).collect();
        assert!(wide.is_empty(), "{wide:?}");
        text
    }

    /// What `gate init` says where it refuses; nothing is written then.
    fn refuses(&self, arguments: &[&str], code: i32) -> String {
        let init = self.gate(&[&["init"], arguments].concat());
        assert_eq!((init.code, init.stdout.as_str()), (code, ""), "{init:?}");
        assert!(!init.stderr.contains('\u{1b}'), "{init:?}");
        init.stderr
    }
}

const CRITERION: &str = "[package]\nname = \"parse\"\nversion = \"0.1.0\"\n[dev-dependencies]\ncriterion = \"0.8\"\n";
const HARNESS: &str = "[[bench]]\nname = \"fast-parse\"\nharness = false\n";
const BENCH: &str = "use criterion::criterion_main;\n";
const BINARY: &str = "[package]\nname = \"tool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const GO_BENCH: &str = "package sum\n\nfunc BenchmarkSum(b *testing.B) {}\nfunc BenchmarkProd(b *testing.B) {}\n";

fn cargo() -> Repository {
    Repository::of(&[("Cargo.toml", &format!("{CRITERION}{HARNESS}")), ("benches/fast-parse.rs", BENCH)])
}

fn go() -> Repository {
    Repository::of(&[("go.mod", "module example.com/x/sum // the sums\n"), ("sum_test.go", GO_BENCH)])
}

fn binary() -> Repository {
    Repository::of(&[("Cargo.toml", BINARY), ("src/main.rs", "fn main() {}\n")])
}

#[test]
fn criterion_benches() {
    let repository = cargo();
    repository.origin("trunk");
    insta::assert_snapshot!(repository.writes(&[], "parse"));
}

#[test]
fn go_benches() {
    insta::assert_snapshot!(go().writes(&[], "sum"));
}

#[test]
fn a_pytest_suite() {
    let repository = Repository::of(&[
        ("pyproject.toml", "[project]\nname = \"py.sum\"\n[dependency-groups]\ndev = [\"pytest-benchmark>=5\"]\n"),
        ("src/sum/__init__.py", ""),
        ("tests/unit/test_sum.py", "def test_sum(benchmark):\n    benchmark(sum, [1])\n"),
    ]);
    insta::assert_snapshot!(repository.writes(&[], "py-sum"));
}

#[test]
fn a_bench_script_of_a_package() {
    let package =
        r#"{ "name": "@scope/web", "scripts": { "bench": "node bench/all.js", "build": "tsc" }, "dependencies": {} }"#;
    let repository =
        Repository::of(&[("package.json", package), ("pnpm-lock.yaml", ""), ("bench/all.js", ""), ("cli.js", "")]);
    insta::assert_snapshot!(repository.writes(&[], "web"));
}

#[test]
fn a_program_of_a_package() {
    let repository =
        Repository::of(&[("web/package.json", r#"{ "bin": { "x": "./bin/x.js" } }"#), ("web/bin/x.js", "")]);
    let text = repository.writes(&[], "web");
    assert!(text.contains(r#"run = ["node", "web/bin/x.js"]"#) && !text.contains("build ="), "{text}");
}

#[test]
fn a_cargo_binary() {
    insta::assert_snapshot!(binary().writes(&[], "tool"));
}

#[test]
fn nothing_to_measure_gives_a_skeleton() {
    let repository = Repository::of(&[("README", "")]);
    insta::assert_snapshot!(repository.writes(&[], "repo"));
}

#[test]
fn a_gate_runs_from_init_to_its_verdict() {
    let work = |rounds: u32| format!("fn main() {{ for i in 0..{rounds}u32 {{ std::hint::black_box(i); }} }}\n");
    let repository = Repository::of(&[("Cargo.toml", BINARY), ("src/main.rs", &work(1000))]);
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    repository.file("src/main.rs", &work(100_000_000));
    repository.commit();
    repository.writes(&[], "tool");
    let run = repository.gate(&["run", "tool", "--profile", "quick"]);
    assert!([10, 11].contains(&run.code), "{run:?}");
    assert!(run.stdout.contains("would reject"), "{run:?}");
}

#[test]
fn all_that_is_found_is_told_and_another_can_be_chosen() {
    let repository = cargo();
    repository.file("benches/other.rs", BENCH);
    repository.file("src/main.rs", "fn main() {}\n");
    repository.file("server/go.mod", "module server\n");
    repository.file("server/sum/sum_test.go", GO_BENCH);
    let told = repository.gate(&["init"]).stderr;
    insta::assert_snapshot!(told);
    let text = repository.writes(&["--for", "go"], "server");
    assert!(text.contains(r#"build = ["go", "test", "-C", "server", "-c", "-o", "bench.test", "./sum"]"#), "{text}");
    assert!(text.contains(r#""./server/bench.test","#), "{text}");
    fs::remove_file(repository.path("gates/parse.toml")).unwrap();
    let text = repository.writes(&["--for", "binary"], "parse");
    assert!(text.contains(r#"run = ["target/release/parse"]"#), "{text}");
    let said = repository.refuses(&["--for", "npm"], 2);
    assert!(said.contains("`package.json`") && said.contains("`--for cargo`, `--for go`, `--for binary`"), "{said}");
}

#[test]
fn a_bench_that_cargo_would_not_run_is_told() {
    let repository = Repository::of(&[("Cargo.toml", CRITERION), ("benches/x.rs", BENCH), ("benches/y.rs", "")]);
    let init = repository.gate(&["init"]);
    let hint = "hint: `Cargo.toml` has no `[[bench]]` with `name = \"x\"` and `harness = false`";
    assert!(init.stderr.contains(hint) && !init.stderr.contains("`y`"), "{init:?}");
    assert!(repository.read("gates/parse.toml").contains("`harness = false`"));
    assert_eq!(repository.gate(&["check", "parse"]).code, 0);
}

#[test]
fn members_of_a_workspace_are_found_and_what_is_none_is_not() {
    let member = CRITERION.replace("\"parse\"", "\"member\"") + HARNESS;
    let repository = Repository::of(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/old\"]\n"),
        ("crates/member/Cargo.toml", &member),
        ("crates/member/benches/fast-parse.rs", BENCH),
        ("crates/old/Cargo.toml", &format!("{CRITERION}{HARNESS}")),
        ("crates/old/benches/fast-parse.rs", BENCH),
        ("fixtures/Cargo.toml", &format!("{CRITERION}{HARNESS}")),
        ("fixtures/benches/fast-parse.rs", BENCH),
    ]);
    let text = repository.writes(&[], "member");
    assert!(text.contains(r#""--manifest-path", "crates/member/Cargo.toml","#), "{text}");
    assert!(text.contains(r#"overlay = ["crates/member/benches"]"#), "{text}");
    fs::remove_dir_all(repository.path("crates/member")).unwrap();
    let said = repository.refuses(&["--for", "cargo"], 2);
    assert!(said.contains("expected a Cargo package with `criterion`"), "{said}");
}

#[test]
fn a_folder_within_is_looked_into_first_and_the_root_is_written_to() {
    let repository = cargo();
    repository.file("server/go.mod", "module server\n");
    repository.file("server/sum_test.go", GO_BENCH);
    fs::create_dir_all(repository.path("benches/data")).unwrap();
    let init = repository.bench.within("repo/server", &["init"]);
    assert_eq!((init.code, init.stdout.as_str()), (0, "../gates/server.toml\n"), "{init:?}");
    assert!(init.stderr.contains("next: cd ..; gate check server;"), "{init:?}");
    assert_eq!(repository.gate(&["check", "server"]).code, 0);
    // Nothing is there, so what is around counts.
    let init = repository.bench.within("repo/benches/data", &["init"]);
    assert_eq!((init.code, init.stdout.as_str()), (0, "../../gates/parse.toml\n"), "{init:?}");
}

#[test]
fn nothing_is_overwritten() {
    let repository = cargo();
    repository.file("gates/parse.toml", "mine\n");
    let said = repository.refuses(&["--ci", "github"], 2);
    assert!(said.contains("write `gates/parse.toml`: it is there already") && said.contains("move it away"), "{said}");
    assert!(!repository.path(".github").exists());
    assert_eq!(repository.read("gates/parse.toml"), "mine\n");

    let repository = cargo();
    repository.file(".github/workflows/gate.yml", "mine\n");
    let said = repository.refuses(&["--ci", "github"], 2);
    assert!(said.contains("write `.github/workflows/gate.yml`: it is there already"), "{said}");
    assert!(!repository.path("gates").exists());

    // A link to nowhere is there as well.
    let repository = cargo();
    fs::create_dir(repository.path("gates")).unwrap();
    symlink(repository.bench.path("outside"), repository.path("gates/parse.toml")).unwrap();
    repository.refuses(&[], 2);
    assert!(!repository.bench.path("outside").exists());
}

#[test]
fn no_link_is_followed_out_of_the_repository() {
    for link in ["gates", ".github"] {
        let repository = cargo();
        let outside = repository.bench.path("outside");
        fs::create_dir(&outside).unwrap();
        symlink(&outside, repository.path(link)).unwrap();
        let said = repository.refuses(&["--ci", "github"], 1);
        assert!(said.contains(&format!("`{link}` is a link that leads out of the repository; put a folder")), "{said}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert!(!repository.path("gates/parse.toml").exists());
    }
    let repository = cargo();
    fs::create_dir(repository.path("perf")).unwrap();
    symlink("perf", repository.path("gates")).unwrap();
    repository.writes(&[], "parse");
    assert!(repository.path("perf/parse.toml").exists());
}

#[test]
fn without_git_two_programs_are_compared() {
    let repository = Repository::none();
    repository.file("Cargo.toml", BINARY);
    repository.file("src/main.rs", "fn main() {}\n");
    insta::assert_snapshot!(repository.writes(&[], "tool"));
    let said = repository.refuses(&["--for", "go"], 2);
    assert!(said.contains("no git repository") && said.contains("run `git init` and commit"), "{said}");
    let said = repository.refuses(&["--ci", "github"], 2);
    assert!(said.contains("no branch is known that pull requests go to"), "{said}");
}

#[test]
fn without_git_and_without_a_program_it_says_what_it_looked_for() {
    let repository = Repository::none();
    repository.file("go.mod", "module sum\n");
    repository.file("sum_test.go", GO_BENCH);
    let said = repository.refuses(&[], 2);
    for part in ["no git repository", "a Cargo package with a binary", "`package.json`", "`[target.command]`"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!repository.path("gates").exists());
}

#[test]
fn a_repository_that_git_refuses_is_told() {
    let repository = cargo();
    let init = repository.bench.within("repo/.git", &["init"]);
    assert_eq!(init.code, 1, "{init:?}");
    assert!(init.stderr.contains("open the repository: git says: fatal: "), "{init:?}");
}

#[test]
fn what_is_missing_before_a_run_is_told() {
    let repository = Repository::unborn(&[("Cargo.toml", BINARY), ("src/main.rs", "fn main() {}\n")]);
    fs::remove_file(repository.path(".gitignore")).unwrap();
    let init = repository.gate(&["init"]);
    assert_eq!(init.code, 0, "{init:?}");
    assert!(init.stderr.contains("hint: commit first") && init.stderr.contains("hint: add `/results/`"), "{init:?}");
    let text = repository.read("gates/tool.toml");
    assert!(text.contains("baseline = \"HEAD\"\n") && text.contains("\"BRANCH...HEAD\""), "{text}");
}

#[test]
fn a_workflow_between_the_merge_base_and_the_head() {
    let repository = go();
    repository.origin("it's/c++");
    let text = repository.writes(&["--ci", "github"], "sum");
    assert!(text.contains(r#"baseline = "origin/it's/c++...HEAD""#), "{text}");
    insta::assert_snapshot!(repository.read(".github/workflows/gate.yml"));
    is_a_workflow(&repository);
}

#[test]
fn a_workflow_makes_the_branch_that_the_gate_file_names() {
    let repository = Repository::of(&[("req/requirements-dev.txt", "pytest-benchmark\n")]);
    let text = repository.writes(&["--ci", "github"], "req");
    assert!(text.contains(r#"baseline = "main...HEAD""#), "{text}");
    let workflow = repository.read(".github/workflows/gate.yml");
    assert!(workflow.contains("- run: git branch --force main origin/main\n"), "{workflow}");
    assert!(workflow.contains("run: 'python3 -m pip install -r req/requirements-dev.txt'\n"), "{workflow}");
    is_a_workflow(&repository);
}

#[test]
fn a_workflow_needs_a_branch() {
    let repository = binary();
    repository.git(&["branch", "--move", "trunk"]);
    let said = repository.refuses(&["--ci", "github"], 2);
    assert!(said.contains("`origin/HEAD`") && said.contains("git remote set-head origin --auto"), "{said}");
    assert!(!repository.path("gates").exists() && !repository.path(".github").exists());
}

/// Has Python read the workflow, where it can.
fn is_a_workflow(repository: &Repository) {
    let python = |words: &[&str]| Command::new("python3").args(words).current_dir(repository.path("")).output();
    if !python(&["-c", "import yaml"]).is_ok_and(|output| output.status.success()) {
        return;
    }
    let read = "import json, yaml; print(json.dumps(yaml.load(open('.github/workflows/gate.yml'), yaml.BaseLoader)))";
    let output = python(&["-c", read]).unwrap();
    let workflow: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(workflow["permissions"], serde_json::json!({ "contents": "read" }));
    assert!(workflow["on"]["pull_request"]["branches"][0].is_string(), "{workflow}");
    let steps = workflow["jobs"]["gate"]["steps"].as_array().unwrap();
    for step in steps {
        let version = |uses: &str| uses.split_once('@').is_some_and(|(_, version)| version.starts_with('v'));
        match (step["uses"].as_str(), step["run"].as_str()) {
            (Some(uses), None) => assert!(version(uses), "{uses}"),
            (None, Some(script)) => {
                let output = Command::new("bash").args(["-n", "-c", script]).output().unwrap();
                assert!(output.status.success(), "{script}: {output:?}");
            }
            both => panic!("{both:?}"),
        }
    }
    assert_eq!(steps.last().unwrap()["if"], "always()");
}

#[test]
fn what_a_repository_says_is_never_trusted() {
    let evil = "a\\\"\\n[target]\\u001b[31m";
    for (path, text) in [
        ("Cargo.toml", format!("[package]\nname = \"{evil}\"\n")),
        ("Cargo.toml", "[package\n".to_owned()),
        ("Cargo.toml", format!("x = {}1{}", "[".repeat(100_000), "]".repeat(100_000))),
        ("package.json", "{".repeat(100_000)),
        ("package.json", r#"{ "bin": "../../../usr/bin/x", "main": 1 }"#.to_owned()),
        ("package.json", r#"{ "bin": "/bin/sh" }"#.to_owned()),
    ] {
        let repository = Repository::of(&[(path, &text), ("src/main.rs", "fn main() {}\n")]);
        let text = repository.writes(&[], "repo");
        assert!(text.contains("sleep"), "{text}");
    }
    // A name becomes one that fits, and nothing of it is told raw.
    let package = format!(r#"{{ "name": "{evil}", "scripts": {{ "bench": "x" }} }}"#);
    let repository = Repository::of(&[("package.json", &package)]);
    repository.writes(&[], "a---target---31m");
    let long = format!(r#"{{ "name": "{}", "main": "{}.js" }}"#, "n".repeat(1000), "m".repeat(200));
    let repository = Repository::of(&[("package.json", &long), (&format!("{}.js", "m".repeat(200)), "")]);
    repository.writes(&[], &"n".repeat(64));
    // Quotes and blanks in a folder's name are part of the text.
    let repository = Repository::of(&[("a \"b' $(c)/package.json", r#"{ "scripts": { "bench": "x" } }"#)]);
    let text = repository.writes(&[], "a--b----c");
    let file: toml::Table = text.parse().unwrap();
    assert_eq!(file["target"]["revisions"]["run"][2].as_str(), Some("a \"b' $(c)"));
}

#[test]
fn what_does_not_parse_is_passed_over_and_told() {
    let repository = go();
    repository.file("Cargo.toml", "[package]\nname = \n");
    let init = repository.gate(&["init"]);
    assert_eq!((init.code, init.stdout.as_str()), (0, "gates/sum.toml\n"), "{init:?}");
    assert!(init.stderr.contains("note: passed over `Cargo.toml`: line 2: "), "{init:?}");
}
