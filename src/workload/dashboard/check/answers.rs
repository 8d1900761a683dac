//! The checks that hold one answer to the fixture.

use arrow::array::{Array, AsArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Decimal128Type, Field};
use arrow::record_batch::RecordBatch;

use super::text::{self, projected, shown};
use crate::workload::Response;
use crate::workload::dashboard::answer;

/// A check of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerCheck {
    /// Every field has the fixture's Arrow type.
    PhysicalTypes,
    /// Every value equals the fixture's.
    ExactValues,
    /// Nulls stand exactly where the fixture has them.
    NullPositions,
    /// Decimals keep precision, scale and exact value.
    DecimalScale,
    /// Timestamps keep unit and zone.
    TimestampZone,
    /// Fields come in the order and under the names asked for.
    ProjectionOrder,
    /// The answer has the fixture's rows, and says so.
    RowCount,
    /// Fields are nullable exactly where the fixture declares them so.
    Nullability,
    /// Every field is a string, never null, that equals the documented projection of the fixture's value.
    StringProjection,
}

impl AnswerCheck {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::PhysicalTypes,
        Self::ExactValues,
        Self::NullPositions,
        Self::DecimalScale,
        Self::TimestampZone,
        Self::ProjectionOrder,
        Self::RowCount,
        Self::Nullability,
        Self::StringProjection,
    ];

    /// The name in the catalogue.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PhysicalTypes => "physical-types",
            Self::ExactValues => "exact-values",
            Self::NullPositions => "null-positions",
            Self::DecimalScale => "decimal-scale",
            Self::TimestampZone => "timestamp-zone",
            Self::ProjectionOrder => "projection-order",
            Self::RowCount => "row-count",
            Self::Nullability => "nullability",
            Self::StringProjection => "string-projection",
        }
    }

    /// The check called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }

    /// Holds the answer to the fixture.
    ///
    /// # Errors
    ///
    /// What was expected and what was found, with the first place where they differ; or why the answer can't be read.
    pub fn judge(self, oracle: &RecordBatch, answer: &Response) -> Result<(), String> {
        let decoded = answer::decode(&answer.body).map_err(text::of)?;
        self.judge_table(oracle, answer.rows, &decoded.table)
    }

    /// Holds an answer that says that it has `rows` rows, and was read as `table`, to the fixture.
    ///
    /// # Errors
    ///
    /// What was expected and what was found, with the first place where they differ.
    pub fn judge_table<'a>(self, oracle: &'a RecordBatch, rows: u64, table: &'a RecordBatch) -> Result<(), String> {
        let of_column: fn(&Pair<'a>) -> Result<(), String> = match self {
            Self::ProjectionOrder => return projection_order(oracle, table),
            Self::RowCount => return row_count(oracle, rows, table),
            Self::PhysicalTypes => Pair::same_type,
            Self::ExactValues => Pair::exact_values,
            Self::NullPositions => Pair::null_positions,
            Self::DecimalScale => Pair::decimal_scale,
            Self::TimestampZone => Pair::timestamp_zone,
            Self::Nullability => Pair::nullability,
            Self::StringProjection => Pair::string_projection,
        };
        same_width(oracle, table)?;
        (0..oracle.num_columns()).try_for_each(|c| of_column(&Pair::of(oracle, table, c)))
    }
}

fn projection_order(oracle: &RecordBatch, table: &RecordBatch) -> Result<(), String> {
    let expected = names(oracle);
    let found = names(table);
    for (c, (expected, found)) in expected.iter().zip(&found).enumerate() {
        if expected != found {
            return Err(format!("field {c}: expected `{expected}`, found `{found}`"));
        }
    }
    same_width(oracle, table)
}

fn names(table: &RecordBatch) -> Vec<&str> {
    table.schema_ref().fields().iter().map(|field| field.name().as_str()).collect()
}

fn row_count(oracle: &RecordBatch, said: u64, table: &RecordBatch) -> Result<(), String> {
    let (expected, found) = (oracle.num_rows() as u64, table.num_rows() as u64);
    if (found, said) == (expected, expected) {
        return Ok(());
    }
    Err(format!("expected {expected} rows, found {found} in an answer that says it has {said}"))
}

