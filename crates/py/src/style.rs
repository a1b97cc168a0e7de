//! Styles at the border: fingerprints, one to all, and clusters.

use std::cell::RefCell;
use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPool;

use pagekin_core::page::html::extract::extract;
use pagekin_core::page::html::structure as page_structure;
use pagekin_core::page::noise;
use pagekin_core::style::fingerprint::{self as style, Divisor, from_bytes};
use pagekin_core::style::matrix::Matrix;
use pagekin_core::style::members::member_batch;
use pagekin_core::style::prints::Prints;
use pagekin_core::style::probes::{BigBucket, ClusterParams, Clusterer};
use pagekin_core::style::scan::{one_to_all, row_by_row};

use crate::arrow::on_batch;
use crate::{enter, pool};

/// Style parameters, checked.
pub fn params(n: usize, m: usize, seed: u64, content: bool, structure: bool) -> PyResult<style::StyleParams> {
    let params = style::StyleParams { n, m, seed, content, structure };
    if style::StyleParams::N.contains(&n) && style::StyleParams::M.contains(&m) {
        Ok(params)
    } else {
        Err(PyValueError::new_err(format!("style parameters out of range: {params:?}")))
    }
}

/// The style fingerprint of decoded HTML, m numbers of 16 bits as they are stored; None if its noise is shorter than n.
#[pyfunction]
#[pyo3(signature = (html, n=32, m=128, seed=0, content=true))]
fn fingerprint<'py>(
    py: Python<'py>,
    html: &str,
    n: usize,
    m: usize,
    seed: u64,
    content: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let params = params(n, m, seed, content, false)?;
    let made = enter(py, || {
        Ok::<_, String>(LAST.with_borrow_mut(|last| {
            let fresh = || (params, noise::Noise::default(), style::Fingerprinter::new(params));
            let (_, noise, fingerprinter) = match last {
                Some(last) if last.0 == params => last,
                _ => last.insert(fresh()),
            };
            match content {
                true => noise.fill(html),
                false => noise.fill_without(html, &extract(html).content),
            }
            let fingerprint = fingerprinter.fingerprint(noise.as_bytes());
            noise.release();
            fingerprint
        }))
    })?;
    Ok(made.map(|minima| PyBytes::new(py, &style::to_bytes(&minima))))
}

thread_local! {
    /// What the thread's last fingerprint was made with, for the next: its buffers cost more than a small page.
    static LAST: RefCell<Option<(style::StyleParams, noise::Noise, style::Fingerprinter)>> = const { RefCell::new(None) };
}

/// How many n-grams of noise two pages have, and how many of them in common.
#[pyfunction]
#[pyo3(signature = (a, b, n=32, content=true))]
fn style_overlap(py: Python<'_>, a: &str, b: &str, n: usize, content: bool) -> PyResult<(usize, usize, usize)> {
    params(n, 1, 0, content, false)?;
    enter(py, || {
        let [a, b] = [a, b].map(|html| noise::noise(html, content));
        let found = style::overlap(a.as_bytes(), b.as_bytes(), n);
        Ok::<_, String>((found.a, found.b, found.both))
    })
}

/// The stretches of the noise of `a`, in characters, that are covered by n-grams it shares with `b`.
#[pyfunction]
#[pyo3(signature = (a, b, n=32, content=true))]
fn shared_spans(py: Python<'_>, a: &str, b: &str, n: usize, content: bool) -> PyResult<Vec<(usize, usize)>> {
    params(n, 1, 0, content, false)?;
    enter(py, || {
        let [a, b] = [a, b].map(|html| noise::noise(html, content));
        let spans = style::shared_spans(a.as_bytes(), b.as_bytes(), n);
        Ok::<_, String>(spans.into_iter().map(|span| (span.start, span.end)).collect())
    })
}

/// The fingerprint of the structure of decoded HTML, as it is stored; None if it has fewer than four tags.
#[pyfunction]
#[pyo3(signature = (html, m=128))]
fn structure<'py>(py: Python<'py>, html: &str, m: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
    params(1, m, 0, false, true)?;
    let made = enter(py, || Ok::<_, String>(page_structure::structure(html, m)))?;
    Ok(made.map(|minima| PyBytes::new(py, &style::to_bytes(&minima))))
}

/// Two fingerprints: matching dimensions, dimensions filled in either, the unbiased estimate of Jaccard, its error.
#[pyfunction]
fn style_matches(a: &[u8], b: &[u8]) -> (u32, u32, f64, f64) {
    let found = style::compare(&style::from_bytes(a), &style::from_bytes(b));
    (found.matching, found.filled, found.jaccard(), found.standard_error())
}

/// Fingerprints in memory, for one-to-all scans.
#[pyclass(frozen)]
struct StyleMatrix {
    pool: ThreadPool,
    matrix: Mutex<Matrix>,
    divisor: Divisor,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[pymethods]
impl StyleMatrix {
    #[new]
    fn new(threads: usize, m: usize, over_m: bool) -> PyResult<Self> {
        let matrix = Mutex::new(Matrix::new(m));
        Ok(StyleMatrix { pool: pool(threads)?, matrix, divisor: Divisor::new(m, over_m) })
    }

