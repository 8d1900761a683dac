//! The interval of a share that was counted (Clopper & Pearson 1934, Biometrika 26:404–413).

use statrs::function::beta::beta_reg;

use super::error::StatsError;
use super::interval::{Alpha, Interval};

/// The exact interval of a probability from `successes` in `trials` independent trials, with an error of at most `alpha`
/// at each end.
///
/// The lower end is the probability with which so many successes or more have the probability α, the upper end that with
/// which so many or fewer have it; 0 where there was none, 1 where there was nothing else. Found by halving to the last
/// digit, each rounded away from the middle.
///
/// # Errors
///
/// [`StatsError::NoShare`] without trials, and where there are more successes than trials.
pub fn clopper_pearson(successes: u32, trials: u32, alpha: Alpha) -> Result<Interval, StatsError> {
    if trials == 0 || successes > trials {
        return Err(StatsError::NoShare { successes, trials });
    }
    let (x, n, alpha) = (f64::from(successes), f64::from(trials), alpha.as_f64());
    // P(X ≥ x) = I_p(x, n − x + 1) rises with p, and P(X ≤ x) = 1 − I_p(x + 1, n − x) falls.
    let low = if successes == 0 { 0.0 } else { halve(|p| beta_reg(x, n - x + 1.0, p) > alpha).0 };
    let high = if successes == trials { 1.0 } else { halve(|p| beta_reg(n - x, x + 1.0, 1.0 - p) <= alpha).1 };
    Ok(Interval::between(low, high))
}

/// The last probability for which `reached` is false and the first for which it is true, one step apart.
fn halve(reached: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut below, mut above) = (0.0, 1.0);
    loop {
        let middle = f64::midpoint(below, above);
        if middle <= below || middle >= above {
            return (below, above);
        }
        if reached(middle) { above = middle } else { below = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, IntervalRule};
    use super::*;

    fn alpha() -> Alpha {
        IntervalRule::TwoSided.alpha(Confidence::P95)
    }

    #[test]
    fn none_and_all_have_closed_forms() {
        // (1 − p)^20 = 0.025.
        let none = clopper_pearson(0, 20, alpha()).unwrap();
        assert!(
            none.low().abs() < f64::MIN_POSITIVE && (none.high() - 0.168_433_470_983_085).abs() < 1e-12,
            "{none:?}"
        );
        let all = clopper_pearson(20, 20, alpha()).unwrap();
        assert!((all.low() - 0.831_566_529_016_915).abs() < 1e-12 && (all.high() - 1.0).abs() < 1e-15, "{all:?}");
    }

    #[test]
    fn what_can_not_have_been_counted_is_an_error() {
        assert_eq!(clopper_pearson(0, 0, alpha()), Err(StatsError::NoShare { successes: 0, trials: 0 }));
        assert_eq!(clopper_pearson(3, 2, alpha()), Err(StatsError::NoShare { successes: 3, trials: 2 }));
    }
}
