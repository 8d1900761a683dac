//! `gate` decides, with evidence, whether a performance change may go ahead.
//!
//! ```text
//! gate file ─▶ spec ─▶ plan ─▶ campaign ─▶ evidence ─▶ verdict ─▶ report
//!                                │  ▲                     ▲
//!                                ▼  │                   stats
//!                             target: suite
//!                                │
//!                            worker ─▶ workload, fixture, measure
//! ```
//!
//! Data moves in that one direction. A stage is a function from a typed input to a typed output, and only [`cli`] composes
//! stages. The modules, in the order of the flow:
//!
//! | module | from | to |
//! |---|---|---|
//! | [`spec`] | a gate file | a validated [`spec::Gate`] |
//! | [`plan`] | a gate and a profile | a frozen [`plan::Plan`]: cases, checks, pairs, runs, digests |
//! | [`campaign`] | a plan and an executor | [`evidence::Evidence`], journalled as it comes |
//! | [`target`], [`worker`] | a request | a fresh process, and what it measured |
//! | [`workload`], [`fixture`], [`measure`] | a lane and a case | operations over deterministic data, and the instruments |
//! | [`evidence`] | what happened | a folder that can be checked and read back |
//! | [`verdict`], [`stats`] | evidence | an outcome for every budget, a verdict for every hypothesis |
//! | [`report`] | verdicts | terminal, Markdown, JSON |
//! | [`query`] | campaigns' folders | views for SQL, and what a statement finds in them |
//! | [`profile`] | a plan of one case | flame graphs and pprof files of one lane, apart from any timing |
//! | [`reading`] | what another tool measured | benches with samples |
//! | [`compare`] | two readings | what changed, and whether budgets hold |
//! | [`init`] | a repository | the gate file that its owner starts with |
//! | [`mod@unit`], [`program`], [`digest`], [`printable`] | | the words, the hash and the escapes that all of them use |

pub mod campaign;
pub mod cli;
pub mod compare;
pub mod digest;
pub mod evidence;
pub mod fixture;
pub mod init;
pub mod measure;
pub mod plan;
pub mod printable;
pub mod profile;
pub mod program;
pub mod query;
pub mod reading;
pub mod report;
pub mod spec;
pub mod stats;
pub mod target;
pub mod unit;
pub mod verdict;
pub mod worker;
pub mod workload;
