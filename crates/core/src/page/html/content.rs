//! Where a page's content is: what its authors put into scripts, style sheets, drawings and texts. The rest is the
//! template's.
//!
//! Of a text, content is all between its first and its last letter or digit. What stands outside of them, next to the
//! tags, is often the template's: white space, brackets, bullets.

use std::ops::Range;

/// Noise stands between letters: a text that is shorter has none.
const SHORTEST_TEXT: usize = 3;

/// A stretch of content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub at: Range<usize>,
    /// It is a text between tags; else it is content from end to end.
    pub text: bool,
}

/// Notes stretches of content while the markup is walked.
#[derive(Default)]
pub struct ContentFinder {
    /// What was found, in order; none overlap.
    pub stretches: Vec<Content>,
    /// Where the content of a drawing begins, and how many drawings inside it are open.
    drawing: Option<(usize, u64)>,
}

impl ContentFinder {
    /// The text between two tags.
    #[inline(always)]
    pub fn text(&mut self, from: usize, to: usize) {
        if to - from >= SHORTEST_TEXT {
            self.stretches.push(Content { at: from..to, text: true });
        }
    }

    /// The content of a script or a style sheet.
    pub fn code(&mut self, from: usize, to: usize) {
        self.stretches.push(Content { at: from..to, text: false });
    }

    pub fn begin_drawing(&mut self, content: usize) {
        self.drawing = self.drawing.map(|(begin, inner)| (begin, inner + 1)).or(Some((content, 0)));
    }

    /// The page goes on: a drawing that has not ended is none, so that no page can hide in one.
    pub fn leave_drawing(&mut self) {
        self.drawing = None;
    }

    /// The end tag of a drawing: its content, with the style sheets and texts in it, is one stretch.
    pub fn end_drawing(&mut self, end: usize) {
        self.drawing = match self.drawing {
            Some((begin, 0)) => {
                let outside = self.stretches.partition_point(|stretch| stretch.at.start < begin);
                self.stretches.truncate(outside);
                self.code(begin, end);
                None
            }
            Some((begin, inner)) => Some((begin, inner - 1)),
            None => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::page::html::extract::extract;

    #[test]
    fn drawings_are_one_stretch() {
        fn code(html: &str) -> Vec<&str> {
            extract(html).content.into_iter().filter(|part| !part.text).map(|part| &html[part.at]).collect()
        }
        assert_eq!(
            code("<svg/><svg a='>'><path d='1,2'/><style>x</style></svg>b"),
            ["<path d='1,2'/><style>x</style>"]
        );
        assert_eq!(code("<script>a</script><svg><svg>b and c</svg>c</SVG><style>d"), ["a", "<svg>b and c</svg>c", "d"]);
        assert_eq!(code("<p></svg><svg>never ends<script>a</script>"), ["a"]);
        assert_eq!(code("<svg><g><div>a page<style>b</style></div></svg>"), ["b"]);
    }

    #[test]
    fn texts_are_what_is_between_tags() {
        let html = "one <b>t</b> two<title>three</title><textarea>f <b></textarea><script>no</script><!-- no -->five";
        let found = extract(html).content;
        let texts: Vec<&str> = found.into_iter().filter(|part| part.text).map(|part| &html[part.at]).collect();
        assert_eq!(texts, ["one ", " two", "three", "f <b>", "five"]);
    }
}
