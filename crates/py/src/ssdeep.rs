//! Digests at the border.

use std::cmp::Reverse;
use std::path::PathBuf;

use arrow_pyarrow::ToPyArrow;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use pagekin_core::duplicates::phrase_sets::Phrasing;
use pagekin_core::ssdeep::hot_ngrams::MAX_HOLDERS;
use pagekin_core::ssdeep::score::{Digest, compare};
use pagekin_core::ssdeep::stream::{CopyKind, DigestStream};
use pagekin_core::ssdeep::{classes, digest, index, ngram_groups, verified};

use crate::arrow::{on_batch, to_column};
use crate::enter;
use crate::reducer::Reducer;
use crate::shingles::Shingler;

fn parse(text: &str) -> PyResult<Digest> {
    Digest::parse(text).map_err(|error| {
        let shown: String = text.chars().take(80).flat_map(char::escape_debug).collect();
        PyValueError::new_err(format!("{error}: {shown:.120}"))
    })
}

/// The ssdeep digest of some bytes.
#[pyfunction]
fn ssdeep(py: Python<'_>, data: &[u8]) -> PyResult<String> {
    enter(py, || Ok::<_, String>(digest::digest(data)))
}

/// The score of two digests, 0 to 100. Too quick to be worth a release of the GIL.
#[pyfunction]
fn ssdeep_score(a: &str, b: &str) -> PyResult<u32> {
    Ok(compare(&parse(a)?, &parse(b)?).unwrap_or(0))
}

/// Why the score of two digests is zero; None if it is not.
#[pyfunction]
fn ssdeep_why(a: &str, b: &str) -> PyResult<Option<&'static str>> {
    Ok(compare(&parse(a)?, &parse(b)?).err().map(|zero| zero.as_str()))
}

fn check(threshold: u32, min_length: usize) -> PyResult<()> {
    if !(1..=100).contains(&threshold) || !(digest::WINDOW..=digest::MAX_LENGTH).contains(&min_length) {
        return Err(PyValueError::new_err("the threshold must be from 1 to 100, the minimum length from 7 to 64"));
    }
    Ok(())
}

/// Pages as they come, each compared with those before it.
#[pyclass]
struct FuzzyIndex {
    stream: DigestStream,
}

#[pymethods]
impl FuzzyIndex {
    #[new]
    #[pyo3(signature = (threshold=90, min_length=10, every=false))]
    fn new(threshold: u32, min_length: usize, every: bool) -> PyResult<Self> {
        check(threshold, min_length)?;
        Ok(FuzzyIndex { stream: DigestStream::new(threshold, min_length, every) })
    }

    /// What a page is to those before it: kind, the place of the page most like it, the score.
    fn add(&mut self, ssdeep: &str, md5: [u8; 16]) -> PyResult<(&'static str, Option<u32>, u32)> {
        let found = self.stream.add(&parse(ssdeep)?, md5);
        let kind = match found.kind {
            CopyKind::Unique => "unique",
            CopyKind::Exact => "exact",
            CopyKind::Near => "near",
        };
        Ok((kind, found.of, found.score))
    }
}

/// Digests to be found by others that are like them.
#[pyclass]
struct DigestIndex {
    index: index::DigestIndex,
}

#[pymethods]
impl DigestIndex {
    #[new]
    #[pyo3(signature = (max_holders=usize::MAX))]
    fn new(max_holders: usize) -> Self {
        DigestIndex { index: index::DigestIndex::new(max_holders) }
    }

    /// Takes in digests; their numbers go on from those before.
    fn add(&mut self, py: Python<'_>, digests: Vec<String>) -> PyResult<()> {
        let digests = digests.iter().map(|text| parse(text)).collect::<PyResult<Vec<_>>>()?;
        enter(py, || {
            digests.iter().for_each(|digest| self.index.add(digest));
            Ok::<_, String>(())
        })
    }

    /// Number and score of every digest with at least this score, the best first.
    fn matches(&mut self, digest: &str, threshold: u32) -> PyResult<Vec<(u32, u32)>> {
        let mut found = Vec::new();
        self.index.matches(&parse(digest)?, |number, score| found.push((number, score)));
        found.retain(|&(_, score)| score >= threshold);
        found.sort_unstable_by_key(|&(number, score)| (number, Reverse(score)));
        found.dedup_by_key(|&mut (number, _)| number);
        found.sort_unstable_by_key(|&(number, score)| (Reverse(score), number));
        Ok(found)
    }
}

