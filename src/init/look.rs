//! Looking a repository through.

use std::path::Path;

use super::found::{Found, Kind, Measured};
use super::name::gate_name;
use super::path::{is_plain, parent};
use super::tree::Tree;
use super::{cargo, go, npm, pytest};

/// What was found, and what was passed over.
#[derive(Debug)]
pub struct Look {
    /// What can be measured, the most likely first.
    pub found: Vec<Found>,
    /// What is worth telling, a line each.
    pub notes: Vec<String>,
}

/// Looks into `start`, a folder of the repository at `root`, and where nothing is there into the folders that it is in,
/// up to the root. Every path of what it finds is as seen from the root.
#[must_use]
pub fn look(root: &Path, start: &Path) -> Look {
    let start = start.to_str().filter(|start| start.split('/').all(is_plain)).unwrap_or_default();
    let mut folder = start;
    loop {
        let mut tree = Tree::walk(root.to_owned(), folder);
        let mut found = cargo::benches(&mut tree);
        found.extend(go::benches(&mut tree));
        found.extend(pytest::benches(&mut tree));
        found.extend(npm::programs(&mut tree));
        found.extend(cargo::binaries(&mut tree));
        if found.is_empty() && !folder.is_empty() {
            folder = parent(folder);
            continue;
        }
        for one in &mut found {
            let text = if one.name.is_empty() { name_of(root) } else { one.name.clone() };
            one.name = gate_name(&text);
        }
        return Look { found, notes: tree.into_notes() };
    }
}

/// What stands in for a program where nothing was found: it is on every host, and does no harm.
#[must_use]
pub fn skeleton(root: &Path) -> Found {
    Found {
        kind: Kind::Skeleton,
        name: gate_name(&name_of(root)),
        what: "nothing to measure".to_owned(),
        manifest: String::new(),
        overlay: Vec::new(),
        build: Vec::new(),
        run: ["sleep", "0.02"].map(str::to_owned).to_vec(),
        env: Vec::new(),
        measured: Measured::Program,
        mend: None,
    }
}

fn name_of(root: &Path) -> String {
    root.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
