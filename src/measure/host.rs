//! The machine, the toolchain and the working folder, as facts of a campaign.
//!
//! What can't be found out is `None`; nothing is assumed. No field holds an absolute path or a value of the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{cgroup, clock, limits, toolchain};

/// What is known of the machine that runs are measured on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The first 16 hex digits of a SHA-256 over the machine's own id, which is not told itself.
    pub machine: Option<String>,
    /// The CPU's model, as it names itself.
    pub cpu_model: Option<String>,
    /// Logical CPUs that this process may use.
    pub logical_cpus: Option<usize>,
    /// Whether simultaneous multithreading is on: two logical CPUs may share a core.
    pub smt: Option<bool>,
    /// The frequency governors of the CPUs, comma-separated where they differ.
    pub governor: Option<String>,
    /// Whether the CPU may exceed its nominal frequency.
    pub turbo: Option<bool>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The operating system's name and version.
    pub os: Option<String>,
    /// The processor architecture that the binary was built for.
    pub architecture: String,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Bytes of swap.
    pub swap_bytes: Option<u64>,
    /// What the kernel's clock reads.
    pub clock_source: Option<String>,
    /// The smallest step of the clock, in nanoseconds.
    pub clock_granularity_ns: Option<u64>,
    /// Limits of this process before a run adds its own, by name.
    pub limits: BTreeMap<String, String>,
    /// The version of this program.
    pub gate_version: String,
    /// The compiler that built this program.
    pub rustc: Option<String>,
    /// DuckDB's version and source id, such as `v2.0.0 0123456789`.
    pub duckdb: Option<String>,
    /// How DuckDB is linked.
    pub link: Link,
    /// The commit of the working folder, where it is a git repository.
    pub commit: Option<String>,
    /// Whether the working folder differs from that commit, in untracked files as well.
    pub dirty: Option<bool>,
    /// What else was going on.
    pub load: Load,
}

/// What else was going on on the machine at one moment. Its counters only grow: what happened meanwhile is a difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Processes that ran or wanted to, averaged over the last minute.
    pub average_1m: Option<f64>,
    /// The same over five minutes.
    pub average_5m: Option<f64>,
    /// The same over fifteen minutes.
    pub average_15m: Option<f64>,
    /// Clock ticks (mostly 10 ms) that a hypervisor gave to others while a CPU here wanted to run, over all CPUs, since boot.
    pub steal_ticks: Option<u64>,
    /// Periods in which the control group's CPU was taken away.
    pub throttled_periods: Option<u64>,
    /// Nanoseconds for which it was.
    pub throttled_ns: Option<u64>,
}

/// How DuckDB is linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// Compiled into the binary.
    Bundled,
    /// A shared library of the machine.
    Shared,
}

impl Link {
    /// How this binary links it.
    #[must_use]
    pub const fn of_this_binary() -> Self {
        if cfg!(feature = "bundled") { Self::Bundled } else { Self::Shared }
    }

    /// The name in evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bundled => "bundled",
            Self::Shared => "shared",
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What two runs must have in common to be paired. An unknown CPU model equals none, not even itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The CPU's model.
    pub cpu_model: Option<String>,
    /// How DuckDB is linked.
    pub link: Link,
}

impl Fingerprint {
    /// Whether runs of these two may be paired.
    #[must_use]
    pub fn pairs_with(&self, other: &Self) -> bool {
        self.cpu_model.is_some() && self.cpu_model == other.cpu_model && self.link == other.link
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, DuckDB {}", self.cpu_model.as_deref().unwrap_or("unknown CPU"), self.link)
    }
}

