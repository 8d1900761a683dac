//! Which side of a pair goes first.

use crate::digest::sha256;
use crate::spec::{Order, Profile};
use crate::unit::Side;

/// The side that goes first in each pair, from pair 1.
///
/// `alternate` puts the baseline first on odd pairs. `balanced` puts it first in half of the pairs (the larger half where
/// their number is odd): those whose SHA-256 of `order_seed:pair` comes first, which is a shuffle that any
/// machine repeats. Where the profile has looks it does so between each two of them, so that each sees as many of both.
pub(super) fn first_sides(profile: &Profile) -> Vec<Side> {
    let pairs = 0..profile.pairs;
    match profile.order {
        Order::Alternate => pairs.map(|pair| if pair % 2 == 0 { Side::Baseline } else { Side::Candidate }).collect(),
        Order::Balanced => {
            let mut first = Vec::new();
            let mut from = 0;
            for end in profile.ends() {
                let mut shuffled: Vec<u32> = (from..end).collect();
                shuffled.sort_by_cached_key(|pair| sha256(format!("{}:{pair}", profile.order_seed).as_bytes()));
                first.extend_from_slice(&shuffled[..shuffled.len().div_ceil(2)]);
                from = end;
            }
            pairs.map(|pair| if first.contains(&pair) { Side::Baseline } else { Side::Candidate }).collect()
        }
    }
}
