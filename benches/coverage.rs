//! How often each estimator errs, by simulation: prints the tables of `docs/statistics.md`.
//!
//!     cargo run --release --example coverage
//!
//! Nothing is measured here: noise is drawn, from one seed, and each campaign is judged as a real one would be, but for
//! the number of resamples, which all trials of a cell share.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use gate::stats::{
    Alpha, Bound, Confidence, Estimator, IntervalRule, Resamples, clopper_pearson, holm, looks, paired_t,
    pairs_needed_by_holm,
};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

const SEED: u64 = 1412;
const TRIALS: u32 = 20_000;
/// A quarter of what a campaign draws, shared by all trials of a cell.
const DRAWS: u32 = 5_000;
const PAIRS: [usize; 4] = [5, 7, 10, 20];
const BUDGET: f64 = 1.05;
/// Standard deviation of the log ratio of a pair.
const DEVIATION: f64 = 0.03;
/// The budgets of one hypothesis, in the cells that correct for many.
const FAMILY: u32 = 60;
/// How many such hypotheses a cell has.
const FAMILIES: u32 = 1_000;

/// What disturbs a campaign. Every kind leaves the true ratio where it is, as the median of the pairs' ratios.
#[derive(Clone, Copy)]
enum Noise {
    /// Independent normal log times.
    Normal,
    /// Differences of heavy-tailed log times, Student's t with 3 degrees of freedom.
    Heavy,
    /// One run in ten takes 10 % longer.
    Contaminated,
    /// The baseline never varies, and the candidate's ratio is lognormal of great skew: the pair's log ratio is not
    /// symmetric.
    Skewed,
    /// Normal, and the machine becomes 20 % slower from the first run to the last.
    Drifting,
    /// Normal, half of whose spread the two runs of a pair share.
    Shared,
}

impl Noise {
    const ALL: [(Self, &str, bool); 6] = [
        (Self::Normal, "normal", true),
        (Self::Heavy, "heavy tails (t₃)", true),
        (Self::Contaminated, "contaminated", true),
        (Self::Skewed, "skewed", false),
        (Self::Drifting, "drift of 20 %", true),
        (Self::Shared, "shared in the pair", true),
    ];
}

/// A stream of random numbers.
struct Source {
    generator: Pcg64,
    spare: Option<f64>,
}

impl Source {
    fn new(stream: u128) -> Self {
        Self { generator: Pcg64::new(u128::from(SEED), stream), spare: None }
    }

    fn uniform(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let above = ((self.generator.next_u64() >> 11) + 1) as f64;
        above / 9_007_199_254_740_992.0
    }

    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = libm::sqrt(-2.0 * libm::log(self.uniform()));
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * self.uniform());
        self.spare = Some(radius * sine);
        radius * cosine
    }

    /// Student's t with 3 degrees of freedom, scaled to a variance of 1.
    fn heavy(&mut self) -> f64 {
        let squares: f64 = (0..3).map(|_| self.normal()).map(|z| z * z).sum();
        self.normal() / libm::sqrt(squares)
    }

    /// The two sides of a campaign whose pairs have the median ratio `ratio`.
    fn campaign(&mut self, noise: Noise, pairs: usize, ratio: f64) -> (Vec<f64>, Vec<f64>) {
        let spread = DEVIATION / std::f64::consts::SQRT_2;
        let (mut baseline, mut candidate) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
        for pair in 0..pairs {
            let (below, above) = match noise {
                Noise::Normal => (spread * self.normal(), spread * self.normal()),
                Noise::Heavy => (spread * self.heavy(), spread * self.heavy()),
                Noise::Contaminated => (self.contaminated(spread / 2.0), self.contaminated(spread / 2.0)),
                // exp(z) − 1 has the median 0, a mean of 0.65 and a deviation of 2.16.
                Noise::Skewed => (0.0, DEVIATION / 2.16 * (libm::exp(self.normal()) - 1.0)),
                Noise::Drifting => {
                    let (first, second) = (slowdown(2 * pair, 2 * pairs), slowdown(2 * pair + 1, 2 * pairs));
                    // In alternating order, as a campaign has it.
                    let (below, above) = if pair.is_multiple_of(2) { (first, second) } else { (second, first) };
                    (below + spread * self.normal(), above + spread * self.normal())
                }
                Noise::Shared => {
                    let shared = DEVIATION * self.normal();
                    (shared + spread * self.normal(), shared + spread * self.normal())
                }
            };
            baseline.push(libm::exp(below));
            candidate.push(ratio * libm::exp(above));
        }
        (baseline, candidate)
    }

    fn contaminated(&mut self, spread: f64) -> f64 {
        let outlier = if self.uniform() <= 0.1 { 0.1 } else { 0.0 };
        spread * self.normal() + outlier
    }
}

