//! Where the level of a series changes: E-divisive, with means.

use super::error::{StatsError, require_finite};
use super::indices::{below, generator};

/// The most values of a series.
pub const MOST_VALUES: usize = 100;

/// The fewest values between two changes.
const FEWEST: usize = 2;

/// The permutations behind a p.
const PERMUTATIONS: u32 = 999;

/// The seed of the permutations.
const SEED: u64 = 1_412;

/// A difference of two figures that is a matter of rounding, as a share of them.
const ROUNDING: f64 = 1e-9;

/// A place where the level changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// The index of the first value after the change.
    pub at: usize,
    /// The p of no change there, given those that were found before it: at least 0.001.
    pub p: f64,
}

/// The changes of level in `values`, which are in the order of time, by their index; none where `level` is below 0.001.
///
/// E-divisive (Matteson & James 2014, Journal of the American Statistical Association 109:334–345, equations 5 to 7 and
/// section 3) with α = 1. For the values `X` from the start of a segment to `τ` and `Y` from there to `κ`, `m` and `n` in
/// number, it looks for the `τ` and `κ` with the largest
///
/// `Q = mn/(m + n) · (2/(mn)·Σ|x − y| − Σ|x − x'|/C(m, 2) − Σ|y − y'|/C(n, 2))`,
///
/// over all segments between the changes so far; `m` and `n` are at least 2. The change at `τ` stands if its p is at most
/// `level`: of 999 permutations of the values within each segment, from a generator with a fixed seed, the share whose own
/// largest `Q` is as large, the values as they are counted as one more. Then the segments are one more; the first change that
/// does not stand is the end. Nothing is assumed of the distribution but that values without a change could as well have
/// come in any other order.
///
/// It takes at least 8 values before a p of 0.05 can come out, as 2·4!·4!/8! is the share of the orders that part four low ones from four
/// high ones.
///
/// # Errors
///
/// [`StatsError::NotFinite`]; [`StatsError::TooMany`] beyond [`MOST_VALUES`]; [`StatsError::Overflow`] where values are so
/// large that their distances have no sum.
pub fn change_points(values: &[f64], level: f64) -> Result<Vec<ChangePoint>, StatsError> {
    const STATISTIC: &str = "change points";
    if values.is_empty() {
        return Ok(Vec::new());
    }
    require_finite("values", values)?;
    if values.len() > MOST_VALUES {
        return Err(StatsError::TooMany { statistic: STATISTIC, found: values.len(), limit: MOST_VALUES });
    }
    let mut ends = vec![0, values.len()];
    let mut found: Vec<ChangePoint> = Vec::new();
    while let Some(best) = largest(values, &ends) {
        if !best.q.is_finite() {
            return Err(StatsError::Overflow { statistic: STATISTIC });
        }
        let Some(p) = significance(values, &ends, best.q, level) else { break };
        found.push(ChangePoint { at: best.at, p });
        ends.push(best.at);
        ends.sort_unstable();
    }
    found.sort_unstable_by_key(|change| change.at);
    Ok(found)
}

/// A division, and how far it parts the values.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Division {
    at: usize,
    q: f64,
}

/// The division with the largest `Q` of all segments that lie between neighbours of `ends`; none where no value differs
/// from its neighbours. Of equal ones it is the first.
fn largest(values: &[f64], ends: &[usize]) -> Option<Division> {
    let segments = ends.windows(2).filter_map(|ends| {
        let best = division(&values[ends[0]..ends[1]])?;
        Some(Division { at: best.at + ends[0], ..best })
    });
    segments.reduce(|best, next| if larger(next.q, best.q) { next } else { best })
}

/// Whether `q` is above `best`, or no number, which ends the search.
fn larger(q: f64, best: f64) -> bool {
    q > best || q.is_nan()
}

/// The division of one segment with the largest `Q`.
///
/// What stands in the loop is `Q` with its fractions cleared: `2/(m + n) · (Σ|x − y| − n·Σ|x − x'|/(m − 1) − m·Σ|y − y'|/(n − 1))`.
fn division(values: &[f64]) -> Option<Division> {
    let size = values.len();
    let sums = within(values);
    let mut best: Option<Division> = None;
    for at in FEWEST..=size.saturating_sub(FEWEST) {
        let (from_start, from_here) = (&sums[..size], &sums[at * size..][..size]);
        let m = real(at);
        let before = from_start[at - 1];
        let spread = before / (m - 1.0);
        for last in at + FEWEST - 1..size {
            let n = real(last + 1 - at);
            let (all, after) = (from_start[last], from_here[last]);
            let q = 2.0 / (m + n) * (all - before - after - n * spread - m * after / (n - 1.0));
            if larger(q, best.map_or(0.0, |best| best.q)) {
                best = Some(Division { at, q });
            }
        }
    }
    best
}

