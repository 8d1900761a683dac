//! The p of a claim about a bound.
//!
//! The p of a claim is the share of the bootstrap distribution that contradicts it, so that a claim is made where its p
//! is at most α. It says the same as the percentile interval at the same α a side:
//!
//! | claim | bound | contradicted by | the interval says so | that is |
//! |---|---|---|---|---|
//! | within | at most b | values above b | high ≤ b | mass ≤ α |
//! | within | at least b | values below b | low ≥ b | mass < α |
//! | beyond | at most b | values at or below b | low > b | mass < α |
//! | beyond | at least b | values at or above b | high < b | mass ≤ α |
//!
//! A mass of exactly α at the lower end is the one difference: the lower end is the smallest value that reaches α, so
//! it then stands on the other side. The interval is the stricter of the two there, and it decides: an outcome comes
//! from the interval, and the adjusted p can only take a claim back.
//!
//! With `n` pairs no p is below 2⁻ⁿ, the chance that `n` fair pairs all fall on one side: a bootstrap of pairs that all
//! agree has no mass on the other side at all, and would claim certainty from three of them. Where 2⁻ⁿ > α, an interval
//! can lie within its bound while the p is above α.
//!
//! In a drawn distribution a mass of zero says no more than that the true mass is probably below 3 / draws. A floor of
//! 1 / (draws + 1) (Phipson & Smyth 2010) is left out on purpose: in a family of more than α·(draws + 1) claims it
//! would let none through, however plain.

use super::bound::Bound;
use super::distribution::Distribution;

/// The p of the claim that the statistic is within `bound`: the share of `distribution` beyond it, at least 2⁻ⁿ.
#[must_use]
pub fn p_within(distribution: &Distribution, bound: Bound) -> f64 {
    let against = if bound.is_at_most() {
        distribution.mass_above(bound.value())
    } else {
        distribution.mass_below(bound.value())
    };
    against.max(smallest(distribution.pairs()))
}

/// The p of the claim that the statistic is beyond `bound`: the share of `distribution` within it, at least 2⁻ⁿ.
#[must_use]
pub fn p_beyond(distribution: &Distribution, bound: Bound) -> f64 {
    let against = if bound.is_at_most() {
        distribution.mass_at_or_below(bound.value())
    } else {
        distribution.mass_at_or_above(bound.value())
    };
    against.max(smallest(distribution.pairs()))
}

/// 2⁻ⁿ, exactly; beyond 1,022 pairs the smallest normal number, so that no p is zero.
fn smallest(pairs: usize) -> f64 {
    match i32::try_from(pairs) {
        Ok(exponent @ 0..=1022) => libm::ldexp(1.0, -exponent),
        _ => f64::MIN_POSITIVE,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "results are exact")]
mod tests {
    use super::super::{Confidence, Interval, IntervalRule};
    use super::*;

    fn most(value: f64) -> Bound {
        Bound::at_most(value).unwrap()
    }

    fn least(value: f64) -> Bound {
        Bound::at_least(value).unwrap()
    }

    /// The values 1 to 20,000, each once, of `pairs` pairs.
    fn uniform(pairs: usize) -> Distribution {
        Distribution::new(pairs, (1..=20_000_u16).map(f64::from).collect(), None)
    }

    #[test]
    fn a_value_on_the_bound_is_within_it() {
        let three = Distribution::new(20, vec![1.0, 2.0, 3.0, 4.0], Some(&[1, 2, 4, 1]));
        assert_eq!(p_within(&three, most(3.0)), 0.125);
        assert_eq!(p_within(&three, most(2.9)), 0.625);
        assert_eq!(p_within(&three, least(3.0)), 0.375);
        assert_eq!(p_within(&three, least(3.1)), 0.875);
        assert_eq!(p_beyond(&three, most(2.0)), 0.375);
        assert_eq!(p_beyond(&three, most(1.9)), 0.125);
        assert_eq!(p_beyond(&three, least(2.0)), 0.875);
        assert_eq!(p_beyond(&three, least(2.1)), 0.625);
    }

    #[test]
    fn p_is_never_below_two_to_the_minus_n() {
        for (pairs, floor) in [(3, 0.125), (5, 0.031_25), (10, 0.000_976_562_5)] {
            let uniform = uniform(pairs);
            for p in [p_within(&uniform, most(1e9)), p_within(&uniform, least(0.0))] {
                assert_eq!(p, floor);
            }
            for p in [p_beyond(&uniform, most(0.0)), p_beyond(&uniform, least(1e9))] {
                assert_eq!(p, floor);
            }
        }
        assert_eq!(p_within(&uniform(1022), most(1e9)), f64::MIN_POSITIVE);
        assert_eq!(p_within(&uniform(1021), most(1e9)), 2.0 * f64::MIN_POSITIVE);
        assert_eq!(p_within(&uniform(1023), most(1e9)), f64::MIN_POSITIVE);
        assert_eq!(p_within(&uniform(60_000), most(1e9)), f64::MIN_POSITIVE);
    }

    #[test]
    fn at_a_mass_of_exactly_alpha_the_lower_end_is_the_stricter() {
        // α is 2.5 %: 500 of the 20,000 values, and the interval goes from 500 to 19,500.
        let uniform = uniform(20);
        let interval = Interval::percentile(&uniform, IntervalRule::TwoSided.alpha(Confidence::P95));
        // 500 values are above 19,500, and the interval ends on it: within, p = α.
        assert!(interval.is_within(most(19_500.0)));
        assert_eq!(p_within(&uniform, most(19_500.0)), 0.025);
        // 500 values are at or below 500, and the interval starts on it: not beyond, though p = α.
        assert!(!interval.is_beyond(most(500.0)));
        assert_eq!(p_beyond(&uniform, most(500.0)), 0.025);
        assert!(interval.is_beyond(most(499.0)));
        // 500 values are below 501: not within, though p = α.
        assert!(!interval.is_within(least(501.0)));
        assert_eq!(p_within(&uniform, least(501.0)), 0.025);
        assert!(interval.is_within(least(500.0)));
        // 500 values are at or above 19,501: beyond, p = α.
        assert!(interval.is_beyond(least(19_501.0)));
        assert_eq!(p_beyond(&uniform, least(19_501.0)), 0.025);
    }
}
