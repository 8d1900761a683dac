//! The mirror of a profile.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

use crate::spec::model::{Grade, Order};

/// How much is measured, and under which conditions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Profile")]
pub(in crate::spec) struct ProfileFile {
    /// What its evidence is good for: `preliminary` never proceeds, `comparison` needs at least 5 pairs, and better 10.
    #[schemars(required, with = "Grade")]
    pub(in crate::spec) grade: Option<String>,
    /// Pairs of each case: a run of the baseline and a run of the candidate, back to back.
    #[schemars(required, range(min = 1, max = 1_000))]
    pub(in crate::spec) pairs: Option<i64>,
    /// The numbers of pairs after which the campaign looks at what it has and ends where every verdict is settled, such as
    /// `[10, 20]`; the levels of all looks together keep the confidence.
    #[schemars(length(min = 1, max = 20))]
    pub(in crate::spec) looks: Option<Vec<i64>>,
    /// What is validated but not timed before the first sample: a number of operations, or a time such as "500ms".
    pub(in crate::spec) warmup: Option<WarmupFile>,
    /// The least time that the timed pass of a case takes, such as "500ms".
    pub(in crate::spec) min_time: Option<TimeFile>,
    /// The exact number of timed operations, in place of `min_time`.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub(in crate::spec) samples: Option<i64>,
    /// The least number of timed operations beside `min_time`: a 95th percentile needs 20, a 99th 100.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub(in crate::spec) min_samples: Option<i64>,
    /// Which side of a pair goes first.
    #[schemars(with = "Option<Order>", extend("default" = "alternate"))]
    pub(in crate::spec) order: Option<String>,
    /// The seed of a balanced order.
    #[schemars(extend("default" = 14_120))]
    pub(in crate::spec) order_seed: Option<u64>,
    /// Logical CPUs that a run is bound to, where the matrix has no axis `cpus`.
    #[schemars(range(min = 1, max = 1_024))]
    pub(in crate::spec) cpus: Option<i64>,
    /// The memory limit of a run, such as "8GiB"; none where it is left out.
    pub(in crate::spec) memory: Option<SizeFile>,
    /// The limit on the processes of a run; none where it is left out.
    #[schemars(range(min = 1, max = 4_194_304))]
    pub(in crate::spec) processes: Option<i64>,
    /// The time after which a run is killed, such as "120s".
    #[schemars(extend("default" = "120s"))]
    pub(in crate::spec) timeout: Option<TimeFile>,
}

/// A text that a visitor takes, with words of its own for what it expects.
struct TextOf(&'static str);

impl Visitor<'_> for TextOf {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<String, E> {
        Ok(value.to_owned())
    }
}

/// A time, as it is written.
#[derive(Debug)]
pub(in crate::spec) struct TimeFile(pub(in crate::spec) String);

impl<'de> Deserialize<'de> for TimeFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextOf("a time with its unit, such as `\"500ms\"`")).map(Self)
    }
}

impl JsonSchema for TimeFile {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A time: a number and one of the units ns, us, ms, s, m and h.",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ns|us|µs|ms|s|m|h)\s*$",
        })
    }
}

/// A size, as it is written.
#[derive(Debug)]
pub(in crate::spec) struct SizeFile(pub(in crate::spec) String);

impl<'de> Deserialize<'de> for SizeFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextOf("a size with its unit, such as `\"8GiB\"`")).map(Self)
    }
}

impl JsonSchema for SizeFile {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A size: a number and one of the units B, kB, MB, GB, TB, KiB, MiB, GiB and TiB.",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(B|[kMGT]B|[KMGT]iB)\s*$",
        })
    }
}

/// What runs before the first sample, as it is written.
#[derive(Debug)]
pub(in crate::spec) enum WarmupFile {
    /// So many operations.
    Operations(i64),
    /// For so long.
    Time(String),
}

impl<'de> Deserialize<'de> for WarmupFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountOrTime;

        impl Visitor<'_> for CountOrTime {
            type Value = WarmupFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("operations, such as `20`, or a time with its unit, such as `\"500ms\"`")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<WarmupFile, E> {
                Ok(WarmupFile::Operations(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<WarmupFile, E> {
                Ok(WarmupFile::Operations(i64::try_from(value).unwrap_or(i64::MAX)))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<WarmupFile, E> {
                Ok(WarmupFile::Time(value.to_owned()))
            }
        }

        deserializer.deserialize_any(CountOrTime)
    }
}

impl JsonSchema for WarmupFile {
    fn schema_name() -> Cow<'static, str> {
        "Warmup".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let time = generator.subschema_for::<TimeFile>();
        json_schema!({
            "description": "Operations, or a time.",
            "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 10_000_000 }, time],
            "default": 1,
        })
    }
}
