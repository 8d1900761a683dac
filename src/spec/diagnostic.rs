//! What is wrong with a gate file, where, and how to mend it.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::source::Source;
use crate::printable;

/// How grave a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The gate can't run.
    Error,
    /// The gate can run, but may not do what its author meant.
    Warning,
}

/// One thing that is wrong with a gate file: what, where, what was expected there, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    severity: Severity,
    message: String,
    span: Range<usize>,
    expected: String,
    help: String,
    beside: Vec<(Range<usize>, String)>,
}

impl Problem {
    /// A problem at `span` that keeps the gate from running.
    pub(super) fn error(
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span,
            expected: expected.into(),
            help: help.into(),
            beside: Vec::new(),
        }
    }

    /// A problem at `span` that the gate can run with.
    pub(super) fn warning(
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message, expected, help) }
    }

    /// The same problem, with another place of the file shown beside it.
    pub(super) fn beside(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.beside.push((span, label.into()));
        self
    }

    /// Whether the gate can run with it.
    pub(super) fn is_warning(&self) -> bool {
        self.severity == Severity::Warning
    }

    /// How grave it is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.severity
    }

    /// What is wrong: a lower-case fragment that names the offending thing.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What was expected in its place, or why it is a problem.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// How to mend it.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }

    /// The bytes of the source that it is about.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The message as people read it: file, line, the source line with carets, what was expected, and how to mend it.
    ///
    /// `source` is the file that the problem was found in; with `color` the text carries ANSI styles.
    #[must_use]
    pub fn render(&self, source: &Source, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // Only the lines that are shown are handed on: a file may have a million.
        let text = source.text();
        let spans = || std::iter::once(&self.span).chain(self.beside.iter().map(|(span, _)| span));
        let first = text.floor_char_boundary(spans().map(|span| span.start).min().unwrap_or(0));
        let last = text.ceil_char_boundary(spans().map(|span| span.end).max().unwrap_or(0));
        let start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[last..].find('\n').map_or(text.len(), |newline| last + newline);
        let lines = &text[start..end];
        let place = |span: &Range<usize>| {
            let from = lines.floor_char_boundary(span.start.saturating_sub(start));
            from..lines.ceil_char_boundary(span.end.saturating_sub(start)).max(from)
        };
        let mut snippet = Snippet::source(lines)
            .path(printable::text(source.name()))
            .line_start(source.line(start))
            .annotation(AnnotationKind::Primary.span(place(&self.span)).label(&self.expected));
        for (span, label) in &self.beside {
            snippet = snippet.annotation(AnnotationKind::Context.span(place(span)).label(label));
        }
        let group = Group::with_title(level.primary_title(&self.message))
            .element(snippet)
            .element(Level::HELP.message(&self.help));
        render_group(group, color)
    }
}

/// One message without a place in a file: what is wrong, and how to mend it.
pub(super) fn render_plain(message: &str, help: &str, color: bool) -> String {
    render_group(Group::with_title(Level::ERROR.primary_title(message)).element(Level::HELP.message(help)), color)
}

fn render_group(group: Group<'_>, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// `text` from a gate file as a message shows it: in backticks, its control characters escaped, at most 60 characters.
pub(super) fn quoted(text: &str) -> String {
    const LIMIT: usize = 60;
    let shown: String = text.chars().take(LIMIT).collect();
    let rest = if text.chars().nth(LIMIT).is_some() { "…" } else { "" };
    format!("`{}{rest}`", printable::text(&shown))
}

/// The names in backticks, as in "`a`, `b` or `c`"; of many the first 20.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    const MOST: usize = 20;
    let mut rest = names.into_iter();
    let mut names: Vec<String> = rest.by_ref().take(MOST).map(quoted).collect();
    let more = rest.count();
    if more > 0 {
        return format!("{} {last} {more} others", names.join(", "));
    }
    match names.pop() {
        None => "nothing".to_owned(),
        Some(only) if names.is_empty() => only,
        Some(end) => format!("{} {last} {end}", names.join(", ")),
    }
}
