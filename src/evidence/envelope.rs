//! The envelope of a run's file: what an Arrow IPC file says of its own lengths and offsets, held to the bytes that are
//! there before anything is decoded.
//!
//! Arrow's reader takes them as they stand: an offset beyond the end makes it panic, and it allocates whatever length it
//! is told. A run's file may come from anywhere. The layout is that of
//! <https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format>, and of it only what this program writes is
//! read: one batch of columns without parts of their own.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc;
use arrow::ipc::reader::{FileDecoder, read_footer_length};

use super::RunFileError;

/// What every file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";

/// What a message begins with, before its length.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// No run's samples take more room, in bytes: 1 GiB.
const MOST: i64 = 1 << 30;

/// A byte of LZ4 adds at most as many to a match (LZ4 block format description, "Matches").
const MOST_OF_A_BYTE: usize = 255;

/// The value of `key` in the metadata of the file in `bytes`, and its only batch.
///
/// The first columns are `keys`, and all others are whole numbers or reals, each of a name of its own.
///
/// # Errors
///
/// Bytes that are no such file, or say of themselves what they can't be.
pub(super) fn open<'a>(
    bytes: &'a [u8],
    key: &'static str,
    keys: &[(&str, DataType)],
) -> Result<(&'a str, RecordBatch), RunFileError> {
    let footer = footer(bytes).ok_or_else(|| wrong("it has no footer of an Arrow file"))?;
    let schema = footer.schema().ok_or_else(|| wrong("its footer has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(wrong("its numbers are in the byte order of another machine"));
    }
    let head = schema.custom_metadata().into_iter().flatten().find(|entry| entry.key() == Some(key));
    let head = head.and_then(|entry| entry.value()).ok_or_else(|| RunFileError::Head("missing".to_owned()))?;
    let columns = Arc::new(columns(schema, keys, bytes.len())?);
    let blocks = footer.recordBatches().unwrap_or_default();
    if blocks.len() != 1 {
        return Err(wrong(format!("it has {} batches", blocks.len())));
    }
    let block = blocks.get(0);
    let whole = i64::from(block.metaDataLength())
        .checked_add(block.bodyLength())
        .and_then(|length| part(bytes, block.offset(), length))
        .ok_or_else(|| wrong("its batch ends beyond the file"))?;
    let (metadata, body) = usize::try_from(block.metaDataLength())
        .ok()
        .and_then(|length| whole.split_at_checked(length))
        .ok_or_else(|| wrong("its batch is shorter than the head of it"))?;
    let message = metadata.strip_prefix(&CONTINUATION).and_then(|rest| rest.get(4..));
    let batch = message
        .and_then(|message| ipc::root_as_message(message).ok())
        .and_then(|message| message.header_as_record_batch())
        .ok_or_else(|| wrong("its batch has no head"))?;
    check(batch, body, &columns, MOST)?;
    let decoder = FileDecoder::new(columns, footer.version());
    let batch = decoder.read_record_batch(block, &Buffer::from(whole))?;
    Ok((head, batch.ok_or_else(|| wrong("its batch is empty"))?))
}

fn wrong(what: impl Into<String>) -> RunFileError {
    RunFileError::Envelope(what.into())
}

/// `length` of the `bytes` from `offset` on, where there are as many.
fn part(bytes: &[u8], offset: i64, length: i64) -> Option<&[u8]> {
    let (offset, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
    bytes.get(offset..offset.checked_add(length)?)
}

fn footer(bytes: &[u8]) -> Option<ipc::Footer<'_>> {
    let (rest, trailer) = bytes.strip_prefix(MAGIC)?.split_last_chunk::<10>()?;
    let begin = rest.len().checked_sub(read_footer_length(*trailer).ok()?)?;
    ipc::root_as_footer(&rest[begin..]).ok()
}

/// The columns, without their metadata, of which nothing is needed.
fn columns(schema: ipc::Schema<'_>, keys: &[(&str, DataType)], size: usize) -> Result<Schema, RunFileError> {
    let mut names = HashSet::new();
    let mut length = 0;
    let mut fields = Vec::new();
    for (index, column) in schema.fields().into_iter().flatten().enumerate() {
        let name = column.name().unwrap_or_default();
        length += name.len();
        if length > size {
            return Err(wrong("the names of its columns are longer than the file"));
        }
        let data_type = data_type(column).filter(|found| match keys.get(index) {
            Some((key, expected)) => name == *key && found == expected,
            None => matches!(found, DataType::UInt64 | DataType::Float64) && names.insert(name),
        });
        let data_type = data_type.ok_or_else(|| RunFileError::Column(name.to_owned()))?;
        fields.push(Field::new(name, data_type, index >= keys.len()));
    }
    match keys.get(fields.len()) {
        Some((missing, _)) => Err(RunFileError::Column((*missing).to_owned())),
        None => Ok(Schema::new(fields)),
    }
}

/// The type of a column, where a run's file has such columns.
fn data_type(column: ipc::Field<'_>) -> Option<DataType> {
    if column.dictionary().is_some() {
        return None;
    }
    match column.type_type() {
        ipc::Type::Utf8 => Some(DataType::Utf8),
        ipc::Type::FloatingPoint if column.type_as_floating_point()?.precision() == ipc::Precision::DOUBLE => {
            Some(DataType::Float64)
        }
        ipc::Type::Int => {
            let int = column.type_as_int()?;
            match (int.bitWidth(), int.is_signed()) {
                (16, false) => Some(DataType::UInt16),
                (32, false) => Some(DataType::UInt32),
                (64, false) => Some(DataType::UInt64),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The bytes of a value in each buffer of a column: whether there is one, for words where each begins, and themselves.
fn widths(data_type: &DataType) -> &'static [usize] {
    match data_type {
        DataType::Utf8 => &[1, 4, 1],
        DataType::UInt16 => &[1, 2],
        DataType::UInt32 => &[1, 4],
        _ => &[1, 8],
    }
}

/// Holds what the head of a batch of these columns says to its `body`, of which at most `most` bytes come.
fn check(batch: ipc::RecordBatch<'_>, body: &[u8], columns: &Schema, most: i64) -> Result<(), RunFileError> {
    let rows = batch.length();
    if !(0..=most).contains(&rows) {
        return Err(wrong(format!("its batch has {rows} rows")));
    }
    for column in batch.nodes().into_iter().flatten() {
        let (length, nulls) = (column.length(), column.null_count());
        if length != rows || !(0..=rows).contains(&nulls) {
            return Err(wrong(format!("a column has {length} values, {nulls} of them missing, in {rows} rows")));
        }
    }
    let mut size = 0_usize;
    let mut widths = columns.fields().iter().flat_map(|column| widths(column.data_type()));
    for buffer in batch.buffers().into_iter().flatten() {
        let stored = part(body, buffer.offset(), buffer.length())
            .ok_or_else(|| wrong("a column lies beyond the batch that has it"))?;
        let length = if batch.compression().is_some() { decompressed(stored) } else { Some(stored.len()) };
        let length = length.ok_or_else(|| wrong("a column says that it is longer than its bytes can be"))?;
        // Arrow's reader panics at an offset that is cut through.
        if !length.is_multiple_of(*widths.next().unwrap_or(&1)) {
            return Err(wrong("a column ends within a value"));
        }
        size = size.saturating_add(length);
    }
    if i64::try_from(size).is_ok_and(|size| size <= most) {
        Ok(())
    } else {
        Err(wrong(format!("its samples take {size} bytes, and {most} are the most")))
    }
}

/// The length of a compressed buffer's content, as it says itself; nothing where the buffer can't hold as much.
fn decompressed(stored: &[u8]) -> Option<usize> {
    let Some((length, data)) = stored.split_first_chunk::<8>() else {
        return stored.is_empty().then_some(0);
    };
    match i64::from_le_bytes(*length) {
        // It is stored as it is.
        -1 => Some(data.len()),
        length => usize::try_from(length).ok().filter(|&length| length / MOST_OF_A_BYTE <= data.len()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use arrow::array::{
        ArrayRef, DictionaryArray, Float32Array, Float64Array, Int64Array, StringArray, UInt16Array, UInt64Array,
    };
    use arrow::datatypes::Int32Type;
    use arrow::ipc::CompressionType;
    use arrow::ipc::writer::{FileWriter, IpcWriteOptions};

    use super::*;

    const KEYS: [(&str, DataType); 2] = [("cell", DataType::UInt16), ("pass", DataType::Utf8)];
    const ROWS: usize = 1_000;

    /// A file with these columns, of which no key is null, as so many batches.
    fn file(columns: &[(&str, ArrayRef)], batches: usize) -> Vec<u8> {
        let fields: Vec<Field> = columns
            .iter()
            .enumerate()
            .map(|(index, (name, column))| Field::new(*name, column.data_type().clone(), index >= KEYS.len()))
            .collect();
        let metadata = HashMap::from([("head".to_owned(), "{}".to_owned())]);
        let schema = Arc::new(Schema::new(fields).with_metadata(metadata));
        let columns = columns.iter().map(|(_, column)| Arc::clone(column)).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        for _ in 0..batches {
            writer.write(&batch).unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn cell() -> (&'static str, ArrayRef) {
        ("cell", Arc::new(UInt16Array::from(vec![0; ROWS])))
    }

    fn pass() -> (&'static str, ArrayRef) {
        ("pass", Arc::new(StringArray::from(vec!["timed"; ROWS])))
    }

    fn latency() -> (&'static str, ArrayRef) {
        ("latency", Arc::new(UInt64Array::from(vec![7; ROWS])))
    }

    fn read(bytes: &[u8]) -> Result<(&str, RecordBatch), RunFileError> {
        open(bytes, "head", &KEYS)
    }

    fn refused(bytes: &[u8]) -> String {
        read(bytes).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_its_head_and_its_columns() {
        // A metric may have the name of a key: it is told by its place.
        let reals: ArrayRef = Arc::new(Float64Array::from(vec![0.5; ROWS]));
        let bytes = file(&[cell(), pass(), latency(), ("pass", reals)], 1);
        let (head, batch) = read(&bytes).unwrap();
        assert_eq!((head, batch.num_rows(), batch.num_columns()), ("{}", ROWS, 4));
        assert_eq!(batch.column(2), &latency().1);
        let (_, batch) = open(&bytes, "head", &KEYS).unwrap();
        assert!(!batch.schema().field(1).is_nullable() && batch.schema().field(3).is_nullable());
        assert!(matches!(open(&bytes, "heart", &KEYS), Err(RunFileError::Head(_))));
    }

    #[test]
    fn what_it_says_of_its_lengths_is_held_to_its_bytes() {
        let bytes = file(&[cell(), pass(), latency()], 1);
        let at = |inner: &[u8]| inner.as_ptr().addr() - bytes.as_ptr().addr();
        let block = footer(&bytes).unwrap().recordBatches().unwrap().get(0);
        let begin = usize::try_from(block.offset()).unwrap();
        let body = begin + usize::try_from(block.metaDataLength()).unwrap();
        let message = ipc::root_as_message(&bytes[begin + 8..]).unwrap();
        let batch = message.header_as_record_batch().unwrap();
        // Two buffers of cells, three of passes, the latencies' validity and their values.
        let (node, buffer) = (batch.nodes().unwrap().get(2), batch.buffers().unwrap().get(6));
        let stored = body + usize::try_from(buffer.offset()).unwrap();
        let (block, node, buffer) = (at(&block.0), at(&node.0), at(&buffer.0));
        let lies: [(usize, &[i64], &str); 13] = [
            (block, &[-1, i64::MAX, 1 << 40], "its batch ends beyond the file"),
            (block + 8, &[i64::from(i32::MAX)], "its batch ends beyond the file"),
            (block + 8, &[-1], "its batch is shorter than the head of it"),
            (block + 8, &[0, 7, 12], "its batch has no head"),
            (block + 16, &[i64::MIN, i64::MAX, 1 << 40], "its batch ends beyond the file"),
            (node, &[-1, 0, 999, i64::MAX], "values, 0 of them missing, in 1000 rows"),
            (node + 8, &[-1, 1_001], "of them missing, in 1000 rows"),
            (buffer, &[-8, i64::MAX, 1 << 40], "a column lies beyond the batch that has it"),
            (buffer + 8, &[-8, i64::MAX, 1 << 40], "a column lies beyond the batch that has it"),
            (buffer + 8, &[1, 7], "a column says that it is longer than its bytes can be"),
            (stored, &[-2, 1 << 40, i64::MAX], "a column says that it is longer than its bytes can be"),
            (stored, &[7_999, 8_001], "a column ends within a value"),
            // What is decompressed is 8,000 bytes.
            (stored, &[0, 7_992, 8_008], ""),
        ];
        for (position, lies, says) in lies {
            for lie in lies {
                let mut lying = bytes.clone();
                lying[position..position + 8].copy_from_slice(&lie.to_le_bytes());
                let error = refused(&lying);
                assert!(error.contains(says), "{lie} at {position}: {error}");
            }
        }
        let columns = Schema::empty();
        let error = check(batch, &bytes[body..], &columns, 8_000).unwrap_err().to_string();
        assert!(error.contains("and 8000 are the most"), "{error}");
        let error = check(batch, &bytes[body..], &columns, 999).unwrap_err().to_string();
        assert!(error.contains("its batch has 1000 rows"), "{error}");
        assert!(error.ends_with("copy the campaign again from where it ran"), "{error}");
    }

    #[test]
    fn a_length_of_the_footer_is_held_to_the_file() {
        let bytes = file(&[cell(), pass(), latency()], 1);
        let at = bytes.len() - 10;
        for lie in [-1, 0, i32::MAX, i32::try_from(at).unwrap()] {
            let mut lying = bytes.clone();
            lying[at..at + 4].copy_from_slice(&lie.to_le_bytes());
            assert!(refused(&lying).contains("no footer of an Arrow file"), "{lie}");
        }
    }

    #[test]
    fn whatever_bytes_are_lost_or_changed_it_is_read_or_refused() {
        let bytes = file(&[cell(), pass(), latency()], 1);
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "{length} of {}", bytes.len());
        }
        for at in 0..bytes.len() {
            for by in [0x00, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at].wrapping_add(1)] {
                let mut changed = bytes.clone();
                changed[at] = by;
                let _ = read(&changed);
            }
        }
    }

    #[test]
    fn other_columns_and_batches_are_refused() {
        let words: DictionaryArray<Int32Type> = vec!["a"; ROWS].into_iter().collect();
        let column = |name: &'static str, column: ArrayRef| file(&[cell(), pass(), (name, column)], 1);
        for (bytes, name) in [
            (file(&[pass(), cell()], 1), "pass"),
            (file(&[cell()], 1), "pass"),
            (file(&[cell(), pass(), latency(), latency()], 1), "latency"),
            (column("a", Arc::new(Int64Array::from(vec![1; ROWS]))), "a"),
            (column("b", Arc::new(Float32Array::from(vec![1.0; ROWS]))), "b"),
            (column("c", Arc::new(words)), "c"),
            (column("d", pass().1), "d"),
            (column("e", cell().1), "e"),
        ] {
            let error = refused(&bytes);
            assert!(error.contains(&format!("its column `{name}` is missing, there twice,")), "{error}");
        }
        for batches in [0, 2] {
            let error = refused(&file(&[cell(), pass(), latency()], batches));
            assert!(error.contains(&format!("it has {batches} batches")), "{error}");
        }
        assert!(refused(b"").contains("no footer of an Arrow file"));
    }
}
