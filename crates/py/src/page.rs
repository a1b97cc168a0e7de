//! One page at the border: the sketch kernel, and its parts one by one.

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPool;

use pagekin_core::page::html::{auto_targets, extract};
use pagekin_core::page::text::words;
use pagekin_core::page::url::{domain, links};
use pagekin_core::page::{self, Page, Scratch, batch, charset, noise};
use pagekin_core::shingles::minwise;
use pagekin_core::style::fingerprint;

use crate::{enter, pool};

/// Words, style, structure, shingles, MD5 and text of a page.
type Single<'py> =
    (usize, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>, String, String);

/// The sketch kernel on a pool of `threads` threads.
#[pyclass(frozen)]
struct Sketcher {
    pool: ThreadPool,
    fresh: Scratch,
}

#[pymethods]
impl Sketcher {
    #[new]
    #[pyo3(signature = (threads, n=32, m=128, seed=0, content=true, structure=false, shingler=None))]
    fn new(
        threads: usize,
        n: usize,
        m: usize,
        seed: u64,
        content: bool,
        structure: bool,
        shingler: Option<&crate::shingles::Shingler>,
    ) -> PyResult<Self> {
        let style = crate::style::params(n, m, seed, content, structure)?;
        let shingles = shingler.map(|s| s.params).unwrap_or_default();
        Ok(Sketcher { pool: pool(threads)?, fresh: Scratch::new(style, shingles) })
    }

    /// A batch of records in, a batch of sketched records out.
    fn sketch<'py>(&self, py: Python<'py>, records: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let records = RecordBatch::from_pyarrow_bound(records)?;
        enter(py, || self.pool.install(|| batch::sketch_batch(&records, &self.fresh)))?.to_pyarrow(py)
    }

    /// One page on the caller's thread: its words, style, structure, shingles, MD5 and text. A batch of one
    /// record costs more than the page itself.
    #[pyo3(signature = (html=None, text=None, url=None))]
    fn sketch_one<'py>(
        &self,
        py: Python<'py>,
        html: Option<&[u8]>,
        text: Option<&str>,
        url: Option<&str>,
    ) -> PyResult<Single<'py>> {
        let page = Page { url, content_type: None, html, text };
        let found = enter(py, || Ok::<_, String>(page::sketch(page, &mut self.fresh.clone())))?;
        let bytes = |made: Option<Vec<u8>>| made.map(|made| PyBytes::new(py, &made));
        let (style, structure) = match &found.markup {
            Some(m) => {
                (m.style.as_deref().map(fingerprint::to_bytes), m.structure.as_deref().map(fingerprint::to_bytes))
            }
            None => (None, None),
        };
        let shingles = found.shingles.as_deref().map(minwise::to_bytes);
        Ok((found.words, bytes(style), bytes(structure), bytes(shingles), batch::hex(&found.md5), found.text))
    }
}

/// The characters of a page's bytes, the encoding they were in, and whether some were malformed.
#[pyfunction]
#[pyo3(name = "decode", signature = (html, content_type=None))]
fn py_decode(py: Python<'_>, html: &[u8], content_type: Option<&str>) -> PyResult<(String, &'static str, bool)> {
    enter(py, || {
        let decoded = charset::decode(html, content_type, None);
        Ok::<_, String>((decoded.html.into_owned(), decoded.charset, decoded.lossy))
    })
}

/// The noise of decoded HTML, with or without that of its content: scripts, style sheets, drawings and texts.
#[pyfunction]
#[pyo3(name = "noise", signature = (html, content=true))]
fn py_noise(py: Python<'_>, html: &str, content: bool) -> PyResult<String> {
    enter(py, || Ok::<_, String>(noise::noise(html, content)))
}

/// The visible text, the title, and the distinct link targets of decoded HTML; with `auto_targets` first
/// those of frames and refreshes.
#[pyfunction]
#[pyo3(name = "extract", signature = (html, url=None, auto_targets=false))]
#[allow(clippy::type_complexity)]
fn py_extract(
    py: Python<'_>,
    html: &str,
    url: Option<&str>,
    auto_targets: bool,
) -> PyResult<(String, Option<String>, Vec<(String, String)>)> {
    enter(py, || {
        let found = extract::extract(html);
        let mut hrefs = if auto_targets { auto_targets::auto_targets(html) } else { Vec::new() };
        hrefs.extend(&found.hrefs);
        let links = links::links(url.and_then(domain::parse).as_ref(), found.base, &hrefs);
        Ok::<_, String>((found.text, found.title, links.into_iter().map(|l| (l.url, l.domain.to_string())).collect()))
    })
}

#[pyfunction]
#[pyo3(name = "words")]
fn py_words(py: Python<'_>, text: &str) -> PyResult<Vec<String>> {
    enter(py, || Ok::<_, String>(words::words(text)))
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Sketcher>()?;
    m.add_function(wrap_pyfunction!(py_decode, m)?)?;
    m.add_function(wrap_pyfunction!(py_noise, m)?)?;
    m.add_function(wrap_pyfunction!(py_extract, m)?)?;
    m.add_function(wrap_pyfunction!(py_words, m)?)
}