    /// Adds the columns `page` and `style` of a batch.
    fn push(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        enter(py, || locked(&self.matrix).push_batch(&batch))
    }

    /// How one fingerprint compares with each of these: page, matching, filled, similarity, in the order of pushing.
    fn scan<'py>(&self, py: Python<'py>, fingerprint: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let fingerprint = from_bytes(fingerprint);
        let found = enter(py, || {
            let matrix = locked(&self.matrix);
            if fingerprint.len() != matrix.m() {
                return Err(format!("a fingerprint of {} dimensions, not {}", fingerprint.len(), matrix.m()));
            }
            self.pool.install(|| one_to_all(&matrix, &fingerprint, self.divisor)).map_err(|e| e.to_string())
        })?;
        found.to_pyarrow(py)
    }
}

/// Clusters all fingerprints pushed into it, probe by probe.
#[pyclass(frozen)]
struct StyleClusters {
    pool: ThreadPool,
    params: ClusterParams,
    cut: bool,
    work: Mutex<Work>,
}

/// Parameters that fit m dimensions.
pub fn checked(m: usize, params: ClusterParams) -> PyResult<ClusterParams> {
    let misfit = || PyValueError::new_err(format!("m = {m} does not fit {params:?}"));
    params.fits(m).then_some(params).ok_or_else(misfit)
}

enum Work {
    Collecting(Prints),
    Probing(Box<Clusterer>),
    Done(Vec<BigBucket>),
}

#[pymethods]
impl StyleClusters {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        threads: usize,
        m: usize,
        k: usize,
        p: usize,
        t: u32,
        structure_t: u32,
        budget: usize,
        seed: u64,
        over_m: bool,
        cut: bool,
    ) -> PyResult<Self> {
        let params = checked(m, ClusterParams { k, p, t, structure_t, budget, seed, over_m })?;
        let work = Mutex::new(Work::Collecting(Prints::new(m, &params)));
        Ok(StyleClusters { pool: pool(threads)?, params, cut, work })
    }

    /// Adds the columns `page`, `style` and, if it counts, `structure` of a batch.
    fn push(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        enter(py, || match &mut *locked(&self.work) {
            Work::Collecting(prints) => prints.push_batch(&batch).map_err(|e| e.to_string()),
            _ => Err("fingerprints come before the probes".to_owned()),
        })
    }

    /// Links what one probe finds; the probes are numbered from 0: p for the noise, then p for the structure if it counts.
    fn probe(&self, py: Python<'_>, number: usize) -> PyResult<()> {
        enter(py, || {
            self.pool.install(|| {
                let mut work = locked(&self.work);
                if let Work::Collecting(prints) = &mut *work {
                    let prints = std::mem::replace(prints, Prints { layers: Vec::new(), ..*prints });
                    *work = Work::Probing(Box::new(Clusterer::new(prints, self.params)));
                }
                match &mut *work {
                    Work::Probing(clusterer) if number < clusterer.probes() => {
                        clusterer.probe(number);
                        Ok(())
                    }
                    _ => Err(format!("there is no probe {number}")),
                }
            })
        })
    }

    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = enter(py, || {
            let mut work = locked(&self.work);
            let Work::Probing(clusterer) = std::mem::replace(&mut *work, Work::Done(Vec::new())) else {
                return Err("members come after the probes, once".to_owned());
            };
            let (prints, labels, big) = clusterer.finish();
            *work = Work::Done(big);
            self.pool.install(|| member_batch(&prints, &labels, self.cut)).map_err(|e| e.to_string())
        })?;
        found.to_pyarrow(py)
    }

    /// After `members`: the buckets too large for all pairs, largest first: dimensions, minima, fingerprints.
    fn big_buckets(&self) -> Vec<(Vec<usize>, Vec<u16>, usize)> {
        match &*locked(&self.work) {
            Work::Done(big) => big.iter().map(|b| (b.dimensions.clone(), b.values.clone(), b.members)).collect(),
            _ => Vec::new(),
        }
    }
}

/// Row by row, the similarity of the columns `a` and `b` of minima, in millionths.
#[pyfunction]
fn minima_similarity<'py>(batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(batch, row_by_row)
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(fingerprint, m)?)?;
    m.add_function(wrap_pyfunction!(structure, m)?)?;
    m.add_function(wrap_pyfunction!(style_overlap, m)?)?;
    m.add_function(wrap_pyfunction!(shared_spans, m)?)?;
    m.add_function(wrap_pyfunction!(style_matches, m)?)?;
    m.add_class::<StyleMatrix>()?;
    m.add_class::<StyleClusters>()?;
    m.add_function(wrap_pyfunction!(minima_similarity, m)?)
}
