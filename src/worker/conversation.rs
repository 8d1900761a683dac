//! What a child has said so far, and whether it was what it had been asked for.
//!
//! A conversation knows no processes: it takes messages in, and gives an [`Output`] out.

use std::collections::BTreeMap;

use super::cause::Cause;
use super::parent::Output;
use super::protocol::{
    Cell, Failure, MAX_SAMPLES, Measure, Measured, Message, PROTOCOL, Profiled, Request, Samples, Task,
};
use super::taken::Taken;
use crate::measure::rusage::Usage;
use crate::program::{Kept, Output as Reported};
use crate::unit::{Case, Metric, Scope};
use crate::workload::CheckResult;
use crate::workload::catalogue::Suite;

/// What a child has said so far.
pub(super) struct Conversation<'a> {
    request: &'a Request,
    metrics: &'static [Metric],
    greeted: bool,
    done: bool,
    /// The case that it is about.
    begun: Option<Case>,
    /// Samples that no cell has closed yet.
    open: BTreeMap<String, Samples>,
    /// The profile that has not ended yet.
    taken: Taken,
    output: Output,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(request: &'a Request) -> Self {
        Self {
            request,
            metrics: Suite::find(&request.suite).map_or(&[], |suite| suite.metrics),
            greeted: false,
            done: false,
            begun: None,
            open: BTreeMap::new(),
            taken: Taken::default(),
            output: Output::default(),
        }
    }

    /// The case that the child is about.
    pub(super) const fn case(&self) -> Option<&Case> {
        self.begun.as_ref()
    }

    /// Whether the child has said that its work is done.
    pub(super) const fn is_done(&self) -> bool {
        self.done
    }

    /// Takes the next line.
    ///
    /// # Errors
    ///
    /// What the line says or is ends the conversation.
    pub(super) fn hear_line(&mut self, line: &[u8]) -> Result<(), Cause> {
        match serde_json::from_slice(line) {
            Ok(message) => self.hear(message),
            Err(_) => Err(Cause::garbage(line)),
        }
    }

    fn hear(&mut self, message: Message) -> Result<(), Cause> {
        if self.done {
            return Err(Cause::unexpected("more after `done`"));
        }
        if !self.greeted && !matches!(message, Message::Hello { .. }) {
            return Err(Cause::unexpected("something else before `hello`"));
        }
        match message {
            Message::Hello { .. } if self.greeted => Err(Cause::unexpected("a second `hello`")),
            Message::Hello { protocol: PROTOCOL, .. } => {
                self.greeted = true;
                Ok(())
            }
            Message::Hello { protocol, .. } => Err(Cause::Protocol { child: protocol }),
            Message::Started { case } => {
                if !self.request.cases.contains(&case) {
                    return Err(Cause::unexpected(format!("case `{case}`, which it was not asked for")));
                }
                self.begun = Some(case);
                Ok(())
            }
            Message::Check(result) => self.hear_check(result),
            Message::Answer { case, digest } => self.hear_answer(case, digest),
            Message::Samples { metric, values } => self.hear_samples(metric, values),
            Message::Cell(measured) => self.hear_cell(measured),
            Message::Functions(functions) => self.taken.hear_functions(functions),
            Message::Stacks(stacks) => self.taken.hear_stacks(stacks),
            Message::Profiled(profiled) => self.hear_profiled(profiled),
            Message::Observed(observed) => {
                self.output.observed = Some(observed);
                Ok(())
            }
            Message::Failed { kind, message } => Err(match kind {
                Failure::Protocol | Failure::Refused => Cause::Refused { message },
                Failure::Answer => Cause::Answered { message },
                Failure::Lane => Cause::Failed { message },
            }),
            Message::Done => {
                self.done = true;
                Ok(())
            }
        }
    }

    fn hear_check(&mut self, result: CheckResult) -> Result<(), Cause> {
        let Task::Check { checks } = &self.request.task else {
            return Err(Cause::unexpected("a check, and was asked to measure"));
        };
        let (check, case) = (&result.check, &result.case);
        if !checks.contains(check) || !self.request.cases.contains(case) {
            return Err(Cause::unexpected(format!("check `{check}` of `{case}`, which it was not asked for")));
        }
        if self.output.checks.iter().any(|known| known.check == *check && known.case == *case) {
            return Err(Cause::unexpected(format!("check `{check}` of `{case}` twice")));
        }
        self.output.checks.push(result);
        Ok(())
    }

    fn hear_answer(&mut self, case: Case, digest: String) -> Result<(), Cause> {
        if !self.request.cases.contains(&case) || self.output.answers.iter().any(|(known, _)| *known == case) {
            return Err(Cause::unexpected(format!("an answer of `{case}`, which it was not asked for or had given")));
        }
        self.output.answers.push((case, digest));
        Ok(())
    }

    fn hear_samples(&mut self, metric: String, values: Samples) -> Result<(), Cause> {
        let reported =
            |metric: &String| self.reported().is_some_and(|reported| reported.iter().any(|kept| kept.name == *metric));
        if !self.metrics.iter().any(|known| known.name == *metric) && !reported(&metric) {
            return Err(Cause::unexpected(format!("samples of `{metric}`, which the suite does not declare")));
        }
        if let Samples::Reals(values) = &values
            && let Some(value) = values.iter().find(|value| !value.is_finite() || **value < 0.0)
        {
            return Err(Cause::unexpected(format!("`{value}` as a sample of `{metric}`")));
        }
        let Some(known) = self.open.get_mut(&metric) else {
            self.open.insert(metric, values);
            return Ok(());
        };
        match (known, values) {
            (Samples::Integers(known), Samples::Integers(more)) if known.len() + more.len() <= MAX_SAMPLES => {
                known.extend(more);
            }
            (Samples::Reals(known), Samples::Reals(more)) if known.len() + more.len() <= MAX_SAMPLES => {
                known.extend(more);
            }
            (Samples::Integers(_), Samples::Integers(_)) | (Samples::Reals(_), Samples::Reals(_)) => {
                return Err(Cause::unexpected(format!("more than {MAX_SAMPLES} samples of `{metric}`")));
            }
            _ => return Err(Cause::unexpected(format!("both whole and real samples of `{metric}`"))),
        }
        Ok(())
    }

    fn hear_cell(&mut self, measured: Measured) -> Result<(), Cause> {
        let Task::Measure(task) = &self.request.task else {
            return Err(Cause::unexpected("a measured case, and was asked to check"));
        };
        let Measured { case, rss_at_start_bytes, compared } = measured;
        let samples = std::mem::take(&mut self.open);
        if self.reported().is_some() {
            self.hold_bench(&case)?;
            self.output.cells.push(Cell { case, samples, rss_at_start_bytes, compared });
            return Ok(());
        }
        if self.request.cases.get(self.output.cells.len()) != Some(&case) {
            return Err(Cause::unexpected(format!("case `{case}` out of order")));
        }
        if let Some(missing) = missing_samples(self.metrics, task, &samples) {
            return Err(Cause::Incomplete { missing: format!("{missing} in `{case}`") });
        }
        self.output.cells.push(Cell { case, samples, rss_at_start_bytes, compared });
        Ok(())
    }

    fn hear_profiled(&mut self, profiled: Profiled) -> Result<(), Cause> {
        if !matches!(self.request.task, Task::Profile(_)) || self.output.profile.is_some() {
            return Err(Cause::unexpected("a profile, which it was not asked for or had given"));
        }
        self.output.profile = Some(Taken { profiled, ..std::mem::take(&mut self.taken) });
        Ok(())
    }

    /// The metrics that are kept of the benches that a program reports; `None` where it reports none.
    fn reported(&self) -> Option<&[Kept]> {
        let subject = self.request.subject.as_ref()?;
        (subject.output != Reported::Time).then_some(subject.metrics.as_slice())
    }

    /// A bench belongs to a case that was asked for, and comes once.
    fn hold_bench(&self, bench: &Case) -> Result<(), Cause> {
        let asked = bench.get(Case::BENCH).is_some() && self.request.cases.contains(&bench.without_bench());
        if !asked || self.output.cells.iter().any(|cell| cell.case == *bench) {
            return Err(Cause::unexpected(format!("bench `{bench}`, which it was not asked for or had given")));
        }
        Ok(())
    }

    /// What the child has done, now that it has ended.
    ///
    /// # Errors
    ///
    /// Something that was asked for is missing.
    pub(super) fn finish(mut self, usage: Usage) -> Result<Output, Cause> {
        if let Some(missing) = self.missing() {
            return Err(Cause::Incomplete { missing });
        }
        self.output.usage = usage;
        Ok(self.output)
    }

    fn missing(&self) -> Option<String> {
        let Output { cells, checks, answers, observed, .. } = &self.output;
        if observed.is_none() {
            return Some("account of itself".to_owned());
        }
        if !self.open.is_empty() {
            return Some("end of its last cell".to_owned());
        }
        match &self.request.task {
            Task::Measure(_) if self.reported().is_some() => {
                let measured = |case: &&Case| cells.iter().any(|cell| cell.case.without_bench() == **case);
                self.request.cases.iter().find(|case| !measured(case)).map(|case| format!("bench in `{case}`"))
            }
            Task::Profile(_) => self.output.profile.is_none().then(|| "profile".to_owned()),
            Task::Measure(_) => self.request.cases.get(cells.len()).map(|case| format!("samples in `{case}`")),
            Task::Check { checks: asked } => self.request.cases.iter().find_map(|case| {
                let of_case = |name: &String| checks.iter().find(|known| known.check == *name && known.case == *case);
                if let Some(check) = asked.iter().find(|name| of_case(name).is_none()) {
                    return Some(format!("result of check `{check}` in `{case}`"));
                }
                let holds = asked.iter().all(|name| of_case(name).is_some_and(|result| result.failure.is_none()));
                let answered = answers.iter().any(|(known, _)| known == case);
                (holds && !answered).then(|| format!("answer in `{case}`"))
            }),
        }
    }
}

