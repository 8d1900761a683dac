//! What can be measured in a repository.

/// What was recognised, in order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Criterion benches of a Cargo package.
    Cargo,
    /// Benches of a Go package.
    Go,
    /// The pytest-benchmark suite of a Python project.
    Pytest,
    /// A script or program of a `package.json`.
    Npm,
    /// A binary of a Cargo package.
    Binary,
    /// Nothing of the repository's: a stand-in for its owner to replace.
    Skeleton,
}

impl Kind {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Pytest => "pytest",
            Self::Npm => "npm",
            Self::Binary => "binary",
            Self::Skeleton => "skeleton",
        }
    }

    /// What is looked for.
    #[must_use]
    pub const fn sought(self) -> &'static str {
        match self {
            Self::Cargo => "a Cargo package with `criterion` among its dependencies and a bench that uses it",
            Self::Go => "`go.mod`, and `func BenchmarkXxx(b *testing.B)` in a `_test.go` file",
            Self::Pytest => {
                "`pytest-benchmark` in `pyproject.toml`, `setup.cfg` or requirements, or a test with its fixture"
            }
            Self::Npm => "`package.json` with a script `bench`, a `bin` or a `main`",
            Self::Binary => "a Cargo package with a binary",
            Self::Skeleton => "nothing",
        }
    }
}

/// How the times of what was found come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The program reports benches in this format, as `output` of a gate file names it.
    Benches(&'static str),
    /// One execution is a whole suite, and takes its time.
    Suite,
    /// One execution is an operation.
    Program,
}

/// Something that can be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it was recognised as.
    pub kind: Kind,
    /// What a gate about it is called.
    pub name: String,
    /// What it is and where, ready to be shown.
    pub what: String,
    /// The file that it was recognised by.
    pub manifest: String,
    /// What both sides are to share: never what is measured.
    pub overlay: Vec<String>,
    /// The command that builds it; empty where nothing is to be built.
    pub build: Vec<String>,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// Variables that it needs.
    pub env: Vec<(String, String)>,
    /// How its times come about.
    pub measured: Measured,
    /// What must be done before it works, ready to be shown.
    pub mend: Option<String>,
}
