//! The text of a GitHub Actions workflow.

use super::found::{Found, Kind};
use super::npm::shell;
use super::path::{last, parent};
use super::repository::Base;

/// The version of gate that writes the workflow, and that it expects.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A workflow that runs the gate about `found` on every pull request to the branch of `base`, between the merge base and
/// the head.
#[must_use]
pub fn workflow(found: &Found, base: &Base) -> String {
    let branch = quoted(&pattern(&base.branch));
    let gate = &found.name;
    let (tools, local) = (tools(found), local(base));
    format!(
        "# Written by `gate init`: the gate `{gate}` on every pull request, between where its branch left\n\
         # {shown} and its head. A verdict other than proceed fails the job: 10 is reject, 11 revise.\n\
         name: gate\n\
         on:\n\
         \x20 pull_request:\n\
         \x20   branches: [{branch}]\n\
         \x20 # By hand, on the branch itself: builds gate once, and every pull request finds it in the cache.\n\
         \x20 workflow_dispatch:\n\
         permissions:\n\
         \x20 contents: read\n\
         jobs:\n\
         \x20 gate:\n\
         \x20   runs-on: ubuntu-24.04\n\
         \x20   timeout-minutes: 120\n\
         \x20   steps:\n\
         \x20     - uses: actions/checkout@v5\n\
         \x20       with:\n\
         \x20         # The head itself, not its merge into the branch; and all history, for the merge base.\n\
         \x20         ref: ${{{{ github.event.pull_request.head.sha || github.sha }}}}\n\
         \x20         fetch-depth: 0\n\
         \x20         persist-credentials: false\n\
         {local}{tools}\
         \x20     - uses: actions/cache/restore@v4\n\
         \x20       id: gate\n\
         \x20       with:\n\
         \x20         path: ~/.gate\n\
         \x20         key: gate-{VERSION}-ubuntu-24.04\n\
         \x20     # gate is in no registry. Where neither the runner nor the cache has it, it is built from the\n\
         \x20     # repository that the variable GATE_REPOSITORY names, which takes about 40 minutes, once:\n\
         \x20     # Settings, Secrets and variables, Actions, Variables. Pull requests from forks don't see\n\
         \x20     # variables, but they do see the cache of a run by hand.\n\
         \x20     - name: Install gate {VERSION}\n\
         \x20       env:\n\
         \x20         GATE_REPOSITORY: ${{{{ vars.GATE_REPOSITORY }}}}\n\
         \x20       run: |\n\
         \x20         echo \"$HOME/.gate/bin\" >> \"$GITHUB_PATH\"\n\
         \x20         export PATH=\"$HOME/.gate/bin:$PATH\"\n\
         \x20         if ! command -v gate; then\n\
         \x20           : \"${{GATE_REPOSITORY:?set the variable GATE_REPOSITORY to the address of the repository of gate}}\"\n\
         \x20           rustup toolchain install stable --profile minimal\n\
         \x20           cargo +stable install --locked --root ~/.gate --git \"$GATE_REPOSITORY\" gate\n\
         \x20         fi\n\
         \x20         gate --version\n\
         \x20     # Here and not at the end, so that a job that fails keeps it too.\n\
         \x20     - uses: actions/cache/save@v4\n\
         \x20       if: steps.gate.outputs.cache-hit != 'true'\n\
         \x20       with:\n\
         \x20         path: ~/.gate\n\
         \x20         key: gate-{VERSION}-ubuntu-24.04\n\
         \x20     # Add `--fail-on reject` where the noise of a shared runner should not fail the job.\n\
         \x20     - name: Run the gate\n\
         \x20       if: github.event_name == 'pull_request'\n\
         \x20       run: gate run {gate} --format markdown >> \"$GITHUB_STEP_SUMMARY\"\n\
         \x20     - uses: actions/upload-artifact@v4\n\
         \x20       if: always()\n\
         \x20       with:\n\
         \x20         name: gate-results\n\
         \x20         path: results/\n\
         \x20         if-no-files-found: ignore\n",
        shown = base.branch,
    )
}

/// A checkout has `origin`'s branches, and no branch of its own.
fn local(base: &Base) -> String {
    if base.remote {
        return String::new();
    }
    let branch = shell(&base.branch);
    format!(
        "\x20     # The gate file names the branch without `origin/`.\n\
         \x20     - run: git branch --force {branch} {}\n",
        shell(&format!("origin/{}", base.branch)),
    )
}

/// What a runner lacks to build and run what was found.
fn tools(found: &Found) -> String {
    let manifest = quoted(&found.manifest);
    match found.kind {
        // The image has rustup, which heeds a `rust-toolchain.toml`.
        Kind::Cargo | Kind::Binary | Kind::Skeleton => String::new(),
        Kind::Go => format!(
            "\x20     - uses: actions/setup-go@v6\n\x20       with:\n\x20         go-version-file: {manifest}\n"
        ),
        Kind::Npm => {
            "\x20     - uses: actions/setup-node@v6\n\x20       with:\n\x20         node-version: lts/*\n".to_owned()
        }
        Kind::Pytest => format!(
            "\x20     - uses: actions/setup-python@v6\n\x20       with:\n\x20         python-version: '3.x'\n\
             \x20     - name: Install what the benches need\n\
             \x20       run: {}\n",
            quoted(&format!("python3 -m pip install {}", requirements(&found.manifest)))
        ),
    }
}

/// What pip is to install: a list of requirements, or the project.
fn requirements(manifest: &str) -> String {
    let folder = parent(manifest);
    match last(manifest) {
        name if name.contains("requirements") => format!("-r {}", shell(manifest)),
        "pyproject.toml" | "setup.py" | "setup.cfg" => format!("pytest-benchmark {}", shell(&format!("./{folder}"))),
        _ => "pytest-benchmark".to_owned(),
    }
}

/// A branch's name as a pattern that stands for nothing else.
fn pattern(branch: &str) -> String {
    branch.chars().flat_map(|c| matches!(c, '+' | '!').then_some('\\').into_iter().chain([c])).collect()
}

/// `text` as YAML has it between single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_branch_stands_for_itself() {
        assert_eq!(quoted(&pattern("c++/it's")), r"'c\+\+/it''s'");
    }

    #[test]
    fn pip_is_told_what_to_install() {
        assert_eq!(requirements("requirements-dev.txt"), "-r requirements-dev.txt");
        assert_eq!(requirements("a b/pyproject.toml"), "pytest-benchmark './a b'");
        assert_eq!(requirements("tests/test_a.py"), "pytest-benchmark");
    }
}
