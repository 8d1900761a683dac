//! A pass over one case that takes a profile, in a process in which nothing is timed.

use std::collections::BTreeMap;
use std::io;

use super::kept::Kept;
use super::pass::{Answers, Lane, PassError};
use super::protocol::{MAX_TOLD, Message, Profile, Profiled, Profiler, Stack};
use crate::measure::sampling::Sampler;
use crate::measure::stacks::{Recorded, Recording};
use crate::measure::symbols::{Function, Symbols};
use crate::measure::{alloc, clock};
use crate::workload::Bench;
use crate::workload::catalogue::Suite;

/// The samples that are asked for in a second of CPU time; no divisor of what programs do in a round number of times a second.
const HERTZ: u32 = 997;

/// The pass' name in errors.
const PASS: &str = "profiled";

/// What keeps a profile from being taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProfileError {
    #[error(transparent)]
    Pass(#[from] PassError),
    #[error("sample this process: {0}")]
    Sample(io::Error),
    #[error("note allocations: another profile is being taken in this process")]
    Taken,
}

/// A profile, with names in place of addresses.
#[derive(Debug, Default)]
pub(super) struct Named {
    functions: Vec<Function>,
    stacks: Vec<Stack>,
    profiled: Profiled,
}

/// Profiles one case, and holds its answers to the digest that its checks had.
pub(super) fn profile(bench: &mut dyn Bench, suite: &'static Suite, task: &Profile) -> Result<Named, ProfileError> {
    let mut kept = Kept::new();
    let mut lane = Lane::new(bench, suite);
    lane.warm_up(task.warmup, &mut kept)?;
    let (mut profiled, recorded) = match task.profiler {
        Profiler::Cpu => sample(&mut lane, task, &mut kept)?,
        Profiler::Allocations => note(&mut lane, task, &mut kept)?,
        Profiler::Under(_) => (operate(&mut lane, task, &mut kept, &mut |lane, _| Ok(ask(lane)))?, Recorded::default()),
    };
    if let Some(answer) = &task.answer {
        profiled.compared = kept.compare(bench, answer).map_err(PassError::from)?;
    }
    profiled.pid = std::process::id();
    profiled.lost = recorded.lost;
    let weigh = weight(&profiled, &recorded, &task.profiler);
    Ok(Named::of(&recorded, weigh, profiled))
}

