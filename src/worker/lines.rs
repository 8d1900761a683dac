//! Bytes of a child's pipes, cut into lines of a bounded length, or kept by their tail alone.

/// A line that got longer than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub(super) struct Lines {
    begun: Vec<u8>,
    longest: usize,
}

impl Lines {
    /// For lines of at most `longest` bytes.
    pub(super) const fn new(longest: usize) -> Self {
        Self { begun: Vec::new(), longest }
    }

    /// Takes the next bytes, and hands every line that they end to `each`, without its newline.
    ///
    /// # Errors
    ///
    /// A line is too long, or whatever `each` finds wrong with one.
    pub(super) fn take<E: From<TooLong>>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            self.begin(line)?;
            each(&self.begun)?;
            self.begun.clear();
            bytes = rest;
        }
        Ok(self.begin(bytes)?)
    }

    fn begin(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.begun.len() + bytes.len() > self.longest {
            return Err(TooLong);
        }
        self.begun.extend_from_slice(bytes);
        Ok(())
    }

    /// What came after the last newline.
    pub(super) fn rest(&self) -> &[u8] {
        &self.begun
    }
}

/// The last 20 lines, of at most 4 KiB together, of a stream of bytes.
#[derive(Debug, Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    const BYTES: usize = 4 << 10;
    const LINES: usize = 20;

    /// Takes the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&bytes[bytes.len().saturating_sub(Self::BYTES)..]);
        // Cut now and then, not for every byte.
        if self.0.len() > 2 * Self::BYTES {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.0.drain(..self.0.len().saturating_sub(Self::BYTES));
    }

    /// The tail as text, without blanks at its end; what is no UTF-8 is shown as `\u{fffd}`.
    pub(super) fn text(mut self) -> String {
        self.cut();
        // A cut may have gone through a character.
        let begin = self.0.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        let text = String::from_utf8_lossy(&self.0[begin..]);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        lines[lines.len().saturating_sub(Self::LINES)..].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(longest: usize, parts: &[&str]) -> Result<(Vec<String>, String), TooLong> {
        let mut found = Vec::new();
        let mut lines = Lines::new(longest);
        for part in parts {
            lines.take(part.as_bytes(), |line| {
                found.push(String::from_utf8_lossy(line).into_owned());
                Ok::<(), TooLong>(())
            })?;
        }
        Ok((found, String::from_utf8_lossy(lines.rest()).into_owned()))
    }

    #[test]
    fn lines_come_whole_however_they_arrive() {
        let expected = (vec!["one".to_owned(), String::new(), "two".to_owned()], "thr".to_owned());
        assert_eq!(lines(5, &["one\n\ntwo\nthr"]), Ok(expected.clone()));
        assert_eq!(lines(5, &["o", "ne", "\n", "\nt", "wo\nth", "r"]), Ok(expected));
    }

    #[test]
    fn a_line_may_be_as_long_as_is_allowed_and_no_longer() {
        assert!(lines(3, &["abc\n", "ab", "c\n"]).is_ok());
        assert_eq!(lines(3, &["abcd\n"]), Err(TooLong));
        assert_eq!(lines(3, &["ab", "cd"]), Err(TooLong));
    }

    #[test]
    fn a_tail_keeps_the_last_lines() {
        let mut tail = Tail::default();
        for line in 0..100 {
            tail.take(format!("line {line}\n").as_bytes());
        }
        let text = tail.text();
        assert_eq!(text.lines().count(), 20);
        assert!(text.starts_with("line 80\n") && text.ends_with("line 99"), "{text}");
    }

    #[test]
    fn a_tail_is_bounded_in_memory_and_text() {
        let mut tail = Tail::default();
        for _ in 0..1_000 {
            tail.take(&[b'x'; 10_000]);
            assert!(tail.0.len() <= 3 * Tail::BYTES);
        }
        assert_eq!(tail.text().len(), Tail::BYTES);
    }

    #[test]
    fn a_cut_through_a_character_loses_that_character_alone() {
        let mut tail = Tail::default();
        // Three bytes a character: 4,096 is no multiple of three.
        tail.take("€".repeat(5_000).as_bytes());
        assert_eq!(tail.text(), "€".repeat(4_096 / 3));
        let mut tail = Tail::default();
        tail.take(b"bad \xff byte\n");
        assert_eq!(tail.text(), "bad \u{fffd} byte");
    }
}
