//! The check of every type that DuckDB and Arrow share.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt16Array, UInt32Array,
    UInt64Array,
};
use arrow::datatypes::UInt8Type;

use super::AnswerCheck;
use super::text::of;
use super::trial::Trial;
use crate::workload::dashboard::answer;
use crate::workload::dashboard::stage::native_ipc::NativeWriter;
use crate::workload::dashboard::trace::Trace;

/// The extremes of each type, and a null, as DuckDB has them.
const SQL: &str = "SELECT * FROM (VALUES \
    (0, (-128)::TINYINT, (-32768)::SMALLINT, (-2147483648)::INTEGER, (-9223372036854775807 - 1)::BIGINT, \
     0::UTINYINT, 0::USMALLINT, 0::UINTEGER, 0::UBIGINT, (-1.5)::FLOAT, (-1.5)::DOUBLE, \
     '-99999999999999999999999999999999999.999'::DECIMAL(38, 3), DATE '1969-12-31', \
     TIMESTAMP '1969-12-31 23:59:59.999999', TIMESTAMPTZ '1969-12-31 23:59:59.999999+00', \
     TIMESTAMP_S '1969-12-31 23:59:59', TIMESTAMP_MS '1969-12-31 23:59:59.999', \
     TIMESTAMP_NS '1969-12-31 23:59:59.999999999', '', ''::BLOB, 'low'::ENUM('low', 'high'), false), \
    (1, 127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 18446744073709551615, 1.5, 1.5, \
     '99999999999999999999999999999999999.999', DATE '2100-01-01', TIMESTAMP '2100-01-01 00:00:00.000001', \
     TIMESTAMPTZ '2100-01-01 00:00:00.000001+00', TIMESTAMP_S '2100-01-01 00:00:00', \
     TIMESTAMP_MS '2100-01-01 00:00:00.001', TIMESTAMP_NS '2100-01-01 00:00:00.000000001', 'ünd', \
     '\\x00\\xFF'::BLOB, 'high'::ENUM('low', 'high'), true), \
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
     NULL, NULL, NULL)) \
    AS types(place, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, decimal, date, \
     timestamp, timestamp_utc, timestamp_s, timestamp_ms, timestamp_ns, utf8, bytes, choice, truth) ORDER BY place";

/// Microseconds of 2100-01-01.
const LATE: i64 = 4_102_444_800_000_000;

fn expected() -> Result<RecordBatch, String> {
    let decimal: i128 = 99_999_999_999_999_999_999_999_999_999_999_999_999;
    let decimals = Decimal128Array::from(vec![Some(-decimal), Some(decimal), None]);
    let choices: DictionaryArray<UInt8Type> = [Some("low"), Some("high"), None].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("place", Arc::new(Int32Array::from(vec![0, 1, 2]))),
        ("int8", Arc::new(Int8Array::from(vec![Some(i8::MIN), Some(i8::MAX), None]))),
        ("int16", Arc::new(Int16Array::from(vec![Some(i16::MIN), Some(i16::MAX), None]))),
        ("int32", Arc::new(Int32Array::from(vec![Some(i32::MIN), Some(i32::MAX), None]))),
        ("int64", Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(i64::MAX), None]))),
        ("uint8", Arc::new(UInt8Array::from(vec![Some(0), Some(u8::MAX), None]))),
        ("uint16", Arc::new(UInt16Array::from(vec![Some(0), Some(u16::MAX), None]))),
        ("uint32", Arc::new(UInt32Array::from(vec![Some(0), Some(u32::MAX), None]))),
        ("uint64", Arc::new(UInt64Array::from(vec![Some(0), Some(u64::MAX), None]))),
        ("float32", Arc::new(Float32Array::from(vec![Some(-1.5), Some(1.5), None]))),
        ("float64", Arc::new(Float64Array::from(vec![Some(-1.5), Some(1.5), None]))),
        ("decimal", Arc::new(decimals.with_precision_and_scale(38, 3).map_err(of)?)),
        ("date", Arc::new(Date32Array::from(vec![Some(-1), Some(47_482), None]))),
        ("timestamp", Arc::new(TimestampMicrosecondArray::from(vec![Some(-1), Some(LATE + 1), None]))),
        (
            "timestamp_utc",
            Arc::new(TimestampMicrosecondArray::from(vec![Some(-1), Some(LATE + 1), None]).with_timezone("UTC")),
        ),
        ("timestamp_s", Arc::new(TimestampSecondArray::from(vec![Some(-1), Some(LATE / 1_000_000), None]))),
        ("timestamp_ms", Arc::new(TimestampMillisecondArray::from(vec![Some(-1), Some(LATE / 1_000 + 1), None]))),
        ("timestamp_ns", Arc::new(TimestampNanosecondArray::from(vec![Some(-1), Some(LATE * 1_000 + 1), None]))),
        ("utf8", Arc::new(StringArray::from(vec![Some(""), Some("ünd"), None]))),
        ("bytes", Arc::new(BinaryArray::from(vec![Some(&b""[..]), Some(&b"\x00\xff"[..]), None]))),
        ("choice", Arc::new(choices)),
        ("truth", Arc::new(BooleanArray::from(vec![Some(false), Some(true), None]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).map_err(of)
}

/// Every type arrives as itself: type, values, nulls, names and order.
pub(super) fn type_fidelity(trial: &Trial<'_>) -> Result<(), String> {
    let engine = trial.engine(1)?;
    let mut trace = Trace::default();
    let connected = engine.connect(&mut trace).map_err(of)?;
    let mut body = Vec::new();
    connected
        .stream(SQL, &mut trace, |stream, _| {
            let mut writer = NativeWriter::new(stream.get_schema(), &mut body)?;
            for batch in stream {
                writer.write(batch?)?;
            }
            Ok(writer.finish()?)
        })
        .map_err(of)?;
    let table = answer::decode(&body).map_err(of)?.table;
    let expected = expected()?;
    for check in [AnswerCheck::ProjectionOrder, AnswerCheck::PhysicalTypes, AnswerCheck::ExactValues] {
        check.judge_table(&expected, 3, &table)?;
    }
    Ok(())
}
