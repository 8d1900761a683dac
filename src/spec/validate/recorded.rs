//! What a baseline that was recorded can't be asked: it has figures and no answers, and nothing of it is run.

use super::findings::Findings;
use crate::program::Stdout;
use crate::spec::diagnostic::Problem;
use crate::spec::file::HypothesisFile;
use crate::spec::model::Target;
use crate::spec::tree::At;

/// Whether the hypothesis takes its baseline from what was recorded.
pub(super) fn is_recorded(file: &HypothesisFile) -> bool {
    file.baseline.as_ref().is_some_and(|baseline| baseline.history.is_some())
}

/// Notes what the hypotheses at the root of a gate file ask of baselines that were recorded, in vain.
pub(super) fn recorded(
    files: Option<&[HypothesisFile]>,
    target: Option<&Target>,
    root: At<'_>,
    findings: &mut Findings,
) {
    let files = files.unwrap_or_default().iter().enumerate();
    for (index, file) in files.filter(|(_, file)| is_recorded(file)) {
        let at = root.key("hypothesis").index(index);
        let history = at.key("baseline").key("history");
        if matches!(target, Some(Target::Revisions(_))) {
            findings.error(
                history.key_span(),
                "recorded baseline of a target that can run the baseline",
                "expected no `history` here: both revisions are built and run in pairs, which shows more",
                "remove `baseline`",
            );
        }
        if target.and_then(Target::expect).is_some_and(|expect| expect.stdout == Some(Stdout::Same)) {
            findings.push(
                Problem::error(
                    history.key_span(),
                    "recorded baseline, and an output that is to be the baseline's",
                    "expected a baseline that is run: of a recorded one only the figures are known",
                    "write the SHA-256 of the output in place of `same`",
                )
                .beside(
                    root.key("target").key("command").key("expect").key("stdout_sha256").value_span(),
                    "`same` here",
                ),
            );
        }
        for (index, benefit) in file.benefit.iter().flatten().enumerate() {
            if benefit.check.is_some() {
                let check = at.key("benefit").index(index).key("check");
                findings.push(
                    Problem::error(
                        check.key_span(),
                        "capability over a recorded baseline",
                        "expected a budget: of a recorded baseline only the figures are known, not what it can",
                        "write `[[hypothesis.correctness]]` with the check, or name a baseline that is run",
                    )
                    .beside(history.key_span(), "recorded here"),
                );
            }
        }
    }
}
