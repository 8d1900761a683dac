//! JSON: an array of objects, or an object a line. Whole numbers keep every digit; what is no number is null.

use std::io::{self, Write};

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Schema};

use super::{Output, is_absent, names, texts};

/// Writes one array with an object for each row.
#[derive(Debug)]
pub struct Json<W> {
    out: W,
    names: Vec<String>,
    is_first: bool,
}

/// Writes an object for each row, each on a line.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
    names: Vec<String>,
}

impl<W> Json<W> {
    /// Writes to `out`.
    pub const fn new(out: W) -> Self {
        Self { out, names: Vec::new(), is_first: true }
    }
}

impl<W> JsonLines<W> {
    /// Writes to `out`.
    pub const fn new(out: W) -> Self {
        Self { out, names: Vec::new() }
    }
}

impl<W: Write> Output for Json<W> {
    fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        self.names = names(schema);
        self.out.write_all(b"[")
    }

    fn rows(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            text.push_str(if std::mem::take(&mut self.is_first) { "\n  " } else { ",\n  " });
            object(&mut text, &self.names, batch, row)?;
        }
        self.out.write_all(text.as_bytes())
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(if self.is_first { b"]\n" } else { b"\n]\n" })?;
        self.out.flush()
    }
}

impl<W: Write> Output for JsonLines<W> {
    fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        self.names = names(schema);
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let mut text = String::new();
        for row in 0..batch.num_rows() {
            object(&mut text, &self.names, batch, row)?;
            text.push('\n');
        }
        self.out.write_all(text.as_bytes())
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn object(text: &mut String, names: &[String], batch: &RecordBatch, row: usize) -> io::Result<()> {
    text.push('{');
    for (index, (name, column)) in names.iter().zip(batch.columns()).enumerate() {
        if index > 0 {
            text.push(',');
        }
        string(text, name)?;
        text.push(':');
        value(text, column, row)?;
    }
    text.push('}');
    Ok(())
}

fn string(text: &mut String, value: &str) -> io::Result<()> {
    text.push_str(&serde_json::to_string(value)?);
    Ok(())
}

fn value(text: &mut String, column: &dyn Array, row: usize) -> io::Result<()> {
    if is_absent(column, row) {
        text.push_str("null");
        return Ok(());
    }
    match column.data_type() {
        // What is not finite is null to serde_json.
        DataType::Float64 => {
            text.push_str(&serde_json::to_string(&column.as_primitive::<Float64Type>().value(row))?);
        }
        DataType::Float32 => {
            text.push_str(&serde_json::to_string(&column.as_primitive::<Float32Type>().value(row))?);
        }
        kind if kind.is_integer() || kind.is_decimal() || *kind == DataType::Boolean => {
            text.push_str(&shown(column, row)?);
        }
        DataType::List(_) => list(text, &column.as_list::<i32>().value(row))?,
        DataType::FixedSizeList(..) => list(text, &column.as_fixed_size_list().value(row))?,
        DataType::Struct(fields) => {
            let parts = column.as_struct();
            for (index, (field, part)) in fields.iter().zip(parts.columns()).enumerate() {
                text.push(if index == 0 { '{' } else { ',' });
                string(text, field.name())?;
                text.push(':');
                value(text, part, row)?;
            }
            text.push('}');
        }
        DataType::Map(..) => {
            let entries = column.as_map().value(row);
            text.push('{');
            for entry in 0..entries.len() {
                if entry > 0 {
                    text.push(',');
                }
                string(text, &shown(entries.column(0), entry)?)?;
                text.push(':');
                value(text, entries.column(1), entry)?;
            }
            text.push('}');
        }
        _ => string(text, &shown(column, row)?)?,
    }
    Ok(())
}

fn list(text: &mut String, items: &dyn Array) -> io::Result<()> {
    text.push('[');
    for item in 0..items.len() {
        if item > 0 {
            text.push(',');
        }
        value(text, items, item)?;
    }
    text.push(']');
    Ok(())
}

fn shown(column: &dyn Array, row: usize) -> io::Result<String> {
    texts(column)?.value(row).try_to_string().map_err(super::wrong)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{batch, written};
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_nan_is_null() {
        let mut bytes = Vec::new();
        written(&mut JsonLines::new(&mut bytes));
        let expected = "{\"text\":\"a, \\\"b\\\"\\n\\u001bc\",\"whole\":9007199254740993,\"real\":0.1,\"flag\":true,\
            \"time\":\"1970-01-01T00:00:01.500\",\"sum\":170141183460469231,\"none\":null,\"list\":[1,null]}\n\
            {\"text\":\"\",\"whole\":null,\"real\":null,\"flag\":null,\"time\":null,\"sum\":null,\"none\":null,\"list\":null}\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn an_array_holds_all_rows_or_none() {
        let mut bytes = Vec::new();
        written(&mut Json::new(&mut bytes));
        let all: Vec<serde_json::Value> = serde_json::from_slice(&bytes).unwrap();
        assert_eq!((all.len(), &all[0]["whole"]), (2, &9_007_199_254_740_993_i64.into()));
        let mut bytes = Vec::new();
        let mut none = Json::new(&mut bytes);
        none.begin(&batch().schema()).and_then(|()| none.end()).unwrap();
        assert_eq!(bytes, b"[]\n");
    }
}
