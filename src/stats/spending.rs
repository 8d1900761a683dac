//! Looks at a campaign before its end, and the α that each may spend (Lan & DeMets 1983, Biometrika 70:659–663).

use std::f64::consts::{PI, SQRT_2};

use statrs::distribution::{ContinuousCDF, Normal};

use super::error::StatsError;
use super::interval::Alpha;

/// One look of a sequential plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The pairs that are there at the look.
    pub pairs: u32,
    /// The error that this look and those before it may spend together.
    pub spent: f64,
    /// The bound on the standard normal scale.
    pub z: f64,
    /// The nominal level of one end of the interval at this look, P(Z > z).
    pub level: f64,
    /// The level rounded down to what an interval resolves. `None` where nothing can be decided at this look: where no
    /// p of so few pairs, which is never below 2⁻ⁿ, reaches the level.
    pub alpha: Option<Alpha>,
}

/// The most looks of a plan.
const MOST_LOOKS: usize = 20;

/// The most pairs of a plan: closer looks would take too fine an integral.
const MOST_PAIRS: u32 = 1_000;

/// How many standard deviations of a step are integrated to each side.
const REACH: f64 = 14.0;

/// Steps of the integral in a standard deviation of the smaller increment.
const STEPS: f64 = 16.0;

/// The looks at `pairs` of `last` planned pairs, with an error of `alpha` over all of them on one side.
///
/// What is spent at the share t of the pairs is `2 − 2·Φ(z/√t)`, z being the quantile at 1 − α/2: almost nothing at
/// first, as with the bounds of O'Brien & Fleming (1979, Biometrics 35:549–556), and all of α at the end. The bounds
/// follow by numerical integration over the paths that have crossed none so far (Armitage, McPherson & Rowe 1969,
/// Journal of the Royal Statistical Society A 132:235–244); levels come out to within 10⁻⁶ of themselves. They hold for
/// a statistic that is asymptotically normal with independent increments; that of few pairs is so only roughly.
///
/// A last look before the last pair leaves some of α unspent.
///
/// # Errors
///
/// [`StatsError::Empty`] without looks, [`StatsError::Looks`] unless they ascend, begin above zero and end at most at
/// `last`, and where there are more than 20; [`StatsError::TooManyPairs`] beyond 1,000.
pub fn looks(pairs: &[u32], last: u32, alpha: Alpha) -> Result<Vec<Look>, StatsError> {
    if pairs.is_empty() {
        return Err(StatsError::Empty { input: "looks" });
    }
    if last > MOST_PAIRS {
        let (pairs, limit) = (last as usize, MOST_PAIRS as usize);
        return Err(StatsError::TooManyPairs { statistic: "levels of the looks", pairs, limit });
    }
    let before = std::iter::once(0).chain(pairs.iter().copied());
    if let Some(index) = pairs.iter().zip(before).position(|(&look, before)| look <= before || look > last) {
        return Err(StatsError::Looks { position: index + 1, pairs: pairs[index], last });
    }
    if pairs.len() > MOST_LOOKS {
        return Err(StatsError::Looks { position: MOST_LOOKS + 1, pairs: pairs[MOST_LOOKS], last });
    }
    let shares: Vec<f64> = pairs.iter().map(|&look| f64::from(look) / f64::from(last)).collect();
    let quantile = Normal::standard().inverse_cdf(1.0 - alpha.as_f64() / 2.0);
    let spent: Vec<f64> = shares.iter().map(|share| 2.0 * upper_tail(quantile / libm::sqrt(*share))).collect();

    let mut found = Vec::with_capacity(pairs.len());
    let mut paths: Option<Paths> = None;
    let mut before = 0.0;
    for (index, &look) in pairs.iter().enumerate() {
        let share = shares[index];
        let z = bound(|z| crossing(paths.as_ref(), share, z * libm::sqrt(share)) > spent[index] - before);
        let level = upper_tail(z);
        let alpha = Alpha::at_most(level)
            .filter(|alpha| i32::try_from(look).map_or(0.0, |n| libm::ldexp(1.0, -n)) <= alpha.as_f64());
        found.push(Look { pairs: look, spent: spent[index], z, level, alpha });
        if let Some(&next) = shares.get(index + 1) {
            paths = Some(Paths::new(paths.as_ref(), share, z * libm::sqrt(share), next));
        }
        before = spent[index];
    }
    Ok(found)
}

/// P(Z > z), with its digits far out as well.
fn upper_tail(z: f64) -> f64 {
    libm::erfc(z / SQRT_2) / 2.0
}

fn density(z: f64) -> f64 {
    libm::exp(-z * z / 2.0) / libm::sqrt(2.0 * PI)
}

/// The z at which `too_many` turns from true to false, to the last digit.
fn bound(too_many: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (-40.0, 40.0);
    loop {
        let middle = f64::midpoint(below, above);
        if middle <= below || middle >= above {
            return above;
        }
        if too_many(middle) { below = middle } else { above = middle }
    }
}

/// The density of the sum at a look, over the paths that have crossed no bound: values at equal steps up to the bound.
struct Paths {
    share: f64,
    first: f64,
    step: f64,
    /// The density times the weight of Simpson's rule.
    masses: Vec<f64>,
}

