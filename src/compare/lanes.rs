//! One reading whose names tell two sides apart.

use std::str::FromStr;

use crate::reading::{Bench, Reading};

/// Which part of a name, between its `/`, tells the side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lanes {
    /// `/`: the last part.
    Last,
    /// `/key`: the part that begins with `key=`.
    Key(String),
}

/// Why a reading has no two sides. Each message fits after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LanesError {
    /// What tells the sides is neither `/` nor `/key`.
    #[error("use `--by {by}`: `/` takes the last part of each name, and `/key` the part `key=…`")]
    By {
        /// What was given.
        by: String,
    },
    /// A name without such a part.
    #[error("find the side of bench `{bench}`: it has no part `{part}`; `--by /` takes the part after the last `/`")]
    NoPart {
        /// The bench.
        bench: String,
        /// The part.
        part: String,
    },
    /// There are more or fewer sides than two.
    #[error(
        "find two sides in the names: there are {found}, {which}; two are needed, as in `Bench/old` and `Bench/new`"
    )]
    NotTwo {
        /// How many there are.
        found: usize,
        /// The first of them.
        which: String,
    },
}

impl FromStr for Lanes {
    type Err = LanesError;

    fn from_str(text: &str) -> Result<Self, LanesError> {
        match text.strip_prefix('/') {
            Some("") => Ok(Self::Last),
            Some(key) if !key.contains(['/', '=']) => Ok(Self::Key(key.to_owned())),
            _ => Err(LanesError::By { by: text.escape_debug().to_string() }),
        }
    }
}

impl Lanes {
    /// The side that a name tells, and the name without it. What follows the side (`-8`, the number of processors)
    /// stays.
    fn split<'a>(&self, name: &'a str) -> Option<(&'a str, String)> {
        // `-8` at the end belongs to the name, not to the part.
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (bare, processors) = match name.len().checked_sub(digits + 1) {
            Some(at) if digits > 0 && name.as_bytes()[at] == b'-' => name.split_at(at),
            _ => (name, ""),
        };
        match self {
            Self::Last => {
                let (before, side) = bare.rsplit_once('/')?;
                Some((side, format!("{before}{processors}")))
            }
            Self::Key(key) => {
                let value = |part: &'a str| part.strip_prefix(key.as_str())?.strip_prefix('=');
                let side = bare.split('/').skip(1).find_map(value)?;
                let others: Vec<&str> = bare
                    .split('/')
                    .enumerate()
                    .filter(|(i, part)| *i == 0 || value(part).is_none())
                    .map(|(_, part)| part)
                    .collect();
                Some((side, format!("{}{processors}", others.join("/"))))
            }
        }
    }
}

/// Both sides of `reading`, the one seen first as the old one, and what they are called.
///
/// # Errors
///
/// [`LanesError::NoPart`] and [`LanesError::NotTwo`].
pub fn sides(reading: &Reading, lanes: &Lanes) -> Result<[(String, Reading); 2], LanesError> {
    let mut found: Vec<(String, Vec<Bench>)> = Vec::new();
    for bench in &reading.benches {
        let Some((side, name)) = lanes.split(&bench.name) else {
            let part = match lanes {
                Lanes::Last => "/…".to_owned(),
                Lanes::Key(key) => format!("/{key}=…"),
            };
            return Err(LanesError::NoPart { bench: bench.name.clone(), part });
        };
        let bench = Bench { name, series: bench.series.clone() };
        match found.iter_mut().find(|(known, _)| known == side) {
            Some((_, benches)) => benches.push(bench),
            None => found.push((side.to_owned(), vec![bench])),
        }
    }
    let count = found.len();
    let names: Vec<String> = found.iter().take(4).map(|(side, _)| format!("`{side}`")).collect();
    let two: Result<[(String, Vec<Bench>); 2], _> = found.try_into();
    let two = two.map_err(|_| {
        let more = if count > names.len() { " and more" } else { "" };
        LanesError::NotTwo { found: count, which: format!("{}{more}", names.join(", ")) }
    })?;
    let lane = |benches| Reading {
        format: reading.format,
        host: reading.host.clone(),
        benches,
        failed: Vec::new(),
        log: Vec::new(),
    };
    Ok(two.map(|(side, benches)| (side, lane(benches))))
}

#[cfg(test)]
mod tests {
    use super::super::tests::go;
    use super::*;

    #[test]
    fn the_last_part_tells_the_side() {
        let reading = go("BenchmarkQ/wide/control 1 1 ns/op\nBenchmarkQ/wide/control-4 1 2 ns/op\n\
             BenchmarkQ/wide/candidate 1 3 ns/op\nBenchmarkQ/wide/candidate-4 1 4 ns/op");
        let [(old, old_reading), (new, new_reading)] = sides(&reading, &Lanes::Last).unwrap();
        assert_eq!((old.as_str(), new.as_str()), ("control", "candidate"));
        let names = |reading: &Reading| reading.benches.iter().map(|bench| bench.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&old_reading), ["Q/wide", "Q/wide-4"]);
        assert_eq!(names(&new_reading), ["Q/wide", "Q/wide-4"]);
    }

    #[test]
    fn a_key_tells_the_side() {
        let lanes: Lanes = "/codec".parse().unwrap();
        assert_eq!(lanes.split("E/codec=a/n=1-8"), Some(("a", "E/n=1-8".to_owned())));
        assert_eq!(lanes.split("E/n=1"), None);
        assert_eq!(Lanes::Last.split("E"), None);
        assert_eq!(Lanes::Last.split("E/v1-x"), Some(("v1-x", "E".to_owned())));
    }

    #[test]
    fn more_or_fewer_than_two_sides_are_an_error() {
        for (text, says) in [
            ("BenchmarkQ/a 1 1 ns/op", "there are 1, `a`"),
            ("BenchmarkQ/a 1 1 ns/op\nBenchmarkQ/b 1 1 ns/op\nBenchmarkQ/c 1 1 ns/op", "there are 3, `a`, `b`, `c`"),
            ("BenchmarkQ 1 1 ns/op", "bench `Q`: it has no part `/…`"),
        ] {
            let error = sides(&go(text), &Lanes::Last).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        for by in ["", "codec", "//", "/a=b"] {
            assert!(matches!(by.parse::<Lanes>(), Err(LanesError::By { .. })), "{by}");
        }
    }
}
