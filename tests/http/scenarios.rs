//! Every consumer, measured.

use gate::fixture::Shape;
use gate::unit::{AxisValue, Case};
use gate::workload::catalogue::{DASHBOARD, Domain};
use gate::workload::dashboard::bench::Dashboard;
use gate::workload::dashboard::http::scenario::{Consumer, Served};
use gate::workload::dashboard::lane::Lane;
use gate::workload::dashboard::request::Filter;
use gate::workload::{self, Bench, Counters};

use super::checks::case;
use super::{SETUP, detail};

const LANES: [&str; 5] = ["api-direct", "native-v1", "dashboard-cold", "dashboard-warm", "ordered-frame"];

#[test]
fn every_consumer_is_measured_on_every_path() {
    for name in LANES {
        let (lane, subject) = (Lane::named(name).unwrap(), detail(Shape::Wide, 999));
        let inside = Dashboard::open(lane, subject, &SETUP).unwrap();
        let (answer, _) = inside.answer(Filter::Every).unwrap();
        for consumer in Consumer::ALL {
            let mut served = Served::open(consumer, lane, subject, &SETUP).unwrap();
            let mut counters = Counters::default();
            for _ in 0..3 {
                counters.clear();
                if served.prepares() {
                    served.prepare().unwrap();
                }
                let response = served.operation(&mut counters).unwrap();
                assert_eq!(response.rows, served.expected_rows());
                if consumer.is_answered() {
                    assert_eq!(
                        served.digest(&response).unwrap(),
                        inside.digest(&answer).unwrap(),
                        "{name} {}",
                        consumer.name()
                    );
                } else {
                    assert!(response.body.is_empty());
                }
                served.digest(&response).unwrap();
            }
            let counter = |metric| counters.iter().find(|(name, _)| *name == metric).unwrap().1;
            assert_eq!(counter("blocked_hold") > 0, consumer == Consumer::BesideSlow && !lane.is_warm(), "{name}");
        }
    }
}

#[test]
fn the_axis_has_the_consumers() {
    let axis = DASHBOARD.axes.iter().find(|axis| axis.name == "consumer").unwrap();
    let Domain::Words(words) = axis.domain else { panic!("no words") };
    assert_eq!(words, Consumer::ALL.map(Consumer::name));
    let case = case(&[("shape", "narrow"), ("consumer", "normal")], 50);
    let mut bench = workload::open("dashboard", "native-v1", &case, &SETUP).unwrap();
    assert_eq!(bench.operation(&mut Counters::default()).unwrap().rows, 50);
}

/// Why the lane does not open in this case.
fn refusal(lane: &str, axes: &[(&str, &str)]) -> String {
    match workload::open("dashboard", lane, &case(axes, 50), &SETUP) {
        Ok(_) => panic!("`{lane}` opens in {axes:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_case_that_makes_no_sense_is_refused() {
    for consumer in ["disconnecting", "beside-slow", "stalled"] {
        let message = refusal("native-v1", &[("shape", "narrow"), ("consumer", consumer)]);
        let expected = format!("the consumer `{consumer}` blocks nobody with fewer than 131072");
        assert!(message.contains(&expected), "{message}");
    }
    let message = refusal("native-v1", &[("shape", "narrow"), ("consumer", "fast")]);
    assert!(message.contains("axis `consumer` must be the name of a consumer"), "{message}");
    let message = refusal("string-ipc", &[("shape", "narrow"), ("consumer", "normal")]);
    assert!(message.contains("axis `consumer` must be none"), "{message}");
    let axes = case(&[("shape", "narrow"), ("consumer", "normal")], 50);
    let axes = axes.iter().map(|(axis, value)| (axis.to_owned(), value.clone()));
    let clients = ("clients".to_owned(), AxisValue::Integer(4));
    let both = workload::open("dashboard", "native-v1", &Case::new(axes.chain([clients]).collect()), &SETUP);
    let message = both.err().unwrap().to_string();
    assert!(message.contains("axis `clients` must be 1") && message.contains("`consumer`"), "{message}");
}
