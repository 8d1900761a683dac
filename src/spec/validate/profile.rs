//! How much is measured, and under which conditions.

use super::findings::Findings;
use crate::spec::diagnostic::Problem;
use crate::spec::file::{Named, ProfileFile, WarmupFile};
use crate::spec::model::{Grade, Order, Profile, Warmup};
use crate::spec::quantity::size_bytes;
use crate::spec::tree::At;
use crate::workload::catalogue::Suite;

/// A file with more profiles than this is not a gate file.
const MOST_PROFILES: usize = 100;
/// The fewest pairs of comparison grade.
const FEWEST_PAIRS: u32 = 5;
/// Fewer pairs than this are worth a warning at comparison grade.
const FEW_PAIRS: u32 = 10;
/// The most pairs of a case.
const MOST_PAIRS: u32 = 1_000;
/// The most looks of a profile.
const MOST_LOOKS: usize = 20;
/// The most operations that one pass of one case times.
const MOST_SAMPLES: u32 = 10_000_000;
/// The time after which a run is killed where a profile names none.
const DEFAULT_TIMEOUT_NS: u64 = 120_000_000_000;

/// The profiles, in the order of the file; `None` stands for one that has errors.
pub(super) fn profiles(
    file: Option<&Named<ProfileFile>>,
    root: At<'_>,
    suite: Option<&Suite>,
    findings: &mut Findings,
) -> Vec<Option<Profile>> {
    // A program that measures its own benches warms them up itself.
    let warmup = Warmup::Operations(u32::from(!suite.is_some_and(|suite| suite.any_metric)));
    let at = root.key("profile");
    let files = file.map_or(&[][..], |file| file.0.as_slice());
    if files.is_empty() || files.len() > MOST_PROFILES {
        findings.error(
            at.value_span(),
            if files.is_empty() { "no profile".to_owned() } else { format!("{} profiles", files.len()) },
            format!("expected from 1 to {MOST_PROFILES} profiles in this file"),
            "add `[profile.full]` with `grade = \"comparison\"`, `pairs = 10` and `min_time = \"500ms\"`",
        );
        return vec![None];
    }
    files
        .iter()
        .map(|(name, file)| {
            let at = at.key(name);
            let name = findings.name(at.key_span(), "profile", name);
            let profile = profile(file, at, warmup, findings);
            Some(Profile { name: name?, ..profile? })
        })
        .collect()
}

/// The profile at `at`, without its name.
fn profile(file: &ProfileFile, at: At<'_>, warmup: Warmup, findings: &mut Findings) -> Option<Profile> {
    let grade = findings.required(at, "grade", file.grade.as_deref(), "\"comparison\"").and_then(|name| {
        let grades = [("preliminary", Grade::Preliminary), ("comparison", Grade::Comparison)];
        findings.choice(at.key("grade"), "grade", name, &grades)
    });
    let pairs = findings
        .required(at, "pairs", file.pairs, "10")
        .and_then(|pairs| findings.whole(at.key("pairs"), "pairs", pairs, 1..=MOST_PAIRS, "10"));
    if let (Some(Grade::Comparison), Some(pairs)) = (grade, pairs) {
        enough_pairs(pairs, at, findings);
    }
    let looks = match (&file.looks, pairs) {
        (None, _) => Some(Vec::new()),
        (Some(looks), Some(pairs)) => self::looks(looks, pairs, grade, at, findings),
        (Some(_), None) => None,
    };
    let order = match file.order.as_deref() {
        None => Some(Order::Alternate),
        Some(name) => {
            let orders = [("alternate", Order::Alternate), ("balanced", Order::Balanced)];
            findings.choice(at.key("order"), "order", name, &orders)
        }
    };
    if let (Some(Order::Balanced), Some(pairs)) = (order, pairs)
        && pairs % 2 == 1
    {
        findings.push(
            Problem::warning(
                at.key("pairs").value_span(),
                format!("{pairs} pairs can't be balanced"),
                "one side goes first once more than the other",
                format!("write `pairs = {}`", pairs + 1),
            )
            .beside(at.key("order").value_span(), "balanced here"),
        );
    }
    let length = length(file, at, warmup, findings);
    let limits = limits(file, at, findings);
    let (length, limits) = (length?, limits?);
    Some(Profile {
        name: String::new(),
        grade: grade?,
        pairs: pairs?,
        looks: looks?,
        warmup: length.warmup,
        min_time_ns: length.min_time_ns,
        samples: length.samples,
        min_samples: length.min_samples,
        order: order?,
        order_seed: file.order_seed.unwrap_or(14_120),
        cpus: limits.cpus,
        memory_bytes: limits.memory_bytes,
        processes: limits.processes,
        timeout_ns: length.timeout_ns,
    })
}

