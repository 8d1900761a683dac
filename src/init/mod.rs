//! From a repository to the gate file that its owner would start with.
//!
//! [`look`] tells what can be measured, [`gate_file`] and [`workflow`] write it down. Nothing of the repository's is ever
//! run, and nothing in it is trusted: the walk is bounded, follows no link, and what it finds is checked before it
//! becomes part of a text.
//!
//! | kind | is recognised by |
//! |---|---|
//! | [`Kind::Cargo`] | a bench target of a Cargo package that uses criterion |
//! | [`Kind::Go`] | `func BenchmarkXxx(b *testing.B)` in a `_test.go` file of a module |
//! | [`Kind::Pytest`] | `pytest-benchmark` among what a project requires, or a test with the fixture `benchmark` |
//! | [`Kind::Npm`] | `package.json` with a script `bench`, else its `bin` or `main` |
//! | [`Kind::Binary`] | a binary target of a Cargo package |

mod cargo;
mod found;
mod gate_file;
mod go;
mod look;
mod name;
mod npm;
mod path;
mod pytest;
mod repository;
mod tree;
mod workflow;

pub use found::{Found, Kind, Measured};
pub use gate_file::gate_file;
pub use look::{Look, look, skeleton};
pub use repository::{Base, Repository, RepositoryError};
pub use workflow::workflow;
