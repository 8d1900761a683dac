//! A flame graph as SVG: every call a box as wide as its share, over the call that made it.
//!
//! The drawing needs nothing beside itself, and is whole without its script, which widens the box that is clicked on and finds
//! boxes by name. Boxes of one profile are drawn the same each time.

use super::flame::Flame;
use super::pprof::Kind;

/// Of the whole drawing, in pixels.
const WIDTH: f64 = 1200.0;

/// On either side of the boxes.
const MARGIN: f64 = 10.0;

/// A box' height, with the line that parts it from the next.
const ROW: f64 = 17.0;

/// What is over the boxes, and what is under them.
const HEAD: f64 = 64.0;
const FOOT: f64 = 12.0;

/// Narrower boxes are left out: nobody sees them, and there are many.
const NARROWEST: f64 = 0.2;

/// A letter's width at the size of the text in boxes.
const LETTER: f64 = 6.6;

/// Has the box that is clicked on fill the width.
const SCRIPT: &str = include_str!("flame.js");

/// Kinds of functions, and the colours that they are drawn in.
const COLOURS: [(&str, [u8; 3]); 4] = [
    ("gate", [240, 158, 84]),
    ("DuckDB", [116, 173, 224]),
    ("other Rust", [238, 212, 116]),
    ("system", [190, 196, 202]),
];

impl Flame {
    /// The drawing, under a title and a line about where it comes from.
    #[must_use]
    pub fn to_svg(&self, kind: Kind, title: &str, about: &str) -> String {
        let rows = self.depth() + 1;
        #[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
        let height = HEAD + FOOT + ROW * rows as f64;
        let mut drawing = Drawing { text: String::new(), kind, all: self, bottom: height - FOOT };
        let (title, about) = (escaped(title), escaped(about));
        drawing.text.push_str(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n\
             <title>{title}</title>\n\
             <style>\n\
             text {{ font: 11px ui-monospace, Menlo, Consolas, \"DejaVu Sans Mono\", monospace; fill: #1b1f24; }}\n\
             text.title {{ font: bold 15px system-ui, sans-serif; }}\n\
             text.about, text.key {{ font: 12px system-ui, sans-serif; fill: #57606a; }}\n\
             text.button {{ font: 12px system-ui, sans-serif; fill: #0550ae; cursor: pointer; }}\n\
             g.call {{ cursor: pointer; }}\n\
             g.call text {{ pointer-events: none; }}\n\
             g.call:hover rect {{ stroke: #1b1f24; }}\n\
             g.found rect {{ fill: #d63bc4; }}\n\
             g.below {{ opacity: 0.5; }}\n\
             </style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
             <text class=\"title\" x=\"{MARGIN}\" y=\"20\">{title}</text>\n\
             <text class=\"about\" x=\"{MARGIN}\" y=\"38\">{about}</text>\n\
             <text class=\"button\" id=\"find\" x=\"{}\" y=\"20\" text-anchor=\"end\"></text>\n",
            WIDTH - MARGIN
        ));
        drawing.key();
        drawing.call(&format!("all {}", kind.what()), self, 0, 0);
        drawing.text.push_str(&format!("<script><![CDATA[\n{SCRIPT}]]></script>\n</svg>\n"));
        drawing.text
    }
}

struct Drawing<'f> {
    text: String,
    kind: Kind,
    all: &'f Flame,
    /// Where the lowest row ends.
    bottom: f64,
}

impl Drawing<'_> {
    /// Which colour stands for what.
    fn key(&mut self) {
        let mut x = MARGIN;
        for (name, colour) in COLOURS {
            self.text.push_str(&format!(
                "<rect x=\"{x}\" y=\"46\" width=\"10\" height=\"10\" fill=\"{}\"/><text class=\"key\" x=\"{}\" y=\"55\">{name}</text>\n",
                hex(colour),
                x + 14.0
            ));
            #[expect(clippy::cast_precision_loss, reason = "a few letters")]
            let words = name.len() as f64;
            x += 34.0 + 7.0 * words;
        }
    }

    /// A call that begins at `begin`, in the weight of all that lies left of it, and what it calls.
    #[expect(clippy::cast_precision_loss, reason = "pixels of what stays far below 2^53")]
    fn call(&mut self, name: &str, call: &Flame, begin: u64, depth: usize) {
        let all = self.all.weight.max(1) as f64;
        let scale = (WIDTH - 2.0 * MARGIN) / all;
        let width = call.weight as f64 * scale;
        if width < NARROWEST {
            return;
        }
        let (x, y) = (MARGIN + begin as f64 * scale, self.bottom - ROW * (depth + 1) as f64);
        let told = self.kind.told(call.weight, call.count);
        self.text.push_str(&format!(
            "<g class=\"call\" data-x=\"{begin}\" data-w=\"{}\" data-d=\"{depth}\"><title>{}\n{:.2} %, {told}</title>\
             <rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\" fill=\"{}\"/>\
             <text x=\"{:.2}\" y=\"{}\">{}</text></g>\n",
            call.weight,
            escaped(name),
            100.0 * call.weight as f64 / all,
            ROW - 1.0,
            colour(name),
            x + 3.0,
            y + 12.0,
            escaped(&fitting(name, width))
        ));
        let mut begin = begin;
        for (name, inner) in &call.calls {
            self.call(name, inner, begin, depth + 1);
            begin += inner.weight;
        }
    }
}

