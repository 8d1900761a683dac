//! Gate file → [`Gate`]: the declarative file that names what is measured, how, and what must hold.
//!
//! A file goes through four stages, each of which can end in a message that shows the offending line:
//!
//! 1. `source`: the bytes, at most [`MAX_BYTES`] of UTF-8 text;
//! 2. `tree`: TOML or, by extension, JSON, as one tree in which every key and value knows where it stands;
//! 3. `decode`: the tree into the mirror types of `file`, which the JSON Schema comes from as well; unknown keys and
//!    wrong types end here;
//! 4. `validate`: names resolved against the [catalogue](crate::workload::catalogue), quantities typed, and every
//!    [`Problem`] collected, so that one look mends them all.
//!
//! What comes out can be relied on: lanes, metrics, checks and axes exist, bounds are finite and point the right way,
//! every selector chooses a case, and names are fit to become file names.

mod decode;
mod diagnostic;
mod file;
mod load;
mod model;
mod quantity;
mod schema;
mod source;
mod suggest;
mod tree;
mod validate;

pub use diagnostic::{Problem, Severity};
pub use load::{Loaded, SpecError, load, parse};
pub use model::{
    Analysis, Axis, Benefit, Bound, Budget, COUNTED_OPERATIONS, Check, Command, Estimator, Fixture, Gate, Grade,
    Hypothesis, IntervalKind, Matrix, Multiplicity, Order, Profile, QuantileKind, RECORDED, Reported, Revisions,
    Selector, Target, Waiver, Warmup,
};
pub use schema::schema;
pub use source::{Format, MAX_BYTES, Source};
pub use suggest::advice;
