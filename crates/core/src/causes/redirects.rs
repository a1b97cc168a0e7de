//! Which URLs redirects lead to each other, as far as the crawl kept their answers.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashSet};

use crate::arrow::{batch_of, column, string};
use crate::page::url::links::resolve;
use crate::page::url::pattern::ParsedUrl;

/// Redirects in a row that are followed, as browsers and crawlers do.
const HOPS: usize = 10;

/// Stands for a URL, however it is spelled.
pub fn url_key(url: &str) -> i64 {
    resolve(None, url).map_or_else(|| ParsedUrl::new(url).key(), |url| ParsedUrl::new(&url).key())
}

/// The keys of URLs.
pub fn url_keys(urls: &StringArray) -> Int64Array {
    (0..urls.len()).map(|row| url_key(string(urls, row).unwrap_or_default())).collect::<Vec<_>>().into()
}

/// The redirects among skipped records (`url`, `reason`, `detail`): `page` leads to `other`, both keys of URLs. A record
/// that was skipped for its status says in `detail` the status and where it leads.
pub fn redirects(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let [urls, reasons, details] = ["url", "reason", "detail"].map(|name| column::<StringArray>(batch, name));
    let (urls, reasons, details) = (urls?, reasons?, details?);
    let edge = |row: usize| {
        let (status, target) = string(details, row)?.split_once(' ')?;
        let is_redirect = string(reasons, row) == Some("status") && status.len() == 3 && status.starts_with('3');
        let url = string(urls, row).unwrap_or_default();
        let target = resolve(Some(url), target).filter(|_| is_redirect && !target.is_empty())?;
        Some((url_key(url), ParsedUrl::new(&target).key()))
    };
    let edges: Vec<(i64, i64)> = (0..batch.num_rows()).filter_map(edge).collect();
    batch_of(vec![
        ("page", Arc::new(edges.iter().map(|edge| edge.0).collect::<Int64Array>())),
        ("other", Arc::new(edges.iter().map(|edge| edge.1).collect::<Int64Array>())),
    ])
}

/// The redirects of one component.
struct Redirects {
    targets: HashMap<i64, Vec<i64>>,
    led_to: HashSet<i64>,
    reached: RefCell<HashMap<i64, Rc<HashSet<i64>>>>,
    /// For every URL, which URLs that led to different ones led there.
    forks: HashMap<i64, HashSet<i64>>,
}

impl Redirects {
    fn new(edges: impl Iterator<Item = (i64, i64)>) -> Self {
        let mut targets: HashMap<i64, Vec<i64>> = HashMap::new();
        let mut led_to = HashSet::new();
        for (source, target) in edges {
            let known = targets.entry(source).or_default();
            if !known.contains(&target) {
                known.push(target);
            }
            led_to.insert(target);
        }
        let mut found = Redirects { targets, led_to, reached: RefCell::default(), forks: HashMap::new() };
        let mut forks: HashMap<i64, HashSet<i64>> = HashMap::new();
        for source in found.targets.iter().filter(|entry| entry.1.len() > 1).map(|entry| *entry.0) {
            for target in found.reach(source) {
                forks.entry(target).or_default().insert(source);
            }
        }
        found.forks = forks;
        found
    }

    /// Where a URL leads in at most `HOPS` steps.
    fn reach(&self, start: i64) -> HashSet<i64> {
        let (mut found, mut edge) = (HashSet::new(), vec![start]);
        for _ in 0..HOPS {
            let ahead = edge.iter().filter_map(|at| self.targets.get(at)).flatten();
            edge = ahead.copied().filter(|at| found.insert(*at)).collect();
            if edge.is_empty() {
                break;
            }
        }
        found
    }

    fn reached(&self, start: i64) -> Rc<HashSet<i64>> {
        if let Some(known) = self.reached.borrow().get(&start) {
            return known.clone();
        }
        let found = Rc::new(self.reach(start));
        self.reached.borrow_mut().insert(start, found.clone());
        found
    }

    /// Whether redirects join two pages: one leads to the other, or one URL to both. Of one URL that was fetched
    /// twice: whether a redirect led there.
    fn join(&self, one: i64, other: i64) -> bool {
        if one == other {
            return self.led_to.contains(&one);
        }
        self.reached(one).contains(&other)
            || self.reached(other).contains(&one)
            || matches!((self.forks.get(&one), self.forks.get(&other)), (Some(a), Some(b)) if !a.is_disjoint(b))
    }
}

/// The first page of its class to which redirects join a page: `page` and `redirect`.
///
/// Rows are complete components, each sorted by `member`, `class_` and `page`. A row that is no member is a redirect
/// from `key` to `other`. Of a member, `other` is 1 if later pages of its class are compared with it.
pub fn joined(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let numbers = |name| column::<Int64Array>(batch, name).map(|column| column.values().as_ref());
    let (component, member, class): (&[i64], &[i64], &[i64]) =
        (numbers("component")?, numbers("member")?, numbers("class_")?);
    let (page, key, other): (&[i64], &[i64], &[i64]) = (numbers("page")?, numbers("key")?, numbers("other")?);
    let order: Vec<usize> = (0..batch.num_rows()).collect();
    let mut found: Vec<(i64, i64)> = Vec::new();
    for group in order.chunk_by(|a, b| component[*a] == component[*b]) {
        let (edges, members) = group.split_at(group.partition_point(|row| member[*row] == 0));
        let redirects = Redirects::new(edges.iter().map(|row| (key[*row], other[*row])));
        for pages in members.chunk_by(|a, b| class[*a] == class[*b]) {
            let compared: Vec<usize> = pages.iter().copied().filter(|row| other[*row] == 1).collect();
            for row in pages {
                let mut before = compared.iter().take_while(|one| page[**one] < page[*row]);
                if let Some(one) = before.find(|one| redirects.join(key[**one], key[*row])) {
                    found.push((page[*row], page[*one]));
                }
            }
        }
    }
    batch_of(vec![
        ("page", Arc::new(found.iter().map(|pair| pair.0).collect::<Int64Array>())),
        ("redirect", Arc::new(found.iter().map(|pair| pair.1).collect::<Int64Array>())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins() {
        // 1 → 2 → 3, 4 → 5 and 6, 7 → 7.
        let redirects = Redirects::new([(1, 2), (2, 3), (4, 5), (4, 6), (7, 7)].into_iter());
        for (one, other, joined) in [
            (1, 3, true),
            (3, 1, true),
            (5, 6, true),
            (1, 4, false),
            (3, 3, true),
            (1, 1, false),
            (7, 7, true),
            (4, 6, true),
        ] {
            assert_eq!(redirects.join(one, other), joined, "{one} {other}");
        }
        let chain = Redirects::new((0..20).map(|at| (at, at + 1)));
        assert!(chain.join(0, HOPS as i64) && !chain.join(0, HOPS as i64 + 1));
    }

    #[test]
    fn spellings_of_a_url() {
        assert_eq!(url_key("HTTP://A.example:80/b/../c#x"), url_key("http://a.example/c"));
        assert_ne!(url_key("no url"), url_key("no other"));
    }
}
