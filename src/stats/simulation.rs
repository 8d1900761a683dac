//! The power of an estimator at a number of pairs, by simulation.

use super::bound::Bound;
use super::error::StatsError;
use super::estimate::Estimator;
use super::interval::Alpha;
use super::noise::Noise;
use super::resample::Resamples;
use super::sizing::{POWER, pairs_for, plannable};

/// What a campaign is supposed to meet, and how it would be judged.
///
/// Each side of a pair has independent normal noise on the log scale, with a variance that is half that of a log ratio,
/// so that the log ratios have `deviation`. Noise that both runs of a pair share would cancel for the estimators that
/// form the ratio inside the pair, and not for the ratio of medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scenario {
    /// The estimator that would judge.
    pub estimator: Estimator,
    /// The true ratio.
    pub ratio: f64,
    /// The standard deviation of the pairs' log ratios.
    pub deviation: f64,
    /// The bound that the ratio is to be shown to be within.
    pub bound: Bound,
    /// The error of each end of the interval.
    pub alpha: Alpha,
}

/// How many pairs it takes to show that a ratio is within its bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// So many pairs, with this power.
    Pairs {
        /// The pairs.
        pairs: u32,
        /// The share of the simulated campaigns that passed.
        power: f64,
    },
    /// The true ratio is on the bound or beyond it: no number of pairs shows that it is within.
    NotAttainable,
    /// More pairs than a campaign may have.
    TooMany,
}

/// Resamples of a simulated campaign: a tenth of the usual number, drawn once for all trials.
const DRAWS: u32 = 2_000;

/// The most pairs of a simulated campaign, as of a real one.
const MOST_PAIRS: u32 = 1_000;

