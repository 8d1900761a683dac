//! What a child has said of a profile.

use super::cause::Cause;
use super::protocol::{Profiled, Stack};
use crate::measure::symbols::Function;

/// The most functions, and the most stacks, that one profile may have.
const MOST: usize = 1 << 20;

/// A profile as it was taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// The functions, by number.
    pub functions: Vec<Function>,
    /// The stacks.
    pub stacks: Vec<Stack>,
    /// What else is known of it.
    pub profiled: Profiled,
}

impl Taken {
    /// The samples or allocations that it has stacks of.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.stacks.iter().map(|stack| stack.count).sum()
    }

    /// What they stand for: nanoseconds, or bytes.
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.stacks.iter().map(|stack| stack.weight).sum()
    }

    pub(super) fn hear_functions(&mut self, functions: Vec<Function>) -> Result<(), Cause> {
        if self.functions.len() + functions.len() > MOST {
            return Err(Cause::unexpected(format!("more than {MOST} functions of a profile")));
        }
        self.functions.extend(functions);
        Ok(())
    }

    pub(super) fn hear_stacks(&mut self, stacks: Vec<Stack>) -> Result<(), Cause> {
        if self.stacks.len() + stacks.len() > MOST {
            return Err(Cause::unexpected(format!("more than {MOST} stacks of a profile")));
        }
        let known = |number: &u32| (*number as usize) < self.functions.len();
        if !stacks.iter().flat_map(|stack| &stack.functions).all(known) {
            return Err(Cause::unexpected("a stack of functions that it had not told"));
        }
        self.stacks.extend(stacks);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function() -> Function {
        Function { name: Some("f".to_owned()), module: "gate".to_owned() }
    }

    fn stack(functions: &[u32]) -> Stack {
        Stack { functions: functions.to_vec(), count: 2, weight: 3 }
    }

    #[test]
    fn parts_are_put_together_and_summed() {
        let mut taken = Taken::default();
        taken.hear_functions(vec![function()]).expect("a function");
        taken.hear_functions(vec![function()]).expect("another");
        taken.hear_stacks(vec![stack(&[0, 1])]).expect("a stack");
        taken.hear_stacks(vec![stack(&[])]).expect("an empty one");
        assert_eq!((taken.functions.len(), taken.count(), taken.weight()), (2, 4, 6));
    }

    #[test]
    fn stacks_of_what_was_not_told_and_profiles_without_end_are_refused() {
        let mut taken = Taken::default();
        let error = taken.hear_stacks(vec![stack(&[0])]).expect_err("no such function").to_string();
        assert_eq!(error, "the worker said a stack of functions that it had not told");
        let error = taken.hear_functions(vec![function(); MOST + 1]).expect_err("too many").to_string();
        assert_eq!(error, "the worker said more than 1048576 functions of a profile");
        let error = taken.hear_stacks(vec![stack(&[]); MOST + 1]).expect_err("too many").to_string();
        assert_eq!(error, "the worker said more than 1048576 stacks of a profile");
        assert_eq!(taken, Taken::default());
    }
}