impl Host {
    /// Observes the machine, and the git repository that the working folder is in.
    ///
    /// Starts `git` and opens a database: not for use beside a run. [`Load::observe`] is.
    #[must_use]
    pub fn observe() -> Self {
        let folder = Path::new(".");
        let memory = read("/proc/meminfo");
        let memory = |field: &str| kibibytes(memory.as_deref()?, field);
        Self {
            machine: machine(),
            cpu_model: read("/proc/cpuinfo").and_then(|text| cpu_model(&text)),
            logical_cpus: limits::allowed_cpus().ok().map(|cpus| cpus.len()),
            smt: switch("/sys/devices/system/cpu/smt/active"),
            governor: governors(Path::new("/sys/devices/system/cpu")),
            turbo: switch("/sys/devices/system/cpu/cpufreq/boost")
                .or_else(|| switch("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|off| !off)),
            kernel: read("/proc/sys/kernel/osrelease"),
            os: read("/etc/os-release").and_then(|text| os_name(&text)),
            architecture: std::env::consts::ARCH.to_owned(),
            memory_bytes: memory("MemTotal"),
            swap_bytes: memory("SwapTotal"),
            clock_source: read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            clock_granularity_ns: clock::granularity_ns(),
            limits: limits::observed(),
            gate_version: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: toolchain::rustc(),
            duckdb: duckdb(),
            link: Link::of_this_binary(),
            commit: git(folder, &["rev-parse", "--verify", "HEAD"]).filter(|commit| !commit.is_empty()),
            dirty: git(folder, &["status", "--porcelain"]).map(|changes| !changes.is_empty()),
            load: Load::observe(),
        }
    }

    /// In what the machine that `later` was seen on is not this one, a sentence each; empty where a campaign may go on there.
    #[must_use]
    pub fn differences(&self, later: &Self) -> Vec<String> {
        let told = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let cpus = |host: &Self| host.logical_cpus.map(|cpus| cpus.to_string());
        let facts = [
            ("machine", told(&self.machine), told(&later.machine)),
            ("CPU", told(&self.cpu_model), told(&later.cpu_model)),
            ("number of logical CPUs", told(&cpus(self)), told(&cpus(later))),
            ("kernel", told(&self.kernel), told(&later.kernel)),
            ("DuckDB", told(&self.duckdb), told(&later.duckdb)),
            ("link of DuckDB", self.link.to_string(), later.link.to_string()),
        ];
        let differ = facts.into_iter().filter(|(_, before, now)| before != now);
        differ.map(|(what, before, now)| format!("its {what} was {before}, and is {now}")).collect()
    }

    /// What a run on this machine must have in common with another to be paired with it.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint { cpu_model: self.cpu_model.clone(), link: self.link }
    }
}

impl Load {
    /// Reads what is going on now. Cheap enough for before and after each run.
    #[must_use]
    pub fn observe() -> Self {
        let averages = read("/proc/loadavg");
        let average = |n: usize| averages.as_deref()?.split(' ').nth(n)?.parse().ok();
        let throttling = cgroup::Groups::of_this_process().throttling();
        Self {
            average_1m: average(0),
            average_5m: average(1),
            average_15m: average(2),
            steal_ticks: read("/proc/stat").and_then(|text| steal(&text)),
            throttled_periods: throttling.map(|throttling| throttling.periods),
            throttled_ns: throttling.map(|throttling| throttling.ns),
        }
    }
}

/// DuckDB's version and source id, as the linked library gives them; `None` where it can't be opened.
#[must_use]
pub fn duckdb() -> Option<String> {
    let connection = duckdb::Connection::open_in_memory().ok()?;
    connection.query_row("SELECT library_version || ' ' || source_id FROM pragma_version()", [], |row| row.get(0)).ok()
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A file that says `1` or `0`.
fn switch(path: &str) -> Option<bool> {
    match read(path)?.as_str() {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

fn machine() -> Option<String> {
    // The id itself is confidential (machine-id(5)): a digest that only this program makes says "the same", and no more.
    let id = read("/etc/machine-id").filter(|id| id != "uninitialized")?;
    let digest = Sha256::digest(format!("gate machine {id}"));
    Some(digest.iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned()).filter(|value| !value.is_empty())
        })
    };
    // Arm gives numbers in place of a name.
    field("model name").or_else(|| {
        let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
        Some(format!("implementer {implementer} part {part}"))
    })
}

fn governors(cpus: &Path) -> Option<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(cpus).ok()?.flatten() {
        if let Ok(governor) = fs::read_to_string(entry.path().join("cpufreq/scaling_governor")) {
            found.insert(governor.trim().to_owned());
        }
    }
    (!found.is_empty()).then(|| found.into_iter().collect::<Vec<_>>().join(","))
}

fn os_name(release: &str) -> Option<String> {
    let value = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

fn kibibytes(text: &str, field: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1_024)
}

/// The eighth number of the line `cpu`, of all CPUs together (proc(5)).
fn steal(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("cpu "))?.split_whitespace().nth(7)?.parse().ok()
}

/// What `git` prints; `None` where it is missing, or `folder` is in no repository.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_is_named_on_x86_and_on_arm() {
        assert_eq!(cpu_model("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n").as_deref(), Some("AMD EPYC"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_model(arm).as_deref(), Some("implementer 0x41 part 0xd0c"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
    }

    #[test]
    fn steal_is_the_eighth_number_of_all_cpus() {
        assert_eq!(steal("cpu  1 2 3 4 5 6 7 335 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"), Some(335));
        assert_eq!(steal("cpu  1 2 3 4\n"), None);
    }

    #[test]
    fn governors_that_differ_are_all_named() {
        let cpus = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(governors(cpus.path()), None);
        for (cpu, governor) in [("cpu0", "schedutil"), ("cpu1", "performance"), ("cpu2", "schedutil")] {
            let folder = cpus.path().join(cpu).join("cpufreq");
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("scaling_governor"), format!("{governor}\n")).expect("a file");
        }
        assert_eq!(governors(cpus.path()).as_deref(), Some("performance,schedutil"));
    }

    #[test]
    fn the_system_is_named_without_its_quotes() {
        assert_eq!(os_name("NAME=\"X\"\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
    }

    #[test]
    fn an_unknown_cpu_pairs_with_nothing() {
        let known = Fingerprint { cpu_model: Some("a".to_owned()), link: Link::Bundled };
        let unknown = Fingerprint { cpu_model: None, link: Link::Bundled };
        let shared = Fingerprint { link: Link::Shared, ..known.clone() };
        assert!(known.pairs_with(&known.clone()));
        assert!(!known.pairs_with(&shared));
        assert!(!unknown.pairs_with(&unknown.clone()));
    }

    #[test]
    fn a_folder_outside_any_repository_has_no_commit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(git(folder.path(), &["rev-parse", "--verify", "HEAD"]), None);
    }

    #[test]
    fn a_host_survives_json_to_the_bit_and_names_no_path() {
        let host = Host::observe();
        let text = serde_json::to_string(&host).expect("a host as JSON");
        assert_eq!(serde_json::from_str::<Host>(&text).expect("a host again"), host);
        assert!(!text.contains("\"/"), "{text}");
        assert!(host.kernel.is_some());
        assert!(host.memory_bytes.is_some_and(|bytes| bytes > 0));
        assert!(host.duckdb.is_some_and(|version| version.starts_with('v')));
    }
}
