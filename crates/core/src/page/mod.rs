//! Everything we take from one page, while its bytes are in the cache.
//!
//! A new kernel joins here: it reads the decoded HTML, the noise, the words or the text that this pass already holds,
//! and adds a field to `Sketch`.

pub mod batch;
pub mod charset;
pub mod html;
pub mod noise;
pub mod text;
pub mod url;

use ::url::Url;
use md5::{Digest, Md5};

use crate::page::charset::decode;
use crate::page::html::extract::extract_with;
use crate::page::html::skeleton::MINIMA;
use crate::page::noise::Noise;
use crate::page::text::words::Words;
use crate::page::url::domain::domain;
use crate::page::url::links::{Link, links};
use crate::shingles::minwise::{ShingleParams, Shingler};
use crate::ssdeep::digest as ssdeep;
use crate::style::fingerprint::{Fingerprinter, StyleParams};

/// One page as the crawl has it.
#[derive(Clone, Copy, Default)]
pub struct Page<'a> {
    pub url: Option<&'a str>,
    pub content_type: Option<&'a str>,
    /// Its bytes, or none if the crawl kept only text.
    pub html: Option<&'a [u8]>,
    /// Its text, if the crawl kept only that.
    pub text: Option<&'a str>,
}

/// What we know of the HTML, for pages that have it.
#[derive(Default)]
pub struct HtmlSketch {
    pub charset: &'static str,
    /// Malformed bytes were met.
    pub lossy: bool,
    pub bytes: usize,
    pub noise_chars: usize,
    /// Style fingerprint, if the noise is long enough for one.
    pub style: Option<Vec<u16>>,
    /// Structure fingerprint, if it is wanted and there are tags enough.
    pub structure: Option<Vec<u16>>,
    /// Minima over the n-grams of tags.
    pub skeleton: Option<[u16; MINIMA]>,
    pub title: Option<String>,
    /// What the page says made it.
    pub generator: Option<String>,
    /// Distinct targets.
    pub links: Vec<Link>,
}

/// What we keep of a page.
#[derive(Default)]
pub struct Sketch {
    pub host: Option<String>,
    pub domain: Option<String>,
    pub markup: Option<HtmlSketch>,
    pub text: String,
    pub words: usize,
    /// Shingles, if there are words.
    pub shingles: Option<Vec<u64>>,
    pub md5: [u8; 16],
    pub ssdeep: String,
}

/// Parameters and buffers that are reused from page to page; a fresh one is cheap to clone.
#[derive(Clone)]
pub struct Scratch {
    noise: Noise,
    words: Words,
    style: StyleParams,
    fingerprinter: Fingerprinter,
    shingler: Shingler,
}

impl Scratch {
    pub fn new(style: StyleParams, shingles: ShingleParams) -> Self {
        Scratch {
            noise: Noise::default(),
            words: Words::default(),
            style,
            fingerprinter: Fingerprinter::new(style),
            shingler: Shingler::new(shingles),
        }
    }
}

/// The one pass over a page.
pub fn sketch(page: Page<'_>, scratch: &mut Scratch) -> Sketch {
    let url = page.url.and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).map(str::to_owned);
    let (markup, text) = match page.html {
        Some(bytes) => {
            let (markup, text) = read_markup(bytes, page.content_type, url.as_ref(), host.as_deref(), scratch);
            (Some(markup), text)
        }
        None => (None, page.text.unwrap_or_default().to_owned()),
    };
    scratch.words.fill(&text);
    let words = scratch.words.len();
    let shingles = scratch.shingler.shingles(&scratch.words);
    scratch.shingler.release();
    scratch.words.release();
    Sketch {
        domain: host.as_deref().map(|host| domain(host).to_owned()),
        host,
        markup,
        words,
        shingles,
        md5: Md5::digest(&text).into(),
        ssdeep: ssdeep::digest(text.as_bytes()),
        text,
    }
}

fn read_markup(
    bytes: &[u8],
    content_type: Option<&str>,
    url: Option<&Url>,
    host: Option<&str>,
    scratch: &mut Scratch,
) -> (HtmlSketch, String) {
    let tld = host.and_then(|host| host.rsplit('.').next());
    let decoded = decode(bytes, content_type, tld);
    let wanted = scratch.style;
    let found = extract_with(&decoded.html, if wanted.structure { wanted.m } else { 0 });
    scratch.noise.fill_without(&decoded.html, if wanted.content { &[] } else { &found.content });
    let noise_chars = scratch.noise.chars();
    let style = scratch.fingerprinter.fingerprint(scratch.noise.as_bytes());
    scratch.noise.release();
    let markup = HtmlSketch {
        charset: decoded.charset,
        lossy: decoded.lossy,
        bytes: bytes.len(),
        noise_chars,
        style,
        structure: found.structure,
        skeleton: found.skeleton,
        title: found.title,
        generator: found.generator,
        links: links(url, found.base, &found.hrefs),
    };
    (markup, found.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Scratch {
        Scratch::new(StyleParams::default(), ShingleParams::default())
    }

    #[test]
    fn html_page() {
        let page = Page {
            url: Some("http://www.a.co.uk/x/"),
            content_type: Some("text/html; charset=latin1"),
            html: Some(b"<title>T</title><p>Caf\xE9 <a href=y>noir</a>"),
            text: None,
        };
        let sketch = sketch(page, &mut fresh());
        assert_eq!(sketch.host.as_deref(), Some("www.a.co.uk"));
        assert_eq!(sketch.domain.as_deref(), Some("a.co.uk"));
        assert_eq!(sketch.text, "Café noir");
        assert_eq!(sketch.words, 2);
        assert_eq!(sketch.shingles.unwrap().len(), 84);
        let markup = sketch.markup.unwrap();
        assert_eq!((markup.charset, markup.lossy), ("windows-1252", false));
        assert_eq!(markup.links.len(), 1);
        assert!(markup.style.is_none());
        assert_eq!(markup.noise_chars, "<></><> < =></>".len());
    }

    #[test]
    fn text_page_and_nothing() {
        let page = Page { text: Some("only words"), ..Page::default() };
        let sketch = super::sketch(page, &mut fresh());
        assert_eq!((sketch.words, sketch.text.as_str()), (2, "only words"));
        assert!(sketch.markup.is_none() && sketch.host.is_none());
        let nothing = super::sketch(Page::default(), &mut fresh());
        assert_eq!((nothing.words, nothing.shingles), (0, None));
    }
}
