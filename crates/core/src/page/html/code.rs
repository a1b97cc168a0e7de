//! Where a page's code is: the contents of its scripts, style sheets and drawings.

use std::ops::Range;

/// Notes stretches of code while the markup is walked.
#[derive(Default)]
pub struct CodeFinder {
    /// What was found, in order; none overlap.
    pub stretches: Vec<Range<usize>>,
    /// Where the content of a drawing begins, and how many drawings inside it are open.
    drawing: Option<(usize, u64)>,
}

impl CodeFinder {
    pub fn begin_drawing(&mut self, content: usize) {
        self.drawing = self.drawing.map(|(begin, inner)| (begin, inner + 1)).or(Some((content, 0)));
    }

    /// The page goes on: a drawing that has not ended is none, so that nobody hides a page in one.
    pub fn leave_drawing(&mut self) {
        self.drawing = None;
    }

    /// The end tag of a drawing: its content, with the style sheets in it, is one stretch.
    pub fn end_drawing(&mut self, end: usize) {
        self.drawing = match self.drawing {
            Some((begin, 0)) => {
                let outside = self.stretches.partition_point(|stretch| stretch.start < begin);
                self.stretches.truncate(outside);
                self.stretches.push(begin..end);
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
            extract(html).code.into_iter().map(|at| &html[at]).collect()
        }
        assert_eq!(
            code("<svg/><svg a='>'><path d='1,2'/><style>x</style></svg>b"),
            ["<path d='1,2'/><style>x</style>"]
        );
        assert_eq!(code("<script>a</script><svg><svg>b</svg>c</SVG><style>d"), ["a", "<svg>b</svg>c", "d"]);
        assert_eq!(code("<p></svg><svg>never ends<script>a</script>"), ["a"]);
        assert_eq!(code("<svg><g><div>a page<style>b</style></div></svg>"), ["b"]);
    }
}
