//! One page against stored ones: is it a quilt of pages we hold, and of which?

use std::io;

use hashbrown::HashMap;

use crate::cover::{Coverer, Source};
use crate::gram_index::Index;
use crate::grams::Grams;
use crate::quilts::QuiltParams;
use crate::sites::{Foreign, Site, Sites};

/// The page that is asked about.
pub struct Asked<'a> {
    /// Its text.
    pub text: &'a str,
    /// Whose it is. A stored page of its address, and the copies of that, are the page itself.
    pub site: Site,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Answer {
    /// Distinct grams of the page.
    pub grams: usize,
    /// Grams that no stored page holds.
    pub own_grams: usize,
    /// Grams that 1 to m - 1 stored pages hold; with this one that makes 2 to m.
    pub patch_grams: usize,
    /// Patch grams that no source covers.
    pub uncovered: usize,
    /// Enough patch grams and enough sources.
    pub quilt: bool,
    /// Stored pages that cover it: id, new grams, shared grams, on another domain.
    pub sources: Vec<(i64, u32, u32, bool)>,
}

/// Looks every gram of a page up in indexes of one kind, and covers it.
pub fn check(indexes: &[Index], asked: &Asked<'_>, params: QuiltParams, rule: Foreign) -> io::Result<Answer> {
    let first = indexes.first().ok_or_else(|| io::Error::other("there is no index to look into"))?;
    let mut grams = Vec::new();
    Grams::new(first.k, first.seed).set(asked.text, &mut grams);
    let mut answer = Answer { grams: grams.len(), ..Answer::default() };
    let pages = Pages::new(indexes, asked);
    let mut lists: Vec<Vec<u32>> = Vec::new();
    for gram in grams {
        let (mut holders, mut any) = (Vec::new(), false);
        for (number, index) in indexes.iter().enumerate() {
            // Copies are no holders, so that more than m entries have to be looked at; how many more is not known.
            let mut most = params.m + 1;
            loop {
                let found = index.holders(gram, most)?;
                let standing: Vec<u32> = found.iter().filter_map(|page| pages.standing(number, *page)).collect();
                if standing.len() >= params.m || found.len() < most {
                    any |= found.iter().any(|page| !pages.is_asked(number, *page));
                    holders.extend(standing);
                    break;
                }
                most *= 4;
            }
        }
        answer.own_grams += usize::from(!any);
        if !holders.is_empty() && holders.len() < params.m {
            lists.push(holders);
        }
    }
    answer.patch_grams = lists.len();
    let enough = answer.grams > 0 && lists.len() as f64 / answer.grams as f64 >= params.theta;
    if enough {
        pages.cover(&mut lists, params, rule, &mut answer);
        answer.quilt = answer.sources.len() >= params.c;
    }
    answer.uncovered = answer.patch_grams - answer.sources.iter().map(|source| source.1 as usize).sum::<usize>();
    Ok(answer)
}

/// The pages of several indexes under one numbering, the asked one last.
struct Pages<'a> {
    indexes: &'a [Index],
    starts: Vec<u32>,
    /// By number: the page that stands for it, or for the asked page and its copies the asked page.
    class: Vec<u32>,
    site: Site,
}

impl<'a> Pages<'a> {
    fn new(indexes: &'a [Index], asked: &Asked<'_>) -> Self {
        let mut starts = vec![0];
        let mut class = Vec::new();
        // A later run's copy of an earlier run's page says so by its class's id, not by a number here: its index has
        // that page's number only if it holds the page. So classes stay within an index.
        for index in indexes {
            let start = class.len() as u32;
            class.extend(index.class.iter().map(|of| start + of));
            starts.push(class.len() as u32);
        }
        let asked_number = class.len() as u32;
        let mut own: Vec<u32> = Vec::new();
        if asked.site.url != 0 {
            for (index, start) in indexes.iter().zip(&starts) {
                let here = index.sites.iter().zip(*start..).filter(|(site, _)| site.url == asked.site.url);
                own.extend(here.map(|(_, number)| class[number as usize]));
            }
        }
        for of in &mut class {
            if own.contains(of) {
                *of = asked_number;
            }
        }
        class.push(asked_number);
        Pages { indexes, starts, class, site: asked.site }
    }

    fn is_asked(&self, index: usize, page: u32) -> bool {
        self.class[(self.starts[index] + page) as usize] as usize == self.class.len() - 1
    }

    /// The number of a page, if it stands for itself.
    fn standing(&self, index: usize, page: u32) -> Option<u32> {
        let number = self.starts[index] + page;
        (self.class[number as usize] == number).then_some(number)
    }

    fn id(&self, number: u32) -> i64 {
        let index = self.starts.partition_point(|start| *start <= number) - 1;
        self.indexes[index].ids[(number - self.starts[index]) as usize]
    }

    fn cover(&self, lists: &mut [Vec<u32>], params: QuiltParams, rule: Foreign, answer: &mut Answer) {
        // Only pages that hold something, and their copies, numbered in the order of ids.
        let mut wanted: HashMap<u32, u32> = lists.iter().flatten().map(|number| (*number, 0)).collect();
        let mut numbers: Vec<u32> =
            (0..self.class.len() as u32 - 1).filter(|n| wanted.contains_key(&self.class[*n as usize])).collect();
        numbers.sort_by_key(|number| self.id(*number));
        for (small, number) in numbers.iter().enumerate() {
            wanted.insert(*number, small as u32);
        }
        let mut sites: Vec<Site> = numbers.iter().map(|number| self.site_of(*number)).collect();
        let mut class: Vec<u32> = numbers.iter().map(|number| wanted[&self.class[*number as usize]]).collect();
        let asked = numbers.len() as u32;
        sites.push(self.site);
        class.push(asked);
        let sites = Sites::new(sites, class, rule);
        for list in lists.iter_mut() {
            list.iter_mut().for_each(|number| *number = wanted[number]);
        }
        let lists: Vec<&[u32]> = lists.iter().map(|list| &list[..]).collect();
        let mut sources: Vec<Source> = Vec::new();
        let allows = |source| sites.allows(asked, source);
        Coverer::new(numbers.len() + 1).cover(asked, &lists, allows, params.min_share, &mut sources);
        for source in sources {
            let (named, foreign) = sites.name(asked, source.page);
            let id = self.id(numbers[named as usize]);
            answer.sources.push((id, source.new_grams, source.shared_grams, foreign));
        }
    }

    fn site_of(&self, number: u32) -> Site {
        let index = self.starts.partition_point(|start| *start <= number) - 1;
        self.indexes[index].sites[(number - self.starts[index]) as usize]
    }
}
