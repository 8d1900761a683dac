//! The control groups that a process is in: their limits, and how often its CPU was taken away.
//!
//! Both versions are read, also side by side. Groups nest, and an ancestor's limit holds as well: the tightest is told.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What there is no bound on.
pub(super) const UNLIMITED: &str = "unlimited";

/// The control groups of a process, as folders that hold its limits.
#[derive(Debug, Default)]
pub struct Groups {
    /// Version 1: controller, the group's folder, and the folder of the highest ancestor that can be seen.
    v1: Vec<(String, Folder)>,
    /// Version 2.
    v2: Option<Folder>,
}

#[derive(Debug)]
struct Folder {
    own: PathBuf,
    top: PathBuf,
}

/// How often, and for how long, a control group's CPU was taken away because it had used its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttling {
    /// Periods in which it was.
    pub periods: u64,
    /// Nanoseconds for which it was.
    pub ns: u64,
}

impl Groups {
    /// The groups of this process; none where the machine has none.
    #[must_use]
    pub fn of_this_process() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::parse(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
    }

    /// From the text of `/proc/self/cgroup` and `/proc/self/mountinfo`.
    fn parse(memberships: &str, mounts: &str) -> Self {
        let mut groups = Self::default();
        for membership in memberships.lines() {
            // `4:memory:/user.slice`, and `0::/user.slice` in version 2.
            let mut parts = membership.splitn(3, ':');
            let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
            if controllers.is_empty() {
                groups.v2 = mounts.lines().find_map(|mount| Mount::parse(mount)?.holds(None, path));
                continue;
            }
            for controller in controllers.split(',') {
                let folder = mounts.lines().find_map(|mount| Mount::parse(mount)?.holds(Some(controller), path));
                groups.v1.extend(folder.map(|folder| (controller.to_owned(), folder)));
            }
        }
        groups
    }

    fn v1(&self, controller: &str) -> Option<&Folder> {
        self.v1.iter().find(|(name, _)| name == controller).map(|(_, folder)| folder)
    }

    /// The limits, by name; one that the machine does not have is left out.
    ///
    /// `cgroup.memory.memsw` (version 1) bounds memory and swap together, `cgroup.memory.swap.max` (version 2) swap alone.
    /// `cgroup.cpu.max` is a quota and its period in microseconds.
    #[must_use]
    pub fn limits(&self) -> BTreeMap<String, String> {
        let second = |file| self.v2.as_ref()?.tightest(|folder| number(folder, file));
        let first = |controller, file| self.v1(controller)?.tightest(|folder| number(folder, file));
        let shares = [
            self.v2.as_ref().and_then(|folder| folder.tightest(share_v2)),
            self.v1("cpu").and_then(|folder| folder.tightest(share_v1)),
        ];
        let limits = [
            ("cgroup.cpu.max", shares.into_iter().flatten().min().map(Bound::shown)),
            ("cgroup.memory.max", shown([second("memory.max"), first("memory", "memory.limit_in_bytes")])),
            ("cgroup.memory.memsw", shown([first("memory", "memory.memsw.limit_in_bytes"), None])),
            ("cgroup.memory.swap.max", shown([second("memory.swap.max"), None])),
            ("cgroup.pids.max", shown([second("pids.max"), first("pids", "pids.max")])),
        ];
        limits.into_iter().filter_map(|(name, bound)| Some((name.to_owned(), bound?))).collect()
    }

    /// How often the group was throttled so far; `None` where it can't be.
    #[must_use]
    pub fn throttling(&self) -> Option<Throttling> {
        let second = self.v2.as_ref().and_then(|folder| {
            let stat = fs::read_to_string(folder.own.join("cpu.stat")).ok()?;
            let ns = field(&stat, "throttled_usec")?.saturating_mul(1_000);
            Some(Throttling { periods: field(&stat, "nr_throttled")?, ns })
        });
        second.or_else(|| {
            let stat = fs::read_to_string(self.v1("cpu")?.own.join("cpu.stat")).ok()?;
            Some(Throttling { periods: field(&stat, "nr_throttled")?, ns: field(&stat, "throttled_time")? })
        })
    }
}