fn same_width(oracle: &RecordBatch, table: &RecordBatch) -> Result<(), String> {
    if oracle.num_columns() == table.num_columns() {
        return Ok(());
    }
    let (expected, found) = (oracle.num_columns(), table.num_columns());
    Err(format!("expected {expected} fields, found {found}"))
}

/// One column of the fixture beside that of the answer.
struct Pair<'a> {
    declared: &'a Field,
    expected: &'a dyn Array,
    field: &'a Field,
    found: &'a dyn Array,
}

impl<'a> Pair<'a> {
    fn of(oracle: &'a RecordBatch, table: &'a RecordBatch, c: usize) -> Self {
        Self {
            declared: oracle.schema_ref().field(c),
            expected: oracle.column(c),
            field: table.schema_ref().field(c),
            found: table.column(c),
        }
    }

    fn name(&self) -> &str {
        self.declared.name()
    }

    fn same_type(&self) -> Result<(), String> {
        let (expected, found) = (self.expected.data_type(), self.found.data_type());
        if expected == found {
            return Ok(());
        }
        Err(format!("field `{}`: expected type {expected}, found {found}", self.name()))
    }

    fn same_length(&self) -> Result<(), String> {
        let (expected, found) = (self.expected.len(), self.found.len());
        if expected == found {
            return Ok(());
        }
        Err(format!("field `{}`: expected {expected} rows, found {found}", self.name()))
    }

    fn exact_values(&self) -> Result<(), String> {
        self.same_type()?;
        self.same_length()?;
        if self.expected == self.found {
            return Ok(());
        }
        let row = (0..self.expected.len())
            .find(|&row| self.expected.slice(row, 1).as_ref() != self.found.slice(row, 1).as_ref());
        Err(self.differs_at(row.unwrap_or_default()))
    }

    fn null_positions(&self) -> Result<(), String> {
        self.same_length()?;
        let (expected, found) = (self.expected.logical_nulls(), self.found.logical_nulls());
        let null = |nulls: &Option<NullBuffer>, row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        match (0..self.expected.len()).find(|&row| null(&expected, row) != null(&found, row)) {
            None => Ok(()),
            Some(row) => Err(self.differs_at(row)),
        }
    }

    fn decimal_scale(&self) -> Result<(), String> {
        let DataType::Decimal128(..) = self.expected.data_type() else {
            return Ok(());
        };
        self.same_type()?;
        self.same_length()?;
        let expected = self.expected.as_primitive::<Decimal128Type>();
        let found = self.found.as_primitive::<Decimal128Type>();
        // Where nulls stand is a check of its own.
        let differs =
            |row: &usize| expected.is_valid(*row) && found.is_valid(*row) && expected.value(*row) != found.value(*row);
        match (0..expected.len()).find(differs) {
            None => Ok(()),
            Some(row) => Err(self.differs_at(row)),
        }
    }

    fn timestamp_zone(&self) -> Result<(), String> {
        match self.expected.data_type() {
            DataType::Timestamp(..) => self.same_type(),
            _ => Ok(()),
        }
    }

    fn nullability(&self) -> Result<(), String> {
        self.nullable(self.declared.is_nullable())
    }

    fn nullable(&self, expected: bool) -> Result<(), String> {
        if self.field.is_nullable() == expected {
            return Ok(());
        }
        let (expected, found) = if expected { ("nullable", "not nullable") } else { ("not nullable", "nullable") };
        Err(format!("field `{}`: expected {expected}, found {found}", self.name()))
    }

    fn string_projection(&self) -> Result<(), String> {
        if *self.found.data_type() != DataType::Utf8 {
            let found = self.found.data_type();
            return Err(format!("field `{}`: expected type Utf8, found {found}", self.name()));
        }
        self.same_length()?;
        let found = self.found.as_string::<i32>();
        for row in 0..found.len() {
            let expected = projected(self.expected, row).map_err(text::of)?;
            if found.is_null(row) || found.value(row) != expected {
                let found = shown(found, row);
                return Err(self.at(row, &format!("{expected:?}"), &found));
            }
        }
        self.nullable(false)
    }

    fn differs_at(&self, row: usize) -> String {
        self.at(row, &shown(self.expected, row), &shown(self.found, row))
    }

    fn at(&self, row: usize, expected: &str, found: &str) -> String {
        format!("row {row} of field `{}`: expected {expected}, found {found}", self.name())
    }
}
