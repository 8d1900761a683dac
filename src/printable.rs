//! Text from elsewhere, made fit for a terminal and a report.

/// The longest text that an error quotes, in characters.
const LONGEST: usize = 200;

/// `text` with everything that moves the cursor, or hides or reorders what is around it, as its code: `\u{1b}`.
#[must_use]
pub fn text(text: &str) -> String {
    escaped(text, is_hidden)
}

/// [`text()`] of several lines: line feeds and tabs stay.
#[must_use]
pub fn lines(text: &str) -> String {
    escaped(text, |c| is_hidden(c) && c != '\n' && c != '\t')
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// [`text()`] of bounded length, as an error quotes it.
#[must_use]
pub fn short(long: &str) -> String {
    let mut kept: String = long.chars().take(LONGEST).collect();
    if kept.len() < long.len() {
        kept.push('…');
    }
    text(&kept)
}

/// [`short`] of bytes, which may be no text at all.
#[must_use]
pub fn bytes(long: &[u8]) -> String {
    short(&String::from_utf8_lossy(&long[..long.len().min(4 * LONGEST + 4)]))
}

/// Whether `c` is a control, or a format character that reorders or hides text (Unicode TR 36 and UAX 9).
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_or_hides_becomes_a_code() {
        assert_eq!(text("a\u{1b}[31m\u{202e}b\nc"), r"a\u{1b}[31m\u{202e}b\u{a}c");
        assert_eq!(text("µ 日本 (x)"), "µ 日本 (x)");
        assert_eq!(lines("a\u{1b}[2J\r\u{202e}:\n\tno µ"), "a\\u{1b}[2J\\u{d}\\u{202e}:\n\tno µ");
    }

    #[test]
    fn quotes_are_short() {
        assert_eq!(short(&"ä".repeat(1_000)).chars().count(), LONGEST + 1);
        assert_eq!(bytes(b"a\xff"), "a\u{fffd}");
    }
}