/// Whether comparison grade has the pairs that it needs.
fn enough_pairs(pairs: u32, at: At<'_>, findings: &mut Findings) {
    let span = at.key("pairs").value_span();
    let problem = if pairs < FEWEST_PAIRS {
        Problem::error(
            span,
            format!("comparison grade with {pairs} pairs"),
            format!("expected at least {FEWEST_PAIRS} pairs, better {FEW_PAIRS}"),
            "write `pairs = 10`, or `grade = \"preliminary\"`",
        )
    } else if pairs < FEW_PAIRS {
        Problem::warning(
            span,
            format!("comparison grade with only {pairs} pairs"),
            "intervals of so few pairs are coarse, and settle little",
            format!("write `pairs = {FEW_PAIRS}` or more"),
        )
    } else {
        return;
    };
    findings.push(problem.beside(at.key("grade").value_span(), "comparison grade here"));
}

/// The looks of a profile of so many pairs: ascending, and none beyond them.
fn looks(looks: &[i64], pairs: u32, grade: Option<Grade>, at: At<'_>, findings: &mut Findings) -> Option<Vec<u32>> {
    let key = at.key("looks");
    let fewest = i64::from(FEWEST_PAIRS);
    let before = std::iter::once(fewest - 1).chain(looks.iter().copied());
    let wrong = looks.iter().zip(before).find(|&(&look, before)| look <= before || look > i64::from(pairs));
    let problem = if grade == Some(Grade::Preliminary) {
        let why = "preliminary evidence settles no verdict, so that a look could end nothing";
        findings.error(key.key_span(), "looks in preliminary grade", why, "remove them");
        return None;
    } else if let Some((look, before)) = wrong {
        let expected = if *look > i64::from(pairs) {
            format!("expected at most {pairs}, the pairs of the profile")
        } else if *look < fewest {
            format!("expected at least {fewest}, the fewest pairs of a comparison")
        } else {
            format!("expected more than {before}, the look before it")
        };
        (format!("a look after {look} pairs"), expected)
    } else if looks.is_empty() || looks.len() > MOST_LOOKS {
        (format!("{} looks", looks.len()), format!("expected from 1 to {MOST_LOOKS}"))
    } else {
        return looks.iter().map(|&look| u32::try_from(look).ok()).collect();
    };
    let half = (pairs / 2).max(FEWEST_PAIRS);
    let example = if half < pairs { format!("{half}, {pairs}") } else { pairs.to_string() };
    findings.error(
        key.value_span(),
        problem.0,
        problem.1,
        format!("write `looks = [{example}]`, or leave the key out"),
    );
    None
}

/// How long the passes of a run take.
struct Length {
    warmup: Warmup,
    min_time_ns: Option<u64>,
    samples: Option<u32>,
    min_samples: Option<u32>,
    timeout_ns: u64,
}

fn length(file: &ProfileFile, at: At<'_>, warmup: Warmup, findings: &mut Findings) -> Option<Length> {
    let warmup = match &file.warmup {
        None => Some(warmup),
        Some(WarmupFile::Operations(value)) => {
            findings.whole(at.key("warmup"), "warmup", *value, 0..=MOST_SAMPLES, "20").map(Warmup::Operations)
        }
        Some(WarmupFile::Time(text)) => findings.time(at.key("warmup"), "warmup", text, "500ms").map(Warmup::TimeNs),
    };
    let min_time_ns =
        optional(file.min_time.as_ref(), |time| findings.time(at.key("min_time"), "min_time", &time.0, "500ms"));
    let samples =
        optional(file.samples, |value| findings.whole(at.key("samples"), "samples", value, 1..=MOST_SAMPLES, "1000"));
    let min_samples = optional(file.min_samples, |value| {
        findings.whole(at.key("min_samples"), "min_samples", value, 1..=MOST_SAMPLES, "100")
    });
    let timeout_ns = match &file.timeout {
        None => Some(DEFAULT_TIMEOUT_NS),
        Some(time) => findings.time(at.key("timeout"), "timeout", &time.0, "120s"),
    };
    let one_length = one_length(file, at, findings);
    let length = Length {
        warmup: warmup?,
        min_time_ns: min_time_ns?,
        samples: samples?,
        min_samples: min_samples?,
        timeout_ns: timeout_ns?,
    };
    one_length.then_some(())?;
    in_time(&length, at, findings).then_some(length)
}

