//! Python projects with a pytest-benchmark suite.

use std::collections::{BTreeMap, BTreeSet};

use toml::Value;

use super::found::{Found, Kind, Measured};
use super::path::{join, last, parent, quoted, within};
use super::tree::Tree;

/// Folders of tests and benches alone: what both sides can share.
const HARNESSES: [&str; 7] = ["tests", "test", "benchmarks", "benchmark", "benches", "bench", "perf"];
/// More files or folders of benches than this are not listed: the whole project is run.
const MOST_LISTED: usize = 20;

/// A project: the file that says so, and its files with benches.
#[derive(Debug, Default)]
struct Project {
    manifest: Option<String>,
    benches: BTreeSet<String>,
}

/// The projects that have such a suite.
pub(super) fn benches(tree: &mut Tree) -> Vec<Found> {
    let mut projects: BTreeMap<String, Project> = BTreeMap::new();
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for path in tree.named(is_manifest) {
        let folder = parent(&path).to_owned();
        if tree.text(&path).is_some_and(|text| text.lines().any(requires_it)) {
            projects.entry(folder.clone()).or_default().manifest.get_or_insert(path);
        }
        folders.insert(folder);
    }
    for file in tree.named(is_test) {
        if tree.text(&file).is_some_and(|text| uses_fixture(&text)) {
            // The deepest project around a file is its own; without one it is the whole repository's.
            let around = folders.iter().rev().find(|folder| within(folder, &file).is_some());
            let folder = around.cloned().unwrap_or_default();
            projects.entry(folder).or_default().benches.insert(file);
        }
    }
    let mut projects: Vec<_> = projects.into_iter().collect();
    projects.sort_by_key(|(folder, project)| (project.benches.is_empty(), folder.split('/').count(), folder.clone()));
    projects.into_iter().map(|(folder, project)| project.found(tree, &folder)).collect()
}

fn is_manifest(name: &str) -> bool {
    matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py" | "tox.ini")
        || (name.contains("requirements") && has_suffix(name, ".txt"))
}

fn is_test(name: &str) -> bool {
    has_suffix(name, ".py") && (name.starts_with("test_") || name.starts_with("bench") || name.ends_with("_test.py"))
}

fn has_suffix(name: &str, suffix: &str) -> bool {
    name.len() > suffix.len() && name.ends_with(suffix)
}

fn requires_it(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    line.contains("pytest-benchmark") || line.contains("pytest_benchmark")
}

/// Whether a test takes the fixture `benchmark`.
fn uses_fixture(text: &str) -> bool {
    text.split("def test").skip(1).any(|rest| {
        let parameters = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inner, _)| inner);
        parameters.split(',').any(|one| one.split([':', '=']).next().unwrap_or_default().trim() == "benchmark")
    })
}

impl Project {
    fn found(self, tree: &mut Tree, folder: &str) -> Found {
        let mut shared: BTreeSet<String> = self.benches.iter().map(|file| harness(folder, file)).collect();
        if shared.len() > MOST_LISTED {
            shared.clear();
        }
        let shared: Vec<String> = shared.into_iter().collect();
        let mut run = ["python3", "-m", "pytest"].map(str::to_owned).to_vec();
        run.extend(shared.iter().cloned());
        if shared.is_empty() && !folder.is_empty() {
            run.push(folder.to_owned());
        }
        run.extend(["--benchmark-only", "--benchmark-json={output}", "--quiet"].map(str::to_owned));
        // Each side imports its own sources, also where the package is installed.
        let source = join(folder, "src");
        let source = if tree.below(&source).next().is_some() { source } else { folder.to_owned() };
        let env = if source.is_empty() { Vec::new() } else { vec![("PYTHONPATH".to_owned(), source)] };
        let place = self.manifest.clone().or_else(|| self.benches.first().cloned()).unwrap_or_default();
        Found {
            kind: Kind::Pytest,
            name: name(tree, folder),
            what: format!("pytest-benchmark suite, by {}", quoted(&place)),
            manifest: place,
            overlay: shared,
            build: Vec::new(),
            run,
            env,
            measured: Measured::Benches("pytest-benchmark"),
            mend: None,
        }
    }
}

/// What a project is called: as it says itself, else as its folder is.
fn name(tree: &mut Tree, folder: &str) -> String {
    let path = join(folder, "pyproject.toml");
    let table = tree.has(&path).then(|| tree.toml(&path)).flatten().unwrap_or_default();
    let poetry = || table.get("tool").and_then(|tool| tool.get("poetry"));
    let named = |value: Option<&Value>| value?.get("name")?.as_str().map(str::to_owned);
    named(table.get("project")).or_else(|| named(poetry())).unwrap_or_else(|| last(folder).to_owned())
}

/// The folder of tests alone that `file` is in, else the file itself.
fn harness(folder: &str, file: &str) -> String {
    let inner = parent(within(folder, file).unwrap_or(file));
    let parts: Vec<&str> = inner.split('/').collect();
    match parts.iter().position(|part| HARNESSES.contains(part)) {
        Some(at) => join(folder, &parts[..=at].join("/")),
        None => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixture_is_a_parameter_of_a_test() {
        for (text, is) in [
            ("def test_sum(benchmark):\n", true),
            ("    def test_sum(\n        self,\n        benchmark: BenchmarkFixture,\n    ) -> None:", true),
            ("async def test_sum(x, benchmark=None):", true),
            ("def test_sum(benchmarks):", false),
            ("def sum(benchmark):", false),
            ("# benchmark", false),
        ] {
            assert_eq!(uses_fixture(text), is, "{text}");
        }
    }

    #[test]
    fn what_is_measured_is_never_shared() {
        assert_eq!(harness("", "tests/unit/test_a.py"), "tests");
        assert_eq!(harness("py", "py/pkg/tests/test_a.py"), "py/pkg/tests");
        assert_eq!(harness("", "pkg/test_a.py"), "pkg/test_a.py");
        assert_eq!(harness("tests", "tests/test_a.py"), "tests/test_a.py");
    }
}
