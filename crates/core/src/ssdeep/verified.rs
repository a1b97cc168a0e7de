//! Fuzzy classes checked on the texts: on templated pages, digests that are alike say little.
//!
//! Every member is compared with its representative, phrase by phrase. Those that are not similar enough form a class of
//! their own and are compared with its first page, `ROUNDS` times in all. What is left is in no class.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::ArrowError;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::arrow::batch_of;
use crate::duplicates::phrase_sets::{PhraseSets, Phrasing};
use crate::ssdeep::classes::FuzzyClasses;

/// How often those that are left over are compared anew.
pub const ROUNDS: usize = 4;

/// Takes the texts of pages in classes, then leaves in a class who belongs there.
pub struct ClassVerifier {
    classes: FuzzyClasses,
    similarity: f64,
    texts: PhraseSets,
    /// The ordinal in `texts` for each text.
    ordinals: HashMap<u128, u32>,
}

impl ClassVerifier {
    /// Phrases take at most `memory` bytes; what they need beyond it goes into the folder.
    pub fn new(classes: FuzzyClasses, similarity: f64, phrasing: Phrasing, memory: usize, spill: &Path) -> Self {
        // One page for each text. Ranks ascend with pages.
        let mut ranks: Vec<u32> = classes.members.iter().map(|member| member.1).collect();
        ranks.par_sort_unstable();
        let (mut pages, mut ordinals) = (Vec::new(), HashMap::new());
        for rank in ranks {
            ordinals.entry(classes.text(rank)).or_insert_with(|| {
                pages.push(classes.page(rank));
                pages.len() as u32 - 1
            });
        }
        ClassVerifier { classes, similarity, texts: PhraseSets::new(pages, phrasing, memory, spill), ordinals }
    }

    /// More texts, of whatever pages: `page` and `text`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.texts.push(batch)
    }

    /// The members of classes: `label`, `page`, `exact`, `score` and `similarity`.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        self.texts.seal()?;
        let classes: Vec<&[(u32, u32)]> = self.classes.members.chunk_by(|a, b| a.0 == b.0).collect();
        let found = classes.par_iter().map(|class| self.regroup(class)).collect::<io::Result<Vec<_>>>()?.concat();
        let members: Vec<(u32, u32)> = found.iter().map(|row| row.0).collect();
        let mut columns = self.classes.columns(&members);
        columns.push(("similarity", Arc::new(found.iter().map(|row| Some(row.1)).collect::<Float64Array>())));
        batch_of(columns)
    }

    /// The classes that come of one.
    fn regroup(&self, class: &[(u32, u32)]) -> io::Result<Vec<((u32, u32), f64)>> {
        let mut left: Vec<u32> = class.iter().map(|member| member.1).collect();
        let mut rows = Vec::new();
        for _ in 0..ROUNDS {
            let Some((&root, rest)) = left.split_first() else { break };
            let similar = |buffers: &mut [Vec<u64>; 2], rank: &u32| {
                let [a, b] = [root, *rank].map(|rank| self.ordinals[&self.classes.text(rank)]);
                if a == b { Ok(Some(1.0)) } else { self.texts.similar(a, b, self.similarity, buffers) }
            };
            let found = rest.par_iter().map_init(Default::default, similar).collect::<io::Result<Vec<_>>>()?;
            if found.iter().any(Option::is_some) {
                rows.push(((root, root), 1.0));
            }
            let mut next = Vec::new();
            for (&rank, found) in rest.iter().zip(found) {
                match found {
                    Some(jaccard) => rows.push(((root, rank), jaccard)),
                    None => next.push(rank),
                }
            }
            left = next;
        }
        Ok(rows)
    }
}