/// What `stacks` stand for by count and bytes: the bytes of allocations, and for samples their share of the CPU time. How often
/// the timer was asked to interrupt says nothing of it: the kernel interrupts at its own ticks.
fn weight(profiled: &Profiled, recorded: &Recorded, by: &Profiler) -> impl Fn(u64, u64) -> u64 + use<> {
    let samples: u64 = recorded.stacks.iter().map(|stack| stack.count).sum::<u64>() + recorded.lost;
    let (cpu_ns, is_sampled) = (profiled.cpu_ns, *by == Profiler::Cpu);
    move |count, bytes| {
        if !is_sampled {
            return bytes;
        }
        let share = u128::from(cpu_ns) * u128::from(count) / u128::from(samples.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

fn sample(lane: &mut Lane<'_>, task: &Profile, kept: &mut Kept) -> Result<(Profiled, Recorded), ProfileError> {
    let mut sampler = Sampler::start(HERTZ).map_err(ProfileError::Sample)?;
    let profiled = operate(lane, task, kept, &mut |lane, profiled| {
        let (answers, cpu_ns) = sampler.sample(|| ask(lane)).map_err(ProfileError::Sample)?;
        profiled.cpu_ns += cpu_ns;
        Ok(answers)
    })?;
    Ok((profiled, sampler.stop()))
}

fn note(lane: &mut Lane<'_>, task: &Profile, kept: &mut Kept) -> Result<(Profiled, Recorded), ProfileError> {
    let recording = Recording::begin().ok_or(ProfileError::Taken)?;
    let profiled = operate(lane, task, kept, &mut |lane, profiled| {
        let (answers, count) = alloc::note_stacks(&recording, || ask(lane));
        profiled.heap_bytes += count.bytes;
        profiled.heap_allocs += count.allocs;
        Ok(answers)
    })?;
    Ok((profiled, recording.end()))
}

type Asked = Result<Answers, crate::workload::WorkloadError>;

/// One operation, or one batch. A profile begins here: what has called it is left out.
#[inline(never)]
fn ask(lane: &mut Lane<'_>) -> Asked {
    lane.ask()
}

/// Has `within` ask the lane until the time or the operations are over.
fn operate(
    lane: &mut Lane<'_>,
    task: &Profile,
    kept: &mut Kept,
    within: &mut dyn FnMut(&mut Lane<'_>, &mut Profiled) -> Result<Asked, ProfileError>,
) -> Result<Profiled, ProfileError> {
    let begin = clock::now();
    let mut profiled = Profiled::default();
    loop {
        let operation = profiled.operations;
        lane.prepare(PASS, operation)?;
        let asked_at = clock::now();
        let answers = within(lane, &mut profiled)?;
        profiled.wall_ns += asked_at.elapsed_ns();
        let answers = answers.map_err(|source| PassError::Operation { operation, pass: PASS, source })?;
        let is_over = |operations: u64| {
            begin.elapsed_ns() >= task.time_ns || task.operations.is_some_and(|most| operations >= u64::from(most))
        };
        let mut last = None;
        for response in answers.into_responses() {
            lane.hold(PASS, profiled.operations, &response)?;
            profiled.operations += 1;
            last = Some(response);
        }
        if is_over(profiled.operations) {
            if let Some(last) = last {
                kept.keep(PASS, operation, last);
            }
            return Ok(profiled);
        }
    }
}

impl Named {
    /// Names what was recorded; what notes stacks itself, and what has called the lane, are left out.
    fn of(recorded: &Recorded, weigh: impl Fn(u64, u64) -> u64, profiled: Profiled) -> Self {
        let mut symbols = Symbols::of_this_process();
        let mut numbers: BTreeMap<Function, u32> = BTreeMap::new();
        let mut named = Self { profiled, ..Self::default() };
        for stack in &recorded.stacks {
            let mut functions: Vec<Function> =
                stack.addresses.iter().flat_map(|address| symbols.functions(*address).to_vec()).collect();
            let own = functions.iter().take_while(|function| notes_stacks(function)).count();
            functions.drain(..own);
            let called = functions.iter().position(begins).unwrap_or(functions.len());
            functions.truncate(called);
            let numbered = functions.into_iter().map(|function| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(function).or_insert(next)
            });
            let functions = numbered.collect();
            named.stacks.push(Stack { functions, count: stack.count, weight: weigh(stack.count, stack.bytes) });
        }
        let mut functions: Vec<(Function, u32)> = numbers.into_iter().collect();
        functions.sort_unstable_by_key(|(_, number)| *number);
        named.functions = functions.into_iter().map(|(function, _)| function).collect();
        named
    }

    /// What a parent is told.
    pub(super) fn into_messages(self) -> Vec<Message> {
        let functions = self.functions.chunks(MAX_TOLD).map(|part| Message::Functions(part.to_vec()));
        let stacks = self.stacks.chunks(MAX_TOLD).map(|part| Message::Stacks(part.to_vec()));
        functions.chain(stacks).chain([Message::Profiled(self.profiled.clone())]).collect()
    }
}

/// Whether a function is one of those that note a stack, which stand innermost where allocations are noted.
fn notes_stacks(function: &Function) -> bool {
    function.name.as_deref().is_some_and(|name| {
        let name = name.trim_start_matches('<');
        ["backtrace::", "gate::measure::alloc::", "gate::measure::stacks::"].iter().any(|own| name.starts_with(own))
            || ["__rust_alloc", "__rust_realloc", "__rg_", "_Unwind_Backtrace"].iter().any(|own| name.contains(own))
    })
}

/// Whether a function is what calls the lane.
fn begins(function: &Function) -> bool {
    function.name.as_deref().is_some_and(|name| name.contains("worker::profiled::ask"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stacks;
    use crate::spec::Warmup;
    use crate::unit::{AxisValue, Case};
    use crate::workload::catalogue::PROBE;
    use crate::workload::{Counters, WorkloadError, probe};

    fn lane(name: &str) -> Box<dyn Bench> {
        let case = Case::new(vec![("work".to_owned(), AxisValue::Integer(1_000))]);
        probe::open(name, &case).expect("a lane")
    }

    fn task(profiler: Profiler, operations: Option<u32>, answer: Option<String>) -> Profile {
        Profile { profiler, warmup: Warmup::Operations(2), time_ns: 300_000_000, operations, answer }
    }

    fn answer() -> String {
        let mut bench = lane("steady");
        let response = bench.operation(&mut Counters::default()).expect("an answer");
        bench.digest(&response).expect("a digest")
    }

    fn function(name: &str) -> Function {
        Function { name: Some(name.to_owned()), module: "gate".to_owned() }
    }

    #[test]
    fn a_sampled_lane_has_its_operation_on_its_stacks_and_nothing_that_called_it() {
        let named =
            profile(lane("steady").as_mut(), &PROBE, &task(Profiler::Cpu, None, Some(answer()))).expect("a profile");
        let samples: u64 = named.stacks.iter().map(|stack| stack.count).sum();
        let told = &named.profiled;
        assert!(samples > 0 && told.operations > 1 && told.compared == 2, "{samples} samples, {told:?}");
        let weight: u64 = named.stacks.iter().map(|stack| stack.weight).sum();
        assert!(weight <= told.cpu_ns && weight >= told.cpu_ns / 2, "{weight} of {told:?}");
        let name = |number: &u32| named.functions[*number as usize].name.clone().unwrap_or_default();
        let with_lane = named
            .stacks
            .iter()
            .filter(|stack| stack.functions.iter().map(name).any(|name| name.contains("workload::probe::")));
        let with_lane: u64 = with_lane.map(|stack| stack.count).sum();
        // Whatever else runs in this process is sampled, too: here that may be other tests.
        assert!(with_lane > 0, "{with_lane} of {samples}: {:?}", named.functions);
        assert!(!named.functions.iter().any(begins));
    }

    #[test]
    fn operations_or_time_end_a_profile_whichever_comes_first() {
        let under = Profiler::Under(vec!["sampler".to_owned()]);
        let named = profile(lane("steady").as_mut(), &PROBE, &task(under.clone(), Some(5), None)).expect("a profile");
        assert_eq!((named.profiled.operations, named.stacks.len()), (5, 0));
        let brief = Profile { time_ns: 0, ..task(under, Some(5), None) };
        let named = profile(lane("steady").as_mut(), &PROBE, &brief).expect("a profile");
        assert_eq!(named.profiled.operations, 1);
    }

    #[test]
    fn an_answer_that_is_wrong_or_short_ends_the_profile() {
        let under = || Profiler::Under(Vec::new());
        let wrong = profile(lane("steady").as_mut(), &PROBE, &task(under(), Some(1), Some("digest".to_owned())));
        let error = wrong.expect_err("a wrong answer").to_string();
        assert!(error.contains("but its checks had `digest`"), "{error}");
        let short = profile(lane("fault:short-answer").as_mut(), &PROBE, &task(under(), Some(20), None));
        let error = short.expect_err("a short answer").to_string();
        assert_eq!(error, "operation 6 of the profiled pass answered 63 rows, expected 64");
    }

    #[test]
    fn a_crowds_answers_are_operations_each() {
        use crate::workload::{Asked, Batch, Crowd, Response};

        struct Three;
        impl Crowd for Three {
            fn clients(&self) -> u32 {
                3
            }
            fn ask(&mut self) -> Result<Batch, WorkloadError> {
                let one = || Asked { latency_ns: 1, counters: Counters::default(), response: Response::default() };
                Ok(Batch { wall_ns: 1, asked: vec![one(), one(), one()] })
            }
        }
        impl Bench for Three {
            fn crowd(&mut self) -> Option<&mut dyn Crowd> {
                Some(self)
            }
            fn operation(&mut self, _: &mut Counters) -> Result<Response, WorkloadError> {
                Err(WorkloadError::Answer("a crowd is asked as one".to_owned()))
            }
            fn expected_rows(&self) -> u64 {
                0
            }
            fn digest(&self, _: &Response) -> Result<String, WorkloadError> {
                Ok(String::new())
            }
        }
        let named = profile(&mut Three, &PROBE, &task(Profiler::Under(Vec::new()), Some(4), None)).expect("a profile");
        assert_eq!(named.profiled.operations, 6);
    }

    #[test]
    fn samples_share_the_cpu_time_and_allocations_keep_their_bytes() {
        let stack = |count, bytes| stacks::Stack { addresses: vec![1], count, bytes };
        let recorded = Recorded { stacks: vec![stack(3, 0), stack(6, 0)], lost: 1 };
        let profiled = Profiled { cpu_ns: 1_000, ..Profiled::default() };
        let of = weight(&profiled, &recorded, &Profiler::Cpu);
        assert_eq!((of(3, 0), of(6, 0)), (300, 600));
        assert_eq!(weight(&profiled, &recorded, &Profiler::Allocations)(3, 77), 77);
    }

    #[test]
    fn what_notes_stacks_is_known_by_name() {
        for own in [
            "backtrace::backtrace::trace_unsynchronized",
            "<gate::measure::alloc::CountingAllocator as core::alloc::global::GlobalAlloc>::alloc",
            "gate::measure::stacks::walk",
            "__rustc::__rust_alloc",
            "_Unwind_Backtrace",
        ] {
            assert!(notes_stacks(&function(own)), "{own}");
        }
        for other in ["alloc::vec::Vec<T>::reserve", "gate::workload::probe::body", "malloc"] {
            assert!(!notes_stacks(&function(other)), "{other}");
        }
        assert!(begins(&function("gate::worker::profiled::ask")));
    }

    #[test]
    fn a_long_profile_is_told_in_parts() {
        let named = Named {
            functions: vec![function("f"); MAX_TOLD + 1],
            stacks: vec![Stack { functions: vec![0], count: 1, weight: 1 }; 2 * MAX_TOLD],
            profiled: Profiled::default(),
        };
        let parts: Vec<usize> = named
            .into_messages()
            .iter()
            .map(|message| match message {
                Message::Functions(functions) => functions.len(),
                Message::Stacks(stacks) => stacks.len(),
                Message::Profiled(_) => 0,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(parts, [MAX_TOLD, 1, MAX_TOLD, MAX_TOLD, 0]);
    }
}
