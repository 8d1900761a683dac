//! The bound of a budget.

use super::error::StatsError;

/// A bound that a ratio or a value must keep: the budget's own side is *within*, the other *beyond*.
///
/// The bound itself is within: a ratio of exactly 1.05 keeps `max_ratio = 1.05`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    side: Side,
    value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    AtMost,
    AtLeast,
}

impl Bound {
    /// The bound of a `max` or `max_ratio` budget.
    ///
    /// # Errors
    ///
    /// [`StatsError::BoundNotFinite`].
    pub fn at_most(value: f64) -> Result<Self, StatsError> {
        Self::new(Side::AtMost, value)
    }

    /// The bound of a `min` or `min_ratio` budget.
    ///
    /// # Errors
    ///
    /// [`StatsError::BoundNotFinite`].
    pub fn at_least(value: f64) -> Result<Self, StatsError> {
        Self::new(Side::AtLeast, value)
    }

    fn new(side: Side, value: f64) -> Result<Self, StatsError> {
        if value.is_finite() { Ok(Self { side, value }) } else { Err(StatsError::BoundNotFinite { value }) }
    }

    /// The bound, in the unit of what it bounds.
    #[must_use]
    pub fn value(self) -> f64 {
        self.value
    }

    /// Whether the bound is an upper one.
    #[must_use]
    pub fn is_at_most(self) -> bool {
        self.side == Side::AtMost
    }

    /// Whether `value` is within; a NaN never is.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        match self.side {
            Side::AtMost => value <= self.value,
            Side::AtLeast => value >= self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_itself_is_within() {
        let (most, least) = (Bound::at_most(1.05).unwrap(), Bound::at_least(0.95).unwrap());
        assert!(most.holds(1.05) && most.holds(0.0) && !most.holds(1.05_f64.next_up()));
        assert!(least.holds(0.95) && least.holds(2.0) && !least.holds(0.95_f64.next_down()));
        assert!(!most.holds(f64::NAN) && !least.holds(f64::NAN));
        assert!(most.is_at_most() && !least.is_at_most());
    }

    #[test]
    fn a_bound_is_finite() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(Bound::at_most(value), Err(StatsError::BoundNotFinite { .. })));
            assert!(matches!(Bound::at_least(value), Err(StatsError::BoundNotFinite { .. })));
        }
    }
}
