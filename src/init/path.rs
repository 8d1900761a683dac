//! Paths within a repository: relative to its root, divided by `/`, UTF-8; the root itself is the empty path.

/// The folder that `path` is in.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of `path`.
pub(super) fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// `name` in `folder`.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// How many folders `path` is in.
pub(super) fn depth(path: &str) -> usize {
    path.matches('/').count()
}

/// `path` as seen from `folder`, which it is in.
pub(super) fn within<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// `path` as a manifest in `folder` has it, where it stays in the folder.
pub(super) fn resolve(folder: &str, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let fits = !path.starts_with('/') && !parts.is_empty() && parts.iter().all(|part| *part != ".." && is_plain(part));
    fits.then(|| join(folder, &parts.join("/")))
}

/// Whether a name can stand in a gate file and on a command line as it is: it is no option, and has no character that
/// steers a terminal or means something else there.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && !name.chars().any(|c| c.is_control() || matches!(c, '{' | '}' | '*'))
}

/// `text` as a message shows it, at most 60 characters: whatever would move or restyle what stands around it is escaped.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    let rest = if text.chars().nth(MOST).is_some() { "…" } else { "" };
    let shown: String = text.chars().take(MOST).collect();
    format!("`{}{rest}`", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_and_put_together() {
        assert_eq!((parent("a/b/c"), last("a/b/c"), depth("a/b/c")), ("a/b", "c", 2));
        assert_eq!((parent("c"), last("c"), join("", "c")), ("", "c", "c".to_owned()));
        assert_eq!((within("a", "a/b"), within("a", "ab/c"), within("", "a")), (Some("b"), None, Some("a")));
    }

    #[test]
    fn a_path_that_leaves_its_folder_is_none() {
        assert_eq!(resolve("a", "./b//c").as_deref(), Some("a/b/c"));
        for path in ["../b", "b/../../c", "/b", "", ".", "-x", "b/\u{1b}[31m", "{rows}", "b/*"] {
            assert_eq!(resolve("a", path), None, "{path:?}");
        }
    }

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(quoted("a\u{1b}[31m\n\u{202e}"), "`a\\u{1b}[31m\\n\\u{202e}`");
        assert_eq!(quoted(&"x".repeat(61)).chars().count(), 63);
    }
}
