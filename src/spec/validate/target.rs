//! What is measured.

use super::findings::Findings;
use crate::spec::diagnostic::listed;
use crate::spec::file::TargetFile;
use crate::spec::model::Target;
use crate::spec::tree::At;
use crate::workload::catalogue::{SUITES, Suite};

/// The target, and the suite where it is one.
pub(super) fn target(
    file: Option<&TargetFile>,
    root: At<'_>,
    findings: &mut Findings,
) -> (Option<Target>, Option<&'static Suite>) {
    let Some(file) = file else {
        findings.error(
            root.value_span(),
            "missing table `[target]`",
            "expected a target in this file",
            "add `[target]` with `suite = \"dashboard\"`",
        );
        return (None, None);
    };
    let at = root.key("target");
    let named: Vec<&str> =
        [("suite", file.suite.is_some()), ("command", file.command.is_some()), ("revisions", file.revisions.is_some())]
            .into_iter()
            .filter_map(|(key, there)| there.then_some(key))
            .collect();
    match (named.as_slice(), &file.suite) {
        (["suite"], Some(name)) => {
            let suite = Suite::find(name);
            if suite.is_none() {
                let suites: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
                findings.unknown(at.key("suite").value_span(), "suite", name, "built-in suites", &suites);
            }
            (suite.map(|suite| Target::Suite(suite.name.to_owned())), suite)
        }
        ([one], _) => {
            findings.error(
                at.key(one).value_span(),
                format!("`[target.{one}]` is not there yet in this version"),
                "expected `suite`",
                "use a suite: `[target]` with `suite = \"dashboard\"`",
            );
            (None, None)
        }
        _ => {
            findings.error(
                named.last().map_or(at, |key| at.key(key)).key_span(),
                format!("`[target]` names {}", listed(named.iter().copied(), "and")),
                "expected exactly one of `suite`, `command` and `revisions`",
                "write `suite = \"dashboard\"`, and nothing beside it",
            );
            (None, None)
        }
    }
}
