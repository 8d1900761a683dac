//! What every target holds a reading to.

use std::collections::HashSet;

use gate::reading::{Format, Reading, ReadingError, parse};

/// Reads `bytes` as `format`, and as what they look like.
pub fn read(bytes: &[u8], format: Format) {
    for format in [Some(format), None] {
        hold(parse("f", bytes, format));
    }
}

/// Holds what was read to what the documentation of [`gate::reading`] promises.
///
/// # Panics
///
/// Where a promise is broken.
pub fn hold(read: Result<Reading, ReadingError>) {
    let reading = match read {
        Ok(reading) => reading,
        Err(error) => return printable(&error.to_string()),
    };
    assert!(!reading.benches.is_empty());
    let mut names = HashSet::new();
    for bench in &reading.benches {
        printable(&bench.name);
        assert!(names.insert(&bench.name), "bench `{}` is there twice", bench.name);
        assert!(!bench.series.is_empty());
        let mut metrics = HashSet::new();
        for series in &bench.series {
            printable(&series.metric);
            assert!(metrics.insert(&series.metric), "metric `{}` is there twice", series.metric);
            assert!(!series.values.is_empty());
            assert!(series.values.iter().all(|value| value.is_finite() && value.is_sign_positive()));
        }
    }
    reading.host.iter().for_each(|(key, value)| [key, value].into_iter().for_each(|text| printable(text)));
    reading.failed.iter().for_each(|check| printable(&check.to_string()));
    reading.log.iter().for_each(|line| printable(line));
}

/// Holds a text to be fit for a terminal.
///
/// # Panics
///
/// Where it isn't.
pub fn printable(text: &str) {
    assert!(!text.chars().any(char::is_control), "{text:?}");
}