impl Scenario {
    /// The share of `trials` simulated campaigns of `pairs` pairs whose whole interval is within the bound. Its standard
    /// error is √(power·(1 − power)/trials): 0.9 points at 80 % and 2,000 trials.
    ///
    /// The noise follows from `seed` and the number of pairs. Beyond 8 pairs all trials share 2,000 resamples.
    ///
    /// # Errors
    ///
    /// [`StatsError::NotPlannable`] unless pairs, trials, ratio and deviation are above zero and finite; those of the
    /// estimator, but for [`StatsError::TooFewPairs`]: such a campaign never passes.
    pub fn power(&self, pairs: u32, trials: u32, seed: u64) -> Result<f64, StatsError> {
        plannable(&[
            ("pairs", f64::from(pairs)),
            ("trials", f64::from(trials)),
            ("a ratio", self.ratio),
            ("a deviation", self.deviation),
        ])?;
        let pairs = pairs as usize;
        let resamples = Resamples::new(pairs, seed, DRAWS)?;
        let mut noise = Noise::new(seed, pairs);
        let spread = self.deviation / std::f64::consts::SQRT_2;
        let (mut baseline, mut candidate) = (vec![0.0; pairs], vec![0.0; pairs]);
        let mut passed = 0_u32;
        for _ in 0..trials {
            for (baseline, candidate) in baseline.iter_mut().zip(&mut candidate) {
                *baseline = libm::exp(spread * noise.normal());
                *candidate = self.ratio * libm::exp(spread * noise.normal());
            }
            let estimate = self.estimator.estimate(&resamples, &baseline, &candidate)?;
            match estimate.interval(self.alpha) {
                Ok(interval) => passed += u32::from(interval.is_within(self.bound)),
                Err(StatsError::TooFewPairs { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(f64::from(passed) / f64::from(trials))
    }

    /// [`Self::power`] at each of `pairs`, beside it.
    ///
    /// # Errors
    ///
    /// Those of [`Self::power`].
    pub fn powers(&self, pairs: &[u32], trials: u32, seed: u64) -> Result<Vec<(u32, f64)>, StatsError> {
        pairs.iter().map(|&pairs| Ok((pairs, self.power(pairs, trials, seed)?))).collect()
    }

    /// The smallest number of pairs with which 80 % of `trials` simulated campaigns pass.
    ///
    /// Found by bracketing from the normal formula of [`pairs_for_power`](super::pairs_for_power): it takes the power to
    /// rise with the pairs, which it does but for the steps of the interval of few pairs.
    ///
    /// # Errors
    ///
    /// Those of [`Self::power`].
    pub fn size(&self, trials: u32, seed: u64) -> Result<Size, StatsError> {
        if !self.bound.holds(self.ratio) || self.ratio >= self.bound.value() && self.ratio <= self.bound.value() {
            return Ok(Size::NotAttainable);
        }
        let margin = libm::log(self.bound.value() / self.ratio);
        let Some(guess) = pairs_for(self.deviation, margin, self.alpha).filter(|&pairs| pairs <= MOST_PAIRS) else {
            return Ok(Size::TooMany);
        };
        let power = |pairs| self.power(pairs, trials, seed);
        // `below` has too little power, and no pairs at all have none.
        let (mut below, mut above, mut reached) = (0, guess, power(guess)?);
        while reached < POWER {
            if above == MOST_PAIRS {
                return Ok(Size::TooMany);
            }
            below = above;
            above = (above + above.div_ceil(4)).min(MOST_PAIRS);
            reached = power(above)?;
        }
        while above - below > 1 {
            let middle = u32::midpoint(below, above);
            let found = power(middle)?;
            if found < POWER {
                below = middle;
            } else {
                (above, reached) = (middle, found);
            }
        }
        Ok(Size::Pairs { pairs: above, power: reached })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, IntervalRule};
    use super::*;

    fn scenario(estimator: Estimator, ratio: f64) -> Scenario {
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        Scenario { estimator, ratio, deviation: 0.0515, bound: Bound::at_most(1.10).unwrap(), alpha }
    }

    #[test]
    fn medians_take_more_pairs_than_the_normal_formula() {
        let pairs = |estimator| match scenario(estimator, 1.053).size(2_000, 1).unwrap() {
            Size::Pairs { pairs, power } if power >= 0.8 => pairs,
            other => panic!("{other:?}"),
        };
        // The normal formula says 9; up to π/2 more for medians, and the coarse interval beside it.
        let ranks = pairs(Estimator::HodgesLehmann);
        assert!((9..=12).contains(&ranks), "{ranks}");
        let medians = pairs(Estimator::MedianLogRatio);
        assert!((9..=16).contains(&medians), "{medians}");
    }

    #[test]
    fn power_rises_with_pairs_and_is_the_same_every_time() {
        for estimator in Estimator::ALL {
            let scenario = scenario(estimator, 1.053);
            let table = scenario.powers(&[5, 10, 20], 500, 3).unwrap();
            assert!(table.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1) && table[2].1 < 1.0, "{table:?}");
            // Each follows from its own number of pairs.
            assert_eq!(scenario.powers(&[20, 10], 500, 3), Ok(vec![table[2], table[1]]));
        }
        // Too few for a bound: never a pass.
        assert_eq!(scenario(Estimator::HodgesLehmann, 1.0).power(4, 100, 3), Ok(0.0));
    }

    #[test]
    fn a_ratio_on_its_bound_or_beyond_is_not_attainable() {
        for ratio in [1.10, 1.2] {
            assert_eq!(scenario(Estimator::RatioOfMedians, ratio).size(100, 1), Ok(Size::NotAttainable));
        }
        assert_eq!(scenario(Estimator::RatioOfMedians, 1.0999).size(100, 1), Ok(Size::TooMany));
        let benefit = Scenario { bound: Bound::at_least(1.0).unwrap(), ..scenario(Estimator::HodgesLehmann, 1.05) };
        assert!(matches!(benefit.size(500, 1), Ok(Size::Pairs { pairs: 6..=12, .. })));
    }

    #[test]
    fn what_can_not_be_simulated_is_an_error() {
        let of = |ratio, deviation, pairs, trials| {
            Scenario { deviation, ..scenario(Estimator::RatioOfMedians, ratio) }.power(pairs, trials, 1).unwrap_err()
        };
        let error = |input, value| StatsError::NotPlannable { input, value };
        assert_eq!(of(0.0, 0.1, 5, 9), error("a ratio", 0.0));
        assert_eq!(of(1.0, f64::INFINITY, 5, 9), error("a deviation", f64::INFINITY));
        assert!(matches!(of(1.0, f64::NAN, 5, 9), StatsError::NotPlannable { .. }));
        assert_eq!(of(1.0, 0.1, 0, 9), error("pairs", 0.0));
        assert_eq!(of(1.0, 0.1, 5, 0), error("trials", 0.0));
    }
}
