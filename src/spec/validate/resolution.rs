//! Whether the profiles measure enough for what the hypotheses ask.

use super::findings::Findings;
use super::hypothesis::Claim;
use crate::spec::diagnostic::{Problem, quoted};
use crate::spec::model::{Analysis, Grade, IntervalKind, Multiplicity, Profile};
use crate::spec::tree::At;
use crate::unit::Statistic;

/// Looks for percentiles that the samples of a profile don't resolve: n samples resolve q where n·(1 − q) ≥ 1.
pub(super) fn percentiles(profiles: &[Option<Profile>], root: At<'_>, claims: &[Claim], findings: &mut Findings) {
    let used = || claims.iter().flat_map(|claim| &claim.percentiles);
    let strictest =
        used().filter(|percentile| percentile.judged).max_by_key(|percentile| samples_needed(percentile.statistic));
    if let Some(percentile) = strictest {
        let needed = samples_needed(percentile.statistic);
        for profile in profiles.iter().flatten() {
            let at = root.key("profile").key(&profile.name);
            let what = format!("`{}` of `{}` needs {needed} samples", percentile.statistic, percentile.metric);
            let problem = match (profile.samples, profile.min_samples) {
                (Some(samples), _) if samples < needed => Problem::error(
                    at.key("samples").value_span(),
                    format!("{samples} samples can't resolve `{}`", percentile.statistic),
                    format!("expected {needed} or more in profile {}", quoted(&profile.name)),
                    format!("write `samples = {needed}` or more, or budget a lower percentile"),
                ),
                (None, Some(samples)) if samples < needed => Problem::warning(
                    at.key("min_samples").value_span(),
                    format!("`{}` may stay unresolved, and its budgets inconclusive", percentile.statistic),
                    format!("profile {} only makes sure of {samples} samples", quoted(&profile.name)),
                    format!("write `min_samples = {needed}`"),
                ),
                (None, None) if needed > 1 => Problem::warning(
                    at.key("min_time").value_span(),
                    format!("`{}` may stay unresolved, and its budgets inconclusive", percentile.statistic),
                    format!("profile {} makes sure of no number of samples", quoted(&profile.name)),
                    format!("add `min_samples = {needed}` beside `min_time`"),
                ),
                _ => continue,
            };
            findings.push(problem.beside(percentile.span.clone(), what));
        }
    }
    // A report shows what is resolved, and says what isn't: it only matters where no profile ever resolves it.
    let most = profiles.iter().flatten().map(|profile| profile.samples.or(profile.min_samples).unwrap_or(0)).max();
    for percentile in used().filter(|percentile| !percentile.judged) {
        let needed = samples_needed(percentile.statistic);
        if needed > 1 && most.is_some_and(|most| most < needed) {
            findings.push(Problem::warning(
                percentile.span.clone(),
                format!("`{}` of `{}` may never be reported", percentile.statistic, percentile.metric),
                format!("it needs {needed} samples, and no profile makes sure of them"),
                format!("write `min_samples = {needed}` beside `min_time`, or `samples = {needed}`, in a profile"),
            ));
        }
    }
}

/// The least number of samples that resolves the percentile: the smallest n with n·(1 − q) ≥ 1, in parts per 10,000.
pub(super) fn samples_needed(statistic: Statistic) -> u32 {
    match statistic {
        // The median is defined for any sample at all.
        Statistic::P50 => 1,
        _ => statistic.quantile_parts().map_or(1, |parts| 10_000_u32.div_ceil(10_000_u32.saturating_sub(parts).max(1))),
    }
}

/// Looks for claims that no outcome of a profile's pairs can settle after Holm's correction.
///
/// The p of a claim on n pairs is never below 2⁻ⁿ, and the smallest of m is held to α / m (Holm 1979): with fewer than
/// log2(m / α) pairs none of them can pass.
pub(super) fn corrected_claims(
    profiles: &[Option<Profile>],
    root: At<'_>,
    analysis: &Analysis,
    claims: &[Claim],
    findings: &mut Findings,
) {
    if analysis.multiplicity != Multiplicity::Holm {
        return;
    }
    for profile in profiles.iter().flatten().filter(|profile| profile.grade == Grade::Comparison) {
        let at = root.key("profile").key(&profile.name).key("pairs");
        let mut warn = |claim: &Claim, results: usize, cannot: &str, what: &str| {
            let needed = pairs_needed(results, analysis);
            if results == 0 || profile.pairs >= needed {
                return;
            }
            findings.push(Problem::warning(
                at.value_span(),
                format!("with {} pairs hypothesis {} can't {cannot}", profile.pairs, quoted(&claim.id)),
                format!("{results} {what} share one error under Holm's correction, and need {needed} pairs"),
                format!("write `pairs = {needed}` or more, or judge fewer cases"),
            ));
        };
        let worst = |count: fn(&Claim) -> usize| claims.iter().max_by_key(|claim| count(claim));
        if let Some(claim) = worst(|claim| claim.noisy_guardrails) {
            warn(claim, claim.noisy_guardrails, "be rejected by a noisy guardrail", "results of noisy guardrails");
        }
        if let Some(claim) = worst(|claim| claim.noisy_benefits) {
            warn(claim, claim.noisy_benefits, "show a benefit", "results of noisy benefits");
        }
    }
}

/// The least number of pairs with 2⁻ⁿ ≤ α / m, where α is the error of one side.
fn pairs_needed(results: usize, analysis: &Analysis) -> u32 {
    // In parts per 20,000, so that half a part of a two-sided interval is whole.
    let parts = u128::from(10_000_u32.saturating_sub(analysis.confidence_parts));
    let alpha = if analysis.interval == IntervalKind::TwoSided { parts } else { 2 * parts };
    let least = 20_000 * results as u128;
    (0..64).find(|pairs| (alpha << pairs) >= least).unwrap_or(64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::model::{Estimator, QuantileKind};

    #[test]
    fn samples_that_percentiles_need() {
        // n·(1 − 0.95) ≥ 1 from n = 20 on, n·(1 − 0.99) ≥ 1 from n = 100 on; a median is of one.
        assert_eq!(samples_needed(Statistic::P95), 20);
        assert_eq!(samples_needed(Statistic::P99), 100);
        assert_eq!(samples_needed(Statistic::P50), 1);
        assert_eq!(samples_needed(Statistic::Mean), 1);
    }

    #[test]
    fn pairs_that_a_correction_needs() {
        let analysis = |interval, confidence_parts| Analysis {
            resamples: 20_000,
            seed: 1,
            estimator: Estimator::RatioOfMedians,
            interval,
            confidence_parts,
            multiplicity: Multiplicity::Holm,
            quantile: QuantileKind::NearestRank,
        };
        // One-sided 95 %, one result: 2⁻⁵ = 3.1 % ≤ 5 % < 2⁻⁴; two-sided: 2⁻⁶ = 1.6 % ≤ 2.5 % < 2⁻⁵.
        assert_eq!(pairs_needed(1, &analysis(IntervalKind::OneSided, 9_500)), 5);
        assert_eq!(pairs_needed(1, &analysis(IntervalKind::TwoSided, 9_500)), 6);
        // 32 results at 2.5 % a side: log2(32 / 0.025) = 10.3.
        assert_eq!(pairs_needed(32, &analysis(IntervalKind::TwoSided, 9_500)), 11);
        assert_eq!(pairs_needed(0, &analysis(IntervalKind::TwoSided, 9_500)), 0);
    }
}
