//! Every renderer over campaigns built by hand.

#[path = "report/example.rs"]
mod example;

use example::{
    Campaign, Claim, case, check, empty, fails, full, inconclusive, noisy, passing_checks, quick, reason, undefined,
};
use gate::report::{Format, Style, View, render};
use gate::spec::{Bound, Grade};
use gate::unit::{AxisValue, Case, Statistic};
use gate::verdict::{BudgetResult, CheckStatus, Outcome, Role, Verdict, Warning};
use insta::assert_snapshot;
use serde_json::Value;
use tabled::grid::util::string::get_string_width;

fn terminal(view: &View) -> String {
    render(Format::Terminal, view, Style::plain())
}

fn markdown(view: &View) -> String {
    render(Format::Markdown, view, Style::plain())
}

fn json(view: &View) -> Value {
    serde_json::from_str(&render(Format::JsonLine, view, Style::plain())).expect("one JSON document")
}

#[test]
fn terminal_shows_every_verdict() {
    assert_snapshot!(terminal(&full().view()));
}

#[test]
fn terminal_names_one_sided_bounds_and_preliminary_evidence() {
    assert_snapshot!(terminal(&quick().view()));
}

#[test]
fn terminal_of_nothing() {
    assert_snapshot!(terminal(&empty().view()));
}

#[test]
fn markdown_shows_every_verdict() {
    assert_snapshot!(markdown(&full().view()));
}

#[test]
fn markdown_names_one_sided_bounds_and_preliminary_evidence() {
    assert_snapshot!(markdown(&quick().view()));
}

#[test]
fn json_shows_every_verdict() {
    assert_snapshot!(render(Format::Json, &full().view(), Style::plain()));
}

