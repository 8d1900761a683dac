//! Cargo packages: benches that use criterion, and binaries.

use toml::{Table, Value};

use super::found::{Found, Kind, Measured};
use super::path::{join, last, parent, quoted, resolve, within};
use super::tree::Tree;

/// A package.
#[derive(Debug)]
struct Package {
    /// The folder of its manifest.
    folder: String,
    name: String,
    manifest: Table,
}

/// A bench or a binary.
#[derive(Debug)]
struct Target {
    name: String,
    path: String,
    /// Whether it has cargo's own harness.
    harness: bool,
    features: Vec<String>,
}

/// The benches that use criterion.
pub(super) fn benches(tree: &mut Tree) -> Vec<Found> {
    let mut found = Vec::new();
    for package in packages(tree) {
        if !package.depends_on("criterion") {
            continue;
        }
        for bench in package.targets(tree, "bench", "autobenches", &["benches"]) {
            if tree.text(&bench.path).is_some_and(|text| text.contains("criterion")) {
                found.push(package.bench(&bench));
            }
        }
    }
    // What cargo would run with its own harness reports nothing.
    found.sort_by_key(|one| one.mend.is_some());
    found
}

/// The binaries.
pub(super) fn binaries(tree: &mut Tree) -> Vec<Found> {
    let mut found = Vec::new();
    for package in packages(tree) {
        let mut binaries = package.targets(tree, "bin", "autobins", &["src/bin"]);
        let main = join(&package.folder, "src/main.rs");
        let listed = binaries.iter().any(|target| target.path == main || target.name == package.name);
        if tree.has(&main) && !listed && package.discovers("autobins") {
            let name = package.name.clone();
            binaries.insert(0, Target { name, path: main, harness: true, features: Vec::new() });
        }
        let default = package.table("package").and_then(|table| table.get("default-run")).and_then(Value::as_str);
        binaries.sort_by_key(|binary| Some(binary.name.as_str()) != default);
        found.extend(binaries.iter().map(|binary| package.binary(binary)));
    }
    found
}

/// The packages of the tree; where one is in a workspace's folder and no member of it, cargo would refuse it.
fn packages(tree: &mut Tree) -> Vec<Package> {
    let mut workspaces: Vec<(String, Table)> = Vec::new();
    let mut packages = Vec::new();
    for path in tree.named(|name| name == "Cargo.toml") {
        let Some(manifest) = tree.toml(&path) else { continue };
        let folder = parent(&path).to_owned();
        if let Some(workspace) = manifest.get("workspace").and_then(Value::as_table) {
            workspaces.push((folder.clone(), workspace.clone()));
        } else {
            let around = workspaces.iter().rev().find_map(|(root, table)| Some((table, within(root, &folder)?)));
            if around.is_some_and(|(workspace, path)| !is_member(workspace, path)) {
                continue;
            }
        }
        let Some(package) = manifest.get("package").and_then(Value::as_table) else { continue };
        match package.get("name").and_then(Value::as_str) {
            Some(name) if is_name(name) => packages.push(Package { folder, name: name.to_owned(), manifest }),
            Some(name) => {
                let (path, name) = (quoted(&path), quoted(name));
                tree.note(format!("passed over {path}: cargo takes no package called {name}"));
            }
            None => {}
        }
    }
    packages
}

fn is_member(workspace: &Table, path: &str) -> bool {
    let listed = |key| strings(workspace.get(key));
    let excluded = listed("exclude").iter().any(|folder| path == folder || within(folder, path).is_some());
    !excluded && listed("members").iter().any(|pattern| matches(pattern, path))
}

/// Whether `path` is one of those that `pattern` stands for, where each part may have one `*`.
fn matches(pattern: &str, path: &str) -> bool {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let fits = |(pattern, part): (&&str, &str)| match pattern.split_once('*') {
        Some((before, after)) => part.len() >= pattern.len() - 1 && part.starts_with(before) && part.ends_with(after),
        None => *pattern == part,
    };
    parts.len() == path.split('/').count() && parts.iter().zip(path.split('/')).all(fits)
}

