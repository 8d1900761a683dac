//! The digests of all files of a campaign's folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::EvidenceError;
use crate::digest::sha256_of;
use crate::printable;

/// The manifest's name.
pub(super) const NAME: &str = "MANIFEST.sha256";

/// The manifest of the folder `root`: a line a file, sorted by name, as `sha256sum` writes it.
///
/// # Errors
///
/// A file that can't be read, and what is neither a folder nor a plain file: a link may lead anywhere.
pub(super) fn text(root: &Path) -> Result<String, EvidenceError> {
    let mut names = Vec::new();
    list(root, root, &mut names)?;
    names.sort();
    let mut text = String::new();
    for name in names.iter().filter(|name| *name != NAME) {
        let path = root.join(name);
        let failed = |source| EvidenceError::io("read", &path, source);
        let file = File::open(&path).map_err(failed)?;
        super::folder::hold_size(&file.metadata().map_err(failed)?).map_err(failed)?;
        let digest = sha256_of(file).map_err(failed)?;
        text.push_str(&format!("{digest}  {name}\n"));
    }
    Ok(text)
}

/// What of the folder `root` is not as its manifest says, a sentence each; empty where all is.
///
/// The manifest is held to the very bytes that this program would write.
///
/// # Errors
///
/// Those of [`text`], and a manifest that can't be read.
pub(super) fn differences(root: &Path) -> Result<Vec<String>, EvidenceError> {
    let kept = super::folder::read(&root.join(NAME))?;
    let found = text(root)?;
    if kept == found.as_bytes() {
        return Ok(Vec::new());
    }
    let kept = String::from_utf8_lossy(&kept);
    let (kept, found) = (by_name(&kept), by_name(&found));
    let mut differences = Vec::new();
    for (name, digest) in &found {
        match kept.get(name) {
            None => differences.push(format!("`{name}` is not in {NAME}")),
            Some(other) if other != digest => differences.push(format!("`{name}` has not the digest that {NAME} has")),
            Some(_) => {}
        }
    }
    let gone = kept.keys().filter(|name| !found.contains_key(*name));
    differences.extend(gone.map(|name| format!("{NAME} has `{}`, which is not there", name.escape_default())));
    if differences.is_empty() {
        differences.push(format!("{NAME} is not written as it was: its lines are out of order, doubled, or marked"));
    }
    Ok(differences)
}

/// The digests of a manifest, by name.
fn by_name(text: &str) -> BTreeMap<&str, &str> {
    text.lines().map(|line| line.split_once("  ").map_or((line, ""), |(digest, name)| (name, digest))).collect()
}

fn list(root: &Path, folder: &Path, names: &mut Vec<String>) -> Result<(), EvidenceError> {
    let failed = |source| EvidenceError::io("list", folder, source);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        let odd = |what: &str| Err(EvidenceError::io("list", &path, io::Error::other(what.to_owned())));
        if kind.is_dir() {
            list(root, &path, names)?;
        } else if !kind.is_file() {
            return odd("it is a link or a device, and evidence is kept in plain files");
        } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            if name.chars().any(printable::is_hidden) {
                return odd("its name has characters that a terminal obeys, which no evidence has");
            }
            names.push(name.to_owned());
        } else {
            return odd("its name is no text, and that of all evidence is");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("runs")).unwrap();
        for (name, text) in [("b.json", "1"), ("a.json", "2"), ("runs/p01.arrow", "3")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        fs::write(folder.path().join(NAME), text(folder.path()).unwrap()).unwrap();
        folder
    }

    fn found(change: impl FnOnce(&Path)) -> String {
        let folder = folder();
        change(folder.path());
        differences(folder.path()).map_or_else(|error| error.to_string(), |all| all.join("; "))
    }

    #[test]
    fn what_is_as_it_was_has_no_differences() {
        assert_eq!(found(|_| {}), "");
    }

    #[test]
    fn each_change_is_named() {
        let write =
            |name: &'static str, text: &'static str| move |root: &Path| fs::write(root.join(name), text).unwrap();
        assert_eq!(found(write("a.json", "3")), format!("`a.json` has not the digest that {NAME} has"));
        assert_eq!(found(write("runs/new", "")), format!("`runs/new` is not in {NAME}"));
        let gone = found(|root| fs::remove_file(root.join("runs/p01.arrow")).unwrap());
        assert_eq!(gone, format!("{NAME} has `runs/p01.arrow`, which is not there"));
    }

    #[test]
    fn the_manifest_itself_is_held_to_its_bytes() {
        let change = |with: fn(&str) -> String| {
            found(|root| {
                let text = fs::read_to_string(root.join(NAME)).unwrap();
                fs::write(root.join(NAME), with(&text)).unwrap();
            })
        };
        assert!(change(|text| text.to_uppercase().replace("A.JSON", "a.json")).contains("`a.json`"));
        let out_of_order = change(|text| text.lines().rev().flat_map(|line| [line, "\n"]).collect());
        assert!(out_of_order.contains("out of order"), "{out_of_order}");
        assert!(change(|text| text.repeat(2)).contains("doubled"));
        assert!(change(|text| text.trim_end().to_owned()).contains(NAME));
        assert!(change(|_| String::new()).contains("`b.json` is not in"));
    }

    #[test]
    fn links_and_devices_are_refused_and_not_followed() {
        let link = found(|root| std::os::unix::fs::symlink("/etc/hostname", root.join("runs/link")).unwrap());
        assert!(link.contains("runs/link") && link.contains("a link or a device"), "{link}");
        let named = found(|root| fs::write(root.join("a\nb"), "").unwrap());
        assert!(named.contains("a terminal obeys"), "{named}");
    }
}
