//! What the fuzz targets in tests/fuzz begin with is what their readers read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gate::evidence::{Journal, decode_run};
use gate::reading::{self, Format};
use gate::spec;

#[test]
fn every_fuzz_target_has_seeds_that_are_read() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    for target in fs::read_dir(fuzz.join("targets")).unwrap() {
        let target = target.unwrap().path();
        let name = target.file_stem().unwrap().to_str().unwrap();
        let seeds = fs::read_dir(fuzz.join("corpus").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let paths = seeds.map(|seed| seed.unwrap().path());
        read.insert(name.to_owned(), paths.filter(|path| is_read(name, path)).count());
    }
    assert!(read.len() > 10 && read.values().all(|&seeds| seeds > 0), "seeds that are read: {read:?}");
}

fn is_read(target: &str, path: &Path) -> bool {
    let bytes = fs::read(path).unwrap();
    let format = match target {
        "gate_file" => return spec::load(path).is_ok(),
        "journal" => return Journal::parse(path, &bytes).is_ok(),
        "run_file" => return decode_run(&bytes).is_ok(),
        "criterion" => {
            let folder = tempfile::tempdir().unwrap();
            let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
            fs::write(folder.path().join("benchmark.json"), &bytes[..end]).unwrap();
            fs::write(folder.path().join("sample.json"), &bytes[end..]).unwrap();
            return reading::read(folder.path(), Some(Format::Criterion)).is_ok();
        }
        "protocol" => Format::Gate,
        other => other.replace('_', "-").parse().unwrap(),
    };
    reading::read(path, Some(format)).is_ok()
}
