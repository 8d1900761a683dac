//! A table for a person at a terminal.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Padding, Style};

use super::{Output, is_absent, texts};
use crate::printable;

/// What stands where there is no value.
const NONE: &str = "–";

/// Writes a table once all its rows are there, for the widths of its columns depend on all of them.
#[derive(Debug)]
pub struct Terminal<W> {
    out: W,
    /// For each column whether numbers stand in it.
    numbers: Vec<bool>,
    rows: Builder,
}

impl<W> Terminal<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, numbers: Vec::new(), rows: Builder::default() }
    }
}

impl<W: Write> Output for Terminal<W> {
    fn begin(&mut self, schema: &Schema) -> io::Result<()> {
        self.numbers = schema.fields().iter().map(|field| field.data_type().is_numeric()).collect();
        self.rows.push_record(schema.fields().iter().map(|field| printable::text(field.name())));
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let columns = batch.columns().iter().map(|column| texts(column)).collect::<io::Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            let cells = columns.iter().zip(batch.columns()).map(|(column, values)| {
                let text = (!is_absent(values, row)).then(|| column.value(row).try_to_string()).transpose();
                text.map(|text| text.map_or_else(|| NONE.to_owned(), |text| printable::text(&text)))
            });
            self.rows.push_record(cells.collect::<Result<Vec<_>, _>>().map_err(super::wrong)?);
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let mut table = std::mem::take(&mut self.rows).build();
        table.with(Style::empty()).with(Padding::new(0, 2, 0, 0)).modify(Columns::last(), Padding::zero());
        for (index, is_number) in self.numbers.iter().enumerate() {
            table.modify(Columns::one(index), if *is_number { Alignment::right() } else { Alignment::left() });
        }
        for line in table.to_string().lines() {
            writeln!(self.out, "{}", line.trim_end())?;
        }
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::written;
    use super::*;

    #[test]
    fn a_row_is_a_line_whatever_stands_in_it() {
        let mut bytes = Vec::new();
        written(&mut Terminal::new(&mut bytes));
        let expected = r#"text                           whole  real  flag  time                                    sum  none  list
a, "b"\u{a}\u{1b}c  9007199254740993   0.1  true  1970-01-01T00:00:01.500  170141183460469231  –     [1, ]
                                   –   NaN  –     –                                         –  –     –
"#;
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
