//! Style clusters step by step: what `StyleClusters` does in one place, over rows with keys and complete groups.

use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use rayon::ThreadPool;

use pagekin_core::style::bucket::LEADERS;
use pagekin_core::style::keys::{self, Keys, ordered};
use pagekin_core::style::probes::ClusterParams;
use pagekin_core::style::shape::{SAMPLE, SPLIT_SAMPLE, page_hash};
use pagekin_core::style::{chunks, groups};

use crate::arrow::{int64s, on_column, to_column};
use crate::style::checked;
use crate::{enter, pool};

/// The steps, for one set of parameters.
#[pyclass(frozen)]
struct StyleSteps {
    pool: ThreadPool,
    keys: Keys,
}

impl StyleSteps {
    fn over<'py>(
        &self,
        batch: &Bound<'py, PyAny>,
        step: impl FnOnce(&RecordBatch, &Keys) -> Result<RecordBatch, ArrowError> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = RecordBatch::from_pyarrow_bound(batch)?;
        enter(batch.py(), || self.pool.install(|| step(&rows, &self.keys)))?.to_pyarrow(batch.py())
    }
}

#[pymethods]
impl StyleSteps {
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
    ) -> PyResult<Self> {
        let params = checked(m, ClusterParams { k, p, t, structure_t, budget, seed, over_m })?;
        Ok(StyleSteps { pool: pool(threads)?, keys: Keys::new(m, params) })
    }

    fn prints<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, |rows, keys| keys.prints(rows))
    }

    fn distinct<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, |rows, _| keys::distinct(rows))
    }

    fn buckets<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, |rows, keys| keys.buckets(rows))
    }

    fn bucket_keys<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, |rows, keys| keys.bucket_keys(rows))
    }

    fn describe<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, |rows, keys| keys.describe(rows))
    }

    fn bucket_edges<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, groups::bucket_edges)
    }

    fn leader_round<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, groups::leader_round)
    }

    fn candidates<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, groups::candidates)
    }

    fn to_centroid<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, groups::to_centroid)
    }

    fn cut_samples<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, groups::cut_samples)
    }

    fn parts<'py>(&self, batch: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.over(batch, groups::parts)
    }
}

/// The chunk of each member: the columns `size` and `page`, and the one that names its group.
#[pyfunction]
fn chunk_keys<'py>(batch: &Bound<'py, PyAny>, group: &str, chunk_size: u64) -> PyResult<Bound<'py, PyAny>> {
    to_column(batch, |rows| chunks::chunk_keys(rows, group, chunk_size))
}

/// A copy of each row for every chunk of its group: rows and chunks.
#[pyfunction]
fn chunk_copies<'py>(
    batch: &Bound<'py, PyAny>,
    group: &str,
    chunk_size: u64,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (py, rows) = (batch.py(), RecordBatch::from_pyarrow_bound(batch)?);
    let (copies, keys) = enter(py, || chunks::chunk_copies(&rows, group, chunk_size))?;
    Ok((copies.to_data().to_pyarrow(py)?, keys.to_data().to_pyarrow(py)?))
}

/// The first rows of each group of a sorted column, at most `count`.
#[pyfunction]
fn first_rows<'py>(group: &Bound<'py, PyAny>, count: usize) -> PyResult<Bound<'py, PyAny>> {
    on_column(group, |group| Ok(chunks::first_rows(int64s(group)?, count)))
}

/// For each page the number that samples are sorted by.
#[pyfunction]
fn page_hashes<'py>(pages: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_column(pages, |pages| Ok(int64s(pages)?.unary::<_, Int64Type>(|page| ordered(page_hash(page)))))
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("STYLE_LEADERS", LEADERS.to_vec())?;
    m.add("STYLE_SAMPLES", (SAMPLE, SPLIT_SAMPLE))?;
    m.add_class::<StyleSteps>()?;
    m.add_function(wrap_pyfunction!(chunk_keys, m)?)?;
    m.add_function(wrap_pyfunction!(chunk_copies, m)?)?;
    m.add_function(wrap_pyfunction!(first_rows, m)?)?;
    m.add_function(wrap_pyfunction!(page_hashes, m)?)
}