/// A line of mountinfo that mounts control groups.
struct Mount<'a> {
    /// The group that is mounted, as a path from the root group.
    root: &'a str,
    /// Where it is mounted.
    point: &'a str,
    /// The controllers, of version 1; `None` is version 2.
    controllers: Option<&'a str>,
}

impl<'a> Mount<'a> {
    /// From `31 23 0:28 /root /mount/point options - type source options`.
    fn parse(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, point) = (before.next()?, before.next()?);
        let mut after = after.split(' ');
        let kind = after.next()?;
        let options = after.nth(1)?;
        match kind {
            "cgroup" => Some(Self { root, point, controllers: Some(options) }),
            "cgroup2" => Some(Self { root, point, controllers: None }),
            _ => None,
        }
    }

    /// The folder of the group `path` of this controller, if it is this mount that has it.
    fn holds(&self, controller: Option<&str>, path: &str) -> Option<Folder> {
        match (controller, self.controllers) {
            (None, None) => {}
            (Some(controller), Some(all)) if all.split(',').any(|one| one == controller) => {}
            _ => return None,
        }
        let top = PathBuf::from(self.point);
        // In a container the path may be the host's, and not be there: what is mounted is then the group itself.
        let below = path.strip_prefix(self.root.trim_end_matches('/')).unwrap_or("").trim_start_matches('/');
        let own = if below.split('/').any(|part| part == "..") { top.clone() } else { top.join(below) };
        let own = if own.is_dir() { own } else { top.clone() };
        Some(Folder { own, top })
    }
}

impl Folder {
    /// The tightest of the bounds that `read` finds in the group and its ancestors.
    fn tightest<T: Ord>(&self, read: impl Fn(&Path) -> Option<Bound<T>>) -> Option<Bound<T>> {
        self.own.ancestors().take_while(|folder| folder.starts_with(&self.top)).filter_map(read).min()
    }
}

/// A bound, or that there is none; the tightest comes first in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bound<T> {
    At(T),
    Unlimited,
}

impl<T: fmt::Display> Bound<T> {
    fn shown(self) -> String {
        match self {
            Self::At(bound) => bound.to_string(),
            Self::Unlimited => UNLIMITED.to_owned(),
        }
    }
}

/// A quota of CPU time in each period, in microseconds; ordered by the share of a CPU that it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    quota: u64,
    period: u64,
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> Ordering {
        let scaled = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let shares = scaled(self.quota, other.period).cmp(&scaled(other.quota, self.period));
        shares.then(self.period.cmp(&other.period))
    }
}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.quota, self.period)
    }
}

fn read(folder: &Path, file: &str) -> Option<String> {
    fs::read_to_string(folder.join(file)).ok().map(|text| text.trim().to_owned())
}

fn number(folder: &Path, file: &str) -> Option<Bound<u64>> {
    // Version 1 says "none" by the largest multiple of the page size.
    const NONE_FROM: u64 = 1 << 62;
    match read(folder, file)?.as_str() {
        "max" => Some(Bound::Unlimited),
        text => text.parse().ok().map(|value| if value < NONE_FROM { Bound::At(value) } else { Bound::Unlimited }),
    }
}

fn share_v2(folder: &Path) -> Option<Bound<Share>> {
    let text = read(folder, "cpu.max")?;
    let (quota, period) = text.split_once(' ')?;
    let period = period.parse().ok()?;
    if quota == "max" {
        return Some(Bound::Unlimited);
    }
    Some(Bound::At(Share { quota: quota.parse().ok()?, period }))
}

fn share_v1(folder: &Path) -> Option<Bound<Share>> {
    let quota = read(folder, "cpu.cfs_quota_us")?;
    let period = read(folder, "cpu.cfs_period_us")?.parse().ok()?;
    if quota == "-1" {
        return Some(Bound::Unlimited);
    }
    Some(Bound::At(Share { quota: quota.parse().ok()?, period }))
}

