//! Verdicts → text. Every renderer reads one [`View`], says the same things, and computes no statistics.
//!
//! [`Format::Terminal`] is for a person at a terminal, in colour where asked and complete without; [`Format::Markdown`] for a
//! campaign's folder and a pull request; [`Format::Json`] for programs. What the texts of a gate file, a check or a host hold
//! is made harmless on its way: control and formatting characters are shown as codes, markup is escaped.

mod facts;
mod json;
mod markdown;
mod notes;
mod number;
mod terminal;
mod text;
mod view;
mod words;

use std::fmt;
use std::str::FromStr;

pub use view::View;

use crate::verdict::MachineTrends;

/// What a report is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// For a person at a terminal.
    Terminal,
    /// GitHub-flavoured Markdown.
    Markdown,
    /// One JSON document over several lines.
    Json,
    /// The same JSON document on one line.
    JsonLine,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Terminal, Self::Markdown, Self::Json, Self::JsonLine];

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::JsonLine => "json-line",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format's name that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("find report format `{0}`; it is one of `terminal`, `markdown`, `json`, `json-line`")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// How a terminal report looks; the other formats take no notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether verdicts and outcomes are coloured; they are told apart without as well.
    pub color: bool,
    /// Columns of the terminal; no line is wider, from 40 columns on.
    pub width: usize,
}

impl Style {
    /// No colours, 80 columns.
    #[must_use]
    pub const fn plain() -> Self {
        Self { color: false, width: 80 }
    }
}

impl Default for Style {
    fn default() -> Self {
        Self::plain()
    }
}

/// The trends of a history for a person at a terminal, machine by machine; nothing where there are none.
#[must_use]
pub fn trends(machines: &[MachineTrends], style: Style) -> String {
    terminal::trends(machines, style)
}

/// The report of one campaign in `format`; it ends with a newline.
#[must_use]
pub fn render(format: Format, view: &View, style: Style) -> String {
    match format {
        Format::Terminal => terminal::render(view, style),
        Format::Markdown => markdown::render(view),
        Format::Json => json::render(view, true),
        Format::JsonLine => json::render(view, false),
    }
}
