//! Duplicate classes at the border.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use pagekin_core::duplicates::{candidates, classes};

use crate::enter;
use crate::reducer::Reducer;
use crate::shingles::Shingler;

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
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<Self> {
        if bands == 0 || band_length == 0 || !(0.0..=1.0).contains(&similarity) {
            return Err(PyValueError::new_err("bands, band_length and similarity are out of range"));
        }
        let evidence =
            if similarity == 0.0 { candidates::Evidence::TwoBands } else { candidates::Evidence::OneBand(similarity) };
        let rule = candidates::BandRule { bands, band_length, evidence };
        Ok(DuplicateCandidates(Reducer::new(threads, candidates::CandidateFinder::new(rule, memory, &spill))?))
    }

    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, candidates::CandidateFinder::push)
    }

    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        Ok(vec![self.0.finish(py, candidates::CandidateFinder::finish)?.to_pyarrow(py)?])
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
        let fresh = shingler.fresh.clone();
        let state =
            enter(py, || classes::ClassBuilder::new(&edges, similarity, first_new, fresh, wrap, memory, &spill))?;
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
    m.add_class::<DuplicateClasses>()
}
