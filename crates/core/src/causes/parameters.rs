//! URLs by site, pattern and query parameter.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column, string};
use crate::causes::reasons::role;
use crate::page::url::pattern::ParsedUrl;

/// URLs with more query keys than this are left out.
const MAX_KEYS: usize = 8;

/// Site and pattern of each page (`url`, `domain`): the site is the domain, else the host.
pub fn patterns(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (urls, domains): (&StringArray, &StringArray) = (column(batch, "url")?, column(batch, "domain")?);
    let (mut sites, mut patterns) = (StringBuilder::new(), StringBuilder::new());
    for row in 0..batch.num_rows() {
        let url = ParsedUrl::new(string(urls, row).unwrap_or_default());
        sites.append_value(string(domains, row).filter(|domain| !domain.is_empty()).unwrap_or(&url.host));
        patterns.append_value(url.pattern());
    }
    batch_of(vec![("site", Arc::new(sites.finish())), ("pattern", Arc::new(patterns.finish()))])
}

/// The parameters of each page's URL (`url`, `content`): a row for each with what is left of the URL without it,
/// and a row without a parameter for the whole URL.
///
/// Gives `host`, `parameter`, `rest`, `url_hash` and `content`. The scheme counts for neither hash.
pub fn parameters(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (urls, contents): (&StringArray, &Int64Array) = (column(batch, "url")?, column(batch, "content")?);
    let (mut hosts, mut names) = (StringBuilder::new(), StringBuilder::new());
    let [mut rests, mut whole, mut found] = [(); 3].map(|()| Int64Builder::new());
    for row in 0..batch.num_rows() {
        let url = ParsedUrl::new(string(urls, row).unwrap_or_default());
        let url_hash = url.hash_without(None);
        let mut keys: Vec<&str> = url.query.iter().map(|pair| pair.0).collect();
        keys.dedup();
        if keys.len() > MAX_KEYS {
            keys.clear();
        }
        for key in std::iter::once(None).chain(keys.into_iter().map(Some)) {
            hosts.append_value(&url.host);
            names.append_option(key);
            rests.append_value(url.hash_without(key));
            whole.append_value(url_hash);
            found.append_value(contents.value(row));
        }
    }
    batch_of(vec![
        ("host", Arc::new(hosts.finish())),
        ("parameter", Arc::new(names.finish())),
        ("rest", Arc::new(rests.finish())),
        ("url_hash", Arc::new(whole.finish())),
        ("content", Arc::new(found.finish())),
    ])
}

/// What the names of parameters suggest.
pub fn roles(parameters: &StringArray) -> StringArray {
    parameters.iter().map(|name| name.map(|name| role(name, ""))).collect()
}
