//! Shingles at the border.

use arrow_array::RecordBatch;
use arrow_pyarrow::{FromPyArrow, ToPyArrow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use pagekin_core::page::text::words::Words;
use pagekin_core::shingles::minwise::{self, Family, ShingleParams};

use crate::{enter, pool};

#[pyclass(frozen)]
pub struct Shingler {
    pub params: ShingleParams,
    pub fresh: minwise::Shingler,
}

#[pymethods]
impl Shingler {
    #[new]
    #[pyo3(signature = (k=5, m=84, family="bins", seed=0))]
    fn new(k: usize, m: usize, family: &str, seed: u64) -> PyResult<Self> {
        let family = match family {
            "bins" => Family::Bins,
            "rabin" => Family::Rabin,
            other => return Err(PyValueError::new_err(format!("no family of functions is called {other:?}"))),
        };
        let params = ShingleParams { k, m, family, seed };
        if !params.are_valid() {
            return Err(PyValueError::new_err(format!("shingle parameters out of range: {params:?}")));
        }
        Ok(Shingler { params, fresh: minwise::Shingler::new(params) })
    }

    /// The fingerprints of a text's phrases, one for each word.
    fn phrases(&self, py: Python<'_>, text: &str) -> PyResult<Vec<u64>> {
        enter(py, || Ok::<_, String>(self.fresh.clone().phrases(&filled(text)).to_vec()))
    }

    /// The shingles of a text; None if it has no words.
    fn shingles(&self, py: Python<'_>, text: &str) -> PyResult<Option<Vec<u64>>> {
        enter(py, || Ok::<_, String>(self.fresh.clone().shingles(&filled(text))))
    }

    /// Each text of a batch replaced by its shingles, and if wanted its MD5, as the `sketches` table holds them.
    #[pyo3(signature = (texts, threads=1, digests=false))]
    fn shingles_of<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        threads: usize,
        digests: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let texts = RecordBatch::from_pyarrow_bound(texts)?;
        let pool = pool(threads)?;
        let found = enter(py, || pool.install(|| minwise::shingle_batch(&texts, &self.fresh, digests)))?;
        found.to_pyarrow(py)
    }
}

fn filled(text: &str) -> Words {
    let mut words = Words::default();
    words.fill(text);
    words
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Shingler>()
}
