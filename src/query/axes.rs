//! The axes of several campaigns as columns.

use super::view::{Kind, VIEWS};
use crate::plan::Plan;
use crate::program::Output;
use crate::unit::{AxisValue, Case};

/// The axes of several campaigns, in the order in which they come up.
#[derive(Debug, Default)]
pub(super) struct Axes(Vec<Axis>);

/// An axis, and the column that shows it.
#[derive(Debug)]
pub(super) struct Axis {
    /// Its name.
    pub(super) name: String,
    /// The name of its column.
    pub(super) column: String,
    /// Whether all its values are whole numbers.
    is_whole: bool,
}

impl Axis {
    /// What its column holds.
    pub(super) const fn kind(&self) -> Kind {
        if self.is_whole { Kind::Whole } else { Kind::Text }
    }
}

impl Axes {
    /// The axes of all cases of `plans`, and of the benches that their programs report.
    pub(super) fn of<'a>(plans: impl Iterator<Item = &'a Plan>) -> Self {
        let mut axes = Self::default();
        for plan in plans {
            for (name, value) in plan.cases.iter().flat_map(Case::iter) {
                axes.add(name, matches!(value, AxisValue::Integer(_)));
            }
            if matches!(plan.target.output(), Output::Benches(_)) {
                axes.add(Case::BENCH, false);
            }
        }
        axes
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Axis> {
        self.0.iter()
    }

    fn add(&mut self, name: &str, is_whole: bool) {
        if let Some(axis) = self.0.iter_mut().find(|axis| axis.name == name) {
            axis.is_whole &= is_whole;
            return;
        }
        let column = self.column(name);
        self.0.push(Axis { name: name.to_owned(), column, is_whole });
    }

    /// The name of the axis, or the next one that no other column has: SQL does not tell capitals apart.
    fn column(&self, name: &str) -> String {
        let mut column = name.to_owned();
        while self.is_taken(&column) {
            column.insert_str(0, "axis_");
        }
        column
    }

    fn is_taken(&self, name: &str) -> bool {
        let fixed = VIEWS.iter().filter(|view| view.has_axes).flat_map(|view| view.columns).map(|column| column.name);
        fixed.chain(self.0.iter().map(|axis| axis.column.as_str())).any(|taken| taken.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(axes: &[(&str, bool)]) -> Vec<(String, Kind)> {
        let mut all = Axes::default();
        for (name, is_whole) in axes {
            all.add(name, *is_whole);
        }
        all.iter().map(|axis| (axis.column.clone(), axis.kind())).collect()
    }

    #[test]
    fn an_axis_is_a_column_of_its_name() {
        let found = columns(&[("shape", false), ("rows", true), ("shape", false), ("rows", true)]);
        assert_eq!(found, [("shape".to_owned(), Kind::Text), ("rows".to_owned(), Kind::Whole)]);
    }

    #[test]
    fn a_word_among_numbers_makes_them_words() {
        assert_eq!(columns(&[("n", true), ("n", false)]), [("n".to_owned(), Kind::Text)]);
        assert_eq!(columns(&[("n", false), ("n", true)]), [("n".to_owned(), Kind::Text)]);
    }

    #[test]
    fn a_name_that_is_taken_gets_a_prefix() {
        let found = columns(&[("Value", true), ("value", true), ("Rows", true), ("rows", true)]);
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["axis_Value", "axis_axis_value", "Rows", "axis_rows"]);
    }
}
