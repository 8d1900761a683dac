//! The files of a repository, by name; their text on demand. Both within bounds, whatever the repository holds.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use super::path::{depth, is_plain, join, last, quoted};

/// Folders that hold nothing of the repository's own, or nothing that is built.
const SKIPPED: [&str; 6] = ["target", "node_modules", "vendor", "venv", "testdata", "__pycache__"];
/// How deep folders are looked into.
const DEEPEST: usize = 8;
/// How many files and folders are looked at.
const MOST_ENTRIES: usize = 20_000;
/// A file beyond this is no manifest and no source that somebody wrote.
const LARGEST: u64 = 1 << 20;
/// How much is read of all files together.
const MOST_READ: u64 = 64 << 20;
/// How many notes are kept.
const MOST_NOTES: usize = 10;

/// What is in a folder of a repository.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    files: BTreeSet<String>,
    readable: u64,
    notes: BTreeSet<String>,
}

impl Tree {
    /// Walks through `start`, a folder of the repository at `root`.
    pub(super) fn walk(root: PathBuf, start: &str) -> Self {
        let mut tree = Self { root, files: BTreeSet::new(), readable: MOST_READ, notes: BTreeSet::new() };
        let mut folders = VecDeque::from([start.to_owned()]);
        let mut seen = 0;
        while let Some(folder) = folders.pop_front() {
            let entries = match fs::read_dir(tree.root.join(&folder)) {
                Ok(entries) => entries,
                Err(error) => {
                    tree.note(format!("passed over {}: {error}", quoted(&folder)));
                    continue;
                }
            };
            for entry in entries.filter_map(Result::ok) {
                seen += 1;
                if seen > MOST_ENTRIES {
                    tree.note(format!("looked at {MOST_ENTRIES} files and folders, and at no more"));
                    return tree;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                let Some(name) = name.to_str().filter(|name| is_plain(name)) else {
                    let name = name.to_string_lossy();
                    tree.note(format!("passed over {}: its name can't stand in a gate file", quoted(&name)));
                    continue;
                };
                let path = join(&folder, name);
                if kind.is_file() {
                    tree.files.insert(path);
                } else if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name) {
                    let deep = depth(&path).saturating_sub(if start.is_empty() { 0 } else { depth(start) + 1 });
                    if deep < DEEPEST {
                        folders.push_back(path);
                    } else {
                        tree.note(format!("looked no deeper than {DEEPEST} folders"));
                    }
                }
            }
        }
        tree
    }

