//! Styles at the border.

use std::cell::RefCell;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use pagekin_core::{noise, style};

use crate::enter;

/// Style parameters, checked.
pub fn params(n: usize, m: usize, seed: u64) -> PyResult<style::StyleParams> {
    let params = style::StyleParams { n, m, seed };
    if style::StyleParams::N.contains(&n) && style::StyleParams::M.contains(&m) {
        Ok(params)
    } else {
        Err(PyValueError::new_err(format!("style parameters out of range: {params:?}")))
    }
}

/// The style fingerprint of decoded HTML, m numbers of 16 bits as they are stored; None if its noise is shorter than n.
#[pyfunction]
#[pyo3(signature = (html, n=32, m=128, seed=0))]
fn fingerprint<'py>(
    py: Python<'py>,
    html: &str,
    n: usize,
    m: usize,
    seed: u64,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let params = params(n, m, seed)?;
    let made = enter(py, || {
        Ok::<_, String>(LAST.with_borrow_mut(|last| {
            let fresh = || (params, noise::Noise::default(), style::Stylist::new(params));
            let (_, noise, stylist) = match last {
                Some(last) if last.0 == params => last,
                _ => last.insert(fresh()),
            };
            noise.fill(html);
            let fingerprint = stylist.fingerprint(noise.as_bytes());
            noise.release();
            fingerprint
        }))
    })?;
    Ok(made.map(|minima| PyBytes::new(py, &style::to_bytes(&minima))))
}

thread_local! {
    /// What the thread's last fingerprint was made with, for the next: its buffers cost more than a small page.
    static LAST: RefCell<Option<(style::StyleParams, noise::Noise, style::Stylist)>> = const { RefCell::new(None) };
}

/// How many n-grams of noise two pages have, and how many of them in common.
#[pyfunction]
#[pyo3(signature = (a, b, n=32))]
fn style_overlap(py: Python<'_>, a: &str, b: &str, n: usize) -> PyResult<(usize, usize, usize)> {
    params(n, 1, 0)?;
    enter(py, || {
        let found = style::overlap(noise::noise(a).as_bytes(), noise::noise(b).as_bytes(), n);
        Ok::<_, String>((found.a, found.b, found.both))
    })
}

/// The stretches of the noise of `a`, in characters, that are covered by n-grams it shares with `b`.
#[pyfunction]
#[pyo3(signature = (a, b, n=32))]
fn shared_runs(py: Python<'_>, a: &str, b: &str, n: usize) -> PyResult<Vec<(usize, usize)>> {
    params(n, 1, 0)?;
    enter(py, || {
        let runs = style::shared_runs(noise::noise(a).as_bytes(), noise::noise(b).as_bytes(), n);
        Ok::<_, String>(runs.into_iter().map(|run| (run.start, run.end)).collect())
    })
}

/// Two fingerprints: matching dimensions, dimensions filled in either, the unbiased estimate of Jaccard, its error.
#[pyfunction]
fn style_matches(a: &[u8], b: &[u8]) -> (u32, u32, f64, f64) {
    let found = style::compare(&style::from_bytes(a), &style::from_bytes(b));
    (found.matching, found.filled, found.jaccard(), found.standard_error())
}

/// Adds this file's names to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(fingerprint, m)?)?;
    m.add_function(wrap_pyfunction!(style_overlap, m)?)?;
    m.add_function(wrap_pyfunction!(shared_runs, m)?)?;
    m.add_function(wrap_pyfunction!(style_matches, m)?)?;
    Ok(())
}