/// The log of how much slower the machine is at `run` of `runs`.
fn slowdown(run: usize, runs: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "few runs")]
    let share = run as f64 / (runs - 1) as f64;
    0.2 * share
}

/// How a campaign may be judged; the last is a cross-check.
const METHODS: [(Option<Estimator>, &str); 4] = [
    (Some(Estimator::RatioOfMedians), "ratio-of-medians"),
    (Some(Estimator::MedianLogRatio), "median-log-ratio"),
    (Some(Estimator::HodgesLehmann), "hodges-lehmann"),
    (None, "paired t (cross-check)"),
];

/// How many trials passed and failed, at each α.
#[derive(Clone, Copy, Default)]
struct Counts {
    passed: [u32; 2],
    failed: [u32; 2],
}

/// Every method over the same campaigns.
fn simulate(noise: Noise, pairs: usize, ratio: f64, stream: u128, alphas: [Alpha; 2]) -> [Counts; 4] {
    let resamples = Resamples::new(pairs, SEED, DRAWS).expect("few pairs");
    let budget = Bound::at_most(BUDGET).expect("finite");
    let mut source = Source::new(stream);
    let mut counts = [Counts::default(); 4];
    for _ in 0..TRIALS {
        let (baseline, candidate) = source.campaign(noise, pairs, ratio);
        for ((method, _), counts) in METHODS.into_iter().zip(&mut counts) {
            let estimate = method.map(|method| method.estimate(&resamples, &baseline, &candidate).expect("positive"));
            for (index, alpha) in alphas.into_iter().enumerate() {
                let interval = match &estimate {
                    Some(estimate) => estimate.interval(alpha),
                    None => paired_t(&baseline, &candidate, alpha).map(|found| found.interval),
                };
                // Too few pairs for a bound is inconclusive.
                if let Ok(interval) = interval {
                    counts.passed[index] += u32::from(interval.is_within(budget));
                    counts.failed[index] += u32::from(interval.is_beyond(budget));
                }
            }
        }
    }
    counts
}

fn percent(count: u32) -> String {
    format!("{:.2}", 100.0 * f64::from(count) / f64::from(TRIALS))
}

/// The standard error of a share, in percentage points.
fn monte_carlo_error(rate: f64) -> f64 {
    100.0 * libm::sqrt(rate * (1.0 - rate) / f64::from(TRIALS))
}

