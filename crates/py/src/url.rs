//! URLs at the border.

use pyo3::prelude::*;

use pagekin_core::page::url::{domain, links, parts, pattern};

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

/// The absolute http(s) URL, without fragment, that a reference means on a page; None if it leads nowhere.
#[pyfunction]
fn resolve_url(base: Option<&str>, href: &str) -> Option<String> {
    links::resolve(base, href)
}

/// Scheme, user info, host, port, path, query and fragment.
type Parts<'a> = (String, Option<&'a str>, String, Option<&'a str>, &'a str, Option<&'a str>, Option<&'a str>);

/// The parts of a URL as they are written, but for scheme and host in lower case and without a default port.
///
/// None for what has no authority: `mailto:`, relative references.
#[pyfunction]
fn split_url(url: &str) -> Option<Parts<'_>> {
    let found = parts::split(url)?;
    let (scheme, host) = (found.scheme.to_ascii_lowercase(), found.host.to_lowercase());
    Some((scheme, found.userinfo, host, found.port, found.path, found.query, found.fragment))
}

/// Scheme, host, path, and keys and values of the query in order of the keys.
#[pyfunction]
fn parse_url(url: &str) -> (String, String, String, Vec<(&str, &str)>) {
    let found = pattern::ParsedUrl::new(url);
    (found.scheme, found.host, found.path.into_owned(), found.query)
}

/// Host, path shape and query keys of a URL that was taken apart.
#[pyfunction]
fn url_pattern(host: &str, path: &str, query: Vec<(String, String)>) -> String {
    let pairs: Vec<(&str, &str)> = query.iter().map(|(key, value)| (&**key, &**value)).collect();
    pattern::pattern(host, path, &pairs)
}

pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(py_host, m)?)?;
    m.add_function(wrap_pyfunction!(py_domain, m)?)?;
    m.add_function(wrap_pyfunction!(resolve_url, m)?)?;
    m.add_function(wrap_pyfunction!(split_url, m)?)?;
    m.add_function(wrap_pyfunction!(parse_url, m)?)?;
    m.add_function(wrap_pyfunction!(url_pattern, m)?)
}
