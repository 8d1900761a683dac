//! A file, or a text, into a gate.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

use thiserror::Error;

use super::decode::decode;
use super::diagnostic::{Problem, render_plain};
use super::file::GateFile;
use super::model::Gate;
use super::source::{Format, MAX_BYTES, Source};
use super::suggest::nearest;
use super::{tree, validate};
use crate::printable;

/// As many problems are shown in full; of the rest the number.
const MOST_SHOWN: usize = 20;

/// A gate, and the file that it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The gate.
    pub gate: Gate,
    /// The file, its text byte for byte.
    pub source: Source,
    /// What the gate can run with, but may not have been meant, in the order of the file.
    pub warnings: Vec<Problem>,
}

impl Loaded {
    /// The warnings as people read them; none at the end of a text has a newline.
    ///
    /// With `color` the texts carry ANSI styles.
    #[must_use]
    pub fn render_warnings(&self, color: bool) -> Vec<String> {
        render(&self.warnings, &self.source, color)
    }
}

/// Why there is no gate.
#[derive(Debug, Error)]
pub enum SpecError {
    /// No file of that name.
    #[error("find gate file {}", shown(.name))]
    Missing {
        /// The path as it was given.
        name: String,
        /// The path beside it that was probably meant.
        similar: Option<String>,
    },
    /// A folder has that name.
    #[error("read gate file {}: it is a folder", shown(.name))]
    Folder {
        /// The path as it was given.
        name: String,
    },
    /// The file is there and can't be read.
    #[error("read gate file {}: {source}", shown(.name))]
    Unreadable {
        /// The path as it was given.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file is larger than [`MAX_BYTES`].
    #[error("read gate file {}: it is larger than {MAX_BYTES} bytes", shown(.name))]
    TooLarge {
        /// The path as it was given.
        name: String,
    },
    /// The file has nothing in it.
    #[error("read gate file {}: it is empty", shown(.name))]
    Empty {
        /// The path as it was given.
        name: String,
    },
    /// The file says something that no gate can do.
    #[error("accept gate file {}: {}", shown(.file.name()), counted(.problems.len()))]
    Invalid {
        /// The file; where it isn't UTF-8, with what is wrong replaced by `�`.
        file: Source,
        /// Every problem that keeps the gate from running, in the order of the file.
        problems: Vec<Problem>,
    },
}

/// A path as a message shows it: whole, because its end says most.
fn shown(path: &str) -> String {
    format!("`{}`", printable::text(path))
}

fn counted(problems: usize) -> String {
    if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") }
}

impl SpecError {
    /// Everything that is wrong, as people read it: each problem with its line, what was expected and how to mend it.
    ///
    /// With `color` the text carries ANSI styles. Without a newline at the end.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let help = match self {
            Self::Invalid { file, problems } => return render(problems, file, color).join("\n\n"),
            Self::Missing { similar: Some(similar), .. } => format!("did you mean {}?", shown(similar)),
            Self::Missing { similar: None, .. } | Self::Folder { .. } => {
                "name a gate file, such as gates/examples/minimal.toml".to_owned()
            }
            Self::Unreadable { .. } => "make the file readable for the user that runs gate".to_owned(),
            Self::TooLarge { .. } => "name a gate file: one of that size is something else".to_owned(),
            Self::Empty { .. } => "gates/examples/minimal.toml is one to start from".to_owned(),
        };
        render_plain(&format!("failed to {self}"), &help, color)
    }
}

fn render(problems: &[Problem], source: &Source, color: bool) -> Vec<String> {
    let mut rendered: Vec<String> =
        problems.iter().take(MOST_SHOWN).map(|problem| problem.render(source, color)).collect();
    if problems.len() > MOST_SHOWN {
        rendered.push(format!("and {} more", counted(problems.len() - MOST_SHOWN)));
    }
    rendered
}

/// The gate in the file at `path`: JSON where its extension is `json`, else TOML.
///
/// # Errors
///
/// A file that is missing, a folder, unreadable, larger than [`MAX_BYTES`], not UTF-8 or empty, and every problem that
/// keeps the gate in it from running.
pub fn load(path: &Path) -> Result<Loaded, SpecError> {
    let name = path.display().to_string();
    let bytes = read(path, &name)?;
    let format = Format::of(path);
    match String::from_utf8(bytes) {
        Ok(text) => parse(&name, &text, format),
        Err(error) => Err(not_utf8(&name, &error, format)),
    }
}

fn read(path: &Path, name: &str) -> Result<Vec<u8>, SpecError> {
    let name = || name.to_owned();
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => SpecError::Missing { name: name(), similar: similar(path) },
        io::ErrorKind::IsADirectory => SpecError::Folder { name: name() },
        _ => SpecError::Unreadable { name: name(), source },
    };
    // Opening a pipe waits for whoever writes to it.
    let pipe = std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo());
    if pipe {
        return Err(unreadable(io::Error::other("it is a pipe, and a gate file is a file")));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(SpecError::TooLarge { name: name() });
    }
    Ok(bytes)
}

/// The file in the same folder whose name is most like that of `path`.
fn similar(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let wanted = path.file_name()?.to_str()?;
    let mut names: Vec<String> = std::fs::read_dir(folder.unwrap_or(Path::new(".")))
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "toml" || extension == "json"))
        .collect();
    names.sort_unstable();
    let name = nearest(wanted, names.iter().map(String::as_str))?;
    Some(folder.map_or_else(|| name.to_owned(), |folder| folder.join(name).display().to_string()))
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error, format: Format) -> SpecError {
    let offset = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
    // What stands before the offset is the same in both texts, so that the place is too.
    let file = Source::new(name, &String::from_utf8_lossy(error.as_bytes()), format);
    let problem = Problem::error(
        offset..offset + '\u{fffd}'.len_utf8(),
        format!("byte {offset} of the file, 0x{byte:02x}, is not UTF-8"),
        "expected text in UTF-8",
        "save the file as UTF-8",
    );
    SpecError::Invalid { file, problems: vec![problem] }
}

/// The gate in `text`, which messages call `name`.
///
/// # Errors
///
/// An empty text, and every problem that keeps the gate from running.
pub fn parse(name: &str, text: &str, format: Format) -> Result<Loaded, SpecError> {
    if text.len() as u64 > MAX_BYTES {
        return Err(SpecError::TooLarge { name: name.to_owned() });
    }
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(SpecError::Empty { name: name.to_owned() });
    }
    let source = Source::new(name, text, format);
    match judge(&source) {
        (Some(gate), warnings) => Ok(Loaded { gate, source, warnings }),
        (None, problems) => Err(SpecError::Invalid { file: source, problems }),
    }
}

/// The gate with its warnings, or the problems that keep it from running.
fn judge(source: &Source) -> (Option<Gate>, Vec<Problem>) {
    let root = match tree::read(source) {
        Ok(root) => root,
        Err(problem) => return (None, vec![problem]),
    };
    if let Some(problem) = validate::other_version(&root) {
        return (None, vec![problem]);
    }
    let (file, mut problems) = decode::<GateFile>(&root);
    let Some(file) = file else { return (None, problems) };
    let (gate, found) = validate::validate(&file, &root);
    let gate = gate.filter(|_| problems.is_empty());
    // Beside an error a warning is noise: it may be gone once the error is.
    problems.extend(found.into_iter().filter(|problem| gate.is_some() || !problem.is_warning()));
    problems.sort_by_key(|problem| problem.span().start);
    (gate, problems)
}