/// The value of a key that may be left out: `None` where it is there and wrong.
#[expect(clippy::option_option, reason = "left out and wrong are different things, and `?` takes the second")]
fn optional<T, U>(value: Option<T>, read: impl FnOnce(T) -> Option<U>) -> Option<Option<U>> {
    match value {
        None => Some(None),
        Some(value) => read(value).map(Some),
    }
}

/// Whether the length of the timed pass is given once: by `samples`, or by `min_time` with or without `min_samples`.
fn one_length(file: &ProfileFile, at: At<'_>, findings: &mut Findings) -> bool {
    let problem = match (&file.samples, &file.min_time, &file.min_samples) {
        (Some(_), None, None) | (None, Some(_), _) => return true,
        (Some(_), Some(_), _) => Problem::error(
            at.key("samples").key_span(),
            "both `samples` and `min_time`",
            "expected one of the two",
            "keep `min_time`, with `min_samples` for enough samples, or keep `samples`",
        )
        .beside(at.key("min_time").key_span(), "the other here"),
        (Some(_), None, Some(_)) => Problem::error(
            at.key("min_samples").key_span(),
            "`min_samples` beside `samples`",
            "expected it beside `min_time` alone: `samples` is exact",
            "remove `min_samples`, or write `min_time` in place of `samples`",
        )
        .beside(at.key("samples").key_span(), "the exact number here"),
        (None, None, _) => Problem::error(
            at.value_span(),
            "neither `min_time` nor `samples`",
            "expected one of the two in this profile",
            "add `min_time = \"500ms\"` or `samples = 1000`",
        ),
    };
    findings.push(problem);
    false
}

/// Whether the timed pass and the warm-up before it can end before the run is killed.
fn in_time(length: &Length, at: At<'_>, findings: &mut Findings) -> bool {
    let warmup_ns = if let Warmup::TimeNs(ns) = length.warmup { ns } else { 0 };
    let least_ns = length.min_time_ns.unwrap_or(0).saturating_add(warmup_ns);
    if least_ns < length.timeout_ns {
        return true;
    }
    let long = if length.min_time_ns.is_some() { "min_time" } else { "warmup" };
    findings.error(
        at.key(long).value_span(),
        "every run is killed by its timeout before it can end",
        format!("warm-up and timed pass take {} s or more", seconds(least_ns)),
        format!("write a `timeout` well above that; it is {} s now", seconds(length.timeout_ns)),
    );
    false
}

/// Nanoseconds in seconds, to three decimals.
fn seconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1_000_000_000, ns % 1_000_000_000 / 1_000_000)
}

/// What a run may use.
struct Limits {
    cpus: Option<u32>,
    memory_bytes: Option<u64>,
    processes: Option<u64>,
}

fn limits(file: &ProfileFile, at: At<'_>, findings: &mut Findings) -> Option<Limits> {
    let cpus = optional(file.cpus, |value| findings.whole(at.key("cpus"), "cpus", value, 1..=1_024, "1"));
    let memory_bytes = optional(file.memory.as_ref(), |size| {
        let expected =
            "expected a size: a number and one of the units `B`, `kB`, `MB`, `GB`, `TB`, `KiB`, `MiB`, `GiB` and `TiB`";
        findings.quantity(at.key("memory"), "memory", &size.0, size_bytes(&size.0), expected, "8GiB")
    });
    let processes = optional(file.processes, |value| {
        findings.whole(at.key("processes"), "processes", value, 1..=4_194_304, "4096").map(u64::from)
    });
    Some(Limits { cpus: cpus?, memory_bytes: memory_bytes?, processes: processes? })
}
