//! The walk over a page's markup: text, title and links in one pass, without a tree.
//!
//! Every byte is looked at a bounded number of times and nothing is kept per open element but a few counters, so
//! that a million nested tags cost what a million flat ones do.

use std::ops::Range;

use crate::page::html::content::{Content, ContentFinder};
use crate::page::html::generator::GeneratorFinder;
use crate::page::html::markup::{Element, attributes, comment_end, element, end_tag, name_end};
use crate::page::html::skeleton::{MINIMA, Skeleton, number};
use crate::page::html::structure::{Structure, Tag};
use crate::page::html::text::TextWriter;
use crate::simd::find::find;

/// What a page's markup yields. Links are as written, still with character references.
pub struct Extract<'a> {
    pub text: String,
    /// The text of the first title outside drawings.
    pub title: Option<String>,
    /// The `href` of every `a` and `area`, in order.
    pub hrefs: Vec<&'a str>,
    /// The first `base`.
    pub base: Option<&'a str>,
    /// What the page says made it.
    pub generator: Option<String>,
    /// Minima over n-grams of its tags.
    pub skeleton: Option<[u16; MINIMA]>,
    /// The fingerprint of its structure, if it was asked for.
    pub structure: Option<Vec<u16>>,
    /// Where its content is: the insides of scripts, style sheets, drawings and texts.
    pub content: Vec<Content>,
}

struct Walk<'a> {
    html: &'a str,
    writer: TextWriter,
    title: Option<String>,
    hrefs: Vec<&'a str>,
    base: Option<&'a str>,
    generator: GeneratorFinder<'a>,
    skeleton: Skeleton,
    structure: Structure,
    content: ContentFinder,
    templates: u64,
    drawings: u64,
    pres: u64,
    listings: u64,
}

pub fn extract(html: &str) -> Extract<'_> {
    extract_with(html, 0)
}

