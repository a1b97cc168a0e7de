//! What phrases read like on a page that holds them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::{ListColumn, batch_of, column};
use crate::page::text::words::Words;
use crate::shingles::minwise::Shingler;

/// What phrases (`fingerprints`) read like on the pages of a batch (`page`, `text`).
pub fn quote(texts: &RecordBatch, fresh: &Shingler, k: usize) -> Result<RecordBatch, ArrowError> {
    let text: &StringArray = column(texts, "text")?;
    let fingerprints = ListColumn::new(texts, "fingerprints")?;
    let found: Vec<Vec<(i64, String)>> = (0..texts.num_rows())
        .into_par_iter()
        .map_init(
            || (fresh.clone(), Words::default()),
            |(shingler, words), row| {
                if text.is_null(row) {
                    return Vec::new();
                }
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
                fingerprints
                    .of(row)
                    .iter()
                    .filter_map(|phrase| Some((*phrase, say(*first.get(&(*phrase as u64))?))))
                    .collect()
            },
        )
        .collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fingerprint", Arc::new(found.iter().flatten().map(|(phrase, _)| *phrase).collect::<Int64Array>())),
        ("phrase", Arc::new(found.iter().flatten().map(|(_, text)| Some(text)).collect::<StringArray>())),
    ];
    batch_of(columns)
}
