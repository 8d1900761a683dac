//! What the samples of one run come to: all that an analysis asks of them, in a size that does not depend on their number.

use std::collections::BTreeMap;

use super::RunRecord;
use crate::stats::{FirstSample, Level, QuantileRule, Spread, StatsError, first_sample, mean, quantile};
use crate::unit::Case;
use crate::worker::protocol::{Observed, Samples};

/// What one run's samples come to, and what its process saw of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// One for each case, in the order in which they were measured.
    pub cells: Vec<CellSummary>,
    /// What the process saw of itself.
    pub observed: Observed,
}

/// What one run's samples in one case come to.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSummary {
    /// The case.
    pub case: Case,
    /// By metric.
    pub metrics: BTreeMap<String, Summary>,
}

/// What the samples of one metric come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How many there are.
    pub count: usize,
    /// What they come to; `None` where there are none, and else the first that is not a finite number ≥ 0.
    pub figures: Result<Option<Figures>, f64>,
}

/// The figures of samples, in their unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Their mean, or why they have none.
    pub mean: Result<f64, StatsError>,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The median, by the plan's rule as all quantiles.
    pub p50: f64,
    /// The 95th percentile, whether or not there are enough samples for it.
    pub p95: f64,
    /// The 99th percentile, whether or not there are enough samples for it.
    pub p99: f64,
    /// How they spread about their mean, where there are two or more.
    pub spread: Option<Spread>,
    /// How the first lies to the rest, where that can be told.
    pub first: Option<FirstSample>,
}

impl RunSummary {
    /// What the samples of `record` come to, quantiles by `rule`.
    #[must_use]
    pub fn of(record: RunRecord, rule: QuantileRule) -> Self {
        let cells = record
            .cells
            .into_iter()
            .map(|cell| CellSummary {
                case: cell.case,
                metrics: cell.samples.into_iter().map(|(name, samples)| (name, Summary::of(&samples, rule))).collect(),
            })
            .collect();
        Self { cells, observed: record.observed }
    }
}

impl Summary {
    /// What `samples` come to, quantiles by `rule`.
    #[must_use]
    pub fn of(samples: &Samples, rule: QuantileRule) -> Self {
        let values = samples.to_reals();
        let count = values.len();
        let figures = match values.iter().find(|value| !value.is_finite() || **value < 0.0) {
            Some(&value) => Err(value),
            None => Ok(Figures::of(values, rule)),
        };
        Self { count, figures }
    }
}

impl Figures {
    /// Those of finite `values`; `None` of none.
    fn of(mut values: Vec<f64>, rule: QuantileRule) -> Option<Self> {
        let (mean, spread, first) = (mean(&values), Spread::of(&values), first_sample(&values).ok());
        values.sort_by(f64::total_cmp);
        let at = |level| quantile(&values, level, rule).ok();
        Some(Self {
            mean,
            min: *values.first()?,
            max: *values.last()?,
            p50: at(Level::P50)?,
            p95: at(Level::P95)?,
            p99: at(Level::P99)?,
            spread,
            first,
        })
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "figures are exact")]
mod tests {
    use super::*;

    fn of(samples: &Samples) -> Summary {
        Summary::of(samples, QuantileRule::NearestRank)
    }

    #[test]
    fn samples_come_to_their_figures_in_whatever_order() {
        let found = of(&Samples::Integers(vec![9, 1, 4, 2]));
        let figures = found.figures.unwrap().unwrap();
        assert_eq!((found.count, figures.min, figures.max), (4, 1.0, 9.0));
        assert_eq!((figures.mean, figures.p50, figures.p95, figures.p99), (Ok(4.0), 2.0, 9.0, 9.0));
        // Squares about 4: 25 + 9 + 0 + 4.
        assert_eq!(figures.spread, Some(Spread { count: 4, mean: 4.0, variance: 38.0 / 3.0 }));
        assert_eq!(figures.first, Some(FirstSample { ratio: 4.5, above_all: true }));
        let linear = Summary::of(&Samples::Integers(vec![9, 1, 4, 2]), QuantileRule::Linear);
        assert_eq!(linear.figures.unwrap().unwrap().p50, 3.0);
    }

    #[test]
    fn one_sample_has_no_spread_and_none_have_no_figures() {
        let one = of(&Samples::Reals(vec![0.5])).figures.unwrap().unwrap();
        assert_eq!((one.p50, one.p99, one.spread, one.first), (0.5, 0.5, None, None));
        assert_eq!(of(&Samples::Reals(vec![])), Summary { count: 0, figures: Ok(None) });
    }

    #[test]
    fn the_first_sample_that_is_no_measurement_is_kept() {
        assert_eq!(of(&Samples::Reals(vec![1.0, -2.0, f64::NAN])), Summary { count: 3, figures: Err(-2.0) });
        assert!(of(&Samples::Reals(vec![f64::NAN])).figures.unwrap_err().is_nan());
        assert_eq!(of(&Samples::Reals(vec![f64::INFINITY, -1.0])).figures, Err(f64::INFINITY));
        assert_eq!(
            of(&Samples::Reals(vec![f64::MAX; 3])).figures.unwrap().unwrap().mean,
            Err(StatsError::Overflow { statistic: "mean" })
        );
    }
}
