//! Go packages with benches.

use std::collections::BTreeMap;

use super::found::{Found, Kind, Measured};
use super::path::{depth, join, last, parent, quoted, within};
use super::tree::Tree;

/// The packages of modules that have benches.
pub(super) fn benches(tree: &mut Tree) -> Vec<Found> {
    let mut modules = tree.named(|name| name == "go.mod");
    // The deepest module around a package is its own.
    modules.reverse();
    let mut packages: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for file in tree.named(|name| name.ends_with("_test.go")) {
        let count = tree.text(&file).map_or(0, |text| text.lines().filter(|line| is_bench(line)).count());
        if count > 0 {
            let folder = parent(&file).to_owned();
            *packages.entry((depth(&file), folder)).or_default() += count;
        }
    }
    let mut found = Vec::new();
    for ((_, folder), count) in packages {
        let module = modules.iter().find_map(|module| Some((module, within_or_same(parent(module), &folder)?)));
        if let Some((module, package)) = module {
            found.push(package_of(tree, module, package, &folder, count));
        }
    }
    found
}

/// `path` as seen from `folder`, empty where they are the same.
fn within_or_same<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder == path { Some("") } else { within(folder, path) }
}

/// Whether `line` begins a bench: `func BenchmarkXxx(b *testing.B)`, where `Xxx` does not begin with a small letter.
fn is_bench(line: &str) -> bool {
    let Some((name, rest)) = line.strip_prefix("func Benchmark").and_then(|rest| rest.split_once('(')) else {
        return false;
    };
    !name.starts_with(char::is_lowercase)
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && rest.split_once(')').is_some_and(|(parameter, _)| parameter.trim_end().ends_with("*testing.B"))
}

fn package_of(tree: &mut Tree, module: &str, package: &str, folder: &str, count: usize) -> Found {
    let text = tree.text(module).unwrap_or_default();
    let path = text.lines().find_map(|line| line.strip_prefix("module ")).unwrap_or_default();
    let path = path.split("//").next().unwrap_or_default().trim().trim_matches('"');
    let mut build = ["go", "test"].map(str::to_owned).to_vec();
    // Must be first among the flags.
    if !parent(module).is_empty() {
        build.extend(["-C".to_owned(), parent(module).to_owned()]);
    }
    build.extend(["-c", "-o", "bench.test"].map(str::to_owned));
    build.push(if package.is_empty() { ".".to_owned() } else { format!("./{package}") });
    let program = format!("./{}", join(parent(module), "bench.test"));
    let run = [&program, "-test.run=^$", "-test.bench=.", "-test.benchmem", "-test.benchtime=200ms"];
    let shown = if folder.is_empty() { "." } else { folder };
    Found {
        kind: Kind::Go,
        name: last(path).to_owned(),
        what: format!("{count} Go bench{} in {}", if count == 1 { "" } else { "es" }, quoted(shown)),
        manifest: module.to_owned(),
        overlay: Vec::new(),
        build,
        run: run.map(str::to_owned).to_vec(),
        env: Vec::new(),
        measured: Measured::Benches("go"),
        mend: None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_bench;

    #[test]
    fn benches_are_told_from_what_looks_like_them() {
        for (line, is) in [
            ("func BenchmarkSum(b *testing.B) {", true),
            ("func Benchmark_sum(bench *testing.B) {", true),
            ("func Benchmark(b *testing.B) {", true),
            ("func Benchmarking(b *testing.B) {", false),
            ("func BenchmarkSum(b *testing.T) {", false),
            ("func BenchmarkSum[T any](b *testing.B) {", false),
            ("// func BenchmarkSum(b *testing.B) {", false),
        ] {
            assert_eq!(is_bench(line), is, "{line}");
        }
    }
}
