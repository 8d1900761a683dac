//! Which answers are kept while a lane is timed, and how they are compared afterwards.

use crate::workload::{Bench, Response, WorkloadError};

/// The most answers of a timed pass that are kept.
const MOST: u32 = 11;

/// Which operations' answers are kept: at most 11, the first and the last among them.
///
/// Where the number of operations is known they are spaced evenly. Where it isn't, at 0, 1, 4, 16, …, 4⁸.
#[derive(Debug)]
pub(super) struct Schedule {
    operations: Option<u32>,
    chosen: u32,
}

impl Schedule {
    /// For a pass of so many operations, or of a number that its time decides.
    pub(super) const fn new(operations: Option<u32>) -> Self {
        Self { operations, chosen: 0 }
    }

    /// Whether the answer of this operation, counted from 0, is kept; `last` always is.
    pub(super) fn wants(&mut self, operation: u64, last: bool) -> bool {
        let mut wanted = last;
        while self.next() == Some(operation) {
            self.chosen += 1;
            wanted = true;
        }
        wanted
    }

    fn next(&self) -> Option<u64> {
        if self.chosen >= MOST - 1 {
            return None;
        }
        let chosen = u64::from(self.chosen);
        Some(match self.operations {
            Some(operations) => chosen * u64::from(operations.saturating_sub(1)) / u64::from(MOST - 1),
            None if self.chosen == 0 => 0,
            None => 1 << (2 * (chosen - 1)),
        })
    }
}

/// A kept answer that is not what the checks had.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeptError {
    #[error("operation {operation} of the {pass} pass answered `{found}`, but its checks had `{expected}`")]
    Differs { operation: u64, pass: &'static str, found: String, expected: String },
    #[error("operation {operation} of the {pass} pass: its answer can't be read: {source}")]
    Unreadable { operation: u64, pass: &'static str, source: WorkloadError },
}

/// Answers that were kept. One with the same bytes as the last is compared there and then, and not held twice: so a
/// lane whose answers don't vary holds one, and what it holds does not depend on how often it was asked.
#[derive(Debug, Default)]
pub(super) struct Kept {
    answers: Vec<Answer>,
    compared: u32,
}

#[derive(Debug)]
struct Answer {
    operation: u64,
    pass: &'static str,
    response: Response,
}

impl Kept {
    /// With room for all, so that keeping an answer allocates nothing.
    pub(super) fn new() -> Self {
        // One of the warm-up and one of the counted pass beside those of the timed one.
        Self { answers: Vec::with_capacity(MOST as usize + 2), compared: 0 }
    }

    /// Keeps the answer of an operation, counted from 0, of a pass.
    pub(super) fn keep(&mut self, pass: &'static str, operation: u64, response: Response) {
        self.compared += 1;
        let same = |last: &Answer| last.response.rows == response.rows && last.response.body == response.body;
        if !self.answers.last().is_some_and(same) {
            self.answers.push(Answer { operation, pass, response });
        }
    }

    /// Compares every answer that was kept with the digest that the checks had; returns how many that were.
    pub(super) fn compare(self, bench: &dyn Bench, expected: &str) -> Result<u32, KeptError> {
        for Answer { operation, pass, response } in self.answers {
            let found = bench.digest(&response).map_err(|source| KeptError::Unreadable { operation, pass, source })?;
            if found != expected {
                return Err(KeptError::Differs { operation, pass, found, expected: expected.to_owned() });
            }
        }
        Ok(self.compared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Counters;

    fn chosen(operations: Option<u32>, ran: u64) -> Vec<u64> {
        let mut schedule = Schedule::new(operations);
        (0..ran).filter(|&operation| schedule.wants(operation, operation + 1 == ran)).collect()
    }

    #[test]
    fn a_known_number_is_sampled_evenly() {
        assert_eq!(chosen(Some(101), 101), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        assert_eq!(chosen(Some(3), 3), [0, 1, 2]);
        assert_eq!(chosen(Some(1), 1), [0]);
        assert_eq!(chosen(Some(10_000_000), 10_000_000).len(), 11);
    }

    #[test]
    fn an_unknown_number_is_sampled_ever_more_rarely_and_at_its_end() {
        assert_eq!(chosen(None, 100), [0, 1, 4, 16, 64, 99]);
        assert_eq!(chosen(None, 1_000_000), [0, 1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 999_999]);
    }

    /// Its digests are the bytes themselves.
    struct Echo;

    impl Bench for Echo {
        fn operation(&mut self, _: &mut Counters) -> Result<Response, WorkloadError> {
            Ok(response("same"))
        }

        fn expected_rows(&self) -> u64 {
            1
        }

        fn digest(&self, response: &Response) -> Result<String, WorkloadError> {
            String::from_utf8(response.body.clone()).map_err(|error| WorkloadError::Answer(error.to_string()))
        }
    }

    fn response(body: &str) -> Response {
        Response { rows: 1, body: body.as_bytes().to_vec(), wall_ns: None }
    }

    #[test]
    fn equal_answers_are_held_once_and_all_count() {
        let mut kept = Kept::new();
        for operation in 0..5 {
            kept.keep("timed", operation, response("same"));
        }
        assert_eq!(kept.answers.len(), 1);
        assert_eq!(kept.compare(&Echo, "same").expect("equal answers"), 5);
    }

    #[test]
    fn one_other_answer_among_many_is_found() {
        let mut kept = Kept::new();
        for (operation, body) in ["same", "same", "other", "same"].into_iter().enumerate() {
            kept.keep("timed", operation as u64, response(body));
        }
        let error = kept.compare(&Echo, "same").expect_err("another answer").to_string();
        assert_eq!(error, "operation 2 of the timed pass answered `other`, but its checks had `same`");
    }

    #[test]
    fn the_same_bytes_with_other_rows_are_another_answer() {
        let mut kept = Kept::new();
        kept.keep("timed", 0, response("same"));
        kept.keep("timed", 1, Response { rows: 2, ..response("same") });
        assert_eq!(kept.answers.len(), 2);
    }
}
