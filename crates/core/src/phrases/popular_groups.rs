//! Popular phrases by row groups: pages to rows, rows of one phrase to what it amounts to.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use hashbrown::{HashMap, HashSet};

use crate::arrow::{batch_of, column};
use crate::phrases::popular::{Holding, PopularPhrase, offer, popular, shingles};

/// The shingles of pages (`page`, `shingles`): `fingerprint`, `function` and `page`.
pub fn shingle_rows(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let pages: &Int64Array = column(batch, "page")?;
    let [mut phrases, mut functions, mut found] = [(); 3].map(|()| Int64Builder::new());
    for row in 0..batch.num_rows() {
        for (function, &shingle) in shingles(batch, row)?.iter().enumerate() {
            phrases.append_value(i64::from_le_bytes(shingle));
            functions.append_value(function as i64);
            found.append_value(pages.value(row));
        }
    }
    batch_of(vec![
        ("fingerprint", Arc::new(phrases.finish())),
        ("function", Arc::new(functions.finish())),
        ("page", Arc::new(found.finish())),
    ])
}

/// The holdings of pages (`page`, `shingles`, `host`, `server`, `ip`), a row each.
pub fn holdings(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let number = |name| column::<Int64Array>(batch, name);
    let (pages, hosts, servers, ips) = (number("page")?, number("host")?, number("server")?, number("ip")?);
    let mut rows: Vec<(i64, Holding)> = Vec::with_capacity(batch.num_rows() * 84);
    let mut met = HashSet::new();
    for row in 0..batch.num_rows() {
        met.clear();
        for (function, &shingle) in shingles(batch, row)?.iter().enumerate() {
            let holding = Holding {
                function: function as u32,
                page: pages.value(row),
                host: hosts.value(row),
                server: servers.value(row),
                ip: ips.value(row),
                first: i64::from(met.insert(shingle)),
                held: 1,
                tally: false,
            };
            rows.push((i64::from_le_bytes(shingle), holding));
        }
    }
    holding_batch(&rows)
}

/// Holdings with those that a part of a phrase will not offer put together by host.
///
/// Rows are sorted by `fingerprint`; so are those that come out.
pub fn fewer_holdings(batch: &RecordBatch, holders: usize) -> Result<RecordBatch, ArrowError> {
    let mut found: Vec<(i64, Holding)> = Vec::with_capacity(batch.num_rows());
    for (phrase, rows) in phrases(batch)? {
        let mut by_function: HashMap<u32, Vec<Holding>> = HashMap::new();
        for row in rows {
            by_function.entry(row.function).or_default().push(row);
        }
        for (function, rows) in by_function {
            let (mut tallies, mut held): (Vec<Holding>, Vec<Holding>) = rows.into_iter().partition(|row| row.tally);
            tallies.extend(offer(&mut held, holders));
            let mut by_host: HashMap<i64, Holding> = HashMap::new();
            for row in tallies {
                let none = Holding { function, first: 0, held: 0, ip: 0, tally: true, ..row };
                let sum = by_host.entry(row.host).or_insert(none);
                sum.page = sum.page.min(row.page);
                sum.first += row.first;
                sum.held += row.held;
            }
            found.extend(held.into_iter().chain(by_host.into_values()).map(|row| (phrase, row)));
        }
    }
    holding_batch(&found)
}

/// What is popular among complete phrases, sorted by `fingerprint`.
pub fn popular_groups(batch: &RecordBatch, min_pages: usize, holders: usize) -> Result<RecordBatch, ArrowError> {
    let found: Vec<PopularPhrase> = phrases(batch)?
        .into_iter()
        .flat_map(|(phrase, rows)| popular(phrase, &rows, min_pages as i64, holders))
        .collect();
    to_batch(&found)
}

/// The holdings of each phrase.
fn phrases(batch: &RecordBatch) -> Result<Vec<(i64, Vec<Holding>)>, ArrowError> {
    let numbers = |name| column::<Int64Array>(batch, name).map(|column| column.values().as_ref());
    let (phrase, function): (&[i64], &[i64]) = (numbers("fingerprint")?, numbers("function")?);
    let (page, host, server): (&[i64], &[i64], &[i64]) = (numbers("page")?, numbers("host")?, numbers("server")?);
    let (ip, first, held): (&[i64], &[i64], &[i64]) = (numbers("ip")?, numbers("first")?, numbers("held")?);
    let holding = |row: usize| {
        // A tally has its function below zero.
        let tally = function[row] < 0;
        let function = if tally { -1 - function[row] } else { function[row] } as u32;
        let (page, host, server, ip) = (page[row], host[row], server[row], ip[row]);
        Holding { function, page, host, server, ip, first: first[row], held: held[row], tally }
    };
    let mut begin = 0;
    let mut groups = Vec::new();
    for group in phrase.chunk_by(|a, b| a == b) {
        groups.push((group[0], (begin..begin + group.len()).map(holding).collect()));
        begin += group.len();
    }
    Ok(groups)
}

