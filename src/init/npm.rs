//! Packages with a `package.json`: a script `bench`, else a program.

use serde_json::Value;

use super::found::{Found, Kind, Measured};
use super::path::{join, last, parent, quoted, resolve};
use super::tree::Tree;

/// By the file that a package manager locks versions in: how it installs them, and its flag for the folder.
const MANAGERS: [(&str, &str, &str, &str); 4] = [
    ("pnpm-lock.yaml", "pnpm", "--dir", "install --frozen-lockfile"),
    ("yarn.lock", "yarn", "--cwd", "install --frozen-lockfile"),
    ("package-lock.json", "npm", "--prefix", "ci"),
    ("package.json", "npm", "--prefix", "install"),
];

/// Folders of benches alone: what both sides can share.
const HARNESSES: [&str; 4] = ["bench", "benches", "benchmark", "benchmarks"];

/// The packages that have a script or a program.
pub(super) fn programs(tree: &mut Tree) -> Vec<Found> {
    let manifests = tree.named(|name| name == "package.json");
    let mut found: Vec<Found> = manifests.iter().filter_map(|path| package(tree, path)).collect();
    found.sort_by_key(|one| one.measured == Measured::Program);
    found
}

fn package(tree: &mut Tree, manifest: &str) -> Option<Found> {
    let package = tree.json(manifest)?;
    let folder = parent(manifest);
    let builds = script(&package, "build");
    let (what, run, measured) = if script(&package, "bench") {
        let mut run = vec!["npm".to_owned()];
        if !folder.is_empty() {
            run.extend(["--prefix".to_owned(), folder.to_owned()]);
        }
        run.extend(["run", "--silent", "bench"].map(str::to_owned));
        (format!("script `bench` of {}", quoted(manifest)), run, Measured::Suite)
    } else {
        // What a build makes is not there yet.
        let there = |path: &String| builds || tree.has(path);
        let program = program(&package).and_then(|path| resolve(folder, path)).filter(there)?;
        let what = format!("program {} of {}", quoted(&program), quoted(manifest));
        (what, vec!["node".to_owned(), program], Measured::Program)
    };
    let mut overlay = HARNESSES.map(|name| join(folder, name)).to_vec();
    overlay.retain(|path| measured == Measured::Suite && tree.below(path).next().is_some());
    let name = package.get("name").and_then(Value::as_str).unwrap_or(last(folder)).to_owned();
    let build = build(tree, folder, &package, builds);
    Some(Found {
        kind: Kind::Npm,
        name,
        what,
        manifest: manifest.to_owned(),
        overlay,
        build,
        run,
        env: Vec::new(),
        measured,
        mend: None,
    })
}

fn script(package: &Value, name: &str) -> bool {
    package.pointer("/scripts").and_then(|scripts| scripts.get(name)).is_some_and(Value::is_string)
}

/// The file of its program: the first `bin`, else `main`.
fn program(package: &Value) -> Option<&str> {
    let bin = match package.get("bin") {
        Some(Value::Object(names)) => names.values().next(),
        other => other,
    };
    bin.or_else(|| package.get("main")).and_then(Value::as_str)
}

/// Installs what the package depends on, and builds it where it has a script for that.
fn build(tree: &Tree, folder: &str, package: &Value, builds: bool) -> Vec<String> {
    let depends = ["dependencies", "devDependencies"].into_iter().any(|key| package.get(key).is_some());
    let manager = MANAGERS.iter().find(|(lock, ..)| tree.has(&join(folder, lock)));
    let Some((_, program, flag, install)) = manager else { return Vec::new() };
    let words = |rest: &str| {
        let place = if folder.is_empty() { Vec::new() } else { vec![(*flag).to_owned(), folder.to_owned()] };
        let rest = rest.split(' ').map(str::to_owned);
        [(*program).to_owned()].into_iter().chain(place).chain(rest).collect::<Vec<String>>()
    };
    match (depends, builds) {
        (false, false) => Vec::new(),
        (true, false) => words(install),
        (false, true) => words("run build"),
        (true, true) => {
            let quoted = |words: Vec<String>| words.iter().map(|word| shell(word)).collect::<Vec<_>>().join(" ");
            let both = format!("{} && {}", quoted(words(install)), quoted(words("run build")));
            vec!["sh".to_owned(), "-c".to_owned(), both]
        }
    }
}

/// A word that a shell takes as it is.
pub(super) fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::shell;

    #[test]
    fn a_shell_takes_any_word_as_it_is() {
        assert_eq!(shell("a/b-c"), "a/b-c");
        assert_eq!(shell("a b; $(rm) 'c'"), r"'a b; $(rm) '\''c'\'''");
    }
}
