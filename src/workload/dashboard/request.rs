//! Who asks for what: a dashboard's request, before anybody has decided anything about it.

use serde::{Deserialize, Serialize};

/// A request of a dashboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Who asks.
    pub identity: Identity,
    /// What is drawn.
    pub visual: Visual,
    /// Which rows it is about.
    pub filter: Filter,
    /// The most rows of one page.
    pub limit: u32,
    /// Where the page before ended; none for the first.
    pub cursor: Option<String>,
    /// The form of the answer.
    pub format: Format,
}

/// Who asks, by names that an audit can follow; none of them is a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The principal on whose behalf.
    pub principal: String,
    /// The credential that was shown.
    pub credential: String,
    /// What ties the request to the others of one interaction.
    pub correlation: String,
}

impl Identity {
    /// This principal, with the credential that the suite's governor knows of it.
    #[must_use]
    pub fn of(principal: &str) -> Self {
        Self {
            principal: principal.to_owned(),
            credential: format!("{principal}-key"),
            correlation: format!("{principal}-board"),
        }
    }
}

/// What a dashboard draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visual {
    /// A table of all columns, row by row.
    Detail,
    /// A table of dimension, metric, dimension, metric, grouped by the dimensions.
    Mixed,
    /// One row of figures.
    Kpi,
    /// Four compatible charts, drawn from one query.
    Bundle,
    /// One chart of all columns as measures.
    WideChart,
    /// Categories down, a truth value across, a sum in each cell.
    Matrix,
    /// A matrix of two measures, with totals.
    Pivot,
    /// The detail table with two columns that are calculated after the query.
    Calculated,
}

impl Visual {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Detail,
        Self::Mixed,
        Self::Kpi,
        Self::Bundle,
        Self::WideChart,
        Self::Matrix,
        Self::Pivot,
        Self::Calculated,
    ];

    /// The name in gate files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Detail => "detail",
            Self::Mixed => "mixed",
            Self::Kpi => "kpi",
            Self::Bundle => "bundle",
            Self::WideChart => "wide-chart",
            Self::Matrix => "matrix",
            Self::Pivot => "pivot",
            Self::Calculated => "calculated",
        }
    }

    /// The visual called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visual| visual.name() == name)
    }

    /// Whether it is an ordinary table: all that may be answered straight from the database's batches.
    #[must_use]
    pub const fn is_table(self) -> bool {
        matches!(self, Self::Detail | Self::Mixed)
    }
}

/// Which rows of `model.orders` an answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Every row: the key is never negative.
    Every,
    /// None.
    Nothing,
    /// Every row, found by work that nobody waits for: what is there to be cancelled.
    Endless,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// An Arrow IPC stream.
    Arrow,
    /// JSON.
    Json,
}

impl Format {
    /// The form called `name` in gate files.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "arrow" => Some(Self::Arrow),
            "json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Arrow => "application/vnd.apache.arrow.stream",
            Self::Json => "application/json",
        }
    }
}
