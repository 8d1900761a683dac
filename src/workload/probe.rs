//! The suite `probe`: tiny lanes of a known cost or with a known fault, to try a gate on.
//!
//! An operation runs a fixed arithmetic loop and answers a fixed number of rows of one byte. There is no database and
//! no fixture.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use super::catalogue::PROBE;
use super::{Bench, CheckResult, Counters, Response, WorkloadError};
use crate::digest::sha256;
use crate::unit::Case;

/// The suite's name.
pub(super) const SUITE: &str = "probe";

/// The rows of every whole answer.
const ROWS: u64 = 64;

/// How many operations a faulty lane answers as it should before its fault begins.
const SOUND_OPERATIONS: u64 = 8;

/// Opens the lane called `lane` in this case.
///
/// # Errors
///
/// A lane or case that the suite does not have.
pub fn open(lane: &str, case: &Case) -> Result<Box<dyn Bench>, WorkloadError> {
    let kind = Kind::named(lane)?;
    let work = case.integer("work").and_then(|work| u64::try_from(work).ok());
    let work = work.filter(|work| *work > 0).ok_or_else(|| WorkloadError::Axis {
        suite: SUITE,
        axis: "work",
        case: case.clone(),
        expected: "a whole number of rounds, 1 or more",
    })?;
    Ok(Box::new(Probe { kind, work, operations: 0 }))
}

/// Runs these checks of the lane called `lane` in this case.
///
/// # Errors
///
/// A lane, case or check that the suite does not have.
pub fn check(lane: &str, case: &Case, checks: &[String]) -> Result<Vec<CheckResult>, WorkloadError> {
    if let Some(unknown) = checks.iter().find(|check| PROBE.check(check).is_none()) {
        return Err(WorkloadError::NoSuchCheck { suite: SUITE, check: unknown.clone() });
    }
    let mut bench = open(lane, case)?;
    let answer = bench.operation(&mut Counters::default());
    let failure = match &answer {
        Ok(answer) => row_count(answer),
        Err(error) => Some(error.to_string()),
    };
    let result = |check: &String| CheckResult { check: check.clone(), case: case.clone(), failure: failure.clone() };
    Ok(checks.iter().map(result).collect())
}

fn row_count(answer: &Response) -> Option<String> {
    let found = answer.body.len() as u64;
    ((found, answer.rows) != (ROWS, ROWS)).then(|| {
        let said = answer.rows;
        format!("expected {ROWS} rows, found {found} in an answer that says it has {said}")
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Steady,
    Slow,
    WrongAnswer,
    ShortAnswer,
    Crash,
    Hang,
}

impl Kind {
    fn named(name: &str) -> Result<Self, WorkloadError> {
        match name {
            "steady" => Ok(Self::Steady),
            "slow" => Ok(Self::Slow),
            "fault:wrong-answer" => Ok(Self::WrongAnswer),
            "fault:short-answer" => Ok(Self::ShortAnswer),
            "fault:crash" => Ok(Self::Crash),
            "fault:hang" => Ok(Self::Hang),
            _ => Err(WorkloadError::NoSuchLane { suite: SUITE, lane: name.to_owned() }),
        }
    }

    /// What goes wrong in an operation that `before` others came before.
    fn fault(self, before: u64) -> Option<Fault> {
        let begun = before >= SOUND_OPERATIONS;
        match self {
            Self::WrongAnswer => Some(Fault::OneRowLess),
            Self::ShortAnswer if begun => Some(Fault::OneRowLess),
            Self::Crash if begun => Some(Fault::Abort),
            Self::Hang if begun => Some(Fault::Sleep),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    OneRowLess,
    Abort,
    Sleep,
}

struct Probe {
    kind: Kind,
    work: u64,
    operations: u64,
}

impl Bench for Probe {
    fn operation(&mut self, _counters: &mut Counters) -> Result<Response, WorkloadError> {
        let fault = self.kind.fault(self.operations);
        self.operations += 1;
        let mut rows = ROWS;
        match fault {
            None => {}
            Some(Fault::OneRowLess) => rows -= 1,
            Some(Fault::Abort) => std::process::abort(),
            Some(Fault::Sleep) => loop {
                thread::sleep(Duration::from_mins(1));
            },
        }
        match self.kind {
            Kind::Slow => {
                spin((self.work * 3).div_ceil(2));
                black_box(body(rows));
            }
            _ => spin(self.work),
        }
        Ok(Response { rows, body: body(rows), wall_ns: None })
    }

    fn expected_rows(&self) -> u64 {
        ROWS
    }

    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        Ok(sha256(&response.body))
    }
}

/// A loop in which every round needs the one before it (Knuth's MMIX generator, 1999).
fn spin(rounds: u64) {
    let mut state = black_box(1_u64);
    for _ in 0..rounds {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    black_box(state);
}

fn body(rows: u64) -> Vec<u8> {
    (0..rows).map(|row| row.to_le_bytes()[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::AxisValue;

    fn case(work: i64) -> Case {
        Case::new(vec![("work".to_owned(), AxisValue::Integer(work))])
    }

    fn failure(lane: &str) -> Option<String> {
        let checks = ["row-count".to_owned()];
        check(lane, &case(10), &checks).unwrap().remove(0).failure
    }

    #[test]
    fn every_lane_of_the_catalogue_opens() {
        for lane in PROBE.lanes {
            assert!(open(lane.name, &case(1)).is_ok(), "{}", lane.name);
        }
    }

    #[test]
    fn only_the_wrong_answer_fails_its_check() {
        for lane in PROBE.lanes {
            let failure = failure(lane.name);
            assert_eq!(failure.is_some(), lane.name == "fault:wrong-answer", "{}", lane.name);
        }
        let found = failure("fault:wrong-answer").unwrap();
        assert_eq!(found, "expected 64 rows, found 63 in an answer that says it has 63");
    }

    #[test]
    fn steady_and_slow_answer_the_same() {
        let answer = |lane: &str| {
            let mut bench = open(lane, &case(100)).unwrap();
            let response = bench.operation(&mut Counters::default()).unwrap();
            assert_eq!(response.rows, bench.expected_rows());
            bench.digest(&response).unwrap()
        };
        assert_eq!(answer("steady"), answer("slow"));
    }

    #[test]
    fn the_short_answer_comes_after_eight_whole_ones() {
        let mut bench = open("fault:short-answer", &case(1)).unwrap();
        let rows: Vec<u64> =
            (0..10).map(|_| bench.operation(&mut Counters::default()).unwrap()).map(|response| response.rows).collect();
        assert_eq!(rows, [64, 64, 64, 64, 64, 64, 64, 64, 63, 63]);
    }

    #[test]
    fn crash_and_hang_come_after_eight_whole_answers() {
        for (kind, fault) in [(Kind::Crash, Fault::Abort), (Kind::Hang, Fault::Sleep)] {
            assert!((0..8).all(|before| kind.fault(before).is_none()));
            assert_eq!(kind.fault(8), Some(fault));
        }
    }

    #[test]
    fn what_there_is_not_is_named() {
        let error = |result: Result<Box<dyn Bench>, WorkloadError>| result.err().unwrap().to_string();
        assert_eq!(error(open("fast", &case(1))), "suite `probe` has no lane `fast`");
        for bad in [case(0), case(-1), Case::default()] {
            assert!(error(open("steady", &bad)).contains("axis `work` must be"), "{bad}");
        }
        let unknown = check("steady", &case(1), &["beauty".to_owned()]).unwrap_err();
        assert_eq!(unknown.to_string(), "suite `probe` has no check `beauty`");
    }
}