fn one_budget(alphas: [Alpha; 2]) {
    println!(
        "One budget of {BUDGET}, log ratios with a standard deviation of {DEVIATION}, {TRIALS} trials a cell, {DRAWS} resamples from 9 pairs on, seed {SEED}. Shares in %, at α = 5 % / 2.5 % a side. Monte-Carlo standard error: {:.2} points at 5 %, {:.2} at 2.5 %, at most {:.2}.\n",
        monte_carlo_error(0.05),
        monte_carlo_error(0.025),
        monte_carlo_error(0.5),
    );
    println!(
        "| noise | n | estimator | passes, true ratio 1.05 | fails, true ratio 1.05 | fails, true ratio 1.00 | passes, true ratio 1.00 | fails, true ratio 1.10 |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut beyond = Vec::new();
    for (kind, (noise, name, symmetric)) in (0_u128..).zip(Noise::ALL) {
        for (size, pairs) in (0_u128..).zip(PAIRS) {
            let cell = |ratio, stream| simulate(noise, pairs, ratio, kind * 100 + size * 10 + stream, alphas);
            let (budget, equal, slower) = (cell(BUDGET, 0), cell(1.0, 1), cell(1.10, 2));
            for (index, (method, title)) in METHODS.into_iter().enumerate() {
                let show = |counts: [u32; 2]| format!("{} / {}", percent(counts[0]), percent(counts[1]));
                println!(
                    "| {name} | {pairs} | {title} | {} | {} | {} | {} | {} |",
                    show(budget[index].passed),
                    show(budget[index].failed),
                    show(equal[index].failed),
                    show(equal[index].passed),
                    show(slower[index].failed),
                );
                for (at, alpha) in alphas.into_iter().enumerate() {
                    let allowed = (alpha.as_f64() + 0.005) * f64::from(TRIALS);
                    if method == Some(Estimator::HodgesLehmann)
                        && symmetric
                        && f64::from(budget[index].passed[at]) > allowed
                    {
                        beyond.push(format!("{name}, {pairs} pairs"));
                    }
                }
            }
        }
    }
    println!(
        "\nHodges–Lehmann's false passes where noise is symmetric, at most α + 0.5 points: {}.\n",
        if beyond.is_empty() { "held in every cell".to_owned() } else { format!("not held in {}", beyond.join("; ")) }
    );
}

/// Rejects of budgets that hold, alone and as one of a family with Holm's correction.
fn many_budgets(alphas: [Alpha; 2]) {
    println!(
        "{FAMILIES} hypotheses a cell, each of {FAMILY} independent budgets of {BUDGET}; normal noise, α = 2.5 % a side, {DRAWS} resamples. Budgets that fail alone, and hypotheses of which any fails after Holm, in % with the 95 % interval (Clopper–Pearson). Holm needs {} pairs to let any of {FAMILY} fail.\n",
        pairs_needed_by_holm(FAMILY as usize, alphas[1]),
    );
    println!("| true ratio | n | estimator | fail alone | any fails after Holm |");
    println!("|---|---|---|---|---|");
    let budget = Bound::at_most(BUDGET).expect("finite");
    let alpha = alphas[1];
    for (stream, (ratio, pairs)) in (10_000..).zip([(1.0, 10), (1.0, 12), (BUDGET, 10), (BUDGET, 12), (BUDGET, 20)]) {
        let resamples = Resamples::new(pairs, SEED, DRAWS).expect("few pairs");
        for method in Estimator::ALL {
            let mut source = Source::new(stream);
            let (mut alone, mut together) = (0, 0);
            for _ in 0..FAMILIES {
                let mut fails = Vec::new();
                let mut p = Vec::new();
                for _ in 0..FAMILY {
                    let (baseline, candidate) = source.campaign(Noise::Normal, pairs, ratio);
                    let estimate = method.estimate(&resamples, &baseline, &candidate).expect("positive");
                    fails.push(estimate.interval(alpha).is_ok_and(|interval| interval.is_beyond(budget)));
                    p.push(estimate.p_beyond(budget));
                }
                alone += fails.iter().map(|&fails| u32::from(fails)).sum::<u32>();
                let adjusted = holm(&p).expect("probabilities");
                together += u32::from(fails.iter().zip(adjusted).any(|(fails, p)| *fails && p <= alpha.as_f64()));
            }
            let show = |count: u32, of: u32| {
                let interval = clopper_pearson(count, of, alpha).expect("counted");
                let share = 100.0 * f64::from(count) / f64::from(of);
                format!("{share:.2} ({:.2} to {:.2})", 100.0 * interval.low(), 100.0 * interval.high())
            };
            let title = METHODS.iter().find(|(other, _)| *other == Some(method)).map_or("", |(_, title)| title);
            println!(
                "| {ratio:.2} | {pairs} | {title} | {} | {} |",
                show(alone, FAMILIES * FAMILY),
                show(together, FAMILIES),
            );
        }
    }
}

/// How campaigns with looks come out, each judged until a look settles it.
#[derive(Clone, Copy, Default)]
struct Ends {
    passed: u32,
    failed: u32,
    /// Pairs that were measured, over all trials.
    pairs: u64,
}

/// Every estimator over the same campaigns, which end at the first of `ends` that passes or fails the budget.
fn simulate_looks(noise: Noise, ends: &[u32], ratio: f64, stream: u128, alpha: Alpha) -> [Ends; 3] {
    let budget = Bound::at_most(BUDGET).expect("finite");
    let most = *ends.last().expect("an end");
    let looks = looks(ends, most, alpha).expect("looks");
    let resamples: Vec<Resamples> =
        ends.iter().map(|&pairs| Resamples::new(pairs as usize, SEED, DRAWS).expect("few pairs")).collect();
    let mut source = Source::new(stream);
    let mut counts = [Ends::default(); 3];
    for _ in 0..TRIALS {
        let (baseline, candidate) = source.campaign(noise, most as usize, ratio);
        for (method, counts) in Estimator::ALL.into_iter().zip(&mut counts) {
            let mut taken = 0;
            for (look, resamples) in looks.iter().zip(&resamples) {
                taken = look.pairs;
                let Some(alpha) = look.alpha else { continue };
                let so_far = taken as usize;
                let estimate = method.estimate(resamples, &baseline[..so_far], &candidate[..so_far]).expect("positive");
                let Ok(interval) = estimate.interval(alpha) else { continue };
                let (passes, fails) = (interval.is_within(budget), interval.is_beyond(budget));
                counts.passed += u32::from(passes);
                counts.failed += u32::from(fails);
                if passes || fails {
                    break;
                }
            }
            counts.pairs += u64::from(taken);
        }
    }
    counts
}

/// What looks do to the error of a campaign.
fn with_looks(alphas: [Alpha; 2]) {
    println!(
        "\nThe same budget in campaigns with looks, which end at the first that passes or fails it: {TRIALS} trials a cell, α = 5 % / 2.5 % a side over all looks. Shares in %, and the mean number of pairs.\n"
    );
    println!(
        "| noise | looks | estimator | passes, true ratio 1.05 | fails, true ratio 1.05 | passes, true ratio 1.00 | pairs | fails, true ratio 1.10 | pairs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut stream = 20_000;
    for (noise, name) in [(Noise::Normal, "normal"), (Noise::Heavy, "heavy tails (t₃)")] {
        for ends in [&[5, 10, 20][..], &[10, 20, 40]] {
            let mut cell = |ratio| {
                stream += 1;
                alphas.map(|alpha| simulate_looks(noise, ends, ratio, stream, alpha))
            };
            let (budget, equal, slower) = (cell(BUDGET), cell(1.0), cell(1.10));
            for (index, method) in Estimator::ALL.into_iter().enumerate() {
                let title = METHODS.iter().find(|(other, _)| *other == Some(method)).map_or("", |(_, title)| title);
                let share = |cell: &[[Ends; 3]; 2], of: fn(&Ends) -> u32| {
                    format!("{} / {}", percent(of(&cell[0][index])), percent(of(&cell[1][index])))
                };
                #[expect(clippy::cast_precision_loss, reason = "a million pairs")]
                let pairs = |cell: &[[Ends; 3]; 2]| {
                    let mean = |ends: &Ends| ends.pairs as f64 / f64::from(TRIALS);
                    format!("{:.1} / {:.1}", mean(&cell[0][index]), mean(&cell[1][index]))
                };
                let ends: Vec<String> = ends.iter().map(ToString::to_string).collect();
                println!(
                    "| {name} | {} | {title} | {} | {} | {} | {} | {} | {} |",
                    ends.join(", "),
                    share(&budget, |ends| ends.passed),
                    share(&budget, |ends| ends.failed),
                    share(&equal, |ends| ends.passed),
                    pairs(&equal),
                    share(&slower, |ends| ends.failed),
                    pairs(&slower),
                );
            }
        }
    }
}

fn main() {
    let alphas = [IntervalRule::OneSided, IntervalRule::TwoSided].map(|rule| rule.alpha(Confidence::P95));
    one_budget(alphas);
    many_budgets(alphas);
    with_looks(alphas);
}
