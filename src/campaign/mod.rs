//! [`Plan`](crate::plan::Plan) → [`Evidence`](crate::evidence::Evidence): checks first, then the pairs, in the planned order.
//!
//! A campaign does what its plan says and nothing else: no run is repeated, dropped or added. It prints nothing; it
//! keeps every [`Event`](crate::evidence::Event) in the journal and hands it to whoever watches.

mod error;
mod execute;
mod request;

pub use error::CampaignError;
pub use execute::{Campaign, Clock};
pub use request::{Answers, of_check, of_profile};
