//! Patches: the stretches of words that a page has in common with each of its sources.

use hashbrown::HashMap;

use crate::page::text::words::words;
use crate::quilts::grams::Grams;

/// Consecutive words of a page that a source has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    pub source: usize,
    /// The first word in the page.
    pub start: usize,
    /// The first word in the source.
    pub source_start: usize,
    /// How many words.
    pub words: usize,
}

/// The patches of a page, in the order of the page. A gram belongs to the first source that has it.
pub fn patches(text: &str, sources: &[&str], k: usize) -> Vec<Patch> {
    let mut hasher = Grams::new(k, 0);
    let page_words = words(text);
    let grams = hasher.all(text);
    let mut taken = vec![false; grams.len()];
    let mut found = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let source_words = words(source);
        let source_grams = hasher.all(source);
        let mut places: HashMap<u64, u32> = HashMap::new();
        for (place, gram) in source_grams.iter().enumerate() {
            places.entry(*gram).or_insert(place as u32);
        }
        let same = |at: usize, place: usize| {
            grams[at] == source_grams[place] && page_words[at..at + k] == source_words[place..place + k]
        };
        let mut at = 0;
        while at < grams.len() {
            let place = match places.get(&grams[at]) {
                Some(place) if !taken[at] && same(at, *place as usize) => *place as usize,
                _ => {
                    at += 1;
                    continue;
                }
            };
            let mut len = 0;
            while at + len < grams.len()
                && place + len < source_grams.len()
                && !taken[at + len]
                && same(at + len, place + len)
            {
                taken[at + len] = true;
                len += 1;
            }
            found.push(Patch { source: number, start: at, source_start: place, words: len + k - 1 });
            at += len;
        }
    }
    found.sort_unstable_by_key(|patch| (patch.start, patch.source));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_quilt_of_two() {
        let found = patches("x a b c d y e f g", &["1 2 e f g", "a b c d e f g"], 3);
        let patch = |source, start, source_start, words| Patch { source, start, source_start, words };
        assert_eq!(found, [patch(1, 1, 0, 4), patch(0, 6, 2, 3)]);
        assert!(patches("a b", &["a b"], 3).is_empty());
    }

    proptest! {
        #[test]
        fn patches_are_in_both(text in "([a-c] ){0,40}", sources in prop::collection::vec("([a-c] ){0,30}", 0..4), k in 1usize..5) {
            let texts: Vec<&str> = sources.iter().map(String::as_str).collect();
            let page = words(&text);
            let mut covered = vec![false; (page.len() + 1).saturating_sub(k)];
            for patch in patches(&text, &texts, k) {
                let source = words(texts[patch.source]);
                prop_assert_eq!(&page[patch.start..patch.start + patch.words],
                                &source[patch.source_start..patch.source_start + patch.words]);
                for gram in &mut covered[patch.start..patch.start + patch.words + 1 - k] {
                    prop_assert!(!std::mem::replace(gram, true), "a gram belongs to one source");
                }
            }
            for (gram, covered) in page.windows(k).zip(covered) {
                prop_assert_eq!(covered, texts.iter().any(|text| words(text).windows(k).any(|other| other == gram)));
            }
        }
    }
}
