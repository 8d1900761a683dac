//! Pairs of several hosts (Davison & Hinkley 1997, Bootstrap Methods and their Application, section 3.2: each stratum is
//! resampled on its own).

use super::bootstrap::{Bootstrap, ratio_of_medians, ratios_of_medians};
use super::distribution::Distribution;
use super::error::StatsError;
use super::mean::count;
use super::resample::Resamples;

/// The pairs of one host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Host<'a> {
    /// The baseline of each pair.
    pub baseline: &'a [f64],
    /// The candidate of each pair.
    pub candidate: &'a [f64],
}

/// The ratio of each host, and of all together.
#[derive(Debug, Clone, PartialEq)]
pub struct Hosts {
    /// The ratio of medians of each host, from its pairs alone.
    pub each: Vec<Bootstrap>,
    /// The geometric mean of the hosts' ratios of medians.
    pub pooled: Bootstrap,
}

/// The ratio of medians of each host, and their geometric mean, in which every host counts alike however many pairs it
/// has: the ratio on a typical one of these hosts. Says nothing of hosts that were not measured.
///
/// A host's own distribution is the one that [`ratio_of_medians`] gives with `seed`. For the pooled one, pairs are drawn
/// within their host, `draws` times, the host at position h (from 0) from the stream of `seed + h`: never enumerated, as
/// few pairs of many hosts have too many combinations. No p of it is below 2⁻ⁿ, n being the pairs of all hosts.
///
/// # Errors
///
/// [`StatsError::Empty`] without hosts; those of [`ratio_of_medians`] and [`Resamples::new`] for any host;
/// [`StatsError::Overflow`] where a host's ratio has no logarithm in a resample.
pub fn ratio_over_hosts(hosts: &[Host<'_>], seed: u64, draws: u32) -> Result<Hosts, StatsError> {
    if hosts.is_empty() {
        return Err(StatsError::Empty { input: "hosts" });
    }
    let mut each = Vec::with_capacity(hosts.len());
    let mut point = 0.0;
    let mut pooled = Vec::new();
    for (index, host) in hosts.iter().enumerate() {
        let pairs = host.baseline.len();
        each.push(ratio_of_medians(&Resamples::new(pairs, seed, draws)?, host.baseline, host.candidate)?);
        let resamples = Resamples::drawn(pairs, seed.wrapping_add(index as u64), draws)?;
        let (ratio, ratios) = ratios_of_medians(&resamples, host.baseline, host.candidate)?;
        point += logarithm(ratio)?;
        pooled.resize(ratios.len(), 0.0);
        for (pooled, ratio) in pooled.iter_mut().zip(ratios) {
            *pooled += logarithm(ratio)?;
        }
    }
    let middle = |sum: f64| libm::exp(sum / count(hosts));
    let pooled = pooled.into_iter().map(middle).collect();
    let pairs = hosts.iter().map(|host| host.baseline.len()).sum();
    Ok(Hosts { each, pooled: Bootstrap::new(middle(point), Distribution::new(pairs, pooled, None)) })
}

fn logarithm(ratio: f64) -> Result<f64, StatsError> {
    let log = libm::log(ratio);
    if log.is_finite() { Ok(log) } else { Err(StatsError::Overflow { statistic: "logarithm of a host's ratio" }) }
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, Interval, IntervalRule};
    use super::*;

    const A: [f64; 9] = [1.0, 1.02, 0.99, 1.01, 1.03, 0.98, 1.0, 1.01, 0.97];
    const B: [f64; 9] = [1.1, 1.06, 1.09, 1.12, 1.08, 1.05, 1.11, 1.07, 1.1];

    #[test]
    fn a_slow_host_changes_nothing_of_the_ratios() {
        let slow: Vec<f64> = A.iter().map(|value| value * 64.0).collect();
        let slower: Vec<f64> = B.iter().map(|value| value * 64.0).collect();
        let hosts = [Host { baseline: &A, candidate: &B }, Host { baseline: &slow[..5], candidate: &slower[..5] }];
        let found = ratio_over_hosts(&hosts, 7, 2_000).unwrap();
        let alone = ratio_of_medians(&Resamples::new(9, 7, 2_000).unwrap(), &A, &B).unwrap();
        assert_eq!(found.each[0], alone);
        assert_eq!(found.each[1], ratio_of_medians(&Resamples::new(5, 0, 0).unwrap(), &A[..5], &B[..5]).unwrap());
        let expected = libm::sqrt(found.each[0].point() * found.each[1].point());
        assert!((found.pooled.point() / expected - 1.0).abs() < 1e-15, "{}", found.pooled.point());
        assert_eq!((found.pooled.distribution().pairs(), found.pooled.distribution().total()), (14, 2_000));
    }

    #[test]
    fn hosts_are_drawn_independently() {
        // Twice the same pairs: drawn alike, the pooled interval would be that of one host; drawn apart it is shorter.
        let host = Host { baseline: &A, candidate: &B };
        let found = ratio_over_hosts(&[host; 4], 7, 20_000).unwrap();
        let width = |bootstrap: &Bootstrap| {
            let alpha = IntervalRule::TwoSided.alpha(Confidence::P95);
            let interval = Interval::percentile(bootstrap.distribution(), alpha);
            interval.high() - interval.low()
        };
        assert!(
            width(&found.pooled) < 0.65 * width(&found.each[0]),
            "{} {}",
            width(&found.pooled),
            width(&found.each[0])
        );
    }

    #[test]
    fn one_host_is_its_own_ratio() {
        let found = ratio_over_hosts(&[Host { baseline: &A, candidate: &B }], 7, 2_000).unwrap();
        for ((pooled, weight), (own, expected)) in
            found.pooled.distribution().iter().zip(found.each[0].distribution().iter())
        {
            assert!((pooled / own - 1.0).abs() < 1e-15 && weight == expected);
        }
    }

    #[test]
    fn what_has_no_ratio_is_an_error() {
        assert_eq!(ratio_over_hosts(&[], 0, 9), Err(StatsError::Empty { input: "hosts" }));
        let zero = Host { baseline: &[1.0, 2.0], candidate: &[0.0, 0.0] };
        let error = StatsError::Overflow { statistic: "logarithm of a host's ratio" };
        assert_eq!(ratio_over_hosts(&[zero], 0, 9), Err(error));
        let short = Host { baseline: &A, candidate: &B[..3] };
        assert!(matches!(ratio_over_hosts(&[short], 0, 9), Err(StatsError::PairCount { input: "candidate", .. })));
        assert_eq!(
            ratio_over_hosts(&[Host { baseline: &A, candidate: &B }], 0, 0),
            Err(StatsError::NoDraws { pairs: 9 })
        );
    }
}
