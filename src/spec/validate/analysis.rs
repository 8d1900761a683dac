//! How pairs become outcomes.

use super::findings::Findings;
use crate::spec::diagnostic::Problem;
use crate::spec::file::AnalysisFile;
use crate::spec::model::{Analysis, Estimator, IntervalKind, Multiplicity, QuantileKind};
use crate::spec::tree::At;

/// Fewer draws than this leave the ends of an interval to chance.
const FEW_RESAMPLES: u32 = 1_000;

/// The analysis, with a default for every key that is left out.
pub(super) fn analysis(file: Option<&AnalysisFile>, at: At<'_>, findings: &mut Findings) -> Option<Analysis> {
    let default = AnalysisFile::default();
    let file = file.unwrap_or(&default);
    let resamples = match file.resamples {
        None => Some(20_000),
        Some(value) => resamples(value, at, findings),
    };
    let estimator = match file.estimator.as_deref() {
        None => Some(Estimator::RatioOfMedians),
        Some(name) => findings.choice(
            at.key("estimator"),
            "estimator",
            name,
            &[
                ("ratio-of-medians", Estimator::RatioOfMedians),
                ("median-log-ratio", Estimator::MedianLogRatio),
                ("hodges-lehmann", Estimator::HodgesLehmann),
            ],
        ),
    };
    let interval = match file.interval.as_deref() {
        None => Some(IntervalKind::TwoSided),
        Some(name) => findings.choice(
            at.key("interval"),
            "interval",
            name,
            &[("two-sided", IntervalKind::TwoSided), ("one-sided", IntervalKind::OneSided)],
        ),
    };
    let multiplicity = match file.multiplicity.as_deref() {
        None => Some(Multiplicity::Holm),
        Some(name) => findings.choice(
            at.key("multiplicity"),
            "multiplicity",
            name,
            &[("holm", Multiplicity::Holm), ("none", Multiplicity::None)],
        ),
    };
    let quantile = match file.quantile.as_deref() {
        None => Some(QuantileKind::NearestRank),
        Some(name) => findings.choice(
            at.key("quantile"),
            "quantile",
            name,
            &[("nearest-rank", QuantileKind::NearestRank), ("linear", QuantileKind::Linear)],
        ),
    };
    let confidence_parts = match file.confidence {
        None => Some(9_500),
        Some(value) => confidence_parts(value, interval, at, findings),
    };
    Some(Analysis {
        resamples: resamples?,
        seed: file.seed.unwrap_or(1_412),
        estimator: estimator?,
        interval: interval?,
        confidence_parts: confidence_parts?,
        multiplicity: multiplicity?,
        quantile: quantile?,
    })
}

fn resamples(value: i64, at: At<'_>, findings: &mut Findings) -> Option<u32> {
    let at = at.key("resamples");
    let resamples = findings.whole(at, "resamples", value, 1..=1_000_000, "20000")?;
    if resamples < FEW_RESAMPLES {
        findings.push(Problem::warning(
            at.value_span(),
            format!("only {resamples} resamples"),
            format!("with fewer than {FEW_RESAMPLES} draws the ends of an interval are left to chance"),
            "write `resamples = 20000`",
        ));
    }
    Some(resamples)
}

/// The confidence in parts per 10,000, such that the mass of each tail is a whole number of parts.
fn confidence_parts(value: f64, interval: Option<IntervalKind>, at: At<'_>, findings: &mut Findings) -> Option<u32> {
    let at = at.key("confidence");
    if !(value > 0.5 && value < 1.0) {
        findings.error(
            at.value_span(),
            format!("`confidence` can't be {value}"),
            "expected a number between 0.5 and 1",
            "write `confidence = 0.95`",
        );
        return None;
    }
    let parts = (5_001_u32..=9_999).find(|parts| (f64::from(*parts) / 10_000.0 - value).abs() < 1e-9);
    let even_tails = interval != Some(IntervalKind::TwoSided) || parts.is_none_or(|parts| parts % 2 == 0);
    match parts {
        Some(parts) if even_tails => Some(parts),
        Some(_) => {
            findings.error(
                at.value_span(),
                format!("`confidence` can't be {value}: its two tails are no whole ten-thousandths"),
                "expected four decimals, the last one even, for a two-sided interval",
                "write `confidence = 0.95`, or `interval = \"one-sided\"`",
            );
            None
        }
        None => {
            findings.error(
                at.value_span(),
                format!("`confidence` can't be {value}: it has too many decimals"),
                "expected at most four decimals",
                "write `confidence = 0.95`",
            );
            None
        }
    }
}
