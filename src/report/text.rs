//! Text from elsewhere, made fit to be shown: claims, reasons and host facts may hold anything.

use std::fmt::Write as _;

use tabled::grid::util::string::{get_char_width, get_string_width};

use crate::printable::is_hidden;

/// The longest text that is shown whole, in characters.
const LONGEST: usize = 1_200;

/// `text` on one line, without anything that moves the cursor, hides or reorders what is around it, and of bounded length.
///
/// White space becomes one space. What can't be shown becomes its code, as in `\u{1b}`.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * LONGEST));
    let mut shown = 0;
    let mut rest = text.trim().chars();
    while let Some(c) = rest.next() {
        if shown == LONGEST {
            let more = super::number::count(1 + rest.count());
            let _ = write!(out, "… ({more} characters more; the JSON report has them all)");
            break;
        }
        if c.is_whitespace() {
            if out.ends_with(' ') {
                continue;
            }
            out.push(' ');
        } else if is_hidden(c) {
            let _ = write!(out, "{}", c.escape_unicode());
        } else {
            out.push(c);
        }
        shown += 1;
    }
    out
}

/// Columns that `text` takes on a terminal.
pub(super) fn width(text: &str) -> usize {
    get_string_width(text)
}

/// `text`, which is [`clean`], in lines of at most `columns` columns; a word that is longer is cut.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(word) <= columns {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        line = cut(word, columns, &mut lines);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Gives the lines that `word` fills, and returns the rest.
fn cut(word: &str, columns: usize, lines: &mut Vec<String>) -> String {
    let mut line = String::new();
    for c in word.chars() {
        // The whole is measured, not the sum of its characters: some take another width beside each other.
        line.push(c);
        if width(&line) > columns && get_char_width(c) > 0 {
            line.pop();
            lines.push(std::mem::replace(&mut line, c.to_string()));
        }
    }
    line
}

/// `words` as a sentence has them: `a, b and 3 more`, at most `most` of them.
pub(super) fn some<T: AsRef<str>>(words: &[T], most: usize, separator: &str) -> String {
    let shown: Vec<&str> = words.iter().take(most).map(AsRef::as_ref).collect();
    let mut text = shown.join(separator);
    if words.len() > most {
        let _ = write!(text, " and {} more", super::number::count(words.len() - most));
    }
    text
}

/// `1 case`, `2 cases`.
pub(super) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", super::number::count(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_hides_or_reorders_is_shown_as_a_code() {
        assert_eq!(clean("a\u{1b}[31mred\u{7}"), r"a\u{1b}[31mred\u{7}");
        assert_eq!(clean("a\r\n\tb\u{2028}c  d "), "a b c d");
        assert_eq!(clean("safe\u{202e}txt\u{200b}"), r"safe\u{202e}txt\u{200b}");
        assert_eq!(clean("עברית 日本語 µ ✗"), "עברית 日本語 µ ✗");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let shown = clean(&"ä".repeat(5_000));
        assert!(shown.ends_with("… (3,800 characters more; the JSON report has them all)"), "{shown}");
        assert_eq!(clean(&"ä".repeat(LONGEST)).chars().count(), LONGEST);
    }

    #[test]
    fn lines_keep_to_their_columns() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
        for line in wrap(&"e\u{301}".repeat(100), 10) {
            assert!(width(&line) <= 10, "{line}");
        }
    }

    #[test]
    fn a_few_stand_for_many() {
        assert_eq!(some(&["a", "b"], 3, ", "), "a, b");
        assert_eq!(some(&["a", "b", "c", "d"], 2, ", "), "a, b and 2 more");
    }
}
