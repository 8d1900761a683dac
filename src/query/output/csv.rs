//! CSV as RFC 4180 has it: a NULL is nothing, an empty text is `""`.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;

use super::{Output, is_absent, texts};

/// Writes CSV with a head.
#[derive(Debug)]
pub struct Csv<W>(pub W);

impl<W: Write> Output for Csv<W> {
    fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        let names: Vec<String> = schema.fields().iter().map(|field| quoted(field.name())).collect();
        writeln!(self.0, "{}", names.join(","))
    }

    fn rows(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = batch.columns().iter().map(|column| texts(column)).collect::<io::Result<Vec<_>>>()?;
        let mut lines = String::new();
        for row in 0..batch.num_rows() {
            for (index, (column, values)) in columns.iter().zip(batch.columns()).enumerate() {
                if index > 0 {
                    lines.push(',');
                }
                if !is_absent(values, row) {
                    lines.push_str(&quoted(&column.value(row).try_to_string().map_err(super::wrong)?));
                }
            }
            lines.push('\n');
        }
        self.0.write_all(lines.as_bytes())
    }

    fn end(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A field, quoted where it must be.
fn quoted(field: &str) -> String {
    let is_plain = !field.is_empty() && !field.contains([',', '"', '\r', '\n']) && field.trim() == field;
    if is_plain { field.to_owned() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::written;
    use super::*;

    #[test]
    fn what_has_commas_is_quoted_and_null_is_nothing() {
        let mut bytes = Vec::new();
        written(&mut Csv(&mut bytes));
        let expected = "text,whole,real,flag,time,sum,none,list\n\
            \"a, \"\"b\"\"\n\u{1b}c\",9007199254740993,0.1,true,1970-01-01T00:00:01.500,170141183460469231,,\"[1, ]\"\n\
            \"\",,NaN,,,,,\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
