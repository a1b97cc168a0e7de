//! Duplicate classes at the border.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use pagekin_core::duplicates::bands::{self, BandRule, Evidence};
use pagekin_core::duplicates::phrase_sets::{self, Phrasing};
use pagekin_core::duplicates::{candidates, classes};

use crate::arrow::on_batch;
use crate::reducer::Reducer;
use crate::shingles::Shingler;
use crate::{enter, pool};

/// The rule of so many bands: the paper's, unless there is a similarity to reach.
fn rule(bands: usize, band_length: usize, similarity: f64) -> PyResult<BandRule> {
    if bands == 0 || band_length == 0 || !(0.0..=1.0).contains(&similarity) {
        return Err(PyValueError::new_err("bands, band_length and similarity are out of range"));
    }
    let evidence = if similarity == 0.0 { Evidence::TwoBands } else { Evidence::OneBand(similarity) };
    Ok(BandRule { bands, band_length, evidence })
}

/// One row for each key of each page.
#[pyfunction]
fn band_rows<'py>(
    sketches: &Bound<'py, PyAny>,
    bands: usize,
    band_length: usize,
    similarity: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let rule = rule(bands, band_length, similarity)?;
    on_batch(sketches, |rows| bands::band_rows(rows, rule))
}

/// The edges of complete groups of keys.
#[pyfunction]
fn band_edges<'py>(
    groups: &Bound<'py, PyAny>,
    bands: usize,
    band_length: usize,
    similarity: f64,
    first_new: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let rule = rule(bands, band_length, similarity)?;
    on_batch(groups, |rows| bands::band_edges(rows, rule, first_new))
}

/// Texts compared with the first of their group.
#[pyfunction]
fn compare_texts<'py>(
    groups: &Bound<'py, PyAny>,
    shingler: &Shingler,
    wrap: bool,
    similarity: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let pool = pool(threads)?;
    let phrasing = Phrasing { shingler: shingler.fresh.clone(), wrap };
    on_batch(groups, |rows| pool.install(|| phrase_sets::compare_texts(rows, &phrasing, similarity)))
}

/// Sketches to candidate pairs.
#[pyclass(frozen)]
struct DuplicateCandidates(Reducer<candidates::CandidateFinder>);

#[pymethods]
impl DuplicateCandidates {
    #[new]
    fn new(
        bands: usize,
        band_length: usize,
        similarity: f64,
        first_new: i64,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        let rule = rule(bands, band_length, similarity)?;
        let finder = candidates::CandidateFinder::new(rule, first_new, memory, &spill);
        Ok(DuplicateCandidates(Reducer::new(threads, finder)?))
    }

    fn push_known(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, candidates::CandidateFinder::push_known)
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, candidates::CandidateFinder::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.finish(py, candidates::CandidateFinder::finish)?.to_pyarrow(py)
    }
}

/// Edges and texts to duplicate classes.
#[pyclass(frozen)]
struct DuplicateClasses(Reducer<classes::ClassBuilder>);

#[pymethods]
impl DuplicateClasses {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        edges: &Bound<'_, PyAny>,
        similarity: f64,
        first_new: i64,
        shingler: &Shingler,
        wrap: bool,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        let py = edges.py();
        let edges = RecordBatch::from_pyarrow_bound(edges)?;
        let phrasing = Phrasing { shingler: shingler.fresh.clone(), wrap };
        let state = enter(py, || classes::ClassBuilder::new(&edges, similarity, first_new, phrasing, memory, &spill))?;
        Ok(DuplicateClasses(Reducer::new(threads, state)?))
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, classes::ClassBuilder::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batches = self.0.finish(py, classes::ClassBuilder::finish)?;
        batches.iter().map(|batch| batch.to_pyarrow(py)).collect()
    }
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<DuplicateCandidates>()?;
    m.add_class::<DuplicateClasses>()?;
    m.add_function(wrap_pyfunction!(band_edges, m)?)?;
    m.add_function(wrap_pyfunction!(band_rows, m)?)?;
    m.add_function(wrap_pyfunction!(compare_texts, m)?)
}