/// At `start · size + last` the sum of the distances within the values from `start` to `last`.
fn within(values: &[f64]) -> Vec<f64> {
    let size = values.len();
    let mut sums = vec![0.0; size * size];
    for start in (0..size.saturating_sub(1)).rev() {
        let (row, next) = sums[start * size..].split_at_mut(size);
        // The distances of the first value from those after it.
        let mut more = 0.0;
        for last in start + 1..size {
            more += (values[last] - values[start]).abs();
            row[last] = next[last] + more;
        }
    }
    sums
}

#[expect(clippy::cast_precision_loss, reason = "at most MOST_VALUES")]
const fn real(count: usize) -> f64 {
    count as f64
}

/// The p of a division that parts the values by `q`; none where it is above `level`.
fn significance(values: &[f64], ends: &[usize], q: f64, level: f64) -> Option<f64> {
    let mut random = generator(SEED, values.len() as u64);
    let mut shuffled = values.to_vec();
    let all = f64::from(PERMUTATIONS) + 1.0;
    let mut as_large = 1.0;
    for _ in 0..PERMUTATIONS {
        // Once it can't stand any more, the rest of the permutations has nothing to say.
        if as_large / all > level {
            return None;
        }
        for ends in ends.windows(2) {
            let segment = &mut shuffled[ends[0]..ends[1]];
            for last in (1..segment.len()).rev() {
                segment.swap(last, below(&mut random, last + 1));
            }
        }
        if largest(&shuffled, ends).is_some_and(|other| other.q >= q * (1.0 - ROUNDING)) {
            as_large += 1.0;
        }
    }
    (as_large / all <= level).then_some(as_large / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Q` by its definition, value by value.
    fn by_definition(before: &[f64], after: &[f64]) -> f64 {
        let distances = |ones: &[f64], others: &[f64]| -> f64 {
            ones.iter().map(|one| others.iter().map(|other| (one - other).abs()).sum::<f64>()).sum()
        };
        let (m, n) = (f64::from(u8::try_from(before.len()).unwrap()), f64::from(u8::try_from(after.len()).unwrap()));
        // Each pair within a group is met twice.
        let within = |group: &[f64], size: f64| distances(group, group) / (size * (size - 1.0));
        m * n / (m + n) * (2.0 * distances(before, after) / (m * n) - within(before, m) - within(after, n))
    }

    fn largest_by_definition(values: &[f64]) -> f64 {
        let ends = |at: usize| (at + 2..=values.len()).map(move |end| (at, end));
        let all = (2..values.len() - 1).flat_map(ends);
        all.map(|(at, end)| by_definition(&values[..at], &values[at..end])).fold(0.0, f64::max)
    }

    fn every_order(values: &mut Vec<f64>, from: usize, visit: &mut impl FnMut(&[f64])) {
        if from == values.len() {
            return visit(values);
        }
        for other in from..values.len() {
            values.swap(from, other);
            every_order(values, from + 1, visit);
            values.swap(from, other);
        }
    }

    fn places(values: &[f64]) -> Vec<usize> {
        change_points(values, 0.05).unwrap().iter().map(|change| change.at).collect()
    }

    const FOUR_AND_FOUR: [f64; 8] = [1.0, 3.0, 2.0, 2.5, 11.0, 14.0, 12.0, 13.0];

    #[test]
    fn q_is_that_of_the_definition() {
        // By hand: 10 on average between the two, 1 within each, and mn/(m + n) is 1.
        let found = division(&[0.0, 1.0, 10.0, 11.0]).unwrap();
        assert!(found.at == 2 && (found.q - 18.0).abs() < 1e-12, "{found:?}");
        assert_eq!(within(&[1.0, 2.0, 4.0]), [0.0, 1.0, 6.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
        let best = division(&FOUR_AND_FOUR).unwrap();
        assert_eq!(best.at, 4);
        assert!((best.q - largest_by_definition(&FOUR_AND_FOUR)).abs() < 1e-12, "{best:?}");
    }

    #[test]
    fn p_is_the_share_of_all_orders() {
        let weak = [1.0, 2.0, 3.0, 4.0, 3.5, 5.0, 6.0];
        for values in [&FOUR_AND_FOUR[..], &weak] {
            let q = largest_by_definition(values);
            let (mut as_large, mut all) = (0_u32, 0_u32);
            every_order(&mut values.to_vec(), 0, &mut |order| {
                all += 1;
                as_large += u32::from(largest_by_definition(order) >= q * (1.0 - 1e-9));
            });
            let share = f64::from(as_large) / f64::from(all);
            let p = significance(values, &[0, values.len()], q, 1.0).unwrap();
            let error = (share * (1.0 - share) / f64::from(PERMUTATIONS)).sqrt();
            assert!((p - share).abs() < 4.0 * error + 0.001, "{p} and {share}");
        }
    }

    #[test]
    fn levels_change_where_the_reference_says() {
        // By `tests/reference/change_points.py`, in exact fractions and with permutations of its own.
        let reference = include_str!("../../tests/reference/change_points.json");
        let cases: Vec<serde_json::Value> = serde_json::from_str(reference).unwrap();
        assert_eq!(cases.len(), 8);
        for case in cases {
            let values: Vec<f64> = serde_json::from_value(case["values"].clone()).unwrap();
            let best = division(&values).unwrap();
            let q = case["q"].as_f64().unwrap();
            assert_eq!(Some(best.at as u64), case["at"].as_u64(), "{}", case["name"]);
            assert!((best.q - q).abs() < 1e-9 * q, "{}: {} and {q}", case["name"], best.q);
            let changes: Vec<usize> = serde_json::from_value(case["changes"].clone()).unwrap();
            assert_eq!(places(&values), changes, "{}", case["name"]);
        }
    }

    #[test]
    fn the_level_of_published_examples_changes_where_they_say() {
        // Of the documentation and the tests of Hunter (Fleming et al. 2023, ICPE), as Apache Otava has them.
        let long = [
            1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51,
            0.50, 0.49,
        ];
        assert_eq!(places(&long), [10]);
        assert_eq!(places(&[1.02, 0.95, 0.99, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55]), [6]);
        assert_eq!(places(&[2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78])[0], 4);
    }

    #[test]
    fn a_level_that_comes_back_changes_twice_and_any_unit_will_do() {
        let level = |run: u32| if (10..20).contains(&run) { 12.0 } else { 10.0 };
        let values: Vec<f64> = (0..30).map(|run| level(run) + f64::from(run * 7 % 5) / 10.0).collect();
        assert_eq!(places(&values), [10, 20]);
        let found = change_points(&values, 0.05).unwrap();
        assert_eq!(found, change_points(&values, 0.05).unwrap());
        let scaled: Vec<f64> = values.iter().map(|value| value * 1_024.0).collect();
        assert_eq!(change_points(&scaled, 0.05).unwrap(), found);
    }

    #[test]
    fn what_has_no_change_has_none() {
        assert_eq!(places(&[]), [0; 0]);
        assert_eq!(places(&[5.0; 40]), [0; 0]);
        // Too few for any p of 0.05, however far apart.
        assert_eq!(places(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0]), [0; 0]);
        // One value is no level.
        assert_eq!(places(&[1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 9.0]), [0; 0]);
        let mut random = generator(3, 0);
        let false_alarms = (0..200).filter(|_| {
            let values: Vec<f64> =
                (0..20).map(|_| f64::from(u32::try_from(below(&mut random, 1_000)).unwrap())).collect();
            !places(&values).is_empty()
        });
        // Of 200 series without a change 5 % have one by chance: 10, and 9 more are three standard errors.
        let false_alarms = false_alarms.count();
        assert!((1..=19).contains(&false_alarms), "{false_alarms}");
    }

    #[test]
    fn what_can_not_be_searched_is_an_error() {
        assert!(matches!(change_points(&[1.0, f64::NAN], 0.05), Err(StatsError::NotFinite { position: 2, .. })));
        let limit = MOST_VALUES;
        let error = StatsError::TooMany { statistic: "change points", found: limit + 1, limit };
        assert_eq!(change_points(&vec![1.0; limit + 1], 0.05), Err(error));
        let huge: Vec<f64> = (0..10).map(|run| if run < 5 { f64::MIN } else { f64::MAX }).collect();
        assert_eq!(change_points(&huge, 0.05), Err(StatsError::Overflow { statistic: "change points" }));
    }
}
