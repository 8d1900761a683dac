//! The folder that Criterion.rs leaves: a folder for each bench, in which `new` (or `base`) holds the last samples.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::unit::Unit;

use super::json::{self, Place};
use super::metric::Metric;
use super::{Bench, Format, Reading, ReadingError, source};
use crate::printable;

/// Folders are not nested more deeply: group, function, value, and what stands above them.
const DEPTH: usize = 12;

/// The name of the file that makes a folder a bench's.
const BENCH: &str = "benchmark.json";

#[derive(Deserialize)]
struct Identity {
    full_id: String,
    throughput: Option<Throughput>,
}

/// What one iteration works through.
#[derive(Deserialize)]
enum Throughput {
    Bits(u64),
    Bytes(u64),
    BytesDecimal(u64),
    Elements(u64),
    ElementsAndBytes { elements: u64, bytes: u64 },
}

/// The same in all versions; before 0.4 there was no `sampling_mode`, which isn't needed.
#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    /// Nanoseconds of all iterations together.
    times: Vec<f64>,
}

/// Reads every bench at or below `folder`, in the order of the paths.
pub(super) fn read(label: &str, folder: &Path) -> Result<Reading, ReadingError> {
    let root = folder.canonicalize().map_err(|source| ReadingError::Io { label: label.to_owned(), source })?;
    let mut found = Vec::new();
    search(label, &root, &root, 0, &mut found)?;
    let benches = found.iter().map(|folder| bench(label, &root, folder)).collect::<Result<_, _>>()?;
    Reading::new(label, Format::Criterion, [], benches)
}

/// Adds the folders with samples: of each bench `new`, or `base` where there is no `new`.
fn search(label: &str, root: &Path, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), ReadingError> {
    let io = |source| ReadingError::Io { label: shown(label, root, folder), source };
    if depth > DEPTH {
        return Ok(());
    }
    if folder.join(BENCH).is_file() {
        require_within(label, root, &folder.join(BENCH))?;
        found.push(folder.to_owned());
        return Ok(());
    }
    let mut entries = fs::read_dir(folder).map_err(io)?.collect::<Result<Vec<_>, _>>().map_err(io)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let has_new = folder.join("new").join(BENCH).is_file();
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(io)?.is_symlink() {
            require_within(label, root, &path)?;
            // What it leads to is found where it stands.
            continue;
        }
        let is_sample = ["base", "change"].into_iter().any(|name| entry.file_name() == name);
        if path.is_dir() && !(has_new && is_sample) {
            search(label, root, &path, depth + 1, found)?;
        }
    }
    Ok(())
}

fn require_within(label: &str, root: &Path, path: &Path) -> Result<(), ReadingError> {
    let within = path.canonicalize().is_ok_and(|target| target.starts_with(root));
    let link = printable::short(&path.strip_prefix(root).unwrap_or(path).display().to_string());
    if within { Ok(()) } else { Err(ReadingError::Outside { label: label.to_owned(), link }) }
}

/// What errors call a path below the folder that was named.
fn shown(label: &str, root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => label.to_owned(),
        Ok(below) => format!("{label}/{}", printable::short(&below.display().to_string())),
        Err(_) => label.to_owned(),
    }
}

fn document<T: for<'a> Deserialize<'a>>(
    label: &str,
    root: &Path,
    path: &Path,
    expected: &'static str,
) -> Result<T, ReadingError> {
    let shown = shown(label, root, path);
    if path.exists() {
        require_within(label, root, path)?;
    }
    let bytes = source::file(&shown, path)?;
    serde_json::from_slice(&bytes).map_err(|error| json::malformed(&shown, &error, expected))
}

