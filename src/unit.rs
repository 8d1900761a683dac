//! What is measured, and in what: metrics, units, directions, statistics, and cases.
//!
//! These are the words that every other module speaks. The module imports nothing of ours.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The unit of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// A plain count.
    Count,
    /// Operations per second.
    OperationsPerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// Another one, which the metric's own name tells, as in `p95-sec/op` or `requests/s`.
    Other,
}

impl Unit {
    /// The short symbol that follows a number in a report; empty for counts, and where the metric's name tells the unit.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Bytes => "B",
            Self::Count | Self::Other => "",
            Self::OperationsPerSecond => "op/s",
            Self::BytesPerSecond => "B/s",
        }
    }
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Smaller values are better.
    Lower,
    /// Larger values are better.
    Higher,
}

/// What is assumed of a metric's values from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// The same work gives the same value; values are compared exactly.
    Exact,
    /// Values vary from run to run; they are judged by an interval.
    Noisy,
}

/// What reduces the samples of one run to one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The median.
    P50,
    /// The 95th percentile; needs at least 20 samples.
    P95,
    /// The 99th percentile; needs at least 100 samples.
    P99,
    /// The arithmetic mean.
    Mean,
    /// The smallest sample.
    Min,
    /// The largest sample.
    Max,
    /// The one value that the run itself reports.
    Value,
}

impl Statistic {
    /// All statistics, in the order of the documentation.
    pub const ALL: [Self; 7] = [Self::P50, Self::P95, Self::P99, Self::Mean, Self::Min, Self::Max, Self::Value];

    /// The name in gate files and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
            Self::Value => "value",
        }
    }

    /// The quantile in parts per 10,000, for the statistics that are one.
    #[must_use]
    pub const fn quantile_parts(self) -> Option<u32> {
        match self {
            Self::P50 => Some(5_000),
            Self::P95 => Some(9_500),
            Self::P99 => Some(9_900),
            Self::Mean | Self::Min | Self::Max | Self::Value => None,
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Statistic {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|s| s.name() == text).ok_or(())
    }
}

/// Where a metric's samples come from inside a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One sample for every operation of the timed pass.
    Timed,
    /// One sample for every operation of the counted pass, which follows the timed one.
    Counted,
    /// One value for the whole run.
    Run,
    /// As many samples as the program that is executed reports itself.
    Reported,
}

/// A measured quantity: what it is called, its unit, its direction, and what is assumed of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// The name in gate files and evidence.
    pub name: Cow<'static, str>,
    /// The unit of its values.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// Whether equal work gives equal values.
    pub assumption: Assumption,
    /// Where its samples come from.
    pub scope: Scope,
    /// The statistic that a budget uses where it names none.
    pub default_statistic: Statistic,
    /// One line on what the value means and what it does not cover.
    pub about: Cow<'static, str>,
}

impl Metric {
    /// The statistics that make sense for this metric: all but `value` where there are samples,
    /// `value` alone where the run reports one number.
    #[must_use]
    pub fn statistics(&self) -> &'static [Statistic] {
        match self.scope {
            Scope::Run => &[Statistic::Value],
            Scope::Timed | Scope::Counted | Scope::Reported => {
                &[Statistic::P50, Statistic::P95, Statistic::P99, Statistic::Mean, Statistic::Min, Statistic::Max]
            }
        }
    }
}

/// One value on an axis of the workload matrix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AxisValue {
    /// A whole number, as in `rows = 1000`.
    Integer(i64),
    /// A word, as in `shape = "wide"`.
    Text(String),
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// One cell of the workload matrix: a value for every axis, in the order of the gate file.
///
/// Serialised as an ordered object, shown as `shape=wide rows=999`; the one of a matrix without an axis as `the only case`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Case(Vec<(String, AxisValue)>);

impl Case {
    /// The axis on which the benches stand that a program reports itself. No matrix has it.
    pub const BENCH: &'static str = "bench";

    /// The case of the bench called `name` within this one.
    #[must_use]
    pub fn of_bench(&self, name: &str) -> Self {
        let bench = (Self::BENCH.to_owned(), AxisValue::Text(name.to_owned()));
        Self(self.0.iter().cloned().chain([bench]).collect())
    }

    /// The case that a bench is within; itself where it is of none.
    #[must_use]
    pub fn without_bench(&self) -> Self {
        Self(self.0.iter().filter(|(axis, _)| axis != Self::BENCH).cloned().collect())
    }

    /// A case of these axes and values.
    #[must_use]
    pub const fn new(axes: Vec<(String, AxisValue)>) -> Self {
        Self(axes)
    }

    /// The value on `axis`, where the case has it.
    #[must_use]
    pub fn get(&self, axis: &str) -> Option<&AxisValue> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, value)| value)
    }

    /// The whole number on `axis`, where the case has one there.
    #[must_use]
    pub fn integer(&self, axis: &str) -> Option<i64> {
        match self.get(axis) {
            Some(AxisValue::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    /// The word on `axis`, where the case has one there.
    #[must_use]
    pub fn text(&self, axis: &str) -> Option<&str> {
        match self.get(axis) {
            Some(AxisValue::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// The axes and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AxisValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether the case has no axis at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("the only case");
        }
        for (i, (axis, value)) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{axis}={value}")?;
        }
        Ok(())
    }
}

impl Serialize for Case {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (axis, value) in &self.0 {
            map.serialize_entry(axis, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ordered;

        impl<'de> Visitor<'de> for Ordered {
            type Value = Case;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of axes and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Case, A::Error> {
                let mut axes = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    axes.push(entry);
                }
                Ok(Case(axes))
            }
        }

        deserializer.deserialize_map(Ordered)
    }
}

/// One of the two sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// What is there today.
    Baseline,
    /// What is proposed.
    Candidate,
}

impl Side {
    /// Both sides, the baseline first.
    pub const BOTH: [Self; 2] = [Self::Baseline, Self::Candidate];

    /// The name in gate files and evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Candidate => "candidate",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
