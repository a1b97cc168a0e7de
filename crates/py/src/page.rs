//! One page at the border: the sketch kernel, and its parts one by one.

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::page::html::{auto_targets, extract};
use pagekin_core::page::text::words;
use pagekin_core::page::url::{domain, links};
use pagekin_core::page::{Scratch, batch, charset, noise};

use crate::{enter, pool};

/// The sketch kernel on a pool of `threads` threads.
#[pyclass(frozen)]
struct Sketcher {
    pool: ThreadPool,
    fresh: Scratch,
}

#[pymethods]
impl Sketcher {
    #[new]
    #[pyo3(signature = (threads, n=32, m=128, seed=0, scripts=true, structure=false, shingler=None))]
    fn new(
        threads: usize,
        n: usize,
        m: usize,
        seed: u64,
        scripts: bool,
        structure: bool,
        shingler: Option<&crate::shingles::Shingler>,
    ) -> PyResult<Self> {
        let style = crate::style::params(n, m, seed, scripts, structure)?;
        let shingles = shingler.map(|s| s.params).unwrap_or_default();
        Ok(Sketcher { pool: pool(threads)?, fresh: Scratch::new(style, shingles) })
    }

    /// A batch of records in, a batch of sketched records out.
    fn sketch<'py>(&self, py: Python<'py>, records: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let records = RecordBatch::from_pyarrow_bound(records)?;
        enter(py, || self.pool.install(|| batch::sketch_batch(&records, &self.fresh)))?.to_pyarrow(py)
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

/// The noise of decoded HTML, with or without that of scripts and style sheets.
#[pyfunction]
#[pyo3(name = "noise", signature = (html, scripts=true))]
fn py_noise(py: Python<'_>, html: &str, scripts: bool) -> PyResult<String> {
    enter(py, || Ok::<_, String>(noise::noise(html, scripts)))
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

/// How many words a page's bytes hold: decoding, extraction, word breaking and folding, and nothing else.
#[pyfunction]
#[pyo3(signature = (html, content_type=None))]
fn count_words(py: Python<'_>, html: &[u8], content_type: Option<&str>) -> PyResult<usize> {
    enter(py, || {
        let mut found = words::Words::default();
        found.fill(&extract::extract(&charset::decode(html, content_type, None).html).text);
        Ok::<_, String>(found.len())
    })
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Sketcher>()?;
    m.add_function(wrap_pyfunction!(py_decode, m)?)?;
    m.add_function(wrap_pyfunction!(py_noise, m)?)?;
    m.add_function(wrap_pyfunction!(py_extract, m)?)?;
    m.add_function(wrap_pyfunction!(py_words, m)?)?;
    m.add_function(wrap_pyfunction!(count_words, m)?)
}
