//! Data moves one way: each module imports only what the table allows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Who may import whom, in the order of the flow. `main` and `lib` are not layers; `cli` composes all.
const ALLOWED: &[(&str, &[&str])] = &[
    ("unit", &[]),
    ("digest", &[]),
    ("printable", &[]),
    ("reading", &["unit", "printable"]),
    ("program", &["unit", "reading"]),
    ("init", &[]),
    ("stats", &[]),
    ("compare", &["unit", "stats", "reading"]),
    ("measure", &[]),
    ("fixture", &["unit", "digest"]),
    ("workload", &["unit", "digest", "reading", "program", "measure", "fixture"]),
    ("spec", &["unit", "printable", "reading", "program", "workload"]),
    ("worker", &["unit", "program", "spec", "fixture", "measure", "workload"]),
    ("plan", &["unit", "digest", "program", "spec", "workload"]),
    ("target", &["unit", "digest", "program", "spec", "worker", "measure"]),
    ("evidence", &["unit", "digest", "printable", "stats", "spec", "plan", "worker", "workload", "measure"]),
    (
        "campaign",
        &["unit", "printable", "program", "spec", "plan", "target", "worker", "workload", "measure", "evidence"],
    ),
    ("profile", &["unit", "digest", "spec", "plan", "target", "worker", "campaign", "measure"]),
    ("verdict", &["unit", "stats", "spec", "plan", "evidence", "worker", "workload"]),
    ("query", &["unit", "printable", "program", "spec", "plan", "evidence", "verdict", "worker"]),
    ("report", &["unit", "printable", "spec", "plan", "evidence", "verdict", "measure"]),
];

/// Of these only a part may be imported by some.
const ONLY: &[(&str, &str, &str)] = &[
    // A gate file is validated against plain data, never against a running lane.
    ("spec", "workload", "workload::catalogue"),
    ("plan", "workload", "workload::catalogue"),
    // Plans and verdicts speak of requests and samples, and never start a process.
    ("verdict", "worker", "worker::protocol"),
    ("evidence", "worker", "worker::protocol"),
    ("campaign", "worker", "worker::protocol"),
    ("query", "worker", "worker::protocol"),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The module of a file: its first folder under `src`, or its own name.
fn module(path: &Path) -> String {
    let relative = path.strip_prefix(source()).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Every path that begins with `crate::` in code: `use` lines, with their groups unfolded, and paths within lines.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` and `xcrate::` are other words.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        assert!(!rest.starts_with('{'), "write one `use crate::module::…` a line: the test reads them so");
        let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':').collect();
        let path = path.trim_end_matches(':').to_owned();
        // `use crate::workload::{catalogue, …}` imports each of the group.
        let after = &rest[path.len()..];
        if let Some(group) = after.strip_prefix("::{") {
            let group = &group[..group.find('}').unwrap_or(group.len())];
            for item in group.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                found.insert(format!("{path}::{item}"));
            }
        } else {
            found.insert(path);
        }
    }
    found
}

#[test]
fn imports_keep_to_the_flow() {
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let mut paths = Vec::new();
    files(&source(), &mut paths);
    assert!(paths.len() > 30, "the sources are not where the test looks for them");
    let mut wrong = Vec::new();
    for path in paths {
        let module = module(&path);
        if ["main", "lib", "cli"].contains(&module.as_str()) {
            continue;
        }
        let Some(allowed) = allowed.get(module.as_str()) else {
            wrong.push(format!("`{module}` is not in the table"));
            continue;
        };
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            let to = import.split("::").next().unwrap_or_default().to_owned();
            let only = ONLY.iter().find(|(from, whole, _)| *from == module && *whole == to);
            let fits = match only {
                Some((_, _, part)) => import == *part || import.starts_with(&format!("{part}::")),
                None => to == module || allowed.contains(&to.as_str()),
            };
            if !fits {
                wrong.push(format!("{} imports `crate::{import}`", path.strip_prefix(source()).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "against the flow:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_circle() {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for (module, imports) in ALLOWED {
        for import in *imports {
            assert!(done.contains(import), "`{module}` may import `{import}`, which stands below it in the table");
        }
        done.insert(module);
    }
}

#[test]
fn imports_are_read() {
    let text =
        "use crate::unit::{Case, Side};\nuse crate::plan::Plan;\n// crate::cli\nlet x = crate::stats::mean(&[]);";
    let expected = ["plan::Plan", "stats::mean", "unit::Case", "unit::Side"].map(str::to_owned);
    assert_eq!(imports(text), BTreeSet::from(expected));
}
