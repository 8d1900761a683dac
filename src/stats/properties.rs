//! What must hold for any pairs, not only for those that somebody thought of.

use std::cmp::Ordering;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Measurements with ties, of very different sizes.
fn measurement() -> impl Strategy<Value = f64> {
    prop_oneof![(1_u32..12).prop_map(f64::from), 0.9..1.1, 1e-9..1e12]
}

fn pairs(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<(f64, f64)>> {
    vec((measurement(), measurement()), count)
}

fn sides(pairs: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    pairs.iter().copied().unzip()
}

fn ratio(resamples: &Resamples, pairs: &[(f64, f64)]) -> Bootstrap {
    let (baseline, candidate) = sides(pairs);
    ratio_of_medians(resamples, &baseline, &candidate).unwrap()
}

/// Every bit of an estimate.
fn bits(estimate: &Bootstrap) -> (u64, Vec<(u64, u64)>) {
    let distribution = estimate.distribution().iter().map(|(value, weight)| (value.to_bits(), weight));
    (estimate.point().to_bits(), distribution.collect())
}

fn rule() -> impl Strategy<Value = IntervalRule> {
    prop_oneof![Just(IntervalRule::TwoSided), Just(IntervalRule::OneSided)]
}

fn confidence() -> impl Strategy<Value = Confidence> {
    prop_oneof![Just(Confidence::P95), (5_001_u16..10_000).prop_map(|parts| Confidence::from_parts(parts).unwrap())]
}

proptest! {
    #[test]
    fn counts_add_up_to_the_pairs_and_weights_to_the_total(
        pairs in 1_usize..40,
        seed: u64,
        draws in 1_u32..200,
    ) {
        let resamples = Resamples::new(pairs, seed, draws).unwrap();
        let mut total = 0;
        for resample in 0..resamples.len() {
            prop_assert_eq!(resamples.counts(resample).map(usize::from).sum::<usize>(), pairs);
            total += resamples.weight(resample);
        }
        prop_assert_eq!(total, resamples.total());
        if resamples.is_exact() {
            prop_assert_eq!(total, (pairs as u64).pow(u32::try_from(pairs).unwrap()));
        } else {
            prop_assert_eq!(total, u64::from(draws));
        }
    }

    #[test]
    fn fewer_draws_are_the_beginning_of_more(
        pairs in 9_usize..40,
        seed: u64,
        few in 1_u32..100,
        more in 0_u32..100,
    ) {
        let short = Resamples::new(pairs, seed, few).unwrap();
        let long = Resamples::new(pairs, seed, few + more).unwrap();
        for resample in 0..short.len() {
            prop_assert!(short.counts(resample).eq(long.counts(resample)));
        }
    }

    #[test]
    fn the_order_of_the_pairs_does_not_matter(
        (sorted, shuffled) in pairs(1..25)
            .prop_flat_map(|pairs| (Just(pairs.clone()), Just(pairs).prop_shuffle())),
        seed: u64,
    ) {
        let resamples = Resamples::new(sorted.len(), seed, 500).unwrap();
        prop_assert_eq!(bits(&ratio(&resamples, &sorted)), bits(&ratio(&resamples, &shuffled)));
        let (sorted, shuffled) = (sides(&sorted).1, sides(&shuffled).1);
        prop_assert_eq!(
            bits(&median_of(&resamples, &sorted).unwrap()),
            bits(&median_of(&resamples, &shuffled).unwrap())
        );
    }

    #[test]
    fn a_budget_alone_has_the_bits_it_has_among_others(budgets in vec(pairs(12), 2..5), seed: u64) {
        let shared = Resamples::new(12, seed, 300).unwrap();
        let together: Vec<_> = budgets.iter().map(|pairs| bits(&ratio(&shared, pairs))).collect();
        for (pairs, together) in budgets.iter().zip(together) {
            let own = Resamples::new(12, seed, 300).unwrap();
            prop_assert_eq!(bits(&ratio(&own, pairs)), together);
        }
    }

    #[test]
    fn each_median_is_that_of_the_pairs_in_the_resample(pairs in pairs(1..14), seed: u64) {
        let resamples = Resamples::new(pairs.len(), seed, 100).unwrap();
        let mut sorted = pairs.clone();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut expected = Vec::new();
        for resample in 0..resamples.len() {
            let counted = sorted.iter().zip(resamples.counts(resample));
            let drawn: Vec<_> = counted
                .flat_map(|(&pair, count)| std::iter::repeat_n(pair, count.into()))
                .collect();
            let (baseline, candidate) = sides(&drawn);
            let ratio = median(&candidate).unwrap() / median(&baseline).unwrap();
            expected.push((ratio.to_bits(), resamples.weight(resample)));
        }
        // Positive floats sort as their bits do.
        expected.sort_unstable();
        let merged: Vec<_> = expected
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].0, run.iter().map(|(_, weight)| weight).sum::<u64>()))
            .collect();
        prop_assert_eq!(bits(&ratio(&resamples, &pairs)).1, merged);
    }

    #[test]
    fn a_power_of_two_on_both_sides_changes_nothing_and_on_one_side_scales(
        pairs in pairs(1..20),
        power in -20_i32..20,
    ) {
        let resamples = Resamples::new(pairs.len(), 1, 300).unwrap();
        let factor = libm::ldexp(1.0, power);
        let plain = ratio(&resamples, &pairs);
        let both: Vec<_> = pairs.iter().map(|&(b, c)| (b * factor, c * factor)).collect();
        prop_assert_eq!(bits(&plain), bits(&ratio(&resamples, &both)));
        let one: Vec<_> = pairs.iter().map(|&(b, c)| (b, c * factor)).collect();
        let scaled = ratio(&resamples, &one);
        prop_assert!((scaled.point() - plain.point() * factor).abs() == 0.0);
        let expected = plain.distribution().iter().map(|(value, weight)| (value * factor, weight));
        prop_assert!(scaled.distribution().iter().eq(expected));
    }

    #[test]
    fn any_unit_gives_nearly_the_same_ratio(pairs in pairs(1..20), factor in 1e-6..1e6) {
        let resamples = Resamples::new(pairs.len(), 1, 300).unwrap();
        let both: Vec<_> = pairs.iter().map(|&(b, c)| (b * factor, c * factor)).collect();
        let (plain, both) = (ratio(&resamples, &pairs), ratio(&resamples, &both));
        let ends = |estimate: &Bootstrap| {
            let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
            let interval = Interval::percentile(estimate.distribution(), alpha);
            [estimate.point(), interval.low(), interval.high()]
        };
        for (plain, both) in ends(&plain).into_iter().zip(ends(&both)) {
            prop_assert!((plain / both - 1.0).abs() < 1e-14, "{} and {}", plain, both);
        }
    }

    #[test]
    fn drawing_comes_close_to_enumerating(pairs in pairs(2..=8), seed: u64) {
        let exact = ratio(&Resamples::new(pairs.len(), 0, 0).unwrap(), &pairs);
        let drawn = ratio(&Resamples::drawn(pairs.len(), seed, 20_000).unwrap(), &pairs);
        prop_assert!(exact.point().to_bits() == drawn.point().to_bits());
        // Massart 1990: beyond 0.02 with a probability of at most 2·exp(−2·20,000·0.02²) = 2·10⁻⁷.
        for (value, _) in exact.distribution().iter() {
            let exact = exact.distribution().mass_at_or_below(value);
            let drawn = drawn.distribution().mass_at_or_below(value);
            prop_assert!((exact - drawn).abs() < 0.02, "{} and {} at {}", exact, drawn, value);
        }
    }

    #[test]
    fn every_ratio_lies_between_the_extreme_pairs(pairs in pairs(1..20)) {
        let estimate = ratio(&Resamples::new(pairs.len(), 3, 500).unwrap(), &pairs);
        let ratios = || pairs.iter().map(|(baseline, candidate)| candidate / baseline);
        let (low, high) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        let slack = 1e-15;
        for (value, _) in estimate.distribution().iter() {
            prop_assert!(low * (1.0 - slack) <= value && value <= high * (1.0 + slack));
        }
        // Up to five pairs, an end of either interval is an extreme pair itself: P(Bin(5, 1/5) ≥ 3) = 5.8 %, P(Bin(4,
        // 1/4) ≥ 3) = 5.1 %.
        if pairs.len() <= 5 {
            for rule in [IntervalRule::TwoSided, IntervalRule::OneSided] {
                let interval = Interval::percentile(estimate.distribution(), rule.alpha(Confidence::P95));
                prop_assert_eq!(interval.low().to_bits(), low.to_bits());
                prop_assert_eq!(interval.high().to_bits(), high.to_bits());
            }
        }
    }

    #[test]
    fn p_says_what_the_interval_says(
        pairs in pairs(1..20),
        pick: prop::sample::Index,
        nudge in -1_i32..=1,
        (rule, confidence) in (rule(), confidence()),
    ) {
        let estimate = ratio(&Resamples::new(pairs.len(), 3, 400).unwrap(), &pairs);
        let distribution = estimate.distribution();
        let values: Vec<_> = distribution.iter().map(|(value, _)| value).collect();
        let value = *pick.get(&values);
        let value = match nudge { -1 => value.next_down(), 0 => value, _ => value.next_up() };
        let interval = Interval::percentile(distribution, rule.alpha(confidence));
        let alpha = rule.alpha(confidence).as_f64();
        let floor = libm::ldexp(1.0, -i32::try_from(pairs.len()).unwrap());
        for bound in [Bound::at_most(value).unwrap(), Bound::at_least(value).unwrap()] {
            let (within, beyond) = (p_within(distribution, bound), p_beyond(distribution, bound));
            prop_assert!(within >= floor && within <= 1.0 && beyond >= floor && beyond <= 1.0);
            prop_assert!(!(interval.is_within(bound) && interval.is_beyond(bound)));
            let claims = [(interval.is_within(bound), within), (interval.is_beyond(bound), beyond)];
            for (says, p) in claims {
                // The interval never claims what p, but for its floor, does not.
                if says {
                    prop_assert!(p <= alpha.max(floor), "{} at α = {}", p, alpha);
                }
                // And p claims no more than the interval, but at exactly α.
                if p < alpha {
                    prop_assert!(says, "{} at α = {}", p, alpha);
                }
            }
        }
    }

    #[test]
    fn masses_and_quantiles_are_two_views_of_one_thing(
        pairs in pairs(1..20),
        parts in 0_u16..=10_000,
    ) {
        let estimate = ratio(&Resamples::new(pairs.len(), 3, 400).unwrap(), &pairs);
        let distribution = estimate.distribution();
        let quantile = distribution.quantile(Level::from_parts(parts).unwrap());
        let level = f64::from(parts) / 10_000.0;
        prop_assert!(distribution.mass_at_or_below(quantile) >= level);
        prop_assert!(distribution.mass_below(quantile) < level || parts == 0);
        let wholes = [
            distribution.mass_below(quantile) + distribution.mass_at_or_above(quantile),
            distribution.mass_at_or_below(quantile) + distribution.mass_above(quantile),
        ];
        prop_assert!(wholes.iter().all(|whole| (whole - 1.0).abs() < 1e-15), "{:?}", wholes);
        let values: Vec<_> = distribution.iter().map(|(value, _)| value).collect();
        prop_assert!(values.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_estimator_is_of_the_pairs_and_not_of_their_order(
        (sorted, shuffled) in pairs(5..25)
            .prop_flat_map(|pairs| (Just(pairs.clone()), Just(pairs).prop_shuffle())),
        seed: u64,
    ) {
        let resamples = Resamples::new(sorted.len(), seed, 300).unwrap();
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        for estimator in Estimator::ALL {
            let figures = |pairs: &[(f64, f64)]| {
                let (baseline, candidate) = sides(pairs);
                let estimate = estimator.estimate(&resamples, &baseline, &candidate).unwrap();
                let interval = estimate.interval(alpha).unwrap();
                [estimate.point(), interval.low(), interval.high()].map(f64::to_bits)
            };
            prop_assert_eq!(figures(&sorted), figures(&shuffled), "{:?}", estimator);
        }
    }

    #[test]
    fn every_estimator_scales_with_either_side(pairs in pairs(5..20), power in -20_i32..20) {
        let resamples = Resamples::new(pairs.len(), 1, 300).unwrap();
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        let factor = libm::ldexp(1.0, power);
        let (baseline, candidate) = sides(&pairs);
        let scaled: Vec<f64> = candidate.iter().map(|value| value * factor).collect();
        for estimator in Estimator::ALL {
            let figures = |candidate: &[f64]| {
                let estimate = estimator.estimate(&resamples, &baseline, candidate).unwrap();
                let interval = estimate.interval(alpha).unwrap();
                [estimate.point(), interval.low(), interval.high()]
            };
            // A root is rounded anew only where the power of two is odd.
            for (plain, scaled) in figures(&candidate).into_iter().zip(figures(&scaled)) {
                prop_assert!((scaled / (plain * factor) - 1.0).abs() < 1e-15, "{:?}", estimator);
            }
        }
    }

    #[test]
    fn exchanging_the_sides_inverts_the_ratio(pairs in pairs(5..=7)) {
        let resamples = Resamples::new(pairs.len(), 1, 0).unwrap();
        let (baseline, candidate) = sides(&pairs);
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        // A quantile is the smallest value that reaches its level, so exchanged ends would differ where a mass is α
        // itself; but neither 5^5 nor 6^6 nor 7^7 is divisible by 20.
        for estimator in Estimator::ALL {
            let plain = estimator.estimate(&resamples, &baseline, &candidate).unwrap();
            let turned = estimator.estimate(&resamples, &candidate, &baseline).unwrap();
            let close = |a: f64, b: f64| (a * b - 1.0).abs() < 1e-14;
            prop_assert!(close(plain.point(), turned.point()), "{:?}", estimator);
            // All is beyond a bound that is far below.
            let far = Bound::at_most(plain.point() * 1e-30).unwrap();
            prop_assert!(plain.p_beyond(far) <= alpha.as_f64() && plain.p_within(far) >= 1.0, "{:?}", estimator);
            let (plain, turned) = (plain.interval(alpha).unwrap(), turned.interval(alpha).unwrap());
            prop_assert!(close(plain.low(), turned.high()), "{:?} {:?} {:?}", estimator, plain, turned);
            prop_assert!(close(plain.high(), turned.low()), "{:?} {:?} {:?}", estimator, plain, turned);
        }
    }

    #[test]
    fn a_slower_candidate_never_looks_faster(pairs in pairs(5..20), slower in 1.0..1.5, which: prop::sample::Index) {
        let resamples = Resamples::new(pairs.len(), 1, 300).unwrap();
        let alpha = IntervalRule::OneSided.alpha(Confidence::P95);
        let (baseline, mut candidate) = sides(&pairs);
        let figures = |candidate: &[f64]| {
            // The ratio of medians puts the pairs into an order that depends on the candidate.
            [Estimator::MedianLogRatio, Estimator::HodgesLehmann].map(|estimator| {
                let estimate = estimator.estimate(&resamples, &baseline, candidate).unwrap();
                let interval = estimate.interval(alpha).unwrap();
                [estimate.point(), interval.low(), interval.high()]
            })
        };
        let before = figures(&candidate);
        candidate[which.index(pairs.len())] *= slower;
        for (before, after) in before.into_iter().flatten().zip(figures(&candidate).into_iter().flatten()) {
            prop_assert!(before <= after * (1.0 + 1e-15), "{} {}", before, after);
        }
    }

    #[test]
    fn a_signed_rank_interval_says_exactly_what_its_p_says(
        pairs in pairs(1..20),
        pick: prop::sample::Index,
        other: prop::sample::Index,
        nudge in -1_i32..=1,
        (rule, confidence) in (rule(), confidence()),
    ) {
        let (baseline, candidate) = sides(&pairs);
        let ranks = hodges_lehmann(&baseline, &candidate).unwrap();
        let ratio = |index: &prop::sample::Index| {
            let (baseline, candidate) = pairs[index.index(pairs.len())];
            candidate / baseline
        };
        // An average of two pairs, or a number next to it.
        let value = (ratio(&pick) * ratio(&other)).sqrt();
        let value = match nudge { -1 => value.next_down(), 0 => value, _ => value.next_up() };
        let alpha = rule.alpha(confidence);
        for bound in [Bound::at_most(value).unwrap(), Bound::at_least(value).unwrap()] {
            let (within, beyond) = (ranks.p_within(bound), ranks.p_beyond(bound));
            match ranks.interval(alpha) {
                Ok(interval) => {
                    prop_assert!(interval.low() <= ranks.point() && ranks.point() <= interval.high());
                    prop_assert_eq!(interval.is_within(bound), within <= alpha.as_f64());
                    prop_assert_eq!(interval.is_beyond(bound), beyond <= alpha.as_f64());
                }
                Err(StatsError::TooFewPairs { needed, .. }) => {
                    prop_assert!(within > alpha.as_f64() && beyond > alpha.as_f64());
                    prop_assert!(pairs.len() < needed as usize);
                }
                Err(error) => prop_assert!(false, "{}", error),
            }
        }
    }

    #[test]
    fn clopper_pearson_holds_the_share_and_turns_round(trials in 1_u32..400, part in 0.0..=1.0, confidence in confidence()) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the trials")]
        let successes = (f64::from(trials) * part) as u32;
        let alpha = IntervalRule::TwoSided.alpha(confidence);
        let found = clopper_pearson(successes, trials, alpha).unwrap();
        let share = f64::from(successes) / f64::from(trials);
        prop_assert!(0.0 <= found.low() && found.low() <= share && share <= found.high() && found.high() <= 1.0);
        let turned = clopper_pearson(trials - successes, trials, alpha).unwrap();
        prop_assert!((found.low() + turned.high() - 1.0).abs() < 1e-12);
        prop_assert!((found.high() + turned.low() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn looks_spend_no_more_than_their_alpha(
        steps in vec(1_u32..40, 1..6),
        rest in 0_u32..20,
        confidence in confidence(),
    ) {
        let pairs: Vec<u32> = steps.iter().scan(0, |sum, step| { *sum += step; Some(*sum) }).collect();
        let last = pairs[pairs.len() - 1] + rest;
        let alpha = IntervalRule::OneSided.alpha(confidence);
        let found = looks(&pairs, last, alpha).unwrap();
        for (index, look) in found.iter().enumerate() {
            prop_assert!(look.spent <= alpha.as_f64() * (1.0 + 1e-9), "{:?}", look);
            prop_assert!(look.level <= look.spent * (1.0 + 1e-6), "{:?}", look);
            prop_assert!(index == 0 || look.spent >= found[index - 1].spent, "{:?}", found);
        }
    }

    #[test]
    fn holm_keeps_the_order_and_never_helps_a_claim(p_values in vec(0.0..=1.0, 0..30)) {
        let adjusted = holm(&p_values).unwrap();
        let count = f64::from(u32::try_from(p_values.len()).unwrap());
        for (index, (&p, &q)) in p_values.iter().zip(&adjusted).enumerate() {
            prop_assert!(p <= q && q <= 1.0 && q <= p * count);
            for (&other_p, &other_q) in p_values[..index].iter().zip(&adjusted) {
                match p.total_cmp(&other_p) {
                    Ordering::Less => prop_assert!(q <= other_q),
                    Ordering::Equal => prop_assert_eq!(q.to_bits(), other_q.to_bits()),
                    Ordering::Greater => prop_assert!(q >= other_q),
                }
            }
        }
    }

    #[test]
    fn sample_quantiles_keep_to_their_values(
        mut values in vec(measurement(), 1..50),
        low in 0_u16..=10_000,
        high in 0_u16..=10_000,
    ) {
        values.sort_by(f64::total_cmp);
        let low = Level::from_parts(low.min(high)).unwrap();
        let high = Level::from_parts(high.max(low.parts())).unwrap();
        for rule in [QuantileRule::NearestRank, QuantileRule::Linear] {
            let below = quantile(&values, low, rule).unwrap();
            let above = quantile(&values, high, rule).unwrap();
            prop_assert!(values[0] <= below && above <= values[values.len() - 1]);
            prop_assert!(below <= above * (1.0 + 1e-15));
        }
        prop_assert!(values.contains(&quantile(&values, low, QuantileRule::NearestRank).unwrap()));
    }
}
