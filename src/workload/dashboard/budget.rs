//! The budget of a result: how many rows and bytes may come out of the database for one request.

use arrow::record_batch::RecordBatch;

/// What a result may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultBudget {
    /// Rows, the one beyond the page included.
    pub rows: u64,
    /// Bytes of Arrow data, and of what the answer's schema says beyond the database's.
    pub bytes: u64,
}

impl Default for ResultBudget {
    fn default() -> Self {
        Self { rows: 20_000, bytes: 256 << 20 }
    }
}

/// A result that is larger than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// Too many rows.
    #[error("the result has {found} rows or more, it may have {most}; ask for a smaller page")]
    Rows {
        /// Rows so far.
        found: u64,
        /// Rows that it may have.
        most: u64,
    },
    /// Too many bytes.
    #[error("the result takes {found} bytes or more, it may take {most}; ask for fewer columns or rows")]
    Bytes {
        /// Bytes so far.
        found: u64,
        /// Bytes that it may take.
        most: u64,
    },
}

/// What one result has taken so far.
#[derive(Debug)]
pub struct Charge {
    budget: ResultBudget,
    rows: u64,
    bytes: u64,
}

impl Charge {
    /// Nothing so far.
    #[must_use]
    pub const fn new(budget: ResultBudget) -> Self {
        Self { budget, rows: 0, bytes: 0 }
    }

    /// Charges a batch, before anybody sees it.
    ///
    /// # Errors
    ///
    /// The result is larger than it may be with it.
    pub fn batch(&mut self, batch: &RecordBatch) -> Result<(), BudgetError> {
        self.rows += batch.num_rows() as u64;
        if self.rows > self.budget.rows {
            return Err(BudgetError::Rows { found: self.rows, most: self.budget.rows });
        }
        self.bytes(batch.get_array_memory_size() as u64)
    }

    /// Charges so many bytes beside the batches.
    ///
    /// # Errors
    ///
    /// The result is larger than it may be with them.
    pub fn bytes(&mut self, bytes: u64) -> Result<(), BudgetError> {
        self.bytes += bytes;
        if self.bytes > self.budget.bytes {
            return Err(BudgetError::Bytes { found: self.bytes, most: self.budget.bytes });
        }
        Ok(())
    }

    /// The bytes so far.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_last_row_and_the_last_byte_fit_and_one_more_does_not() {
        let batch = fixture::generate("orders-narrow-50", 13).unwrap();
        let bytes = batch.get_array_memory_size() as u64;
        let charge = |rows, bytes| Charge::new(ResultBudget { rows, bytes }).batch(&batch);
        assert_eq!(charge(50, bytes), Ok(()));
        assert_eq!(charge(49, bytes), Err(BudgetError::Rows { found: 50, most: 49 }));
        assert_eq!(charge(50, bytes - 1), Err(BudgetError::Bytes { found: bytes, most: bytes - 1 }));
        let mut twice = Charge::new(ResultBudget { rows: 99, bytes: 3 * bytes });
        assert_eq!(twice.batch(&batch), Ok(()));
        assert_eq!(twice.batch(&batch), Err(BudgetError::Rows { found: 100, most: 99 }));
    }
}