/// Whether cargo takes `name` for a package or a target.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Package {
    fn table(&self, key: &str) -> Option<&Table> {
        self.manifest.get(key).and_then(Value::as_table)
    }

    /// Whether `name` is among its dependencies, under its own or another name.
    fn depends_on(&self, name: &str) -> bool {
        let is_it = |(key, value): (&String, &Value)| {
            value.get("package").and_then(Value::as_str).map_or(key == name, |package| package == name || key == name)
        };
        let tables = ["dev-dependencies", "dependencies"].into_iter().filter_map(|key| self.table(key));
        tables.flatten().any(is_it)
    }

    /// Whether cargo finds targets by their places.
    fn discovers(&self, key: &str) -> bool {
        self.table("package").and_then(|table| table.get(key)).and_then(Value::as_bool).unwrap_or(true)
    }

    /// The targets in `[[key]]`, and those that cargo finds in `folders`.
    fn targets(&self, tree: &Tree, key: &str, auto: &str, folders: &[&str]) -> Vec<Target> {
        let mut targets = Vec::new();
        for table in self.manifest.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
        {
            let Some(name) = table.get("name").and_then(Value::as_str).filter(|name| is_name(name)) else { continue };
            let usual = || {
                let places = folders.iter().flat_map(|folder| {
                    [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs"), "src/main.rs".to_owned()]
                });
                places.map(|place| join(&self.folder, &place)).find(|place| tree.has(place))
            };
            let path = match table.get("path").and_then(Value::as_str) {
                Some(path) => resolve(&self.folder, path).filter(|path| tree.has(path)),
                None => usual(),
            };
            let Some(path) = path else { continue };
            let harness = table.get("harness").and_then(Value::as_bool).unwrap_or(true);
            let features = strings(table.get("required-features"));
            targets.push(Target { name: name.to_owned(), path, harness, features });
        }
        if self.discovers(auto) {
            for folder in folders.iter().map(|folder| join(&self.folder, folder)) {
                for file in tree.below(&folder) {
                    let name = file.strip_suffix("/main.rs").or_else(|| file.strip_suffix(".rs")).unwrap_or("/");
                    let path = join(&folder, file);
                    let listed = targets.iter().any(|target| target.name == name || target.path == path);
                    if is_name(name) && !listed {
                        targets.push(Target { name: name.to_owned(), path, harness: true, features: Vec::new() });
                    }
                }
            }
        }
        targets
    }

    fn bench(&self, bench: &Target) -> Found {
        let folder = join(&self.folder, "benches");
        let shared = if within(&folder, &bench.path).is_some() { folder } else { bench.path.clone() };
        let mend = bench.harness.then(|| {
            format!(
                "{} has no `[[bench]]` with `name = \"{}\"` and `harness = false`: without it cargo runs no criterion bench",
                quoted(&self.path()),
                bench.name
            )
        });
        // Cargo writes `_` for `-` in the names of these files.
        let program = format!("target/release/deps/{}-*", bench.name.replace('-', "_"));
        let run = [&program, "--bench", "--noplot", "--warm-up-time", "0.5", "--measurement-time", "1"];
        Found {
            kind: Kind::Cargo,
            name: self.name.clone(),
            what: format!("Criterion bench {} in {}", quoted(&bench.name), quoted(&bench.path)),
            manifest: self.path(),
            overlay: vec![shared],
            build: self.build(&["bench", "--no-run"], "--bench", bench),
            run: run.map(str::to_owned).to_vec(),
            env: Vec::new(),
            measured: Measured::Benches("criterion"),
            mend,
        }
    }

    fn binary(&self, binary: &Target) -> Found {
        Found {
            kind: Kind::Binary,
            name: self.name.clone(),
            what: format!("Cargo binary {} in {}", quoted(&binary.name), quoted(&binary.path)),
            manifest: self.path(),
            overlay: Vec::new(),
            build: self.build(&["build", "--release"], "--bin", binary),
            run: vec![format!("target/release/{}", last(&binary.name))],
            env: Vec::new(),
            measured: Measured::Program,
            mend: None,
        }
    }

    /// Its manifest.
    fn path(&self) -> String {
        join(&self.folder, "Cargo.toml")
    }

    fn build(&self, words: &[&str], flag: &str, target: &Target) -> Vec<String> {
        let mut build = vec!["cargo".to_owned()];
        build.extend(words.iter().map(|word| (*word).to_owned()));
        if !self.folder.is_empty() {
            build.extend(["--manifest-path".to_owned(), self.path()]);
        }
        build.extend([flag.to_owned(), target.name.clone()]);
        if !target.features.is_empty() {
            build.extend(["--features".to_owned(), target.features.join(",")]);
        }
        build
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_matched_part_by_part() {
        for (pattern, path, is) in [
            ("crates/*", "crates/a", true),
            ("./crates/a", "crates/a", true),
            ("crates/*", "crates/a/b", false),
            ("crates/*-core", "crates/x-core", true),
            ("crates/a*a", "crates/a", false),
            ("*", "a", true),
            ("b", "a", false),
        ] {
            assert_eq!(matches(pattern, path), is, "{pattern} {path}");
        }
    }
}
