//! Many fingerprints at the border: one to all, and clusters.

use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::cluster::{BigBucket, ClusterParams, Clusterer};
use pagekin_core::matrix::Matrix;
use pagekin_core::members::member_batch;
use pagekin_core::one_to_all::{one_to_all, row_by_row};
use pagekin_core::style::from_bytes;

use crate::{enter, pool};

/// Fingerprints in memory, for one-to-all scans.
#[pyclass(frozen)]
struct StyleMatrix {
    pool: ThreadPool,
    matrix: Mutex<Matrix>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[pymethods]
impl StyleMatrix {
    #[new]
    fn new(threads: usize, m: usize) -> PyResult<Self> {
        Ok(StyleMatrix { pool: pool(threads)?, matrix: Mutex::new(Matrix::new(m)) })
    }

    /// Adds the columns `page` and `style` of a batch.
    fn push(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        enter(py, || locked(&self.matrix).push_batch(&batch))
    }

    /// How many fingerprints there are.
    fn rows(&self) -> usize {
        locked(&self.matrix).len()
    }

    /// How many bytes they take.
    fn nbytes(&self) -> usize {
        let matrix = locked(&self.matrix);
        matrix.len() * 2 * matrix.m()
    }

    /// How one fingerprint compares with each of these: page, matching, filled, similarity, in the order of pushing.
    fn scan<'py>(&self, py: Python<'py>, fingerprint: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let fingerprint = from_bytes(fingerprint);
        let found = enter(py, || {
            let matrix = locked(&self.matrix);
            if fingerprint.len() != matrix.m() {
                return Err(format!("a fingerprint of {} dimensions, not {}", fingerprint.len(), matrix.m()));
            }
            self.pool.install(|| one_to_all(&matrix, &fingerprint)).map_err(|e| e.to_string())
        })?;
        found.to_pyarrow(py)
    }

    /// Only the counting of matches, for every row; returns how many match in at least `t` dimensions.
    fn count(&self, py: Python<'_>, fingerprint: &[u8], t: u32) -> PyResult<usize> {
        let fingerprint = from_bytes(fingerprint);
        enter(py, || {
            let matrix = locked(&self.matrix);
            let found = self.pool.install(|| matrix.scan(&fingerprint));
            Ok::<_, String>(found.iter().filter(|f| f.matching >= t).count())
        })
    }

    /// Only reading the bytes, on the same threads; returns their sum. What a scan is measured against.
    fn touch(&self, py: Python<'_>) -> PyResult<u64> {
        enter(py, || Ok::<_, String>(self.pool.install(|| locked(&self.matrix).touch())))
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

enum Work {
    Collecting(Matrix),
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
        budget: usize,
        seed: u64,
        cut: bool,
    ) -> PyResult<Self> {
        let params = ClusterParams { k, p, t, budget, seed };
        if !params.fits(m) {
            return Err(PyValueError::new_err(format!("m = {m} does not fit {params:?}")));
        }
        Ok(StyleClusters { pool: pool(threads)?, params, cut, work: Mutex::new(Work::Collecting(Matrix::new(m))) })
    }

    /// Adds the columns `page` and `style` of a batch.
    fn push(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        enter(py, || match &mut *locked(&self.work) {
            Work::Collecting(matrix) => matrix.push_batch(&batch).map_err(|e| e.to_string()),
            _ => Err("fingerprints come before the probes".to_owned()),
        })
    }

    /// Links what one probe finds; the probes are numbered from 0 to p.
    fn probe(&self, py: Python<'_>, number: usize) -> PyResult<()> {
        enter(py, || {
            self.pool.install(|| {
                let mut work = locked(&self.work);
                if let Work::Collecting(matrix) = &mut *work {
                    let matrix = std::mem::replace(matrix, Matrix::new(1));
                    *work = Work::Probing(Box::new(Clusterer::new(matrix, self.params)));
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

    /// The members of all clusters.
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = enter(py, || {
            let mut work = locked(&self.work);
            let Work::Probing(clusterer) = std::mem::replace(&mut *work, Work::Done(Vec::new())) else {
                return Err("members come after the probes, once".to_owned());
            };
            let (matrix, labels, big) = clusterer.finish();
            *work = Work::Done(big);
            self.pool.install(|| member_batch(&matrix, &labels, self.params.t, self.cut)).map_err(|e| e.to_string())
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
fn minima_similarity<'py>(py: Python<'py>, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let batch = RecordBatch::from_pyarrow_bound(batch)?;
    enter(py, || row_by_row(&batch))?.to_pyarrow(py)
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<StyleMatrix>()?;
    m.add_class::<StyleClusters>()?;
    m.add_function(wrap_pyfunction!(minima_similarity, m)?)
}
