//! What phrases read like on a page that holds them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::{batch_of, column};
use crate::page::text::words::Words;
use crate::shingles::minwise::Shingler;

/// The phrases that are wanted of each page.
pub type Wanted = HashMap<i64, Vec<u64>>;

/// What the wanted phrases (`page` and `fingerprint`) read like on the pages of a batch (`page` and `text`).
pub fn quote(texts: &RecordBatch, wanted: &Wanted, fresh: &Shingler, k: usize) -> Result<RecordBatch, ArrowError> {
    let pages: &Int64Array = column(texts, "page")?;
    let text: &StringArray = column(texts, "text")?;
    let found: Vec<Vec<(i64, String)>> = (0..texts.num_rows())
        .into_par_iter()
        .map_init(
            || (fresh.clone(), Words::default()),
            |(shingler, words), row| {
                let Some(wanted) = wanted.get(&pages.value(row)).filter(|_| text.is_valid(row)) else {
                    return Vec::new();
                };
                words.fill(text.value(row));
                let mut first: HashMap<u64, usize> = HashMap::new();
                for (i, &phrase) in shingler.phrases(words).iter().enumerate() {
                    first.entry(phrase).or_insert(i);
                }
                let all: Vec<&[u8]> = words.iter().collect();
                let say = |i: usize| {
                    let words = (i..i + k).map(|j| String::from_utf8_lossy(all[j % all.len()]));
                    words.collect::<Vec<_>>().join(" ")
                };
                wanted.iter().filter_map(|phrase| Some((*phrase as i64, say(*first.get(phrase)?)))).collect()
            },
        )
        .collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fingerprint", Arc::new(found.iter().flatten().map(|(phrase, _)| *phrase).collect::<Int64Array>())),
        ("phrase", Arc::new(found.iter().flatten().map(|(_, text)| Some(text)).collect::<StringArray>())),
    ];
    batch_of(columns)
}

/// The wanted phrases of each page, from a batch of `page` and `fingerprint`.
pub fn wanted(batch: &RecordBatch) -> Result<HashMap<i64, Vec<u64>>, ArrowError> {
    let (pages, phrases) = (column::<Int64Array>(batch, "page")?, column::<Int64Array>(batch, "fingerprint")?);
    let mut found: HashMap<i64, Vec<u64>> = HashMap::new();
    for row in 0..batch.num_rows() {
        found.entry(pages.value(row)).or_default().push(phrases.value(row) as u64);
    }
    Ok(found)
}
