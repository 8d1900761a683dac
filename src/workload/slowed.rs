//! A lane with a known slowdown: what a gate must see.

use super::{Bench, Counters, Response, WorkloadError};
use crate::measure::clock;

/// A lane whose every operation takes `ratio` times as long: after its answer a loop spins, within what is timed.
pub struct Slowed {
    lane: Box<dyn Bench>,
    ratio: f64,
}

impl Slowed {
    /// `lane`, slowed to `ratio`, which is at least 1.
    ///
    /// # Errors
    ///
    /// A crowd, whose clients wait for each other, so that no operation of theirs has a time of its own; a ratio below 1.
    pub fn new(mut lane: Box<dyn Bench>, ratio: f64) -> Result<Self, WorkloadError> {
        if lane.crowd().is_some() {
            return Err(WorkloadError::Answer(
                "the operations of several clients can't be slowed one by one".to_owned(),
            ));
        }
        if ratio.is_finite() && ratio >= 1.0 {
            Ok(Self { lane, ratio })
        } else {
            Err(WorkloadError::Answer(format!("a slowdown to {ratio} times the time is none")))
        }
    }
}

impl Bench for Slowed {
    fn prepares(&self) -> bool {
        self.lane.prepares()
    }

    fn prepare(&mut self) -> Result<(), WorkloadError> {
        self.lane.prepare()
    }

    fn of_run(&mut self) -> Result<Vec<(&'static str, u64)>, WorkloadError> {
        self.lane.of_run()
    }

    fn operation(&mut self, counters: &mut Counters) -> Result<Response, WorkloadError> {
        let begin = clock::now();
        let mut response = self.lane.operation(counters)?;
        // An execution has a time of its own, which is less than what was waited here.
        let took_ns = response.wall_ns.unwrap_or_else(|| begin.elapsed_ns());
        let end = clock::now();
        let extra_ns = more(took_ns, self.ratio);
        while end.elapsed_ns() < extra_ns {
            std::hint::spin_loop();
        }
        response.wall_ns = response.wall_ns.map(|wall_ns| wall_ns + end.elapsed_ns());
        Ok(response)
    }

    fn expected_rows(&self) -> u64 {
        self.lane.expected_rows()
    }

    fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
        self.lane.digest(response)
    }
}

/// What is missing to `ratio` times `took_ns`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time below 2^53 ns, and a ratio of at least 1"
)]
fn more(took_ns: u64, ratio: f64) -> u64 {
    (took_ns as f64 * (ratio - 1.0)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::{AxisValue, Case};
    use crate::workload::probe;

    fn lane(ratio: f64) -> Result<Slowed, WorkloadError> {
        let case = Case::new(vec![("work".to_owned(), AxisValue::Integer(200_000))]);
        Slowed::new(probe::open("steady", &case)?, ratio)
    }

    #[test]
    fn an_operation_takes_as_much_longer() {
        let time = |ratio| {
            let mut lane = lane(ratio).unwrap();
            let mut fastest = u64::MAX;
            for _ in 0..50 {
                let begin = clock::now();
                lane.operation(&mut Counters::with_capacity(8)).unwrap();
                fastest = fastest.min(begin.elapsed_ns());
            }
            fastest
        };
        // Each operation at least: its own time, and as much again.
        assert!(time(2.0) > time(1.0) * 3 / 2);
        assert_eq!(more(1_000, 1.05), 50);
    }

    #[test]
    fn what_is_no_slowdown_is_refused() {
        for ratio in [0.5, f64::NAN, f64::INFINITY] {
            assert!(lane(ratio).is_err(), "{ratio}");
        }
    }
}