    /// Remembers what is worth telling.
    pub(super) fn note(&mut self, text: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.insert(text);
        }
    }

    /// What is worth telling of the walk and of what was read.
    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_iter().collect()
    }

    /// Whether there is a file at `path`.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// The files whose names fit, those in the fewest folders first.
    pub(super) fn named(&self, fits: impl Fn(&str) -> bool) -> Vec<String> {
        let mut found: Vec<String> = self.files.iter().filter(|path| fits(last(path))).cloned().collect();
        found.sort_by_key(|path| depth(path));
        found
    }

    /// The files below `folder`, as seen from it.
    pub(super) fn below<'t>(&'t self, folder: &'t str) -> impl Iterator<Item = &'t str> {
        self.files.iter().filter_map(|path| super::path::within(folder, path))
    }

    /// The text of the file at `path`; `None` where there is none, or it can't be read.
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        if !self.has(path) {
            return None;
        }
        let most = LARGEST.min(self.readable);
        let mut bytes = Vec::new();
        let read = fs::File::open(self.root.join(path)).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        let read = match read {
            Ok(read) => read as u64,
            Err(error) => {
                self.note(format!("passed over {}: {error}", quoted(path)));
                return None;
            }
        };
        self.readable -= read.min(most);
        if read > most {
            self.note(format!("passed over {}: it is larger than {most} bytes", quoted(path)));
            return None;
        }
        let text = String::from_utf8(bytes).ok();
        if text.is_none() {
            self.note(format!("passed over {}: it is no UTF-8 text", quoted(path)));
        }
        text
    }

    /// The TOML file at `path`.
    pub(super) fn toml(&mut self, path: &str) -> Option<toml::Table> {
        let text = self.text(path)?;
        match text.parse() {
            Ok(table) => Some(table),
            Err(error) => {
                let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
                self.note(format!("passed over {}: line {line}: {}", quoted(path), error.message().escape_debug()));
                None
            }
        }
    }

    /// The JSON file at `path`.
    pub(super) fn json(&mut self, path: &str) -> Option<serde_json::Value> {
        let text = self.text(path)?;
        match serde_json::from_str(&text) {
            Ok(value) => Some(value),
            Err(error) => {
                self.note(format!("passed over {}: {}", quoted(path), error.to_string().escape_debug()));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    fn tree(root: &Path) -> Tree {
        Tree::walk(root.to_owned(), "")
    }

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn links_hidden_folders_and_what_is_built_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a/x", ".git/x", "target/x", "a/node_modules/x", "a/vendor/x"] {
            write(folder.path(), path, "");
        }
        symlink("..", folder.path().join("a/loop")).unwrap();
        symlink("/etc/passwd", folder.path().join("a/link")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("a/pipe")).status().unwrap();
        assert!(pipe.success());
        assert_eq!(tree(folder.path()).named(|_| true), ["a/x"]);
    }

    #[test]
    fn names_that_no_gate_file_can_hold_are_told() {
        let folder = tempfile::tempdir().unwrap();
        for name in [&b"\xff"[..], b"\x1b[31m", b"{rows}", b"-x", b"plain"] {
            fs::write(folder.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
        }
        let tree = tree(folder.path());
        assert_eq!(tree.named(|_| true), ["plain"]);
        let notes = tree.into_notes();
        assert_eq!(notes.len(), 4, "{notes:?}");
        assert!(notes.iter().all(|note| !note.contains('\u{1b}')), "{notes:?}");
    }

    #[test]
    fn the_walk_and_what_is_read_have_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let deep = "d/".repeat(DEEPEST);
        write(folder.path(), &format!("{deep}in"), "");
        write(folder.path(), &format!("{deep}d/out"), "");
        let large = fs::File::create(folder.path().join("large")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        write(folder.path(), "bytes", "x");
        fs::write(folder.path().join("bytes"), [0xff]).unwrap();
        let mut tree = tree(folder.path());
        assert_eq!(tree.named(|name| name == "in" || name == "out").len(), 1);
        assert_eq!((tree.text("large"), tree.text("bytes"), tree.text("none")), (None, None, None));
        assert_eq!(
            tree.into_notes(),
            [
                "looked no deeper than 8 folders",
                "passed over `bytes`: it is no UTF-8 text",
                "passed over `large`: it is larger than 1048576 bytes",
            ]
        );
    }

    #[test]
    fn no_more_than_so_many_entries_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..=MOST_ENTRIES {
            fs::File::create(folder.path().join(n.to_string())).unwrap();
        }
        let tree = tree(folder.path());
        assert_eq!(tree.named(|_| true).len(), MOST_ENTRIES);
        assert_eq!(tree.into_notes(), ["looked at 20000 files and folders, and at no more"]);
    }

    #[test]
    fn what_does_not_parse_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "Cargo.toml", "[package]\nname = \u{1b}[31m\n");
        write(folder.path(), "package.json", "{\n\"name\": }");
        let mut tree = tree(folder.path());
        assert!(tree.toml("Cargo.toml").is_none() && tree.json("package.json").is_none());
        let notes = tree.into_notes();
        assert!(notes[0].starts_with("passed over `Cargo.toml`: line 2: "), "{notes:?}");
        assert!(notes[1].contains("line 2 column 9") && !notes.concat().contains('\u{1b}'), "{notes:?}");
    }
}
