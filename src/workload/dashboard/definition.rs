//! The one governed query of a request, made once before the lanes part.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use sha2::{Digest, Sha256};

use super::cache::Key;
use super::governor::Decision;
use super::request::{Filter, Request, Visual};
use crate::fixture::{Shape, field_name};

/// Field metadata that an answer may carry; what the database says beyond it is not sent.
pub const PUBLIC_METADATA: [&str; 2] = ["role", "unit"];

/// What a column of a visual is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Something to group or order by.
    Dimension,
    /// Something measured.
    Metric,
}

/// One column of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name that it is asked for under.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Whether it may hold nulls, by what the table declares, the policy masks and the query does.
    pub nullable: bool,
    sql: String,
}

/// A query that a governor let through.
#[derive(Debug, Clone)]
pub struct Definition {
    /// What is drawn.
    pub visual: Visual,
    /// The columns in the order asked for.
    pub columns: Vec<Column>,
    /// The query as the database runs it: dimensions first, then metrics, one row more than the page.
    pub sql: Arc<str>,
    /// The query for the exact number of rows of all pages.
    pub count_sql: String,
    /// For each column of the answer its place in the query, where they differ.
    pub order: Option<Vec<usize>>,
    /// The rows before the page.
    pub offset: u64,
    /// The most rows of the page.
    pub limit: u32,
    /// What the result is kept under.
    pub key: Key,
    /// What cursors of this query are bound to: the key of its first page.
    pub first_page: Key,
}

impl Definition {
    /// The query of this request under this decision, for the page behind `offset`.
    ///
    /// `nullable` says of each column of the table whether it may hold nulls.
    #[must_use]
    pub fn new(
        request: &Request,
        decision: &Decision,
        shape: Shape,
        nullable: &[bool],
        first_page: Key,
        offset: u64,
    ) -> Self {
        let table = Table { shape, decision, nullable };
        let columns = table.columns(request.visual);
        let physical: Vec<usize> = of_role(&columns, Role::Dimension).chain(of_role(&columns, Role::Metric)).collect();
        let selected: Vec<&str> = physical.iter().map(|&column| columns[column].sql.as_str()).collect();
        let condition = condition(request.filter, decision);
        let grouped = grouping(request.visual);
        let (order_by, limit) = (order_by(request.visual, shape), u64::from(request.limit) + 1);
        let from = format!("SELECT {} FROM model.orders WHERE {condition}{grouped}", selected.join(", "));
        let sql = format!("{from}{order_by} LIMIT {limit} OFFSET {offset}");
        let count_sql = format!("SELECT count(*) FROM ({from})");
        Self {
            visual: request.visual,
            sql: sql.into(),
            count_sql,
            order: inverse(&physical),
            columns,
            offset,
            limit: request.limit,
            key: at(first_page, offset),
            first_page,
        }
    }

