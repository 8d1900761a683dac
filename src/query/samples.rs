//! The view `samples`: each run's file is read, held to its journal, and let go, one at a time for each thread.

use std::sync::Arc;

use arrow::array::{Float64Array, Int64Array, new_null_array};
use arrow::datatypes::{DataType, Fields};

use super::QueryError;
use super::axes::{Axes, Axis};
use super::campaigns::{Campaign, Campaigns};
use super::scan::{Chunk, Chunks, Filled, ROWS, Table};
use super::value::{Value, field};
use super::view::{Kind, View};
use crate::plan::PlannedRun;
use crate::unit::{AxisValue, Case};
use crate::worker::protocol::Samples;

/// The samples of all runs.
pub(super) struct SampleTable {
    campaigns: Arc<Campaigns>,
    fields: Fields,
    columns: Vec<Source>,
    /// The campaign, and the run in its plan.
    parts: Vec<(usize, usize)>,
}

/// Where a column's values come from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Campaign,
    Gate,
    Run,
    Pair,
    Side,
    Lane,
    Case,
    /// An axis: its name, and whether its column holds whole numbers.
    Axis(String, Kind),
    Metric,
    Unit,
    Pass,
    Operation,
    Value,
    Whole,
}

impl Source {
    /// Of the columns of the view, in order.
    fn all(axes: &Axes) -> Vec<Self> {
        let axes = axes.iter().map(|axis: &Axis| Self::Axis(axis.name.clone(), axis.kind()));
        [Self::Campaign, Self::Gate, Self::Run, Self::Pair, Self::Side, Self::Lane, Self::Case]
            .into_iter()
            .chain(axes)
            .chain([Self::Metric, Self::Unit, Self::Pass, Self::Operation, Self::Value, Self::Whole])
            .collect()
    }
}

impl SampleTable {
    pub(super) fn new(campaigns: Arc<Campaigns>, view: &View) -> Self {
        let fields = view.layout(&campaigns.axes).iter().map(|(name, kind)| field(name, *kind)).collect();
        let parts = campaigns.all.iter().enumerate().flat_map(|(index, campaign)| {
            let Campaign { outline, .. } = campaign;
            let runs = outline.plan.runs.iter().enumerate().filter(|(_, run)| outline.run(&run.id).is_some());
            runs.map(move |(run, _)| (index, run))
        });
        let parts = parts.collect();
        let columns = Source::all(&campaigns.axes);
        Self { campaigns, fields, columns, parts }
    }
}

impl Table for SampleTable {
    fn fields(&self) -> &Fields {
        &self.fields
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn open(&self, part: usize, columns: &[usize]) -> Result<Chunks, QueryError> {
        let (campaign, run) = self.parts[part];
        let campaign = &self.campaigns.all[campaign];
        let run = &campaign.outline.plan.runs[run];
        let sources: Vec<Source> = columns.iter().map(|&column| self.columns[column].clone()).collect();
        let mut series = Vec::new();
        for cell in campaign.outline.read_run(&run.id)?.into_iter().flat_map(|record| record.cells) {
            for (metric, samples) in cell.samples {
                let columns = sources.iter().map(|source| constant(source, campaign, run, &cell.case, &metric));
                series.push(Series { columns: columns.collect(), samples });
            }
        }
        Ok(Box::new(series.into_iter().flat_map(Series::chunks)))
    }
}

/// The samples of one metric in one case of one run.
struct Series {
    columns: Vec<Constant>,
    samples: Samples,
}

/// What a column has in every row of a series.
#[derive(Clone)]
enum Constant {
    Text(Arc<str>),
    Whole(i64),
    Null(Kind),
    /// Something else in each row.
    Varies(Source),
}

fn constant(source: &Source, campaign: &Campaign, run: &PlannedRun, case: &Case, metric: &str) -> Constant {
    let plan = &campaign.outline.plan;
    let known = plan.metric(metric);
    let text = |text: &str| Constant::Text(Arc::from(text));
    let word = |value: Option<Value>| match value {
        Some(Value::Text(word)) => text(&word),
        _ => Constant::Null(Kind::Text),
    };
    match source {
        Source::Campaign => text(&campaign.name),
        Source::Gate => text(&plan.gate),
        Source::Run => text(&run.id),
        Source::Pair => Constant::Whole(i64::from(run.pair)),
        Source::Side => text(run.side.name()),
        Source::Lane => text(plan.lane(run)),
        Source::Case => text(&case.to_string()),
        Source::Axis(name, kind) => match (case.get(name), kind) {
            (Some(AxisValue::Integer(value)), Kind::Whole) => Constant::Whole(*value),
            (Some(value), Kind::Text) => text(&value.to_string()),
            _ => Constant::Null(*kind),
        },
        Source::Metric => text(metric),
        Source::Unit => word(known.map(|metric| Value::word(&metric.unit))),
        Source::Pass => word(known.map(|metric| Value::word(&metric.scope))),
        Source::Operation | Source::Value | Source::Whole => Constant::Varies(source.clone()),
    }
}

impl Series {
    fn chunks(self) -> impl Iterator<Item = Chunk> {
        let begins = (0..self.samples.len()).step_by(ROWS);
        begins.map(move |begin| {
            let end = self.samples.len().min(begin + ROWS);
            let columns = self.columns.iter().map(|column| filled(column, &self.samples, begin, end));
            Chunk { rows: end - begin, columns: columns.collect() }
        })
    }
}

/// A column over the samples from `begin` to `end`.
fn filled(column: &Constant, samples: &Samples, begin: usize, end: usize) -> Filled {
    let rows = end - begin;
    let none = |of: DataType| Filled::Values(new_null_array(&of, rows));
    match column {
        Constant::Text(text) => Filled::Text(Arc::clone(text)),
        Constant::Whole(value) => Filled::Values(Arc::new(Int64Array::from_value(*value, rows))),
        Constant::Null(kind) => none(field("", *kind).data_type().clone()),
        Constant::Varies(Source::Operation) => {
            // A run has at most 10,000,000 samples of a metric.
            let numbers = (begin..end).map(|operation| i64::try_from(operation).ok());
            Filled::Values(Arc::new(numbers.collect::<Int64Array>()))
        }
        Constant::Varies(Source::Whole) => match samples {
            Samples::Integers(values) => {
                let whole = values[begin..end].iter().map(|&value| i64::try_from(value).ok());
                Filled::Values(Arc::new(whole.collect::<Int64Array>()))
            }
            Samples::Reals(_) => none(DataType::Int64),
        },
        Constant::Varies(_) => {
            let part = match samples {
                Samples::Integers(values) => Samples::Integers(values[begin..end].to_vec()),
                Samples::Reals(values) => Samples::Reals(values[begin..end].to_vec()),
            };
            Filled::Values(Arc::new(Float64Array::from(part.to_reals())))
        }
    }
}
