//! One page against stored ones: is it a quilt of pages we hold, and of which?

use std::io;

use hashbrown::HashMap;

use crate::greedy_cover::{GreedyCover, HolderList};
use crate::quilts::collection::QuiltParams;
use crate::quilts::grams::Grams;
use crate::quilts::index::GramIndex;
use crate::quilts::sites::{Foreign, SiteNames, SiteTable};

/// The page that is looked up.
pub struct Query<'a> {
    pub text: &'a str,
    /// Whose it is. A stored page with its URL, and the copies of that, are the page itself.
    pub site: SiteNames,
}

/// What was found.
#[derive(Debug, Default)]
pub struct KnownSources {
    /// Distinct grams of the page.
    pub grams: usize,
    /// Grams that no stored page holds.
    pub own_grams: usize,
    /// Grams that 1 to m - 1 stored pages hold; with this one that makes 2 to m.
    pub patch_grams: usize,
    /// Patch grams that no source covers.
    pub uncovered: usize,
    /// Enough grams, as the parameters count them, and enough sources.
    pub quilt: bool,
    /// Stored pages that cover it: id, new grams, shared grams, on another domain.
    pub sources: Vec<(i64, u32, u32, bool)>,
}

/// Looks every gram of a page up in an index, and covers it.
pub fn check(index: &GramIndex, query: &Query<'_>, params: QuiltParams, rule: Foreign) -> io::Result<KnownSources> {
    let mut grams = Vec::new();
    Grams::new(index.k, index.seed).set(query.text, &mut grams);
    let mut answer = KnownSources { grams: grams.len(), ..KnownSources::default() };
    let pages = IndexedPages::new(index, query.site);
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for gram in grams {
        // Copies are no holders, so that more than m entries have to be looked at; how many more is not known.
        let mut limit = params.m + 1;
        loop {
            let found = index.holders(gram, limit)?;
            let holders: Vec<u32> = found.iter().copied().filter(|page| pages.is_representative(*page)).collect();
            if holders.len() < params.m && found.len() == limit {
                limit *= 4;
                continue;
            }
            answer.own_grams += usize::from(found.iter().all(|page| pages.is_query(*page)));
            if !holders.is_empty() && holders.len() < params.m {
                lists.push(holders);
            }
            break;
        }
    }
    answer.patch_grams = lists.len();
    if params.enough(lists.len() as u32, answer.grams as u32) {
        answer.quilt = pages.cover(&mut lists, params, rule, &mut answer);
    }
    answer.uncovered = answer.patch_grams - answer.sources.iter().map(|source| source.1 as usize).sum::<usize>();
    Ok(answer)
}

/// The pages of an index, and behind them the query page.
struct IndexedPages<'a> {
    index: &'a GramIndex,
    site: SiteNames,
    /// The representative of each page; for a stored page with the query's URL, and its copies, the query page.
    class: Vec<u32>,
}

impl<'a> IndexedPages<'a> {
    fn new(index: &'a GramIndex, site: SiteNames) -> Self {
        let query = index.ids.len() as u32;
        let same = |other: &SiteNames| site.url != 0 && other.url == site.url;
        let own: Vec<u32> =
            index.sites.iter().zip(&index.class).filter(|(other, _)| same(other)).map(|(_, class)| *class).collect();
        let class = index.class.iter().map(|class| if own.contains(class) { query } else { *class }).collect();
        IndexedPages { index, site, class }
    }

    fn is_query(&self, page: u32) -> bool {
        self.class[page as usize] as usize == self.index.ids.len()
    }

    fn is_representative(&self, page: u32) -> bool {
        self.class[page as usize] == page
    }

    /// Finds the sources; whether they make a quilt.
    fn cover(&self, lists: &mut [Vec<u32>], params: QuiltParams, rule: Foreign, answer: &mut KnownSources) -> bool {
        // Only pages that hold something, and their copies, under numbers of their own.
        let mut numbers: HashMap<u32, u32> = lists.iter().flatten().map(|page| (*page, 0)).collect();
        let wanted: Vec<u32> =
            (0..self.class.len() as u32).filter(|page| numbers.contains_key(&self.class[*page as usize])).collect();
        for (number, page) in wanted.iter().enumerate() {
            numbers.insert(*page, number as u32);
        }
        let query = wanted.len() as u32;
        let sites = wanted.iter().map(|page| self.index.sites[*page as usize]).chain([self.site]).collect();
        let class = wanted.iter().map(|page| numbers[&self.class[*page as usize]]).chain([query]).collect();
        let sites = SiteTable::new(sites, class, rule);
        lists.iter_mut().flatten().for_each(|page| *page = numbers[page]);
        let lists: Vec<HolderList<'_>> = lists.iter().map(|list| (&list[..], 1)).collect();
        let allows = |source| sites.allows(query, source);
        let mut greedy = GreedyCover::new(wanted.len() + 1);
        let sources = greedy.cover(query, &lists, allows, |source| source.new_grams, params.min_share);
        let quilt = params.is_quilt(answer.grams as u32, &sources);
        for source in sources {
            let (named, foreign) = sites.name(query, source.page);
            let id = self.index.ids[wanted[named as usize] as usize];
            answer.sources.push((id, source.new_grams, source.shared_grams, foreign));
        }
        quilt
    }
}