    /// The schema of an answer in the database's own types: the names and the nullability that the query promises, and of
    /// the metadata what is public.
    ///
    /// `found` is the schema of the result in the order of [`Definition::columns`].
    #[must_use]
    pub fn schema(&self, found: &Schema) -> SchemaRef {
        let fields = self.columns.iter().zip(found.fields()).map(|(column, found)| {
            let mut metadata: HashMap<String, String> = found
                .metadata()
                .iter()
                .filter(|(key, _)| is_public(key))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            if column.role == Role::Metric {
                metadata.insert("role".to_owned(), "metric".to_owned());
            }
            Field::new(&column.name, found.data_type().clone(), column.nullable).with_metadata(metadata)
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// The names of the columns in the order asked for.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }
}

fn is_public(key: &str) -> bool {
    PUBLIC_METADATA.contains(&key)
}

fn of_role(columns: &[Column], role: Role) -> impl Iterator<Item = usize> {
    columns.iter().enumerate().filter(move |(_, column)| column.role == role).map(|(place, _)| place)
}

/// Where each column stands in `physical`; `None` where all stand in their places.
fn inverse(physical: &[usize]) -> Option<Vec<usize>> {
    if physical.iter().enumerate().all(|(place, &column)| place == column) {
        return None;
    }
    let mut order = vec![0; physical.len()];
    for (place, &column) in physical.iter().enumerate() {
        order[column] = place;
    }
    Some(order)
}

/// What a request asks, before any policy, and who asks: its first page in this snapshot.
#[must_use]
pub fn first_page(request: &Request, decision: &Decision, snapshot: u64) -> Key {
    let question = Sha256::new()
        .chain_update(request.visual.name())
        .chain_update([request.filter as u8])
        .chain_update(request.limit.to_le_bytes())
        .finalize();
    Key { scope: decision.scope, question: question.into(), snapshot }
}

/// The key of the page behind `offset`.
fn at(first_page: Key, offset: u64) -> Key {
    if offset == 0 {
        return first_page;
    }
    let question = Sha256::new().chain_update(first_page.question).chain_update(offset.to_le_bytes()).finalize();
    Key { question: question.into(), ..first_page }
}

fn condition(filter: Filter, decision: &Decision) -> String {
    let asked = match filter {
        Filter::Every => "field_00 >= 0",
        Filter::Nothing => "field_00 < 0",
        Filter::Endless => {
            "field_00 >= 0 AND (SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b) >= 0"
        }
    };
    decision.policy.rows.map_or_else(|| asked.to_owned(), |rows| format!("{asked} AND {rows}"))
}

const fn grouping(visual: Visual) -> &'static str {
    match visual {
        Visual::Mixed | Visual::Matrix | Visual::Pivot => " GROUP BY ALL",
        _ => "",
    }
}

/// An order in which no two rows are equal, so that pages neither overlap nor leave anything out.
fn order_by(visual: Visual, shape: Shape) -> String {
    match visual {
        Visual::Kpi => String::new(),
        Visual::Mixed => format!(" ORDER BY {}", mixed(shape)[2].1),
        Visual::Matrix | Visual::Pivot => " ORDER BY min(field_00)".to_owned(),
        _ => " ORDER BY field_00".to_owned(),
    }
}

/// The mixed table: dimension, metric, dimension, metric, each with its name and column.
///
/// The second dimension is unique, so that every group is one row, and ascends with the key.
#[must_use]
pub fn mixed(shape: Shape) -> [(&'static str, &'static str); 4] {
    match shape {
        Shape::Narrow => {
            [("customer", "field_03"), ("weight", "field_01"), ("ordered_at", "field_05"), ("amount", "field_07")]
        }
        Shape::Wide => {
            [("customer", "field_03"), ("weight", "field_19"), ("order_key", "field_09"), ("amount", "field_16")]
        }
    }
}

/// What a matrix and a pivot have down and across.
#[must_use]
pub const fn cross(shape: Shape) -> (u32, u32) {
    match shape {
        Shape::Narrow => (3, 2),
        Shape::Wide => (12, 11),
    }
}

/// The charts of a bundle: each the time of an order against one measure.
pub const BUNDLE: [u32; 4] = [0, 1, 2, 7];

/// The columns that are selected from the table under one decision.
struct Table<'a> {
    shape: Shape,
    decision: &'a Decision,
    nullable: &'a [bool],
}

impl Table<'_> {
    fn columns(&self, visual: Visual) -> Vec<Column> {
        match visual {
            Visual::Detail | Visual::WideChart | Visual::Calculated => {
                (0..self.shape.columns()).map(|c| self.dimension(c, None)).collect()
            }
            Visual::Mixed => mixed(self.shape)
                .into_iter()
                .enumerate()
                .map(|(place, (name, column))| {
                    let c = number(column);
                    if place % 2 == 0 { self.dimension(c, Some(name)) } else { self.sum(c, name) }
                })
                .collect(),
            Visual::Kpi => vec![
                metric("orders", "count(*)", false),
                metric("amount", "sum(field_07)", true),
                metric("last_key", "max(field_00)", true),
                metric("first_at", "min(field_05)", true),
            ],
            Visual::Bundle => std::iter::once(5).chain(BUNDLE).map(|c| self.dimension(c, None)).collect(),
            Visual::Matrix | Visual::Pivot => {
                let (down, across) = cross(self.shape);
                let mut columns = vec![
                    self.dimension(down, Some("down")),
                    self.dimension(across, Some("across")),
                    self.sum(7, "amount"),
                ];
                if visual == Visual::Pivot {
                    columns.push(metric("orders", "count(*)", false));
                }
                columns
            }
        }
    }

    fn is_masked(&self, c: u32) -> bool {
        self.decision.policy.masked.contains(&c)
    }

    fn may_be_null(&self, c: u32) -> bool {
        self.is_masked(c) || self.nullable.get(c as usize).copied().unwrap_or(true)
    }

    fn dimension(&self, c: u32, alias: Option<&str>) -> Column {
        let column = field_name(c);
        let name = alias.map_or_else(|| column.clone(), str::to_owned);
        let sql = match (self.is_masked(c), alias) {
            // The type of the column stays; its values do not.
            (true, _) => format!("CASE WHEN false THEN {column} END AS {name}"),
            (false, Some(name)) => format!("{column} AS {name}"),
            (false, None) => column,
        };
        Column { name, role: Role::Dimension, nullable: self.may_be_null(c), sql }
    }

    /// A sum over groups that have rows: null only where every value of a group is.
    fn sum(&self, c: u32, name: &str) -> Column {
        let column =
            if self.is_masked(c) { format!("CASE WHEN false THEN {} END", field_name(c)) } else { field_name(c) };
        metric(name, &format!("sum({column})"), self.may_be_null(c))
    }
}

