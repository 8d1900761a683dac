//! What addresses in this process are called.
//!
//! Names come from the symbol tables of the files that are loaded; where a file has debugging information as well, calls
//! that were inlined are told too.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The longest name, in characters; templates can make longer ones.
const LONGEST: usize = 1_000;

/// A function in a loaded file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Function {
    /// Its name as its language writes it, without arguments; none where the file does not tell.
    pub name: Option<String>,
    /// The name of the file, without its folder.
    pub module: String,
}

/// The names in the files that are loaded now; looked up once for each address.
#[derive(Debug)]
pub struct Symbols {
    loaded: Vec<(Range<usize>, String)>,
    known: BTreeMap<usize, Vec<Function>>,
}

impl Symbols {
    /// Of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self { loaded: loaded(&fs::read_to_string("/proc/self/maps").unwrap_or_default()), known: BTreeMap::new() }
    }

    /// The function that a call returns to at `address`; before it those that were inlined there, the innermost first.
    pub fn functions(&mut self, address: usize) -> &[Function] {
        let loaded = &self.loaded;
        self.known.entry(address).or_insert_with(|| {
            let module = loaded.iter().find(|(range, _)| range.contains(&address.saturating_sub(1)));
            let module = module.map_or_else(|| "unknown".to_owned(), |(_, module)| module.clone());
            let mut functions = Vec::new();
            backtrace::resolve(address as *mut _, |symbol| {
                let name = symbol.name().map(|name| readable(&String::from_utf8_lossy(name.as_bytes())));
                functions.push(Function { name, module: module.clone() });
            });
            if functions.is_empty() {
                functions.push(Function { name: None, module });
            }
            functions
        })
    }
}

/// The executable ranges of `/proc/self/maps` with the names of their files.
fn loaded(maps: &str) -> Vec<(Range<usize>, String)> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let (begin, end) = words.next()?.split_once('-')?;
        let permissions = words.next()?;
        let path = words.nth(3)?;
        let range = usize::from_str_radix(begin, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
        let name = Path::new(path).file_name()?.to_string_lossy().into_owned();
        permissions.contains('x').then_some((range, name))
    };
    maps.lines().filter_map(of_line).collect()
}

/// A symbol as its language writes it: Rust's without its hash, C++'s without arguments, any other as it is.
#[must_use]
pub fn readable(symbol: &str) -> String {
    let name = format!("{:#}", backtrace::SymbolName::new(symbol.as_bytes()));
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    let parsed = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(&name).ok()).flatten();
    shortened(&parsed.and_then(|symbol| symbol.demangle_with_options(&options).ok()).unwrap_or(name))
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", &name[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_this_program_is_found_by_its_address() {
        let here = loaded as *const () as usize;
        let mut symbols = Symbols::of_this_process();
        let [.., function] = symbols.functions(here + 1) else { panic!("no function") };
        let name = function.name.as_deref().expect("a name");
        assert!(name.ends_with("measure::symbols::loaded"), "{name}");
        let program = std::env::current_exe().expect("a path");
        assert_eq!(function.module, program.file_name().expect("a name").to_string_lossy());
    }

    #[test]
    fn what_has_no_name_has_its_file_or_none() {
        let unknown = [Function { name: None, module: "unknown".to_owned() }];
        assert_eq!(Symbols::of_this_process().functions(3), unknown);
    }

    #[test]
    fn ranges_that_are_executed_are_read_with_their_files() {
        let maps = "1000-2000 r-xp 00000000 fe:00 12 /usr/bin/gate (deleted)\n\
                    2000-3000 rw-p 00000000 fe:00 12 /usr/bin/gate\n\
                    3000-4000 r-xp 00000000 00:00 0 [vdso]\n\
                    4000-5000 r-xp 00000000 00:00 0\nnonsense\n";
        assert_eq!(loaded(maps), [(0x1000..0x2000, "gate".to_owned()), (0x3000..0x4000, "[vdso]".to_owned())]);
    }

    #[test]
    fn names_are_written_as_their_language_does() {
        assert_eq!(readable("_ZN6duckdb8Executor7ExecuteERNS_9DataChunkE"), "duckdb::Executor::Execute");
        assert_eq!(readable("_ZN4gate8workload5probe4spin17h0123456789abcdefE"), "gate::workload::probe::spin");
        assert_eq!(readable("_RNvNtCs1234_7mycrate3foo3bar"), "mycrate::foo::bar");
        assert_eq!(readable("malloc"), "malloc");
        assert_eq!(readable("_Znonsense"), "_Znonsense");
        let long = readable(&"é".repeat(LONGEST + 1));
        assert_eq!(long.chars().count(), LONGEST + 1);
        assert!(long.ends_with('…'));
    }
}
