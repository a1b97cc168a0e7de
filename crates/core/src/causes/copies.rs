//! Why each page of a class repeats an earlier one.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column, string};
use crate::causes::reasons::{ComparedUrl, MIN_RANK, Reason};

/// Rows of complete groups as columns.
struct CopyRows<'a> {
    key: &'a Int64Array,
    class: &'a Int64Array,
    /// 0 for a page that others are compared with, 1 for one that is compared.
    compared: &'a Int64Array,
    page: &'a Int64Array,
    url: &'a StringArray,
    domain: &'a StringArray,
    ip: &'a StringArray,
    kind: &'a StringArray,
    /// The first page to which a redirect joins this one.
    redirect: &'a Int64Array,
}

/// A page that others are compared with.
struct Earlier<'a> {
    page: i64,
    url: ComparedUrl<'a>,
    row: usize,
}

/// A page that repeats another.
struct Copy<'a> {
    row: usize,
    of_url: &'a str,
    reason: Option<Reason>,
}

/// Which rows are among the first `max_rows` of their group, in rows of complete groups.
pub fn first_of_groups(keys: &Int64Array, max_rows: usize) -> BooleanArray {
    let groups = keys.values().chunk_by(|a, b| a == b);
    groups.flat_map(|group| (0..group.len()).map(|at| Some(at < max_rows))).collect()
}

/// For each page that is compared, why it repeats which of the pages before it: of those whose URLs differ least, the
/// first. A redirect is certain, so it goes before what URLs suggest. The first page of a class repeats none.
///
/// Rows are complete groups of `key`, each sorted by `class_`, `compared` and `page`. Gives `page`, `kind`, `content`
/// (the class), `cause`, `detail` and `of_url`.
pub fn copies(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let rows = CopyRows {
        key: column(batch, "key")?,
        class: column(batch, "class_")?,
        compared: column(batch, "compared")?,
        page: column(batch, "page")?,
        url: column(batch, "url")?,
        domain: column(batch, "domain")?,
        ip: column(batch, "ip")?,
        kind: column(batch, "kind")?,
        redirect: column(batch, "redirect")?,
    };
    let order: Vec<usize> = (0..batch.num_rows()).collect();
    let same =
        |a: &usize, b: &usize| rows.class.value(*a) == rows.class.value(*b) && rows.key.value(*a) == rows.key.value(*b);
    let found: Vec<Copy<'_>> = order.chunk_by(same).flat_map(|group| rows.group(group)).collect();
    let numbers =
        |of: &Int64Array| -> ArrayRef { Arc::new(found.iter().map(|c| of.value(c.row)).collect::<Int64Array>()) };
    let reasons = || found.iter().map(|copy| copy.reason.as_ref());
    batch_of(vec![
        ("page", numbers(rows.page)),
        ("kind", Arc::new(found.iter().map(|c| string(rows.kind, c.row)).collect::<StringArray>())),
        ("content", numbers(rows.class)),
        ("cause", Arc::new(reasons().map(|r| r.map(|r| r.cause)).collect::<StringArray>())),
        ("detail", Arc::new(reasons().map(|r| r.map(|r| &*r.detail)).collect::<StringArray>())),
        ("of_url", Arc::new(found.iter().map(|c| Some(c.of_url)).collect::<StringArray>())),
    ])
}

impl<'a> CopyRows<'a> {
    fn url(&self, row: usize) -> &'a str {
        string(self.url, row).unwrap_or_default()
    }

    fn group(&self, group: &[usize]) -> Vec<Copy<'a>> {
        let ahead = group.partition_point(|row| self.compared.value(*row) == 0);
        let (earlier, compared) = group.split_at(ahead);
        let earlier: Vec<Earlier<'_>> = earlier
            .iter()
            .map(|&row| Earlier { page: self.page.value(row), url: ComparedUrl::new(self.url(row)), row })
            .collect();
        compared.iter().filter_map(|&row| self.copy(row, &earlier)).collect()
    }

    fn copy(&self, row: usize, earlier: &[Earlier<'a>]) -> Option<Copy<'a>> {
        let before = &earlier[..earlier.partition_point(|one| one.page < self.page.value(row))];
        let url = ComparedUrl::new(self.url(row));
        let mut best: Option<(Reason, usize)> = None;
        let led = self.redirect.is_valid(row).then(|| self.redirect.value(row));
        if let Some(one) = before.iter().find(|one| Some(one.page) == led) {
            let found = self.reason(one, row, &url);
            let detail = found.map(|r| if r.detail.is_empty() { r.cause.to_owned() } else { r.detail });
            let reason = Reason { rank: MIN_RANK, cause: "redirect", detail: detail.unwrap_or_default() };
            return Some(Copy { row, of_url: self.url(one.row), reason: Some(reason) });
        }
        for one in before {
            let Some(reason) = self.reason(one, row, &url) else { continue };
            if best.as_ref().is_none_or(|(known, _)| reason.rank < known.rank) {
                let is_min = reason.rank == MIN_RANK;
                best = Some((reason, one.row));
                if is_min {
                    break;
                }
            }
        }
        let (reason, of) = best.map_or((None, before.first()?.row), |(reason, of)| (Some(reason), of));
        Some(Copy { row, of_url: self.url(of), reason })
    }

    fn reason(&self, one: &Earlier<'_>, row: usize, url: &ComparedUrl<'_>) -> Option<Reason> {
        let same_domain = string(self.domain, one.row) == string(self.domain, row);
        let ip = string(self.ip, one.row);
        one.url.repeated_by(url, same_domain, ip.is_some() && ip == string(self.ip, row))
    }
}