/// Finds the classes among many digests.
#[pyclass(frozen)]
struct FuzzyClassBuilder(Reducer<classes::FuzzyClassBuilder>);

#[pymethods]
impl FuzzyClassBuilder {
    #[new]
    #[pyo3(signature = (threads, memory, threshold, min_length, max_holders=MAX_HOLDERS))]
    fn new(threads: usize, memory: usize, threshold: u32, min_length: usize, max_holders: usize) -> PyResult<Self> {
        check(threshold, min_length)?;
        let builder = classes::FuzzyClassBuilder::new(threshold, min_length, memory, max_holders);
        Ok(FuzzyClassBuilder(Reducer::new(threads, builder)?))
    }

    /// Pages that join no class.
    fn exclude(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, classes::FuzzyClassBuilder::exclude)
    }

    /// More pages: page, md5, ssdeep.
    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, classes::FuzzyClassBuilder::push)
    }

    /// The members of classes: label, page, exact, score.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.finish(py, classes::FuzzyClassBuilder::finish)?.to_pyarrow(py)
    }

    /// The classes, to be verified on the texts of their pages.
    #[allow(clippy::too_many_arguments)]
    fn verifier(
        &self,
        py: Python<'_>,
        similarity: f64,
        shingler: &Shingler,
        wrap: bool,
        threads: usize,
        memory: usize,
        spill: PathBuf,
    ) -> PyResult<FuzzyVerifier> {
        let phrasing = Phrasing { shingler: shingler.fresh.clone(), wrap };
        let state = self.0.finish(py, |builder| {
            Ok(verified::ClassVerifier::new(builder.join(), similarity, phrasing, memory, &spill))
        })?;
        Ok(FuzzyVerifier(Reducer::new(threads, state)?))
    }
}

/// Leaves in fuzzy classes who is like the representative, text by text.
#[pyclass(frozen)]
struct FuzzyVerifier(Reducer<verified::ClassVerifier>);

#[pymethods]
impl FuzzyVerifier {
    /// More texts: page, text.
    fn push(&self, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.push(batch, verified::ClassVerifier::push)
    }

    /// The members of classes: label, page, exact, score, similarity.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.finish(py, verified::ClassVerifier::finish)?.to_pyarrow(py)
    }
}

/// Digests as they are compared.
#[pyfunction]
fn comparable_digests<'py>(sketches: &Bound<'py, PyAny>, min_length: usize) -> PyResult<Bound<'py, PyAny>> {
    on_batch(sketches, |rows| ngram_groups::comparable(rows, min_length))
}

/// The n-grams of digests, to be counted.
#[pyfunction]
fn ngram_keys<'py>(digests: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    on_batch(digests, ngram_groups::ngram_keys)
}

/// The n-grams of digests at which pages are compared.
#[pyfunction]
fn ngram_rows<'py>(digests: &Bound<'py, PyAny>, threshold: u32) -> PyResult<Bound<'py, PyAny>> {
    on_batch(digests, |rows| ngram_groups::ngram_rows(rows, threshold))
}

/// Near copies among the holders of n-grams.
#[pyfunction]
fn ngram_edges<'py>(groups: &Bound<'py, PyAny>, threshold: u32) -> PyResult<Bound<'py, PyAny>> {
    on_batch(groups, |rows| ngram_groups::ngram_edges(rows, threshold))
}

/// The scores of pairs of digests.
#[pyfunction]
fn pair_scores<'py>(pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    to_column(pairs, ngram_groups::pair_scores)
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<DigestIndex>()?;
    m.add_class::<FuzzyIndex>()?;
    m.add_class::<FuzzyClassBuilder>()?;
    m.add_class::<FuzzyVerifier>()?;
    m.add_function(wrap_pyfunction!(comparable_digests, m)?)?;
    m.add_function(wrap_pyfunction!(ngram_edges, m)?)?;
    m.add_function(wrap_pyfunction!(ngram_keys, m)?)?;
    m.add_function(wrap_pyfunction!(ngram_rows, m)?)?;
    m.add_function(wrap_pyfunction!(pair_scores, m)?)?;
    m.add_function(wrap_pyfunction!(ssdeep, m)?)?;
    m.add_function(wrap_pyfunction!(ssdeep_score, m)?)?;
    m.add_function(wrap_pyfunction!(ssdeep_why, m)?)?;
    Ok(())
}
