//! The text of a gate file, and what to call it.

use std::path::Path;

/// The largest gate file that is read, in bytes.
pub const MAX_BYTES: u64 = 1024 * 1024;

/// The notation of a gate file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// TOML, the usual one.
    Toml,
    /// JSON, for gate files that a program writes.
    Json,
}

impl Format {
    /// The format of the file at `path`: JSON where the extension says so, else TOML.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("json") => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// A gate file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    format: Format,
}

impl Source {
    /// The text called `name` in messages.
    pub(super) fn new(name: &str, text: &str, format: Format) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), format }
    }

    /// What messages call it: the path as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text, byte for byte as in the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its notation.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The line, counted from 1, in which the byte at `offset` stands.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }
}