impl Paths {
    /// The paths at `share` below `bound`, from those of the look `before`; the next look is at `next`.
    fn new(before: Option<&Self>, share: f64, bound: f64, next: f64) -> Self {
        let increment = share - before.map_or(0.0, |before| before.share);
        let finest = libm::sqrt(increment.min(next - share)) / STEPS;
        let first = (-REACH * libm::sqrt(share)).min(bound - finest);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some thousands")]
        let halves = libm::ceil((bound - first) / finest / 2.0) as u32;
        let step = (bound - first) / f64::from(2 * halves);
        let masses = (0..=2 * halves)
            .map(|index| {
                let weight = match index {
                    0 => 1.0,
                    end if end == 2 * halves => 1.0,
                    odd if odd % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                let sum = first + f64::from(index) * step;
                arrival(before, share, sum) * weight * step / 3.0
            })
            .collect();
        Self { share, first, step, masses }
    }

    /// The masses within reach of `sum`, an increment with the standard deviation `deviation` away, and their sums.
    fn near(&self, sum: f64, deviation: f64) -> impl Iterator<Item = (f64, f64)> {
        let index = |sum: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
            let index = libm::ceil((sum - self.first) / self.step) as usize;
            index.min(self.masses.len())
        };
        let (from, to) = (index(sum - REACH * deviation), index(sum + REACH * deviation));
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        (from..to).map(|index| (self.first + index as f64 * self.step, self.masses[index]))
    }
}

/// The density of `sum` at `share`, over the paths `before`; without them it is the first look.
fn arrival(before: Option<&Paths>, share: f64, sum: f64) -> f64 {
    let Some(before) = before else {
        let deviation = libm::sqrt(share);
        return density(sum / deviation) / deviation;
    };
    let deviation = libm::sqrt(share - before.share);
    before.near(sum, deviation).map(|(from, mass)| mass * density((sum - from) / deviation)).sum::<f64>() / deviation
}

/// The probability that a path of `before` is above `bound` at `share`.
fn crossing(before: Option<&Paths>, share: f64, bound: f64) -> f64 {
    let Some(before) = before else {
        return upper_tail(bound / libm::sqrt(share));
    };
    let deviation = libm::sqrt(share - before.share);
    let sums = (0_u32..).map(|index| before.first + f64::from(index) * before.step);
    before.masses.iter().zip(sums).map(|(mass, from)| mass * upper_tail((bound - from) / deviation)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, IntervalRule};
    use super::*;

    fn alpha() -> Alpha {
        IntervalRule::TwoSided.alpha(Confidence::P95)
    }

    #[test]
    fn five_equal_looks_have_the_published_bounds() {
        let found = looks(&[20, 40, 60, 80, 100], 100, alpha()).unwrap();
        // The second is printed as 3.3569 or as 3.3570, depending on the program's own integration.
        for (look, expected) in found.iter().zip([4.8769, 3.3570, 2.6803, 2.2898, 2.0310]) {
            assert!((look.z - expected).abs() < 6e-5, "{look:?} and {expected}");
        }
        assert!((found[4].spent - 0.025).abs() < 1e-9, "{:?}", found[4]);
        // 2⁻²⁰ is 9.5e-7, above the first level of 5.4e-7.
        assert_eq!(found[0].alpha, None);
        assert!(found[1..].iter().all(|look| look.alpha.is_some_and(|alpha| alpha.as_f64() <= look.level)));
    }

    #[test]
    fn one_look_at_the_end_spends_all() {
        let found = looks(&[30], 30, alpha()).unwrap();
        assert!((found[0].z - 1.959_963_985).abs() < 1e-8, "{found:?}");
        assert!((found[0].level - 0.025).abs() < 1e-10, "{found:?}");
    }

    #[test]
    fn many_uneven_looks_spend_what_they_may() {
        let found = looks(&[5, 6, 7, 100, 101, 999, 1_000], 1_000, alpha()).unwrap();
        assert!(found.windows(2).all(|pair| pair[0].spent < pair[1].spent), "{found:?}");
        assert!(found.iter().all(|look| look.level < 0.025 && look.level > 0.0 || look.pairs < 10), "{found:?}");
        assert!(found[..3].iter().all(|look| look.alpha.is_none()), "{found:?}");
    }

    #[test]
    fn looks_ascend_and_end_with_the_plan() {
        let error = |pairs: &[u32]| looks(pairs, 20, alpha()).unwrap_err();
        assert_eq!(error(&[]), StatsError::Empty { input: "looks" });
        assert_eq!(error(&[0, 5]), StatsError::Looks { position: 1, pairs: 0, last: 20 });
        assert_eq!(error(&[5, 10, 10]), StatsError::Looks { position: 3, pairs: 10, last: 20 });
        assert_eq!(error(&[5, 21]), StatsError::Looks { position: 2, pairs: 21, last: 20 });
        let limit = StatsError::TooManyPairs { statistic: "levels of the looks", pairs: 1_001, limit: 1_000 };
        assert_eq!(looks(&[1_001], 1_001, alpha()), Err(limit));
        let many: Vec<u32> = (1..=21).collect();
        assert_eq!(looks(&many, 200, alpha()), Err(StatsError::Looks { position: 21, pairs: 21, last: 200 }));
    }
}
