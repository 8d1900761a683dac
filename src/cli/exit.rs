//! Exit codes: documented constants that `make`, clap and a panic can't imitate.

use std::process::ExitCode;

use crate::verdict::Verdict;

/// What `gate --help` says of exit codes.
pub(super) const HELP: &str = "\
Exit codes:
   0  every hypothesis proceeds
  10  one is rejected
  11  none is rejected, one is to be revised
  12  none of these, one is deferred
   1  the gate could not do its work
   2  wrong usage or gate file";

/// An exit code, from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: every hypothesis proceeds, or the command did what it was asked to.
    Proceed,
    /// 12: none is rejected or to be revised, one is deferred.
    Deferred,
    /// 11: none is rejected, one is to be revised.
    Revise,
    /// 10: one is rejected.
    Reject,
    /// 1: the gate could not do its work.
    Failed,
    /// 2: wrong usage or gate file.
    Usage,
}

impl Exit {
    /// The code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Proceed => 0,
            Self::Deferred => 12,
            Self::Revise => 11,
            Self::Reject => 10,
            Self::Failed => 1,
            Self::Usage => 2,
        }
    }

    /// The code of a gate whose gravest verdict is `verdict`.
    #[must_use]
    pub const fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Proceed => Self::Proceed,
            Verdict::Deferred => Self::Deferred,
            Verdict::Revise => Self::Revise,
            Verdict::Reject => Self::Reject,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn the_gravest_of_several_counts() {
        let order = [Exit::Proceed, Exit::Deferred, Exit::Revise, Exit::Reject, Exit::Failed, Exit::Usage];
        assert!(order.is_sorted());
        assert_eq!(order.map(Exit::code), [0, 12, 11, 10, 1, 2]);
    }
}
