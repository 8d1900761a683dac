//! What keeps evidence from being queried.

use std::path::PathBuf;

use crate::evidence::EvidenceError;
use crate::verdict::ConclusionError;

/// What keeps evidence from being queried.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A campaign can't be read, is not finished, or was changed.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// A campaign's conclusions are not what its samples give.
    #[error(transparent)]
    Conclusion(#[from] ConclusionError),
    /// Two campaigns have one name.
    #[error("open campaigns `{}` and `{}`: both are called `{name}`, and rows are told apart by that name; name one of them", one.display(), other.display())]
    SameName {
        /// The name.
        name: String,
        /// One folder.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// DuckDB does not open a database, or does not take a view.
    #[error("open a database in memory: {0}")]
    Open(duckdb::Error),
    /// The text is no single statement that reads.
    #[error("query: expected one statement that reads, such as SELECT, FROM, WITH, DESCRIBE or SUMMARIZE; {0}")]
    Statement(String),
    /// DuckDB does not take the statement, or gave up on it.
    #[error("query: {message}\n{}", views(columns))]
    Sql {
        /// What DuckDB says.
        message: String,
        /// The views, and their columns.
        columns: Vec<(&'static str, Vec<String>)>,
    },
    /// What was found can't be written.
    #[error("write what was found: {0}")]
    Write(#[from] std::io::Error),
}

/// The views and their columns, a view a line.
fn views(columns: &[(&'static str, Vec<String>)]) -> String {
    let lines = columns.iter().map(|(view, columns)| format!("\n  {view}: {}", columns.join(", ")));
    format!("the views, and their columns:{}", lines.collect::<String>())
}

impl QueryError {
    /// The SQL is at fault, not the evidence or the host.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Statement(_) | Self::Sql { .. } | Self::SameName { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::super::VIEWS;
    use super::*;

    #[test]
    fn an_error_of_sql_tells_views_and_columns() {
        let columns = VIEWS.iter().map(|view| (view.name, vec!["a".to_owned(), "b".to_owned()])).collect();
        let error = QueryError::Sql { message: "Catalog Error: no".to_owned(), columns };
        let text = error.to_string();
        assert!(text.starts_with("query: Catalog Error: no\nthe views, and their columns:\n  plan: a, b\n"), "{text}");
        assert!(error.is_usage());
    }
}