fn shown(bounds: [Option<Bound<u64>>; 2]) -> Option<String> {
    bounds.into_iter().flatten().min().map(Bound::shown)
}

fn field(stat: &str, name: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Control groups in a folder of files, as a kernel would show them.
    fn groups(files: &[(&str, &str)], memberships: &str, mounts: &[(&str, &str, &str)]) -> (tempfile::TempDir, Groups) {
        let machine = tempfile::tempdir().expect("a temporary folder");
        for (file, text) in files {
            let path = machine.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let line = |(root, point, kind): &(&str, &str, &str)| {
            format!("31 23 0:28 {root} {}/{point} rw,relatime shared:9 - {kind}\n", machine.path().display())
        };
        let mountinfo: String = mounts.iter().map(line).collect();
        let groups = Groups::parse(memberships, &mountinfo);
        (machine, groups)
    }

    fn shown_limits(groups: &Groups) -> Vec<String> {
        groups.limits().iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn version_2_tells_the_tightest_of_a_group_and_its_ancestors() {
        let (_machine, groups) = groups(
            &[
                ("all/a/b/memory.max", "max\n"),
                ("all/a/memory.max", "4096\n"),
                ("all/a/b/memory.swap.max", "max\n"),
                ("all/a/b/pids.max", "10\n"),
                ("all/a/pids.max", "20\n"),
                ("all/a/b/cpu.max", "150000 100000\n"),
                ("all/a/cpu.max", "50000 50000\n"),
                ("all/a/b/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 7\n"),
            ],
            "0::/a/b\n",
            &[("/", "all", "cgroup2 cgroup2 rw")],
        );
        assert_eq!(
            shown_limits(&groups),
            [
                "cgroup.cpu.max=50000 50000",
                "cgroup.memory.max=4096",
                "cgroup.memory.swap.max=unlimited",
                "cgroup.pids.max=10"
            ]
        );
        assert_eq!(groups.throttling(), Some(Throttling { periods: 3, ns: 7_000 }));
    }

    #[test]
    fn version_1_has_a_hierarchy_for_each_controller() {
        let (_machine, groups) = groups(
            &[
                ("memory/job/memory.limit_in_bytes", "9223372036854771712\n"),
                ("memory/job/memory.memsw.limit_in_bytes", "8192\n"),
                ("pids/pids.max", "max\n"),
                ("cpu/cpu.cfs_quota_us", "-1\n"),
                ("cpu/cpu.cfs_period_us", "100000\n"),
                ("cpu/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 11\n"),
            ],
            "8:pids:/\n4:memory:/job\n1:cpu,cpuacct:/gone\n",
            &[
                ("/", "memory", "cgroup cgroup rw,memory"),
                ("/", "pids", "cgroup cgroup rw,pids"),
                ("/", "cpu", "cgroup cgroup rw,cpu,cpuacct"),
            ],
        );
        assert_eq!(
            shown_limits(&groups),
            [
                "cgroup.cpu.max=unlimited",
                "cgroup.memory.max=unlimited",
                "cgroup.memory.memsw=8192",
                "cgroup.pids.max=unlimited"
            ]
        );
        assert_eq!(groups.throttling(), Some(Throttling { periods: 2, ns: 11 }));
    }

    #[test]
    fn inside_a_container_the_mount_is_the_group() {
        let (_machine, groups) = groups(
            &[("here/memory.max", "4096\n")],
            "0::/docker/4711\n",
            &[("/docker/4711", "here", "cgroup2 cgroup2 rw")],
        );
        assert_eq!(shown_limits(&groups), ["cgroup.memory.max=4096"]);
    }

    #[test]
    fn a_machine_without_groups_has_no_limits() {
        let groups = Groups::parse("", "27 1 254:0 / / rw - ext4 /dev/vda rw\n");
        assert!(groups.limits().is_empty());
        assert_eq!(groups.throttling(), None);
    }
}
