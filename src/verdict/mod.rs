//! Evidence + plan → [`Analysis`] → [`Verdicts`].
//!
//! [`analyse`] reduces every run to one number per metric and statistic, pairs the numbers, and gives every budget in every
//! case an outcome. [`judge()`] reads the outcomes through the verdict table, first line first. Both are functions of what is
//! stored, so that anybody who has a campaign's folder comes to the same bits.

mod analysis;
mod benches;
mod budget;
mod calibration;
mod checks;
mod concluded;
mod diagnose;
mod figures;
mod judge;
mod reach;
mod reduce;
mod size;
mod table;
mod trend;
mod warning;

pub use analysis::{
    Analysis, AnalysisError, Bounded, BudgetResult, CheckOutcome, CheckStatus, HypothesisAnalysis, LeftOutCase,
    LookTaken, Outcome, Role, SCHEMA as ANALYSIS_SCHEMA, WaiverState, WaiverUse, analyse,
};
pub use budget::{looks, outcome};
pub use calibration::{Calibration, ExtraCopy, OnBudget, SCHEMA as CALIBRATION_SCHEMA, Sight, Slowdown, Trial, sights};
pub use concluded::{Concluded, ConclusionError};
pub use figures::figures;
pub use judge::{HypothesisVerdict, Reason, SCHEMA as VERDICT_SCHEMA, Verdict, Verdicts, judge};
pub use reach::{Reach, reach};
pub use size::{Sizing, sizes};
pub use trend::{Change, MachineTrends, Point, Trend, trends};
pub use warning::Warning;
