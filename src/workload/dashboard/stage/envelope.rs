//! The envelope of a visual: frames with names, as they are sent as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Value;
use super::frame::Window;
use crate::fixture::field_name;
use crate::workload::dashboard::definition::BUNDLE;
use crate::workload::dashboard::error::QueryError;
use crate::workload::dashboard::request::Visual;

/// What a visual is drawn from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Envelope {
    /// The visual.
    pub visual: &'static str,
    /// Its frames; all visuals but a bundle have one.
    pub frames: Vec<Part>,
    /// Rows of all pages; none where there are more pages and nobody counted.
    pub total: Option<u64>,
}

/// One frame of an envelope.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// The column names.
    pub columns: Vec<String>,
    /// The rows, their values in the order of `columns`.
    pub rows: Vec<Vec<Value>>,
}

impl Envelope {
    /// The envelope of this visual over a copy of the window, with what the visual calculates.
    ///
    /// # Errors
    ///
    /// A window that is not of this visual.
    pub fn of(visual: Visual, window: &Window, total: Option<u64>) -> Result<Self, QueryError> {
        let width = window.names.len();
        if let Some(row) = window.rows.iter().position(|row| row.len() != width) {
            let found = window.rows[row].len();
            return Err(QueryError::Answer(format!("row {row} of the window has {found} values for {width} columns")));
        }
        let frames = match visual {
            Visual::Detail | Visual::Mixed | Visual::Kpi | Visual::WideChart => vec![part(visual, window)],
            Visual::Calculated => vec![calculated(part(visual, window))?],
            Visual::Bundle => bundle(window)?,
            Visual::Matrix | Visual::Pivot => vec![crossed(visual, window)?],
        };
        Ok(Self { visual: visual.name(), frames, total })
    }

    /// Rows of the first frame.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.frames.first().map_or(0, |part| part.rows.len())
    }
}

fn part(visual: Visual, window: &Window) -> Part {
    Part { name: visual.name().to_owned(), columns: window.names.clone(), rows: window.rows.clone() }
}

fn place(names: &[String], name: &str) -> Result<usize, QueryError> {
    names
        .iter()
        .position(|known| known == name)
        .ok_or_else(|| QueryError::Answer(format!("the window has no column `{name}`")))
}

fn integer(value: &Value, name: &str) -> Result<i64, QueryError> {
    match value {
        Value::Integer(value) => Ok(*value),
        other => Err(QueryError::Answer(format!("column `{name}` holds `{other}`, expected a whole number"))),
    }
}

/// Two columns more: the sum of the keys so far, and the step from the key before.
fn calculated(mut part: Part) -> Result<Part, QueryError> {
    let key = place(&part.columns, "field_00")?;
    let (mut total, mut before) = (0_i64, None);
    for row in &mut part.rows {
        let value = integer(&row[key], "field_00")?;
        total = total
            .checked_add(value)
            .ok_or_else(|| QueryError::Answer("the running total of `field_00` overflows".to_owned()))?;
        let step = before.map_or(Value::Null, |before| Value::Integer(value - before));
        row.extend([Value::Integer(total), step]);
        before = Some(value);
    }
    part.columns.extend(["running_total".to_owned(), "step".to_owned()]);
    Ok(part)
}

/// A frame for each chart: the time against one measure.
fn bundle(window: &Window) -> Result<Vec<Part>, QueryError> {
    let time = place(&window.names, "field_05")?;
    BUNDLE
        .into_iter()
        .map(|measure| {
            let name = field_name(measure);
            let column = place(&window.names, &name)?;
            let rows = window.rows.iter().map(|row| vec![row[time].clone(), row[column].clone()]).collect();
            Ok(Part { columns: vec!["field_05".to_owned(), name.clone()], name, rows })
        })
        .collect()
}

/// One line of a matrix: its category, and the rows of the window in it, each with its column.
struct Line<'a> {
    header: &'a Value,
    cells: Vec<(usize, &'a [Value])>,
}