#[test]
fn json_on_one_line_is_the_same_document() {
    let view = full().view();
    let line = render(Format::JsonLine, &view, Style::plain());
    assert_eq!(line.lines().count(), 1);
    assert!(line.ends_with('\n'));
    let lines = render(Format::Json, &view, Style::plain());
    assert_eq!(serde_json::from_str::<Value>(&lines).expect("one JSON document"), json(&view));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for campaign in [full(), quick(), empty(), hostile(), many(), extreme()] {
        for width in [0, 40, 61, 80, 120, 1_000] {
            let text = render(Format::Terminal, &campaign.view(), Style { color: false, width });
            for line in text.lines() {
                assert!(get_string_width(line) <= width.max(40), "at {width}: {line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

#[test]
fn colours_add_nothing_but_colour() {
    for campaign in [full(), hostile()] {
        let colored = render(Format::Terminal, &campaign.view(), Style { color: true, width: 80 });
        assert!(colored.contains("\u{1b}[1m\u{1b}[31mREJECT\u{1b}[0m"), "{colored}");
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), terminal(&campaign.view()));
    }
}

#[test]
fn every_report_ends_with_the_count_of_verdicts_or_a_newline() {
    let text = terminal(&full().view());
    assert_eq!(text.lines().last(), Some("dashboard-native: REJECT (1 reject, 1 revise, 1 deferred, 1 proceed)"));
    for format in Format::ALL {
        assert!(render(format, &full().view(), Style::plain()).ends_with('\n'), "{format}");
        assert_eq!(format.name().parse(), Ok(format));
    }
    let unknown = "yaml".parse::<Format>().expect_err("no such format");
    assert!(unknown.to_string().contains("`yaml`"), "{unknown}");
}

/// Whatever text can do to a terminal, a table, a list, a heading or a reader.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\r\nx | y ` <img src=x onerror=alert(1)> **b** [l](http://e) \
                       \u{202e}gnp.exe\u{2066} @everyone $x$ <!-- \u{9b}31m --> 日本語 ש";

fn hostile() -> Campaign {
    let strange = |rows: i64| {
        Case::new(vec![
            (HOSTILE.to_owned(), AxisValue::Text(HOSTILE.to_owned())),
            ("rows".to_owned(), AxisValue::Integer(rows)),
        ])
    };
    let budget = |rows| {
        let bound = Bound::MaxRatio(1.05);
        BudgetResult {
            metric: HOSTILE.to_owned(),
            ..noisy(Role::Guardrail, "latency", Statistic::P50, strange(rows), bound, (1.0, 1.0), (0.9, 1.1))
        }
    };
    let mut campaign = Campaign::new(Grade::Comparison).with(Claim {
        sentence: HOSTILE,
        rollback: HOSTILE,
        reasons: vec![reason(2, HOSTILE), reason(3, &"long ".repeat(2_000)), reason(6, &"x".repeat(9_000))],
        checks: vec![
            check(Role::Correctness, HOSTILE, strange(1), CheckStatus::Failed, Some(HOSTILE)),
            check(Role::Correctness, "empty", Case::default(), CheckStatus::Failed, None),
        ],
        budgets: vec![undefined(budget(1), HOSTILE), inconclusive(budget(2), Some(u32::MAX)), budget(3)],
        warnings: vec![Warning::LimitNotEnforced { what: HOSTILE.to_owned() }],
        missing_runs: vec![HOSTILE.to_owned()],
        ..Claim::new(HOSTILE, Verdict::Reject, 2)
    });
    HOSTILE.clone_into(&mut campaign.plan.title);
    HOSTILE.clone_into(&mut campaign.plan.gate);
    campaign.provenance.host.cpu_model = Some(HOSTILE.to_owned());
    campaign.provenance.host.limits.insert(HOSTILE.to_owned(), HOSTILE.to_owned());
    campaign.provenance.host.commit = Some("ü".repeat(20));
    "ü`\n# x".clone_into(&mut campaign.provenance.plan);
    HOSTILE.clone_into(&mut campaign.name);
    campaign
}

#[test]
fn hostile_text_is_harmless_in_a_terminal() {
    let text = terminal(&hostile().view());
    let bad = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    assert!(!text.contains(bad), "{text}");
    assert_snapshot!(text);
}

#[test]
fn hostile_text_is_harmless_in_markdown() {
    let text = markdown(&hostile().view());
    assert!(!text.contains(|c: char| c != '\n' && c.is_control()), "{text}");
    assert!(!text.contains("<img") || text.split('`').step_by(2).all(|outside| !outside.contains("<img")), "{text}");
    assert_snapshot!(text);
}

#[test]
fn hostile_text_survives_json() {
    let view = hostile().view();
    let text = render(Format::Json, &view, Style::plain());
    assert!(!text.contains(|c: char| c != '\n' && c.is_control()), "{text}");
    assert!(!text.contains('\u{202e}'));
    assert_eq!(json(&view)["hypotheses"][0]["claim"], HOSTILE);
    assert_eq!(json(&view)["host"]["cpu_model"], HOSTILE);
}

/// A thousand cases of one budget, of which some need a look.
fn many() -> Campaign {
    let budgets: Vec<BudgetResult> = (0..1_000)
        .map(|rows| {
            let bound = Bound::MaxRatio(1.05);
            let budget = noisy(
                Role::Guardrail,
                "latency",
                Statistic::P95,
                case("wide", rows),
                bound,
                (1e6 + 1e3 * f64::from(u16::try_from(rows).expect("small")), 1.01e6),
                (0.99, 1.02),
            );
            match rows % 100 {
                17 => fails(budget, 0.001, 0.02),
                42 => inconclusive(budget, Some(20 + u32::try_from(rows).expect("small"))),
                _ => budget,
            }
        })
        .collect();
    let reasons = (0..20).map(|n| reason(4, &format!("guardrail fails: number {n}"))).collect();
    let warnings = (0..100).map(|rows| Warning::PeakNotReset { case: case("wide", rows) }).collect();
    let checks = passing_checks(Role::Contract, &["row-count"]);
    let claim = Claim { reasons, checks, budgets, warnings, ..Claim::new("many", Verdict::Reject, 4) };
    Campaign::new(Grade::Comparison).with(claim)
}

#[test]
fn a_thousand_cases_stay_scannable() {
    let view = many().view();
    let text = terminal(&view);
    assert!(text.contains("980 of 1,000 pass, 10 FAIL, 10 inconclusive"), "{text}");
    let marked = text.lines().filter(|line| line.starts_with("✗ ") || line.starts_with("? ")).count();
    assert_eq!(marked, 20);
    assert!(text.contains("and 11 more reasons"), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("(and 99 more like it)"), "{text}");
    let text = markdown(&view);
    let (open, folded) = text.split_once("<details><summary>980 pass</summary>").expect("what passes is folded");
    assert_eq!(open.matches("| **FAIL** |").count() + open.matches("| **inconclusive** |").count(), 20);
    assert_eq!(folded.matches("\n| pass |").count(), 980);
    assert_eq!(json(&view)["hypotheses"][0]["budgets"].as_array().map(Vec::len), Some(1_000));
}

/// Numbers at the ends of what a number can be, and none at all.
fn extreme() -> Campaign {
    let bound = Bound::MaxRatio(1.05);
    let budget = |rows, values, ends| {
        noisy(Role::Guardrail, "peak_rss_bytes", Statistic::Value, case("wide", rows), bound, values, ends)
    };
    let budgets = vec![
        budget(1, (1e300, 1e-300), (1e-300, 1e300)),
        budget(2, (0.0, 0.0), (f64::NAN, f64::INFINITY)),
        BudgetResult { p: Some(f64::NAN), ..budget(3, (5e-324, f64::MAX), (f64::MAX, f64::MAX)) },
        undefined(budget(4, (1.0, 1.0), (1.0, 1.0)), "run `p01-baseline-wide-4` is missing"),
        undefined(budget(5, (1.0, 1.0), (1.0, 1.0)), "run `p01-baseline-wide-4` is missing"),
        BudgetResult { undefined: None, ..undefined(budget(6, (1.0, 1.0), (1.0, 1.0)), "") },
    ];
    Campaign::new(Grade::Comparison).with(Claim { budgets, ..Claim::new("extreme", Verdict::Revise, 6) })
}

#[test]
fn numbers_at_the_ends_are_told() {
    let view = extreme().view();
    assert_snapshot!(terminal(&view));
    for budget in json(&view)["hypotheses"][0]["budgets"].as_array().expect("budgets") {
        let absent = ["ratio", "low", "high"].iter().any(|key| budget[key].is_null());
        assert!(!absent || budget["undefined"].is_string(), "{budget}");
        assert!(budget["low"].is_null() || budget["low"].is_number());
    }
}

#[test]
fn json_has_its_keys_in_order() {
    let text = render(Format::Json, &full().view(), Style::plain());
    let at = |key: &str| text.find(&format!("\n  \"{key}\": ")).unwrap_or_else(|| panic!("no key {key}"));
    let keys = [
        "schema",
        "gate",
        "title",
        "profile",
        "grade",
        "plan",
        "campaign",
        "attempt",
        "started",
        "interval",
        "confidence",
        "multiplicity",
        "verdict",
        "hypotheses",
        "host",
    ];
    assert!(keys.map(at).is_sorted(), "{text}");
    let document = json(&full().view());
    assert_eq!(document["verdict"], "reject");
    assert_eq!(document["confidence"], 0.95);
    let warning = &document["hypotheses"][0]["warnings"][0];
    assert_eq!((&warning["kind"], &warning["samples"]), (&"unresolved".into(), &62.into()));
    assert!(warning["text"].as_str().is_some_and(|text| text.contains("do not resolve p99")));
    assert_eq!(json(&empty().view())["verdict"], Value::Null);
}

#[test]
fn an_outcome_is_the_same_in_every_format() {
    let document = json(&full().view());
    let outcomes = document["hypotheses"].as_array().expect("hypotheses").iter().flat_map(|hypothesis| {
        hypothesis["budgets"].as_array().expect("budgets").iter().map(|budget| budget["outcome"].clone())
    });
    let outcomes: Vec<Value> = outcomes.collect();
    for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive] {
        let name = serde_json::to_value(outcome).expect("a name");
        assert!(outcomes.contains(&name), "{name}");
    }
    assert!(outcomes.contains(&Value::Null), "what is only reported has no outcome");
}
