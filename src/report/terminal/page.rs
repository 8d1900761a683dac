//! A page of bounded width: lines, labelled fields, and the tones that colours stand for.

use anstyle::{AnsiColor, Effects};

use crate::report::Style;
use crate::report::text::{clean, width, wrap};
use crate::verdict::Verdict;

/// Columns before the text of a labelled field.
pub(super) const INDENT: usize = 12;

/// What a piece of text says beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Label,
    Title,
    Good,
    Doubt,
    Bad,
}

impl Tone {
    const fn style(self) -> anstyle::Style {
        let style = anstyle::Style::new();
        match self {
            Self::Plain => style,
            Self::Label => style.effects(Effects::DIMMED),
            Self::Title => style.effects(Effects::BOLD),
            Self::Good => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green))).effects(Effects::BOLD),
            Self::Doubt => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow))).effects(Effects::BOLD),
            Self::Bad => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).effects(Effects::BOLD),
        }
    }

    pub(super) const fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Proceed => Self::Good,
            Verdict::Deferred => Self::Title,
            Verdict::Revise => Self::Doubt,
            Verdict::Reject => Self::Bad,
        }
    }
}

/// The text so far.
pub(super) struct Page {
    text: String,
    color: bool,
    width: usize,
}

impl Page {
    pub(super) fn new(style: Style) -> Self {
        Self { text: String::new(), color: style.color, width: style.width.clamp(40, 140) }
    }

    pub(super) const fn width(&self) -> usize {
        self.width
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// `text` in the colours of `tone`, where colours are asked for.
    pub(super) fn paint(&self, text: &str, tone: Tone) -> String {
        let style = tone.style();
        if self.color && tone != Tone::Plain { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// One line, laid out already.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// A rule across the page.
    pub(super) fn rule(&mut self) {
        let rule = self.paint(&"─".repeat(self.width), Tone::Label);
        self.line(&rule);
    }

    /// Text in as many lines as it takes, all after `indent` columns.
    pub(super) fn prose(&mut self, indent: usize, text: &str, tone: Tone) {
        self.hanging(&" ".repeat(indent), Tone::Plain, indent, text, tone);
    }

    /// A label, and beside it text in as many lines as it takes.
    pub(super) fn field(&mut self, label: &str, text: &str) {
        self.hanging(&format!("  {label:<10}"), Tone::Label, INDENT, text, Tone::Plain);
    }

    /// That there is more than is shown here.
    pub(super) fn more(&mut self, indent: usize, count: usize, what: &str) {
        if count > 0 {
            self.prose(indent, &format!("and {} more {what}", crate::report::number::count(count)), Tone::Label);
        }
    }

    /// `head`, and after `indent` columns text in as many lines as it takes.
    pub(super) fn hanging(&mut self, head: &str, head_tone: Tone, indent: usize, text: &str, tone: Tone) {
        let lines = wrap(&clean(text), self.width.saturating_sub(indent));
        for (index, line) in lines.iter().enumerate() {
            let before = if index == 0 {
                format!("{}{}", self.paint(head, head_tone), " ".repeat(indent.saturating_sub(width(head))))
            } else {
                " ".repeat(indent)
            };
            let line = format!("{before}{}", self.paint(line, tone));
            self.line(&line);
        }
    }
}
