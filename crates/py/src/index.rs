//! Lookups in a stored run at the border: the LSH forest, and words.

use std::path::PathBuf;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use pagekin_core::index::{forest, word_hashes as hashes};
use pagekin_core::page::text::words::Words;
use pagekin_core::style::fingerprint::{Divisor, ONE};

use crate::arrow::{array, on_batch};
use crate::{enter, pool};

/// Collects rows of 16-bit minima, then writes them as an LSH forest.
#[pyclass]
struct ForestWriter {
    writer: Option<forest::ForestWriter>,
    m: usize,
}

#[pymethods]
impl ForestWriter {
    #[new]
    fn new(m: usize, bands: usize) -> PyResult<Self> {
        if !(1..=4096).contains(&m) || !(1..=m).contains(&bands) {
            return Err(PyValueError::new_err("a forest needs 1 to 4096 dimensions and 1 to m bands"));
        }
        Ok(ForestWriter { writer: Some(forest::ForestWriter::new(m, bands)), m })
    }

    /// More rows: a binary column of minima as they are stored, or with `words` of 64-bit numbers that are cut to 16
    /// bits each. A null is a row that is never found.
    #[pyo3(signature = (column, words=false))]
    fn push(&mut self, py: Python<'_>, column: &Bound<'_, PyAny>, words: bool) -> PyResult<()> {
        let column = array(column)?;
        let m = self.m;
        let writer = self.writer.as_mut().ok_or_else(|| PyValueError::new_err("the forest is written already"))?;
        enter(py, || {
            let rows = column.as_binary_opt::<i32>().ok_or("a forest needs a binary column")?;
            for row in 0..rows.len() {
                let bytes = rows.is_valid(row).then(|| rows.value(row));
                match bytes {
                    Some(bytes) if words => writer.push(Some(&cut(bytes, m)))?,
                    _ => writer.push(bytes)?,
                }
            }
            Ok::<_, String>(())
        })
    }

    /// Writes the file.
    fn finish(&mut self, py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<()> {
        let writer = self.writer.take().ok_or_else(|| PyValueError::new_err("the forest is written already"))?;
        let pool = pool(threads)?;
        match enter(py, || Ok::<_, String>(pool.install(|| writer.finish(&path))))? {
            Ok(()) => Ok(()),
            Err(error) => Err(PyOSError::new_err(error.to_string())),
        }
    }
}

/// The low 16 bits of 64-bit numbers, never zero; the first m of them.
fn cut(bytes: &[u8], m: usize) -> Vec<u8> {
    let words = bytes.as_chunks::<8>().0.iter().take(m);
    words.flat_map(|word| u16::from_le_bytes([word[0], word[1]]).max(1).to_le_bytes()).collect()
}

/// An LSH forest, mapped into memory and open for lookups.
#[pyclass(frozen)]
struct Forest {
    forest: forest::Forest,
    m: usize,
    divisor: Divisor,
}

#[pymethods]
impl Forest {
    #[new]
    #[pyo3(signature = (path, m, over_m=false))]
    fn new(py: Python<'_>, path: PathBuf, m: usize, over_m: bool) -> PyResult<Self> {
        match enter(py, || Ok::<_, String>(forest::Forest::open(&path)))? {
            Ok(forest) => Ok(Forest { forest, m, divisor: Divisor::new(m, over_m) }),
            Err(error) => Err(PyOSError::new_err(error.to_string())),
        }
    }

    /// The rows most like a query: number, matching dimensions, dimensions filled in either, similarity.
    #[pyo3(signature = (query, min_matching, width, max_rows, words=false))]
    fn nearest(
        &self,
        py: Python<'_>,
        query: &[u8],
        min_matching: u32,
        width: usize,
        max_rows: usize,
        words: bool,
    ) -> PyResult<Vec<(u32, u32, u32, f64)>> {
        let query = self.query(query, words)?;
        enter(py, || {
            let found = self.forest.nearest(&query, min_matching, width, max_rows).into_iter();
            let similarity = |matches| f64::from(self.divisor.millionths(matches)) / f64::from(ONE);
            Ok::<_, String>(found.map(|(row, f)| (row, f.matching, f.filled, similarity(f))).collect())
        })
    }

    /// The first rows that equal a query.
    fn equal(&self, query: &[u8], max_rows: usize) -> PyResult<Vec<u32>> {
        Ok(self.forest.equal(&self.query(query, false)?, max_rows))
    }
}

impl Forest {
    fn query(&self, bytes: &[u8], words: bool) -> PyResult<Vec<u8>> {
        let query = if words { cut(bytes, self.m) } else { bytes.to_vec() };
        if query.len() == 2 * self.m {
            Ok(query)
        } else {
            Err(PyValueError::new_err(format!("a query of {} dimensions, not {}", query.len() / 2, self.m)))
        }
    }
}

/// From `page` and `text` to `word` and `page`: one row for each distinct word of a page, hashed.
#[pyfunction]
fn page_words<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(texts, hashes::page_words)
}

/// The hashes of a text's distinct words, sorted.
#[pyfunction]
fn word_hashes(py: Python<'_>, text: &str) -> PyResult<Vec<i64>> {
    enter(py, || Ok::<_, String>(hashes::word_hashes(&mut Words::default(), text)))
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ForestWriter>()?;
    m.add_class::<Forest>()?;
    m.add_function(wrap_pyfunction!(page_words, m)?)?;
    m.add_function(wrap_pyfunction!(word_hashes, m)?)
}