fn holding_batch(rows: &[(i64, Holding)]) -> Result<RecordBatch, ArrowError> {
    let numbers = |of: fn(&Holding) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from(rows.iter().map(|(_, row)| of(row)).collect::<Vec<_>>()))
    };
    let function = |row: &Holding| if row.tally { -1 - i64::from(row.function) } else { i64::from(row.function) };
    batch_of(vec![
        ("fingerprint", Arc::new(Int64Array::from(rows.iter().map(|row| row.0).collect::<Vec<_>>()))),
        ("function", numbers(function)),
        ("page", numbers(|row| row.page)),
        ("host", numbers(|row| row.host)),
        ("server", numbers(|row| row.server)),
        ("ip", numbers(|row| row.ip)),
        ("first", numbers(|row| row.first)),
        ("held", numbers(|row| row.held)),
    ])
}

/// Popular phrases with the pages that they offer, and where those live.
pub fn to_batch(popular: &[PopularPhrase]) -> Result<RecordBatch, ArrowError> {
    let numbers =
        |of: fn(&PopularPhrase) -> i64| -> ArrayRef { Arc::new(popular.iter().map(of).collect::<Int64Array>()) };
    let lists = |of: fn(&Holding) -> i64| -> ArrayRef {
        let mut lists = ListBuilder::new(Int64Builder::new());
        for one in popular {
            one.holders.iter().for_each(|holder| lists.values().append_value(of(holder)));
            lists.append(true);
        }
        Arc::new(lists.finish())
    };
    batch_of(vec![
        ("fingerprint", numbers(|p| p.phrase)),
        ("function", numbers(|p| i64::from(p.function))),
        ("pages", numbers(|p| p.pages)),
        ("hosts", numbers(|p| p.hosts as i64)),
        ("servers", numbers(|p| p.servers as i64)),
        ("example", numbers(|p| p.example)),
        ("held", numbers(|p| p.held)),
        ("holders", lists(|h| h.page)),
        ("holder_servers", lists(|h| h.server)),
        ("holder_ips", lists(|h| h.ip)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However a phrase's holdings are divided and made fewer, it comes out the same.
        #[test]
        fn parts_can_be_made_smaller(
            pages in prop::collection::vec((0u32..3, 0i64..60, 0usize..4), 0..120),
            holders in 2usize..9,
            min_pages in 2usize..6,
        ) {
            let mut met = HashSet::new();
            let mut seen = HashSet::new();
            let rows: Vec<(i64, Holding, usize)> = pages
                .into_iter()
                .filter(|(function, page, _)| met.insert((*function, *page)))
                .map(|(function, page, part)| {
                    // A host is of one server.
                    let (host, server, first) = (page % 12, page % 12 % 5, i64::from(seen.insert(page)));
                    (7, Holding { function, page, host, server, ip: page % 3, first, held: 1, tally: false }, part)
                })
                .collect();
            let all: Vec<(i64, Holding)> = rows.iter().map(|row| (row.0, row.1)).collect();
            let expected = popular_groups(&holding_batch(&all).unwrap(), min_pages, holders).unwrap();
            let mut fewer: Vec<(i64, Holding)> = Vec::new();
            for part in 0..4 {
                let part: Vec<_> = rows.iter().filter(|row| row.2 == part).map(|row| (row.0, row.1)).collect();
                let once = fewer_holdings(&holding_batch(&part).unwrap(), holders).unwrap();
                let twice = fewer_holdings(&once, holders).unwrap();
                for (phrase, rows) in phrases(&twice).unwrap() {
                    fewer.extend(rows.into_iter().map(|row| (phrase, row)));
                }
            }
            prop_assert_eq!(popular_groups(&holding_batch(&fewer).unwrap(), min_pages, holders).unwrap(), expected);
        }
    }
}
