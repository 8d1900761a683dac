//! Stacks → a tree of calls: what a flame graph draws.

use std::collections::BTreeMap;

use super::label;
use crate::worker::Taken;

/// Calls from the outermost to the innermost, with what was noted in and below each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flame {
    /// What was noted in it and in all that it calls.
    pub weight: u64,
    /// The samples or allocations behind that.
    pub count: u64,
    /// What it calls, by name.
    pub calls: BTreeMap<String, Flame>,
}

/// How much of a profile a function has to itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The function.
    pub name: String,
    /// What was noted with it innermost, in parts of the whole.
    pub of_all: f64,
}

impl Flame {
    /// The tree of a profile; the root stands for all of it.
    #[must_use]
    pub fn of(taken: &Taken) -> Self {
        let labels: Vec<String> = taken.functions.iter().map(label).collect();
        let mut root = Self::default();
        for stack in &taken.stacks {
            root.add(stack.weight, stack.count);
            let mut at = &mut root;
            for name in stack.functions.iter().rev().filter_map(|number| labels.get(*number as usize)) {
                at = at.calls.entry(name.clone()).or_default();
                at.add(stack.weight, stack.count);
            }
        }
        root
    }

    fn add(&mut self, weight: u64, count: u64) {
        self.weight += weight;
        self.count += count;
    }

    /// How many calls lie over each other at most, itself not counted.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.calls.values().map(|call| 1 + call.depth()).max().unwrap_or(0)
    }

    /// The functions that have most to themselves, at most `most` of them, the largest first.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "shares of what stays far below 2^53")]
    pub fn largest(&self, most: usize) -> Vec<Share> {
        let mut own: BTreeMap<&str, u64> = BTreeMap::new();
        self.collect_own(&mut own);
        let mut sorted: Vec<(&str, u64)> = own.into_iter().filter(|(_, weight)| *weight > 0).collect();
        sorted.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
        let share = |(name, weight): (&str, u64)| Share {
            name: name.to_owned(),
            of_all: weight as f64 / self.weight.max(1) as f64,
        };
        sorted.into_iter().take(most).map(share).collect()
    }

    fn collect_own<'f>(&'f self, own: &mut BTreeMap<&'f str, u64>) {
        for (name, call) in &self.calls {
            let below: u64 = call.calls.values().map(|call| call.weight).sum();
            *own.entry(name).or_default() += call.weight.saturating_sub(below);
            call.collect_own(own);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::measure::symbols::Function;
    use crate::worker::protocol::Stack;

    /// A profile of these stacks, innermost first, with counts of one and these weights.
    pub(in crate::profile) fn taken(stacks: &[(&[u32], u64)], names: &[&str]) -> Taken {
        let function = |name: &&str| match name.strip_prefix('@') {
            Some(module) => Function { name: None, module: module.to_owned() },
            None => Function { name: Some((*name).to_owned()), module: "gate".to_owned() },
        };
        Taken {
            functions: names.iter().map(function).collect(),
            stacks: stacks
                .iter()
                .map(|(functions, weight)| Stack { functions: functions.to_vec(), count: 1, weight: *weight })
                .collect(),
            ..Taken::default()
        }
    }

    #[test]
    fn stacks_grow_from_the_outermost_call() {
        let flame = Flame::of(&taken(&[(&[1, 0], 10), (&[2, 0], 5), (&[0], 1)], &["main", "work", "@libc.so.6"]));
        assert_eq!((flame.weight, flame.count, flame.depth()), (16, 3, 2));
        let main = &flame.calls["main"];
        assert_eq!((main.weight, main.count), (16, 3));
        assert_eq!(main.calls["work"].weight, 10);
        assert_eq!(main.calls["[libc.so.6]"].weight, 5);
    }

    #[test]
    fn a_function_has_to_itself_what_it_does_not_call() {
        // `work` recurs, and is called from two places.
        let flame = Flame::of(&taken(&[(&[1, 1, 0], 10), (&[0], 1), (&[1, 2], 5)], &["main", "work", "other"]));
        let largest = flame.largest(2);
        assert_eq!(largest[0], Share { name: "work".to_owned(), of_all: 15.0 / 16.0 });
        assert_eq!(largest[1], Share { name: "main".to_owned(), of_all: 1.0 / 16.0 });
        assert_eq!(flame.largest(9).len(), 2, "`other` has nothing to itself");
        assert_eq!(Flame::default().largest(9), []);
    }
}
