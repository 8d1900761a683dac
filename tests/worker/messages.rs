//! Whatever parent and child say to each other is read as it was meant, to the bit.

use gate::spec::{Fixture, Warmup};
use gate::unit::{AxisValue, Case};
use gate::worker::protocol::{
    Failure, Limits, MAX_LINE, MAX_PART, Measure, Measured, Message, Observed, Request, Samples, Task,
};
use gate::workload::CheckResult;
use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::{option, string};

fn text() -> impl Strategy<Value = String> {
    // All of Unicode, newlines and quotes among it.
    string::string_regex("(?s).{0,12}").expect("a valid pattern")
}

fn case() -> impl Strategy<Value = Case> {
    let value = prop_oneof![any::<i64>().prop_map(AxisValue::Integer), text().prop_map(AxisValue::Text)];
    btree_map(text(), value, 0..4).prop_map(|axes| Case::new(axes.into_iter().collect()))
}

fn samples() -> impl Strategy<Value = Samples> {
    prop_oneof![
        vec(any::<u64>(), 0..20).prop_map(Samples::Integers),
        vec(any::<f64>().prop_filter("a sample is finite", |value| value.is_finite()), 0..20).prop_map(Samples::Reals),
    ]
}

fn observed() -> impl Strategy<Value = Observed> {
    let counters = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>());
    (
        vec(any::<usize>(), 0..4),
        btree_map(text(), text(), 0..4),
        vec(text(), 0..3),
        any::<bool>(),
        option::of(text()),
        counters,
        vec(text(), 0..3),
    )
        .prop_map(|(cpus, limits, unenforced, peak_reset, duckdb, counters, log)| Observed {
            cpus,
            limits,
            unenforced,
            peak_reset,
            duckdb,
            cpu_ns: counters.0,
            minor_faults: counters.1,
            major_faults: counters.2,
            voluntary_switches: counters.3,
            involuntary_switches: counters.4,
            meanwhile: None,
            log,
        })
}

fn message() -> impl Strategy<Value = Message> {
    let kind = prop_oneof![Just(Failure::Protocol), Just(Failure::Refused), Just(Failure::Answer), Just(Failure::Lane)];
    prop_oneof![
        (any::<u32>(), any::<u32>()).prop_map(|(protocol, pid)| Message::Hello { protocol, pid }),
        case().prop_map(|case| Message::Started { case }),
        (text(), case(), option::of(text())).prop_map(|(check, case, failure)| Message::Check(CheckResult {
            check,
            case,
            failure
        })),
        (case(), text()).prop_map(|(case, digest)| Message::Answer { case, digest }),
        (text(), samples()).prop_map(|(metric, values)| Message::Samples { metric, values }),
        (case(), any::<u64>(), any::<u32>()).prop_map(|(case, rss_at_start_bytes, compared)| Message::Cell(Measured {
            case,
            rss_at_start_bytes,
            compared
        })),
        observed().prop_map(Message::Observed),
        (kind, text()).prop_map(|(kind, message)| Message::Failed { kind, message }),
        Just(Message::Done),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let warmup = prop_oneof![any::<u32>().prop_map(Warmup::Operations), any::<u64>().prop_map(Warmup::TimeNs)];
    let measure = (
        warmup,
        option::of(any::<u64>()),
        option::of(any::<u32>()),
        option::of(any::<u32>()),
        any::<u32>(),
        vec(text(), 0..3),
    )
        .prop_map(|(warmup, min_time_ns, samples, min_samples, counted, answers)| Measure {
            warmup,
            min_time_ns,
            samples,
            min_samples,
            counted,
            answers,
        });
    let task =
        prop_oneof![measure.prop_map(Task::Measure), vec(text(), 0..3).prop_map(|checks| Task::Check { checks })];
    let limits = (any::<u32>(), option::of(any::<u64>()), option::of(any::<u64>()))
        .prop_map(|(cpus, memory_bytes, processes)| Limits { cpus, memory_bytes, processes });
    let fixture = (any::<u64>(), any::<u32>()).prop_map(|(seed, null_period)| Fixture { seed, null_period });
    let slowdown = option::of(1.0..10.0);
    let names = (text(), text());
    (any::<u32>(), names, vec(case(), 0..3), fixture, btree_map(text(), text(), 0..3), limits, slowdown, task).prop_map(
        |(protocol, (suite, lane), cases, fixture, fixtures, limits, slowdown, task)| Request {
            protocol,
            suite,
            lane,
            subject: None,
            cases,
            fixture,
            fixtures,
            limits,
            slowdown,
            task,
        },
    )
}

proptest! {
    #[test]
    fn a_message_is_one_line_and_comes_back_the_same(message in message()) {
        let line = serde_json::to_string(&message).unwrap();
        prop_assert!(!line.contains('\n'), "{line}");
        prop_assert_eq!(serde_json::from_str::<Message>(&line).unwrap(), message);
    }

    #[test]
    fn a_request_comes_back_the_same(request in request()) {
        let text = serde_json::to_vec(&request).unwrap();
        prop_assert_eq!(serde_json::from_slice::<Request>(&text).unwrap(), request);
    }
}

#[test]
fn the_longest_part_of_samples_fits_in_a_line() {
    for values in [Samples::Integers(vec![u64::MAX; MAX_PART]), Samples::Reals(vec![-f64::MIN_POSITIVE; MAX_PART])] {
        let message = Message::Samples { metric: "x".repeat(1_000), values };
        assert!(serde_json::to_string(&message).unwrap().len() < MAX_LINE);
    }
}
