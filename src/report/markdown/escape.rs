//! Text in Markdown, so that it reads as it is: no markup, no HTML, no mention, no broken table.

use crate::report::text::clean;

/// Text that begins a line, or what a list, a quotation or a heading holds.
pub(super) fn prose(text: &str) -> String {
    start(&inline(text))
}

/// Text inside a line or a cell. What stands between backticks becomes code, as its author meant it.
pub(super) fn inline(text: &str) -> String {
    let text = clean(text);
    let parts: Vec<&str> = text.split('`').collect();
    // An even number of backticks leaves an odd number of parts.
    if parts.len().is_multiple_of(2) || parts.iter().skip(1).step_by(2).any(|code| code.trim().is_empty()) {
        return plain(&text);
    }
    let both = |(index, part): (usize, &&str)| if index % 2 == 1 { code(part) } else { plain(part) };
    parts.iter().enumerate().map(both).collect()
}

/// Text as code; fit for a table's cell as well, where a bar has to be escaped even inside code.
pub(super) fn code(text: &str) -> String {
    let text = clean(text);
    if text.is_empty() {
        return "–".to_owned();
    }
    if text.contains('|') {
        // A backslash before a bar is shown outside tables and swallowed inside: HTML means the same in both.
        return format!("<code>{}</code>", html(&text));
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Text in HTML, with nothing that Markdown reads as markup.
fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "&<>|*_\\`[]~$@!:".contains(c) {
            out.push_str(&format!("&#{};", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            // Inside a word an underscore is one.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => out.push('_'),
            '\\' | '`' | '*' | '_' | '[' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // Nobody is called by a report.
            '@' if after.is_alphanumeric() && !before.is_alphanumeric() => out.push_str("@<!-- -->"),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// The same where a line begins: no list, heading, quotation or rule.
fn start(text: &str) -> String {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    if text.starts_with(['-', '+', '=', '#', '>']) {
        format!("\\{text}")
    } else if digits > 0 && text[digits..].starts_with(['.', ')']) {
        format!("{}\\{}", &text[..digits], &text[digits..])
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{code, inline, prose};

    #[test]
    fn markup_reads_as_text() {
        assert_eq!(
            prose("a|b <script> *x* [y](z) & $q$ ~~s~~"),
            r"a\|b &lt;script> \*x\* \[y](z) &amp; \$q\$ \~\~s\~\~"
        );
        assert_eq!(prose("rust_heap_bytes and _this_"), r"rust_heap_bytes and \_this\_");
        assert_eq!(prose("ask @somebody, a@b.example"), "ask @<!-- -->somebody, a@b.example");
        assert_eq!(prose("one\n\n# two"), "one # two");
    }

    #[test]
    fn a_line_begins_as_text() {
        for (text, shown) in
            [("- a", r"\- a"), ("# a", r"\# a"), ("> a", r"\> a"), ("1. a", r"1\. a"), ("---", r"\---")]
        {
            assert_eq!(prose(text), shown);
        }
        assert_eq!(inline("1. a"), "1. a");
    }

    #[test]
    fn backticks_that_match_are_code() {
        assert_eq!(prose("check `a*b` fails"), "check `a*b` fails");
        assert_eq!(prose("one ` alone"), r"one \` alone");
        assert_eq!(prose("an empty `` pair"), r"an empty \`\` pair");
        assert_eq!(prose("a `x|y` bar"), "a <code>x&#124;y</code> bar");
    }

    #[test]
    fn code_holds_backticks_bars_and_nothing() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("<b>|*"), "<code>&#60;b&#62;&#124;&#42;</code>");
        assert_eq!(code(" "), "–");
    }
}
