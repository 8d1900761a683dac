//! The string projection: every cell as text, nulls as empty strings.

use super::Value;
use super::frame::Window;

/// A table of strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projection {
    /// The column names.
    pub names: Vec<String>,
    /// The rows, each with a string for every column.
    pub rows: Vec<Vec<String>>,
}

/// The window with every value as its text, as [`Value`] documents it.
#[must_use]
pub fn project(window: &Window) -> Projection {
    let rows = window.rows.iter().map(|row| row.iter().map(Value::to_text).collect()).collect();
    Projection { names: window.names.clone(), rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_become_empty_strings() {
        let row = vec![Value::Null, Value::Text(String::new()), Value::Integer(0)];
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let window = Window { names: names.clone(), rows: vec![row], offset: 0, total: 1 };
        let expected = vec![vec![String::new(), String::new(), "0".to_owned()]];
        assert_eq!(project(&window), Projection { names, rows: expected });
    }
}
