//! The border between pagekin's kernels and Python: `pagekin._core`.
//!
//! Every call that does work goes through one door, [`enter`]: it releases the GIL, runs on a pool of the size the
//! caller asked for, and turns errors and panics into Python exceptions. Nothing else happens here.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use pagekin_core::page::Scratch;
use pagekin_core::{charset, domain, extract, frames, links, noise, sketch, words};

mod clusters;
mod duplicates;
mod forest;
mod fuzzy;
mod originals;
mod phrases;
mod places;
mod quilts;
mod search;
mod shingles;
mod styles;

/// The one door: runs `work` without the GIL.
fn enter<T: Send, E: ToString + Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, E> + Send) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(PyValueError::new_err(error.to_string())),
        Err(_) => Err(PyRuntimeError::new_err("a kernel failed; the panic message is on stderr")),
    }
}

/// The threads of one kernel.
fn pool(threads: usize) -> PyResult<ThreadPool> {
    if threads == 0 {
        return Err(PyValueError::new_err("threads must be at least 1"));
    }
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("pagekin-{i}"))
        .build()
        .map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

/// The sketch kernel on a pool of `threads` threads.
#[pyclass(frozen)]
struct Sketcher {
    pool: ThreadPool,
    fresh: Scratch,
}

#[pymethods]
impl Sketcher {
    #[new]
    #[pyo3(signature = (threads, n=32, m=128, seed=0, shingler=None))]
    fn new(threads: usize, n: usize, m: usize, seed: u64, shingler: Option<&shingles::Shingler>) -> PyResult<Self> {
        let style = styles::params(n, m, seed)?;
        let shingles = shingler.map(|s| s.params).unwrap_or_default();
        Ok(Sketcher { pool: pool(threads)?, fresh: Scratch::new(style, shingles) })
    }

    /// A batch of records in, a batch of sketched records out.
    fn sketch<'py>(&self, py: Python<'py>, records: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let records = RecordBatch::from_pyarrow_bound(records)?;
        enter(py, || self.pool.install(|| sketch::sketch_batch(&records, &self.fresh)))?.to_pyarrow(py)
    }
}

fn decode<'a>(html: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    charset::decode(html, content_type, None).html
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

/// The noise of decoded HTML.
#[pyfunction]
#[pyo3(name = "noise")]
fn py_noise(py: Python<'_>, html: &str) -> PyResult<String> {
    enter(py, || Ok::<_, String>(noise::noise(html)))
}

/// The visible text, the title, and the distinct link targets of decoded HTML; with `frames` also where it leads by
/// itself, which comes first.
#[pyfunction]
#[pyo3(name = "extract", signature = (html, url=None, frames=false))]
#[allow(clippy::type_complexity)]
fn py_extract(
    py: Python<'_>,
    html: &str,
    url: Option<&str>,
    frames: bool,
) -> PyResult<(String, Option<String>, Vec<(String, String)>)> {
    enter(py, || {
        let found = extract::extract(html);
        let mut hrefs = if frames { frames::frames(html) } else { Vec::new() };
        hrefs.extend(&found.hrefs);
        let links = links::links(url.and_then(domain::parse).as_ref(), found.base, &hrefs);
        Ok::<_, String>((found.text, found.title, links.into_iter().map(|l| (l.url, l.domain.to_string())).collect()))
    })
}

/// The words of a text.
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
        found.fill(&extract::extract(&decode(html, content_type)).text);
        Ok::<_, String>(found.len())
    })
}

/// The host of a URL in lower case.
#[pyfunction]
#[pyo3(name = "host")]
fn py_host(url: &str) -> Option<String> {
    domain::host(url)
}

/// The registered domain of a host, or the host itself.
#[pyfunction]
#[pyo3(name = "domain")]
fn py_domain(host: &str) -> &str {
    domain::domain(host)
}

#[pymodule]
#[pyo3(name = "_core")]
fn core_module(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let (major, minor, micro) = char::UNICODE_VERSION;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("UNICODE_VERSION", format!("{major}.{minor}.{micro}"))?;
    m.add_class::<Sketcher>()?;
    m.add_function(wrap_pyfunction!(py_decode, m)?)?;
    m.add_function(wrap_pyfunction!(py_noise, m)?)?;
    m.add_function(wrap_pyfunction!(py_extract, m)?)?;
    m.add_function(wrap_pyfunction!(py_words, m)?)?;
    m.add_function(wrap_pyfunction!(count_words, m)?)?;
    m.add_function(wrap_pyfunction!(py_host, m)?)?;
    m.add_function(wrap_pyfunction!(py_domain, m)?)?;
    clusters::register(m)?;
    duplicates::register(m)?;
    forest::register(m)?;
    originals::register(m)?;
    phrases::register(m)?;
    places::register(m)?;
    shingles::register(m)?;
    quilts::register(m)?;
    search::register(m)?;
    styles::register(m)?;
    fuzzy::register(m)?;
    Ok(())
}
