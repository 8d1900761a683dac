//! What built a program, read from the program itself.
//!
//! Compilers leave their versions in the ELF section `.comment`, and Go its release in `.go.buildinfo`; `strip` keeps both.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The release of the compiler that built the running binary, such as `1.95.0 (59807616e 2026-04-14)`.
///
/// `None` where the binary does not say: it isn't a 64-bit little-endian ELF file, or the section was removed.
#[must_use]
pub fn rustc() -> Option<String> {
    let comment = section(&mut File::open("/proc/self/exe").ok()?, b".comment\0").ok()??;
    version(&comment)
}

/// What built the program at `path`: the release of Go, or the compilers, each once, as `rustc version 1.95.0 (…)`.
///
/// `None` where the program does not say, as a script does not.
#[must_use]
pub fn of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    if let Some(info) = section(&mut file, b".go.buildinfo\0").ok()? {
        return go(&info);
    }
    let comment = section(&mut file, b".comment\0").ok()??;
    let mut compilers: Vec<String> = Vec::new();
    for entry in comment.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let text: String = String::from_utf8_lossy(entry).chars().filter(|c| !c.is_control()).collect();
        if !text.is_empty() && !compilers.contains(&text) {
            compilers.push(text);
        }
    }
    (!compilers.is_empty()).then(|| compilers.join("; "))
}

/// The release in a section `.go.buildinfo`: behind 32 bytes its length in one byte, then the text (Go 1.18 and later,
/// `debug/buildinfo`).
fn go(info: &[u8]) -> Option<String> {
    const HEADER: usize = 32;
    let length = usize::from(*info.get(HEADER)?);
    let text = str::from_utf8(info.get(HEADER + 1..HEADER + 1 + length)?).ok()?;
    text.starts_with("go").then(|| text.to_owned())
}

/// The version in a `.comment` section, a row of texts that each end in a zero.
fn version(comment: &[u8]) -> Option<String> {
    comment
        .split(|byte| *byte == 0)
        .find_map(|entry| Some(str::from_utf8(entry).ok()?.strip_prefix("rustc version ")?.to_owned()))
}

/// The bytes of the section `name`, which ends in a zero, of an ELF file (Tool Interface Standard, ELF 1.2; System V
/// ABI, chapter 4).
fn section(file: &mut (impl Read + Seek), name: &[u8]) -> io::Result<Option<Vec<u8>>> {
    const HEADER: usize = 64;
    const SECTION: usize = 64;
    const LARGEST: u64 = 1 << 20;
    let header = read_at(file, 0, HEADER)?;
    // Magic, 64 bits, little-endian.
    if header.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let sections = number(&header, 0x28, 8);
    let (size, count, names) = (number(&header, 0x3a, 2), number(&header, 0x3c, 2), number(&header, 0x3e, 2));
    if size != SECTION as u64 || names >= count {
        return Ok(None);
    }
    let table = read_at(file, sections, SECTION * usize::try_from(count).unwrap_or(0))?;
    let entries: Vec<&[u8]> = table.chunks_exact(SECTION).collect();
    let mut content = |entry: &[u8]| {
        let (offset, size) = (number(entry, 0x18, 8), number(entry, 0x20, 8));
        if size > LARGEST { Ok(Vec::new()) } else { read_at(file, offset, usize::try_from(size).unwrap_or(0)) }
    };
    let Some(entry) = entries.get(usize::try_from(names).unwrap_or(usize::MAX)) else { return Ok(None) };
    let names = content(entry)?;
    for entry in &entries {
        let found = names.get(usize::try_from(number(entry, 0, 4)).unwrap_or(usize::MAX)..).unwrap_or_default();
        if found.starts_with(name) {
            return content(entry).map(Some);
        }
    }
    Ok(None)
}

fn read_at(file: &mut (impl Read + Seek), offset: u64, length: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The little-endian number of `length` bytes at `offset`; zero where there is none.
fn number(bytes: &[u8], offset: usize, length: usize) -> u64 {
    let part = bytes.get(offset..offset + length).unwrap_or_default();
    part.iter().rev().fold(0, |value, byte| (value << 8) | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn this_test_knows_its_compiler() {
        let version = rustc().expect("a binary that says what built it");
        assert!(version.starts_with("1."), "{version}");
    }

    #[test]
    fn a_program_knows_what_built_it() {
        let own = of(Path::new("/proc/self/exe")).expect("a binary that says what built it");
        assert!(own.contains("rustc version 1."), "{own}");
        let info = [&[0xff; 32][..], b"\x06go1.24and more"].concat();
        assert_eq!(go(&info).as_deref(), Some("go1.24"));
        assert_eq!(go(&info[..36]), None);
    }

    #[test]
    fn the_version_is_found_among_other_comments() {
        assert_eq!(version(b"Linker: LLD\0rustc version 1.95.0 (abc)\0GCC\0").as_deref(), Some("1.95.0 (abc)"));
        assert_eq!(version(b"GCC\0"), None);
    }

    #[test]
    fn what_is_no_elf_file_says_nothing() {
        let comment = |file: Vec<u8>| section(&mut Cursor::new(file), b".comment\0");
        assert_eq!(comment(vec![0; 64]).expect("readable"), None);
        assert!(comment(b"short".to_vec()).is_err());
        let mut nonsense = vec![0xff; 200];
        nonsense[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert_eq!(comment(nonsense).expect("readable"), None);
        assert_eq!(of(Path::new("/etc/passwd")), None);
    }
}
