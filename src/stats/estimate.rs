//! What the ratio of two sides is, by whichever estimator: a point, an interval, and the p of a claim.

use super::bootstrap::{Bootstrap, ratio_of_medians};
use super::bound::Bound;
use super::claim::{p_beyond, p_within};
use super::error::StatsError;
use super::interval::{Alpha, Interval};
use super::log_ratio::median_log_ratio;
use super::resample::Resamples;
use super::signed_rank::{SignedRank, hodges_lehmann};

/// What is estimated from the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Estimator {
    /// [`ratio_of_medians`]: the ratio of what a run of each side typically takes.
    #[default]
    RatioOfMedians,
    /// [`median_log_ratio`]: the typical ratio of a pair.
    MedianLogRatio,
    /// [`hodges_lehmann`]: the typical ratio of a pair, where ratios scatter symmetrically on the log scale.
    HodgesLehmann,
}

impl Estimator {
    /// Every estimator.
    pub const ALL: [Self; 3] = [Self::RatioOfMedians, Self::MedianLogRatio, Self::HodgesLehmann];

    /// The ratio `candidate / baseline` of the pairs; `resamples` are those of the bootstrap.
    ///
    /// # Errors
    ///
    /// Those of the three functions.
    pub fn estimate(self, resamples: &Resamples, baseline: &[f64], candidate: &[f64]) -> Result<Estimate, StatsError> {
        match self {
            Self::RatioOfMedians => ratio_of_medians(resamples, baseline, candidate).map(Estimate::Bootstrap),
            Self::MedianLogRatio => median_log_ratio(resamples, baseline, candidate).map(Estimate::Bootstrap),
            Self::HodgesLehmann => hodges_lehmann(baseline, candidate).map(Estimate::SignedRank),
        }
    }
}

/// An estimate, and what is known of its error.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimate {
    /// Known from resampling the pairs.
    Bootstrap(Bootstrap),
    /// Known from the exact distribution of the signed ranks.
    SignedRank(SignedRank),
}

impl Estimate {
    /// The estimate itself. Always finite.
    #[must_use]
    pub fn point(&self) -> f64 {
        match self {
            Self::Bootstrap(bootstrap) => bootstrap.point(),
            Self::SignedRank(ranks) => ranks.point(),
        }
    }

    /// The interval with an error of `alpha` at each end.
    ///
    /// # Errors
    ///
    /// [`StatsError::TooFewPairs`], which a bootstrap never gives.
    pub fn interval(&self, alpha: Alpha) -> Result<Interval, StatsError> {
        match self {
            Self::Bootstrap(bootstrap) => Ok(Interval::percentile(bootstrap.distribution(), alpha)),
            Self::SignedRank(ranks) => ranks.interval(alpha),
        }
    }

    /// The p of the claim that the true value is within `bound`; at least 2⁻ⁿ.
    #[must_use]
    pub fn p_within(&self, bound: Bound) -> f64 {
        match self {
            Self::Bootstrap(bootstrap) => p_within(bootstrap.distribution(), bound),
            Self::SignedRank(ranks) => ranks.p_within(bound),
        }
    }

    /// The p of the claim that the true value is beyond `bound`; at least 2⁻ⁿ.
    #[must_use]
    pub fn p_beyond(&self, bound: Bound) -> f64 {
        match self {
            Self::Bootstrap(bootstrap) => p_beyond(bootstrap.distribution(), bound),
            Self::SignedRank(ranks) => ranks.p_beyond(bound),
        }
    }
}