/// As much of a name as fits into so many pixels; nothing where that is next to nothing.
fn fitting(name: &str, width: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundred letters; `as` saturates")]
    let letters = ((width - 6.0) / LETTER) as usize;
    match name.chars().count() {
        count if count <= letters => name.to_owned(),
        _ if letters < 3 => String::new(),
        _ => format!("{}…", name.chars().take(letters - 1).collect::<String>()),
    }
}

/// The colour of its kind, a little lighter or darker by the name, so that neighbours differ.
fn colour(name: &str) -> String {
    let kind = if name.contains("gate::") {
        0
    } else if name.contains("duckdb") {
        1
    } else {
        usize::from(!is_rust(name)) + 2
    };
    let shade = name.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte)) % 24;
    hex(COLOURS[kind].1.map(|part| part.saturating_sub(shade)))
}

/// Whether a name is Rust's; C++'s standard library has paths as well.
fn is_rust(name: &str) -> bool {
    let inner = name.trim_start_matches(['<', '&', '*']);
    name.contains("::") && !inner.starts_with("std::__") && !inner.starts_with("__gnu") || name.starts_with("__rust")
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A text inside an element; what XML has no place for is left out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::flame::tests::taken;
    use super::*;

    fn drawn(stacks: &[(&[u32], u64)], names: &[&str]) -> String {
        Flame::of(&taken(stacks, names)).to_svg(Kind::Heap, "a & b", "here")
    }

    #[test]
    fn boxes_are_as_wide_as_their_share_and_lie_over_their_callers() {
        let svg = drawn(&[(&[1, 0], 3), (&[2, 0], 1)], &["main", "wide", "narrow"]);
        // 1,180 pixels for all; the root's row is the lowest.
        for part in [
            "data-x=\"0\" data-w=\"4\" data-d=\"0\"><title>all allocated bytes\n100.00 %, 4 bytes in 2 allocations</title><rect x=\"10.00\" y=\"98\" width=\"1180.00\"",
            "data-x=\"0\" data-w=\"4\" data-d=\"1\"><title>main\n100.00 %",
            "data-x=\"0\" data-w=\"1\" data-d=\"2\"><title>narrow\n25.00 %, 1 bytes in 1 allocations</title><rect x=\"10.00\" y=\"64\" width=\"295.00\"",
            "data-x=\"1\" data-w=\"3\" data-d=\"2\"><title>wide\n75.00 %, 3 bytes in 1 allocations</title><rect x=\"305.00\" y=\"64\" width=\"885.00\"",
            "<title>a &amp; b</title>",
        ] {
            assert!(svg.contains(part), "{part} is not in {svg}");
        }
        assert_eq!(drawn(&[(&[1, 0], 3), (&[2, 0], 1)], &["main", "wide", "narrow"]), svg);
    }

    #[test]
    fn names_are_text_whatever_they_hold() {
        let svg = drawn(&[(&[0], 1)], &["<a as b>::c & \"d\"\u{1b}[2J\u{0}"]);
        assert!(svg.contains("<title>&lt;a as b&gt;::c &amp; &quot;d&quot;[2J\n"), "{svg}");
        assert!(!svg.contains('\u{1b}') && !svg.contains('\u{0}'));
        // Nothing but the script's own brackets end its section.
        assert_eq!(svg.matches("]]>").count(), 1);
    }

    #[test]
    fn what_nobody_could_see_is_left_out() {
        let svg = drawn(&[(&[0], 1_000_000), (&[1], 1)], &["seen", "unseen"]);
        assert!(svg.contains("<title>seen") && !svg.contains("<title>unseen"));
    }

    #[test]
    fn a_name_is_cut_where_its_box_ends() {
        assert_eq!(fitting("abcdef", 100.0), "abcdef");
        assert_eq!(fitting("abcdefghijklmnopqrstuvwxyz", 40.0), "abcd…");
        assert_eq!(fitting("abcdefghijklmnopqrstuvwxyz", 12.0), "");
    }

    #[test]
    fn kinds_of_functions_have_their_colours() {
        let near = |name: &str, kind: usize| {
            let expected = COLOURS[kind].1;
            let found = colour(name);
            let part = |at: usize| u8::from_str_radix(&found[at..at + 2], 16).unwrap();
            let shades: Vec<u8> = (0..3).map(|i| expected[i] - part(1 + 2 * i)).collect();
            assert!(shades.iter().all(|shade| *shade < 24), "{name} is {found}");
        };
        near("<gate::workload::probe::Probe as gate::workload::Bench>::operation", 0);
        near("duckdb::Executor::Execute", 1);
        near("<alloc::vec::Vec<T> as core::clone::Clone>::clone", 2);
        near("std::__cxx11::basic_string::_M_append", 3);
        near("malloc", 3);
        near("[libc.so.6]", 3);
    }
}