fn metric(name: &str, value: &str, nullable: bool) -> Column {
    Column { name: name.to_owned(), role: Role::Metric, nullable, sql: format!("{value} AS {name}") }
}

fn number(column: &str) -> u32 {
    column.trim_start_matches("field_").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::dashboard::governor::{ANALYST, Governor, REGIONAL};
    use crate::workload::dashboard::request::{Format, Identity};
    use crate::workload::dashboard::trace::Trace;

    fn request(principal: &str, visual: Visual) -> Request {
        Request {
            identity: Identity::of(principal),
            visual,
            filter: Filter::Every,
            limit: 50,
            cursor: None,
            format: Format::Arrow,
        }
    }

    fn define(request: &Request, offset: u64) -> Definition {
        let decision = Governor::new().decide(request, &mut Trace::default()).unwrap();
        let nullable: Vec<bool> = (0..32).map(crate::fixture::orders::nullable).collect();
        let first = first_page(request, &decision, 1);
        Definition::new(request, &decision, Shape::Narrow, &nullable, first, offset)
    }

    #[test]
    fn the_detail_query_names_every_column_and_asks_for_one_row_more() {
        let definition = define(&request(ANALYST, Visual::Detail), 100);
        assert_eq!(
            &*definition.sql,
            "SELECT field_00, field_01, field_02, field_03, field_04, field_05, field_06, field_07 \
             FROM model.orders WHERE field_00 >= 0 ORDER BY field_00 LIMIT 51 OFFSET 100"
        );
        assert_eq!(definition.order, None);
    }

    #[test]
    fn the_policy_is_in_the_query() {
        let definition = define(&request(REGIONAL, Visual::Detail), 0);
        assert!(definition.sql.contains("WHERE field_00 >= 0 AND field_00 % 2 = 1 ORDER"), "{}", definition.sql);
        assert!(definition.sql.contains("CASE WHEN false THEN field_03 END AS field_03"), "{}", definition.sql);
        assert!(definition.columns[3].nullable && !definition.columns[1].nullable);
    }

    #[test]
    fn the_mixed_query_groups_dimensions_first_and_its_order_is_restored() {
        let definition = define(&request(ANALYST, Visual::Mixed), 0);
        assert_eq!(
            &*definition.sql,
            "SELECT field_03 AS customer, field_05 AS ordered_at, sum(field_01) AS weight, sum(field_07) AS amount \
             FROM model.orders WHERE field_00 >= 0 GROUP BY ALL ORDER BY field_05 LIMIT 51 OFFSET 0"
        );
        assert_eq!(definition.order, Some(vec![0, 2, 1, 3]));
        assert_eq!(definition.names(), ["customer", "weight", "ordered_at", "amount"]);
    }

    #[test]
    fn no_two_questions_pages_or_principals_share_a_key() {
        let detail = request(ANALYST, Visual::Detail);
        let mut keys = vec![define(&detail, 0).key, define(&detail, 50).key];
        keys.push(define(&request(REGIONAL, Visual::Detail), 0).key);
        keys.push(define(&request(ANALYST, Visual::Mixed), 0).key);
        keys.push(define(&Request { limit: 51, ..detail.clone() }, 0).key);
        keys.push(define(&Request { filter: Filter::Nothing, ..detail.clone() }, 0).key);
        for (place, key) in keys.iter().enumerate() {
            assert!(!keys[..place].contains(key), "{place}");
        }
        // The form of the answer is no part of the question.
        assert_eq!(define(&Request { format: Format::Json, ..detail.clone() }, 0).key, keys[0]);
        assert_eq!(define(&detail, 50).first_page, keys[0]);
    }

    #[test]
    fn only_public_metadata_and_declared_nullability_are_sent() {
        let definition = define(&request(ANALYST, Visual::Mixed), 0);
        let secret = |name: &str| {
            let metadata = [("unit", "kg"), ("storage", "s3://private"), ("role", "none")];
            Field::new(name, arrow::datatypes::DataType::Int64, true)
                .with_metadata(HashMap::from(metadata.map(|(key, value)| (key.to_owned(), value.to_owned()))))
        };
        let found = Schema::new(["a", "b", "c", "d"].map(secret).to_vec())
            .with_metadata(HashMap::from([("catalog".to_owned(), "private".to_owned())]));
        let schema = definition.schema(&found);
        assert!(schema.metadata().is_empty());
        let shown: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| {
                let mut metadata: Vec<_> = field.metadata().iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
                metadata.sort_unstable();
                (field.name().as_str(), field.is_nullable(), metadata)
            })
            .collect();
        let dimension = vec![("role", "none"), ("unit", "kg")];
        let metric = vec![("role", "metric"), ("unit", "kg")];
        assert_eq!(
            shown,
            [
                ("customer", false, dimension.clone()),
                ("weight", false, metric.clone()),
                ("ordered_at", false, dimension),
                ("amount", false, metric)
            ]
        );
    }
}