fn bench(label: &str, root: &Path, folder: &Path) -> Result<Bench, ReadingError> {
    let identity: Identity =
        document(label, root, &folder.join(BENCH), "`full_id` and `throughput`, as Criterion writes them")?;
    let path = folder.join("sample.json");
    let sample: Sample = document(label, root, &path, "`iters` and `times`, as Criterion writes them")?;
    let shown = shown(label, root, &path);
    let place = Place { label: &shown, at: "times", bench: &identity.full_id };
    let (iters, times) = (sample.iters, sample.times);
    if iters.len() != times.len() {
        let (iters, times) = (iters.len(), times.len());
        return Err(place.wrong(format!("there are {times} for {iters} `iters`, and as many are needed; run it again")));
    }
    if let Some(i) = iters.iter().position(|&iters| !(iters.is_finite() && iters > 0.0)) {
        let why = format!("`iters[{i}]` is `{}`, and a number above 0 is needed; run it again", iters[i]);
        return Err(place.wrong(why));
    }
    let per_iteration: Vec<f64> = times.iter().zip(&iters).map(|(time, iters)| time / iters).collect();
    let mut series = vec![place.series("", &Metric::latency(1.0), &per_iteration)?];
    let rates = match identity.throughput {
        None => vec![],
        Some(Throughput::Bytes(bytes) | Throughput::BytesDecimal(bytes)) => vec![(true, bytes)],
        Some(Throughput::Bits(bits)) => vec![(true, bits / 8)],
        Some(Throughput::Elements(elements)) => vec![(false, elements)],
        Some(Throughput::ElementsAndBytes { elements, bytes }) => vec![(false, elements), (true, bytes)],
    };
    for (of_bytes, amount) in rates {
        let (name, unit) = if of_bytes { ("B/s", Unit::BytesPerSecond) } else { ("elements/s", Unit::Other) };
        let metric = Metric::higher(name, unit, 1.0);
        #[expect(clippy::cast_precision_loss, reason = "a rate needs no more digits than a float has")]
        let rates: Vec<f64> = per_iteration.iter().map(|time| amount as f64 * 1e9 / time).collect();
        // A time of zero has no rate.
        if rates.iter().all(|rate| rate.is_finite()) {
            series.push(place.series("", &metric, &rates)?);
        }
    }
    Ok(Bench { name: identity.full_id, series })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// Writes the files of a bench into `folder`, which is relative.
    fn write(root: &TempDir, folder: &str, id: &str, throughput: &str, sample: &str) {
        let folder = root.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let identity = format!(r#"{{"group_id":"g","full_id":"{id}","throughput":{throughput}}}"#);
        fs::write(folder.join(BENCH), identity).unwrap();
        fs::write(folder.join("sample.json"), sample).unwrap();
    }

    const SAMPLE: &str = r#"{"sampling_mode":"Linear","iters":[10.0,20.0],"times":[1000.0,1800.0]}"#;

    #[test]
    fn samples_are_divided_by_their_iterations() {
        let root = tempfile::tempdir().unwrap();
        write(&root, "b (two)/new", "b (two)", "null", SAMPLE);
        write(&root, "b (two)/base", "b (two)", "null", r#"{"iters":[1.0],"times":[7.0]}"#);
        write(&root, "a/x/base", "a/x", r#"{"Bytes":1000}"#, r#"{"iters":[1.0],"times":[500.0]}"#);
        fs::create_dir_all(root.path().join("report")).unwrap();
        for folder in ["", "a/x", "a/x/base", "b (two)"] {
            assert!(read("f", &root.path().join(folder)).is_ok(), "{folder}");
        }
        let reading = read("f", root.path()).unwrap();
        let names: Vec<_> = reading.benches.iter().map(|bench| bench.name.as_str()).collect();
        assert_eq!(names, ["a/x", "b (two)"]);
        assert_eq!(reading.benches[1].series[0].values, [100.0, 90.0], "`new`, not `base`");
        assert_eq!(reading.benches[0].series[1].metric, "B/s");
        assert_eq!(reading.benches[0].series[1].values, [2e9]);
    }

    #[test]
    fn elements_have_a_rate() {
        let root = tempfile::tempdir().unwrap();
        write(&root, "a/new", "a", r#"{"ElementsAndBytes":{"elements":2,"bytes":3}}"#, SAMPLE);
        let metrics: Vec<_> =
            read("f", root.path()).unwrap().benches[0].series.iter().map(|series| series.metric.clone()).collect();
        assert_eq!(metrics, ["latency", "elements/s", "B/s"]);
    }

    #[test]
    fn what_is_no_sample_is_an_error() {
        for (sample, says) in [
            ("", "read `f/a/new/sample.json`: EOF"),
            (r#"{"iters":[1.0],"times":[1"#, "line 1 column 25"),
            (r#"{"iters":[1.0]}"#, "missing field `times`"),
            (r#"{"iters":[1.0,2.0],"times":[1.0]}"#, "there are 1 for 2 `iters`"),
            (r#"{"iters":[0.0],"times":[1.0]}"#, "`iters[0]` is `0`"),
            (r#"{"iters":[1.0],"times":[-1.0]}"#, "times[0], bench `a`: `latency -1`"),
            (r#"{"iters":[],"times":[]}"#, "is empty"),
        ] {
            let root = tempfile::tempdir().unwrap();
            write(&root, "a/new", "a", "null", sample);
            let error = read("f", root.path()).unwrap_err().to_string();
            assert!(error.contains(says), "{sample}: {error}");
        }
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(read("f", root.path()), Err(ReadingError::NoBench { .. })));
        write(&root, "a/new", "a", "null", SAMPLE);
        fs::remove_file(root.path().join("a/new/sample.json")).unwrap();
        let error = read("f", root.path()).unwrap_err().to_string();
        assert!(error.contains("read `f/a/new/sample.json`: No such file"), "{error}");
    }

    #[test]
    fn a_link_that_leads_out_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        write(&outside, "a/new", "a", "null", SAMPLE);
        for link in ["linked", "a/new/sample.json"] {
            let root = tempfile::tempdir().unwrap();
            write(&root, "a/new", "a", "null", SAMPLE);
            let at = root.path().join(link);
            let _ = fs::remove_file(&at);
            let to = if link == "linked" { "a" } else { "a/new/sample.json" };
            symlink(outside.path().join(to), &at).unwrap();
            let error = read("f", root.path()).unwrap_err();
            assert!(matches!(error, ReadingError::Outside { .. }), "{error}");
            assert!(error.to_string().contains(link), "{error}");
        }
        let root = tempfile::tempdir().unwrap();
        write(&root, "a/new", "a", "null", SAMPLE);
        symlink(root.path().join("a"), root.path().join("again")).unwrap();
        assert_eq!(read("f", root.path()).unwrap().benches.len(), 1, "a link within leads to nothing new");
    }
}