/// The same, with a structure fingerprint of m dimensions unless that is none.
pub fn extract_with(html: &str, m: usize) -> Extract<'_> {
    let mut walk = Walk {
        html,
        writer: TextWriter::with_capacity(html.len() / 4),
        title: None,
        hrefs: Vec::new(),
        base: None,
        generator: GeneratorFinder::default(),
        skeleton: Skeleton::default(),
        structure: Structure::new(m),
        content: ContentFinder::default(),
        templates: 0,
        drawings: 0,
        pres: 0,
        listings: 0,
    };
    walk.run();
    Extract {
        text: walk.writer.finish(),
        title: walk.title.filter(|t| !t.is_empty()),
        hrefs: walk.hrefs,
        base: walk.base,
        generator: walk.generator.name(),
        skeleton: walk.skeleton.finish(),
        structure: walk.structure.finish(),
        content: walk.content.stretches,
    }
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        let bytes = self.html.as_bytes();
        let mut text_from = 0;
        let mut at = 0;
        while let Some(open) = find(b'<', bytes, at) {
            let after = match bytes.get(open + 1) {
                Some(b) if b.is_ascii_alphabetic() => {
                    self.text(text_from, open);
                    self.start_tag(open)
                }
                Some(b'/') => match bytes.get(open + 2) {
                    Some(b) if b.is_ascii_alphabetic() => {
                        self.text(text_from, open);
                        self.end_tag(open)
                    }
                    Some(_) => {
                        self.text(text_from, open);
                        skip_past_angle(bytes, open + 2)
                    }
                    // `</` and the end of the page: text.
                    None => break,
                },
                Some(b'!') if bytes[open..].starts_with(b"<!--") => {
                    self.text(text_from, open);
                    let end = comment_end(bytes, open);
                    self.generator.comment(&self.html[open + 4..end.max(open + 4)]);
                    end
                }
                Some(b'!' | b'?') => {
                    self.text(text_from, open);
                    skip_past_angle(bytes, open + 2)
                }
                _ => {
                    // A `<` that begins nothing is text.
                    at = open + 1;
                    continue;
                }
            };
            at = after;
            text_from = after;
        }
        self.text(text_from, bytes.len());
    }

    #[inline]
    fn text(&mut self, from: usize, to: usize) {
        if from < to {
            self.content.text(from, to);
            if self.templates == 0 {
                self.writer.write(&self.html.as_bytes()[from..to], true);
            }
        }
    }

    /// A start tag; returns where the page goes on.
    #[inline]
    fn start_tag(&mut self, open: usize) -> usize {
        let bytes = self.html.as_bytes();
        let name_from = open + 1;
        let name_to = name_end(bytes, name_from);
        let what = element(&bytes[name_from..name_to]);
        let mut tag = Tag::start(&bytes[name_from..name_to]);
        let wanted = self.structure.wanted();
        let mut saw = |name: &Range<usize>, value: &Range<usize>| {
            if wanted {
                tag.attribute(&bytes[name.clone()], &bytes[value.clone()]);
            }
        };
        let end = match what {
            Element::Link | Element::Base if self.templates == 0 => {
                let mut href = None;
                let end = attributes(bytes, name_to, |name, value| {
                    saw(&name, &value);
                    if href.is_none() && bytes[name].eq_ignore_ascii_case(b"href") {
                        href = Some(value);
                    }
                });
                if let (Some(_), Some(value)) = (end, href) {
                    let value = &self.html[value];
                    match what {
                        Element::Link => self.hrefs.push(value),
                        _ => self.base = self.base.or(Some(value)),
                    }
                }
                end
            }
            Element::Meta => self.generator.meta(self.html, name_to, saw),
            _ => attributes(bytes, name_to, |name, value| saw(&name, &value)),
        };
        // The page ends inside the tag: it is dropped with all it swallowed.
        let Some(end) = end else { return bytes.len() };
        let name = &bytes[name_from..name_to];
        if let Some(number) = number(name) {
            self.skeleton.tag(number);
        }
        self.structure.push(tag);
        match what {
            Element::Raw | Element::RawSpace => {
                self.separate(what);
                let (content, after) = self.raw_content(end, name);
                if name.eq_ignore_ascii_case(b"script") || name.eq_ignore_ascii_case(b"style") {
                    self.content.code(end, end + content.len());
                }
                after
            }
            Element::Title => {
                let (content, after) = self.raw_content(end, name);
                self.content.text(end, end + content.len());
                if self.title.is_none() && self.templates == 0 && self.drawings == 0 {
                    let mut writer = TextWriter::with_capacity(content.len());
                    writer.write(content, true);
                    self.title = Some(writer.finish());
                }
                after
            }
            Element::Textarea | Element::Xmp => {
                let (content, after) = self.raw_content(end, name);
                self.content.text(end, end + content.len());
                self.verbatim(what, content);
                after
            }
            Element::Plaintext => {
                self.content.text(end, bytes.len());
                self.verbatim(what, &bytes[end..]);
                bytes.len()
            }
            Element::Template => {
                self.templates += 1;
                end
            }
            _ => {
                match what {
                    // A drawing that ends in its own tag has no content.
                    Element::Svg if !bytes[..end].ends_with(b"/>") => self.content.begin_drawing(end),
                    Element::Block => self.content.leave_drawing(),
                    _ => (),
                }
                self.separate(what);
                self.open(what);
                end
            }
        }
    }

    /// An end tag; returns where the page goes on.
    #[inline]
    fn end_tag(&mut self, open: usize) -> usize {
        let bytes = self.html.as_bytes();
        let name_from = open + 2;
        let name_to = name_end(bytes, name_from);
        let Some(end) = attributes(bytes, name_to, |_, _| ()) else {
            return bytes.len();
        };
        self.structure.push(Tag::end(&bytes[name_from..name_to]));
        let what = element(&bytes[name_from..name_to]);
        if what == Element::Template {
            self.templates = self.templates.saturating_sub(1);
            return end;
        }
        if what == Element::Svg {
            self.content.end_drawing(open);
        }
        self.separate(what);
        self.close(what);
        end
    }

    /// Counts an element whose end matters.
    #[inline(always)]
    fn open(&mut self, what: Element) {
        if let Some(count) = self.count(what) {
            *count += 1;
            self.writer.count_lines(self.pres + self.listings > 0);
        }
    }

    /// Its end; one without a beginning means nothing.
    #[inline(always)]
    fn close(&mut self, what: Element) {
        if let Some(count) = self.count(what) {
            *count = count.saturating_sub(1);
            self.writer.count_lines(self.pres + self.listings > 0);
        }
    }

    #[inline(always)]
    fn count(&mut self, what: Element) -> Option<&mut u64> {
        if self.templates > 0 {
            return None;
        }
        match what {
            Element::Pre => Some(&mut self.pres),
            Element::Listing => Some(&mut self.listings),
            Element::Svg => Some(&mut self.drawings),
            _ => None,
        }
    }

    /// The break or space that an element puts at its beginning and end.
    #[inline(always)]
    fn separate(&mut self, what: Element) {
        if self.templates > 0 {
            return;
        }
        match what {
            Element::Block | Element::Pre | Element::Listing | Element::Xmp | Element::Plaintext => {
                self.writer.line_break()
            }
            Element::Space | Element::RawSpace | Element::Textarea | Element::Svg => self.writer.space(),
            _ => (),
        }
    }

    /// Text in which tags mean nothing.
    fn verbatim(&mut self, what: Element, content: &[u8]) {
        if self.templates > 0 {
            return;
        }
        self.separate(what);
        self.writer.count_lines(true);
        self.writer.write(content, what == Element::Textarea);
        self.writer.count_lines(self.pres + self.listings > 0);
        self.separate(what);
    }

    /// The content of an element that only its own end tag ends, and where the page goes on behind that.
    fn raw_content(&mut self, from: usize, name: &[u8]) -> (&'a [u8], usize) {
        let bytes = self.html.as_bytes();
        match end_tag(bytes, from, name) {
            Some((begin, name_to)) => {
                (&bytes[from..begin], attributes(bytes, name_to, |_, _| ()).unwrap_or(bytes.len()))
            }
            None => (&bytes[from..], bytes.len()),
        }
    }
}

