//! What a gate can run with, but may not have been meant.

use gate::spec::Severity;

use super::{Edit, accepted, parse, told};

/// What each of `edits` is warned of.
fn warnings(edits: &[Edit]) -> String {
    told(edits, |name, text| {
        let loaded = parse(text).unwrap_or_else(|error| panic!("`{name}` is refused: {}", error.render(false)));
        assert!(!loaded.warnings.is_empty(), "`{name}` is not warned of");
        assert!(loaded.warnings.iter().all(|problem| problem.severity() == Severity::Warning));
        loaded.render_warnings(false).join("\n\n")
    })
}

#[test]
fn the_file_that_is_edited_is_flawless() {
    assert_eq!(accepted(&[]).warnings, []);
}

#[test]
fn profiles() {
    let guardrail = |keys: &str| format!("[[hypothesis.guardrail]]\n{keys}\n");
    let four_more = [
        "metric = \"cpu_time\"\nmax_ratio = 1.05",
        "metric = \"throughput\"\nmin_ratio = 0.95",
        "metric = \"peak_rss_bytes\"\nmax_ratio = 1.10",
        "metric = \"steady_rss_bytes\"\nmax_ratio = 1.10",
    ]
    .map(guardrail)
    .concat();
    let told = warnings(&[
        ("comparison of nine pairs", &[("pairs = 12", "pairs = 9")]),
        (
            "guardrails that Holm leaves no room",
            &[("pairs = 12", "pairs = 10"), ("[[hypothesis.report]]", &format!("{four_more}\n[[hypothesis.report]]"))],
        ),
        (
            "benefits that Holm leaves no room",
            &[
                ("pairs = 12", "pairs = 6"),
                ("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "metric = \"cpu_time\"\nmax_ratio = 0.80"),
                (
                    "metric = \"latency\"\nstatistic = \"p95\"\nmax_ratio = 1.05",
                    "metric = \"physical_queries\"\nmax = 1",
                ),
            ],
        ),
        ("odd pairs in balance", &[("pairs = 12", "pairs = 13\norder = \"balanced\"")]),
        (
            "percentile that only time may resolve",
            &[("min_samples = 100\n", ""), ("statistic = \"p99\"", "statistic = \"max\"")],
        ),
        (
            "percentile that min_samples may not resolve",
            &[("min_samples = 100", "min_samples = 19"), ("statistic = \"p99\"", "statistic = \"max\"")],
        ),
        ("report that no profile resolves", &[("min_samples = 100", "min_samples = 99")]),
        ("few resamples", &[("[[hypothesis]]", "[analysis]\nresamples = 999\n\n[[hypothesis]]")]),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn hypotheses() {
    let told = warnings(&[
        ("equal sides", &[("\"api-direct\"", "\"native-v1\"")]),
        ("lane to try a gate on", &[("\"native-v1\"", "\"fault:drop-null\"")]),
        ("benefit of nothing better", &[("max_ratio = 0.80", "max_ratio = 1.0")]),
        (
            "benefit of nothing better, when higher is better",
            &[("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "metric = \"throughput\"\nmin_ratio = 0.95")],
        ),
        (
            "capability that the baseline has",
            &[("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "check = \"row-count\"")],
        ),
    ]);
    insta::assert_snapshot!(told);
}

#[test]
fn what_a_warning_stops_at() {
    // 30 results of noisy guardrails at 2.5 % a side: log2(30 / 0.025) = 10.2, so that eleven pairs are enough.
    let many = "[[hypothesis.guardrail]]\nmetric = \"cpu_time\"\nmax_ratio = 1.05\n[[hypothesis.guardrail]]\nmetric = \"throughput\"\nmin_ratio = 0.95\n[[hypothesis.guardrail]]\nmetric = \"peak_rss_bytes\"\nmax_ratio = 1.10\n[[hypothesis.guardrail]]\nmetric = \"steady_rss_bytes\"\nmax_ratio = 1.10\n\n[[hypothesis.report]]";
    assert_eq!(accepted(&[("pairs = 12", "pairs = 11"), ("[[hypothesis.report]]", many)]).warnings, []);
    // Beside an exact benefit, or a capability, noisy ones are not all there is.
    for other in ["metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", "check = \"physical-types\""] {
        let both = format!("metric = \"cpu_time\"\nmax_ratio = 0.80\n[[hypothesis.benefit]]\n{other}");
        let benefit = ("metric = \"rust_heap_bytes\"\nmax_ratio = 0.80", both.as_str());
        let loaded = accepted(&[("pairs = 12", "pairs = 6"), benefit]);
        assert!(loaded.warnings.iter().all(|problem| !problem.message().contains("benefit")));
    }
    // Without a correction, and at preliminary grade, there is nothing that pairs could be too few for.
    let plain = "[analysis]\nmultiplicity = \"none\"\n\n[[hypothesis]]";
    assert_eq!(
        accepted(&[("pairs = 12", "pairs = 10"), ("[[hypothesis]]", plain), ("[[hypothesis.report]]", many)]).warnings,
        []
    );
    assert_eq!(
        accepted(&[("\"comparison\"\npairs = 12", "\"preliminary\"\npairs = 1"), ("[[hypothesis.report]]", many)])
            .warnings,
        []
    );
    // A report that one of the profiles resolves is worth its line.
    let quick = "[profile.quick]\ngrade = \"preliminary\"\npairs = 1\nsamples = 20\n\n[profile.full]";
    assert_eq!(accepted(&[("[profile.full]", quick)]).warnings, []);
}