/// Categories down and across in the order in which they come, a cell where they meet. A pivot has the number of orders
/// in each cell as well, and their total in each row.
fn crossed(visual: Visual, window: &Window) -> Result<Part, QueryError> {
    let [down, across, amount] = ["down", "across", "amount"].map(|name| place(&window.names, name));
    let (down, across, amount) = (down?, across?, amount?);
    let orders = if visual == Visual::Pivot { Some(place(&window.names, "orders")?) } else { None };
    let (mut headers, mut places) = (Vec::new(), BTreeMap::new());
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut known = BTreeMap::new();
    for row in &window.rows {
        // A null has a text of its own, apart from the empty string.
        let text = |value: &Value| (*value != Value::Null).then(|| value.to_text());
        let column = *places.entry(text(&row[across])).or_insert_with(|| {
            headers.push(text(&row[across]).unwrap_or_else(|| "null".to_owned()));
            headers.len() - 1
        });
        let line = *known.entry(text(&row[down])).or_insert_with(|| {
            lines.push(Line { header: &row[down], cells: Vec::new() });
            lines.len() - 1
        });
        lines[line].cells.push((column, row));
    }
    let measures = 1 + usize::from(orders.is_some());
    let mut columns = vec!["down".to_owned()];
    for header in &headers {
        columns.push(format!("{header} amount"));
        columns.extend(orders.map(|_| format!("{header} orders")));
    }
    columns.extend(orders.map(|_| "orders".to_owned()));
    let rows = lines
        .into_iter()
        .map(|Line { header, cells }| {
            let mut line = vec![Value::Null; columns.len()];
            line[0] = header.clone();
            let mut total = 0;
            for (column, row) in cells {
                line[1 + measures * column] = row[amount].clone();
                if let Some(orders) = orders {
                    total += integer(&row[orders], "orders")?;
                    line[2 + measures * column] = row[orders].clone();
                }
            }
            if orders.is_some() {
                line[columns.len() - 1] = Value::Integer(total);
            }
            Ok(line)
        })
        .collect::<Result<_, QueryError>>()?;
    Ok(Part { name: visual.name().to_owned(), columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(names: &[&str], rows: Vec<Vec<Value>>) -> Window {
        let total = rows.len();
        Window { names: names.iter().map(|name| (*name).to_owned()).collect(), rows, offset: 0, total }
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn json(visual: Visual, window: &Window) -> String {
        serde_json::to_string(&Envelope::of(visual, window, Some(window.rows.len() as u64)).unwrap()).unwrap()
    }

    #[test]
    fn a_calculated_table_has_a_running_total_and_a_step() {
        let window = window(&["field_00"], [3, 5, 9].map(|key| vec![Value::Integer(key)]).to_vec());
        assert_eq!(
            json(Visual::Calculated, &window),
            r#"{"visual":"calculated","frames":[{"name":"calculated","columns":["field_00","running_total","step"],"rows":[[3,3,null],[5,8,2],[9,17,4]]}],"total":3}"#
        );
    }

    #[test]
    fn a_pivot_crosses_its_categories_and_totals_each_row() {
        let cell = |down, across, amount: &str, orders| vec![down, across, text(amount), Value::Integer(orders)];
        let window = window(
            &["down", "across", "amount", "orders"],
            vec![
                cell(text("a"), Value::Boolean(true), "1.5", 2),
                cell(Value::Null, Value::Boolean(false), "2.5", 1),
                cell(text("a"), Value::Boolean(false), "0.5", 3),
            ],
        );
        let Part { columns, rows, .. } = Envelope::of(Visual::Pivot, &window, None).unwrap().frames.remove(0);
        assert_eq!(columns, ["down", "true amount", "true orders", "false amount", "false orders", "orders"]);
        let number = Value::Integer;
        assert_eq!(
            rows,
            [
                vec![text("a"), text("1.5"), number(2), text("0.5"), number(3), number(5)],
                vec![Value::Null, Value::Null, Value::Null, text("2.5"), number(1), number(1)]
            ]
        );
        let matrix = Envelope::of(Visual::Matrix, &window, None).unwrap().frames.remove(0);
        assert_eq!(matrix.columns, ["down", "true amount", "false amount"]);
    }

    #[test]
    fn what_is_no_window_of_the_visual_is_refused() {
        let error = |visual, window: &Window| {
            Envelope::of(visual, window, Some(window.rows.len() as u64)).unwrap_err().to_string()
        };
        let short = window(&["field_00", "b"], vec![vec![Value::Null]]);
        assert_eq!(error(Visual::Detail, &short), "row 0 of the window has 1 values for 2 columns");
        let empty = window(&["a"], Vec::new());
        assert_eq!(error(Visual::Bundle, &empty), "the window has no column `field_05`");
        let text = window(&["field_00"], vec![vec![text("x")]]);
        assert_eq!(error(Visual::Calculated, &text), "column `field_00` holds `x`, expected a whole number");
    }
}
