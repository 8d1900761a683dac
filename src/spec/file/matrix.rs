//! The mirrors of the matrix, of selectors, and of tables whose keys are names.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::unit::AxisValue;

/// A table whose keys are names, in the order of the file.
#[derive(Debug)]
pub(in crate::spec) struct Named<T>(pub(in crate::spec) Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }

        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Named_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}

/// Which cases: for each axis the value, or the values, that are chosen.
pub(in crate::spec) type SelectorFile = Named<ValuesFile>;

/// One value on an axis, or several.
#[derive(Debug)]
pub(in crate::spec) struct ValuesFile(pub(in crate::spec) Vec<AxisValue>);

impl<'de> Deserialize<'de> for ValuesFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;

        impl<'de> Visitor<'de> for OneOrMany {
            type Value = ValuesFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of an axis (a whole number or a word in quotes) or an array of them")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<ValuesFile, E> {
                Ok(ValuesFile(vec![AxisValue::Integer(value)]))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<ValuesFile, E> {
                Ok(ValuesFile(vec![AxisValue::Text(value.to_owned())]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ValuesFile, A::Error> {
                let mut values = Vec::new();
                while let Some(ValueFile(value)) = items.next_element()? {
                    values.push(value);
                }
                Ok(ValuesFile(values))
            }
        }

        deserializer.deserialize_any(OneOrMany)
    }
}

impl JsonSchema for ValuesFile {
    fn schema_name() -> Cow<'static, str> {
        "AxisValues".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let value = json_schema!({ "type": ["integer", "string"] });
        json_schema!({
            "description": "One value on an axis, or several: whole numbers or words.",
            "anyOf": [value, { "type": "array", "items": value, "minItems": 1, "uniqueItems": true }],
        })
    }
}

/// One value of an array of values.
struct ValueFile(AxisValue);

impl<'de> Deserialize<'de> for ValueFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;

        impl Visitor<'_> for One {
            type Value = ValueFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of an axis: a whole number or a word in quotes")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<ValueFile, E> {
                Ok(ValueFile(AxisValue::Integer(value)))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<ValueFile, E> {
                Ok(ValueFile(AxisValue::Text(value.to_owned())))
            }
        }

        deserializer.deserialize_any(One)
    }
}

/// The axes of the workload. Every key but `exclude`, `heavy` and `within_run` is an axis, with its values; every combination of values is a case.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename = "Matrix")]
pub(in crate::spec) struct MatrixFile {
    /// The axes, in the order of the file.
    #[schemars(flatten)]
    pub(in crate::spec) axes: Named<ValuesFile>,
    /// Combinations that are no case.
    pub(in crate::spec) exclude: Option<Vec<SelectorFile>>,
    /// Combinations that `--skip-heavy` leaves out.
    pub(in crate::spec) heavy: Option<Vec<SelectorFile>>,
    /// Axes whose values one process measures in the order given, so that later ones see its caches and heap.
    pub(in crate::spec) within_run: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for MatrixFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AxesAndKeys;

        impl<'de> Visitor<'de> for AxesAndKeys {
            type Value = MatrixFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MatrixFile, A::Error> {
                let mut matrix = MatrixFile::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "exclude" => matrix.exclude = Some(map.next_value()?),
                        "heavy" => matrix.heavy = Some(map.next_value()?),
                        "within_run" => matrix.within_run = Some(map.next_value()?),
                        _ => matrix.axes.0.push((key, map.next_value()?)),
                    }
                }
                Ok(matrix)
            }
        }

        deserializer.deserialize_map(AxesAndKeys)
    }
}