/// Which samples of a case are missing: every declared metric must have as many as its scope and the task ask for.
fn missing_samples(metrics: &[Metric], task: &Measure, samples: &BTreeMap<String, Samples>) -> Option<String> {
    let timed = samples.get("latency").map_or(0, Samples::len);
    for metric in metrics {
        let name = metric.name.as_ref();
        let found = samples.get(name).map_or(0, Samples::len);
        let expected = match metric.scope {
            Scope::Timed => timed.max(1),
            Scope::Counted => task.counted as usize,
            Scope::Run => 1,
            // Of benches, which are heard of otherwise.
            Scope::Reported => continue,
        };
        if found != expected {
            return Some(format!("{expected} samples of `{name}`: there are {found}"));
        }
    }
    let expected = task.samples.or(task.min_samples).unwrap_or(1) as usize;
    if timed < expected || (task.samples.is_some() && timed != expected) {
        return Some(format!("{expected} timed operations: there are {timed}"));
    }
    if let (None, Some(least), Some(Samples::Integers(latencies))) =
        (task.samples, task.min_time_ns, samples.get("latency"))
    {
        let total = latencies.iter().fold(0_u64, |total, latency| total.saturating_add(*latency));
        if total < least {
            return Some(format!("{least} ns of timed operations: there are {total}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Fixture, Warmup};
    use crate::unit::AxisValue;
    use crate::worker::protocol::{Limits, Observed};

    fn case(work: i64) -> Case {
        Case::new(vec![("work".to_owned(), AxisValue::Integer(work))])
    }

    fn request(task: Task) -> Request {
        Request {
            protocol: PROTOCOL,
            suite: "probe".to_owned(),
            lane: "steady".to_owned(),
            subject: None,
            cases: vec![case(1), case(2)],
            fixture: Fixture { seed: 1, null_period: 13 },
            fixtures: BTreeMap::new(),
            limits: Limits { cpus: 1, memory_bytes: None, processes: None },
            slowdown: None,
            task,
        }
    }

    fn task() -> Measure {
        Measure {
            warmup: Warmup::Operations(0),
            min_time_ns: None,
            samples: Some(3),
            min_samples: None,
            counted: 2,
            answers: vec!["x".to_owned(), "x".to_owned()],
        }
    }

    fn measuring() -> Request {
        request(Task::Measure(task()))
    }

    fn checking() -> Request {
        request(Task::Check { checks: vec!["row-count".to_owned()] })
    }

    fn hello() -> Message {
        Message::Hello { protocol: PROTOCOL, pid: 1 }
    }

    fn observed() -> Message {
        Message::Observed(Observed {
            cpus: vec![0],
            limits: BTreeMap::new(),
            unenforced: Vec::new(),
            peak_reset: true,
            duckdb: None,
            cpu_ns: 1,
            minor_faults: 0,
            major_faults: 0,
            voluntary_switches: 0,
            involuntary_switches: 0,
            meanwhile: None,
            log: Vec::new(),
        })
    }

    fn samples(metric: &str, values: Samples) -> Message {
        Message::Samples { metric: metric.to_owned(), values }
    }

    /// All samples of a case, with these latencies.
    fn cell(work: i64, latencies: Vec<u64>) -> Vec<Message> {
        let mut messages = vec![samples("latency", Samples::Integers(latencies))];
        for metric in ["throughput", "cpu_time"] {
            messages.push(samples(metric, Samples::Reals(vec![1.5])));
        }
        for metric in ["peak_rss_bytes", "steady_rss_bytes"] {
            messages.push(samples(metric, Samples::Integers(vec![4_096])));
        }
        for metric in ["rust_heap_bytes", "rust_heap_allocs"] {
            messages.push(samples(metric, Samples::Integers(vec![64, 64])));
        }
        messages.push(Message::Cell(Measured { case: case(work), rss_at_start_bytes: 1, compared: 3 }));
        messages
    }

    fn check(work: i64, failure: Option<&str>) -> Message {
        let failure = failure.map(str::to_owned);
        Message::Check(CheckResult { check: "row-count".to_owned(), case: case(work), failure })
    }

    fn answer(work: i64) -> Message {
        Message::Answer { case: case(work), digest: "x".to_owned() }
    }

    fn converse(request: &Request, messages: Vec<Message>) -> Result<Output, String> {
        let mut conversation = Conversation::new(request);
        for message in messages {
            let line = serde_json::to_vec(&message).unwrap();
            conversation.hear_line(&line).map_err(|cause| cause.to_string())?;
        }
        conversation.finish(Usage::default()).map_err(|cause| cause.to_string())
    }

    fn measured(parts: Vec<Vec<Message>>) -> Result<Output, String> {
        let mut messages = vec![hello()];
        messages.extend(parts.into_iter().flatten());
        messages.extend([observed(), Message::Done]);
        converse(&measuring(), messages)
    }

    #[test]
    fn two_whole_cells_are_an_output_in_order() {
        let output = measured(vec![cell(1, vec![1, 2, 3]), cell(2, vec![4, 5, 6])]).unwrap();
        let cases: Vec<_> = output.cells.iter().map(|cell| &cell.case).collect();
        assert_eq!(cases, [&case(1), &case(2)]);
        assert_eq!(output.cells[1].samples["latency"], Samples::Integers(vec![4, 5, 6]));
    }

    #[test]
    fn parts_are_put_together_in_order() {
        let mut parts =
            vec![samples("latency", Samples::Integers(vec![1])), samples("latency", Samples::Integers(vec![2]))];
        parts.extend(cell(1, vec![3]));
        let output = measured(vec![parts, cell(2, vec![4, 5, 6])]).unwrap();
        assert_eq!(output.cells[0].samples["latency"], Samples::Integers(vec![1, 2, 3]));
    }

    #[test]
    fn what_is_missing_is_named() {
        let whole = || cell(1, vec![1, 2, 3]);
        let without = |metric: &str| {
            let mut messages = whole();
            messages.retain(|message| !matches!(message, Message::Samples { metric: said, .. } if said == metric));
            messages
        };
        for (parts, expected) in [
            (vec![whole()], "the worker gave no samples in `work=2`"),
            (vec![cell(1, vec![1, 2])], "the worker gave no 3 timed operations: there are 2 in `work=1`"),
            (vec![cell(1, vec![1, 2, 3, 4])], "the worker gave no 3 timed operations: there are 4 in `work=1`"),
            (vec![without("cpu_time")], "the worker gave no 1 samples of `cpu_time`: there are 0 in `work=1`"),
            (
                vec![without("rust_heap_bytes")],
                "the worker gave no 2 samples of `rust_heap_bytes`: there are 0 in `work=1`",
            ),
            (vec![without("latency")], "the worker gave no 1 samples of `latency`: there are 0 in `work=1`"),
        ] {
            assert_eq!(measured(parts).unwrap_err(), expected);
        }
    }

    #[test]
    fn the_least_time_is_held_to() {
        let task = Measure { samples: None, min_time_ns: Some(10), min_samples: Some(2), ..task() };
        let request = Request { cases: vec![case(1)], ..request(Task::Measure(task)) };
        let said = |latencies| {
            let mut messages = vec![hello()];
            messages.extend(cell(1, latencies));
            messages.extend([observed(), Message::Done]);
            converse(&request, messages)
        };
        assert!(said(vec![5, 5]).is_ok());
        assert!(said(vec![5, 4]).unwrap_err().contains("10 ns of timed operations: there are 9"));
        assert!(said(vec![50]).unwrap_err().contains("2 timed operations: there are 1"));
    }

    #[test]
    fn what_can_not_be_said_there_ends_the_conversation() {
        let unknown = samples("beauty", Samples::Integers(vec![1]));
        let negative = samples("cpu_time", Samples::Reals(vec![-1.0]));
        let integers = samples("latency", Samples::Integers(vec![1]));
        let reals = samples("latency", Samples::Reals(vec![1.0]));
        let other_check = Message::Check(CheckResult { check: "beauty".to_owned(), case: case(1), failure: None });
        for (request, messages, expected) in [
            (measuring(), vec![Message::Done], "something else before `hello`"),
            (measuring(), vec![hello(), hello()], "a second `hello`"),
            (measuring(), vec![hello(), Message::Done, observed()], "more after `done`"),
            (
                measuring(),
                vec![hello(), Message::Started { case: case(9) }],
                "case `work=9`, which it was not asked for",
            ),
            (measuring(), vec![hello(), unknown], "samples of `beauty`, which the suite does not declare"),
            (measuring(), vec![hello(), negative], "`-1` as a sample of `cpu_time`"),
            (measuring(), vec![hello(), integers, reals], "both whole and real samples of `latency`"),
            (measuring(), [vec![hello()], cell(2, vec![1, 2, 3])].concat(), "case `work=2` out of order"),
            (measuring(), vec![hello(), check(1, None)], "a check, and was asked to measure"),
            (checking(), [vec![hello()], cell(1, vec![1, 2, 3])].concat(), "a measured case, and was asked to check"),
            (checking(), vec![hello(), other_check], "check `beauty` of `work=1`, which it was not asked for"),
            (checking(), vec![hello(), check(1, None), check(1, None)], "check `row-count` of `work=1` twice"),
            (
                checking(),
                vec![hello(), answer(1), answer(1)],
                "an answer of `work=1`, which it was not asked for or had given",
            ),
        ] {
            assert_eq!(converse(&request, messages).unwrap_err(), format!("the worker said {expected}"));
        }
    }

    #[test]
    fn more_samples_than_there_may_be_are_refused() {
        let request = measuring();
        let mut conversation = Conversation::new(&request);
        conversation.hear(hello()).unwrap();
        let most = Samples::Integers(vec![1; MAX_SAMPLES]);
        conversation.hear(samples("latency", most)).unwrap();
        let error = conversation.hear(samples("latency", Samples::Integers(vec![1]))).unwrap_err();
        assert_eq!(error.to_string(), "the worker said more than 10000000 samples of `latency`");
    }

    #[test]
    fn every_check_has_a_result_and_every_sound_case_an_answer() {
        let said = |messages: Vec<Message>| {
            converse(&checking(), [vec![hello()], messages, vec![observed(), Message::Done]].concat())
        };
        let output = said(vec![check(1, None), answer(1), check(2, Some("short"))]).unwrap();
        assert_eq!(output.checks.len(), 2);
        assert_eq!(output.answers, [(case(1), "x".to_owned())]);
        assert_eq!(
            said(vec![check(1, None), answer(1)]).unwrap_err(),
            "the worker gave no result of check `row-count` in `work=2`"
        );
        assert_eq!(
            said(vec![check(1, None), answer(1), check(2, None)]).unwrap_err(),
            "the worker gave no answer in `work=2`"
        );
    }

    #[test]
    fn a_child_that_gives_no_account_of_itself_is_incomplete() {
        let messages = [vec![hello()], cell(1, vec![1, 2, 3]), cell(2, vec![1, 2, 3]), vec![Message::Done]].concat();
        assert_eq!(converse(&measuring(), messages).unwrap_err(), "the worker gave no account of itself");
    }

    #[test]
    fn a_line_that_is_no_message_is_shown_in_part() {
        let request = measuring();
        let error = Conversation::new(&request).hear_line("\u{1b}[31mhello ".repeat(20).as_bytes()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("\u{fffd}[31mhello") && text.contains("…`"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