fn skip_past_angle(bytes: &[u8], from: usize) -> usize {
    find(b'>', bytes, from).map_or(bytes.len(), |found| found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        extract(html).text
    }

    #[test]
    fn blocks_and_inlines() {
        assert_eq!(text("<p>un<b>break</b>able<p>two<br/>three<td>x<td>y"), "unbreakable\ntwo\nthree x y");
        assert_eq!(text("a<script>var x = '</p>';</script>b<STYLE>p{}</STYLE >c"), "abc");
        assert_eq!(text("1 < 2 <3 </ p> &lt;b&gt; </>x"), "1 < 2 <3 <b> x");
        assert_eq!(text("a<pre>x\n  y</pre>b\nc"), "a\nx\ny\nb c");
        assert_eq!(text("a<xmp><b>&amp;</xmp>b<plaintext>c</plaintext>"), "a\n<b>&amp;\nb\nc</plaintext>");
    }

    #[test]
    fn what_never_ends() {
        assert_eq!(text("a<!-- b"), "a");
        assert_eq!(text("a<script>b</scrip"), "a");
        assert_eq!(text("a<b title='c>d"), "a");
        assert_eq!(text("a<"), "a<");
        assert_eq!(text("a</"), "a</");
        assert_eq!(text("a<![CDATA[b]]>c"), "ac");
        assert_eq!(text("a<template><p>b<template>c</template>d</template>e"), "ae");
    }

    #[test]
    fn titles_links_bases() {
        let page = extract(
            "<svg><title>no</title></svg><title> Yes &amp;\n no </title><title>late</title>\
             <base target=x><base href='/b/'><base href='/c/'><A HREF=x?a&amp;b href=y>t</a><area href='z'><a name=q>",
        );
        assert_eq!(page.title.as_deref(), Some("Yes & no"));
        assert_eq!(page.base, Some("/b/"));
        assert_eq!(page.hrefs, ["x?a&amp;b", "z"]);
        assert_eq!(page.text, "t");
    }

    #[test]
    fn hostile_markup_is_linear() {
        // Seconds would be hours if any of these were quadratic.
        let million = 1_000_000;
        assert_eq!(text(&"<div>".repeat(million)), "");
        assert_eq!(text(&"<".repeat(million)), "<".repeat(million));
        assert_eq!(text(&format!("<p {}>x", "a=b ".repeat(million))), "x");
        assert_eq!(text(&"<!--".repeat(million)), "");
        assert_eq!(text(&"<!----".repeat(million)), "");
        assert_eq!(text(&format!("<title>{}", "</title".repeat(million))), "");
        assert_eq!(text(&"&".repeat(million)), "&".repeat(million));
        assert_eq!(text(&"<a href='".repeat(million)).len(), 0);
        assert_eq!(extract(&"<svg><style>x</style></svg>".repeat(million)).content.len(), million);
        assert!(extract(&"<svg>".repeat(million)).content.is_empty());
    }
}
