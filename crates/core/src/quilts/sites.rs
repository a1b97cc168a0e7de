//! Who a page belongs to: its site, and the duplicate class that it represents.
//!
//! Names are 64-bit hashes here, so that a stored collection and a new page can be compared. A page without a known
//! site is a site of its own.

use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{column, string};
use crate::hash::{mix, name_hash};

/// What makes two pages foreign to each other. Donors of phrases have another rule, `phrases::covers::is_own`, which says how
/// often the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Nothing is asked: every other page may be a source.
    None,
    /// Another host name.
    Host,
    /// Another registered domain.
    Domain,
    /// Another IP address; where one is unknown the domain decides.
    Ip,
}

impl Foreign {
    /// From the word a user writes.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "none" => Foreign::None,
            "host" => Foreign::Host,
            "domain" => Foreign::Domain,
            "ip" => Foreign::Ip,
            _ => return None,
        })
    }

    /// Whether two pages are foreign to each other.
    pub fn differs(self, a: &SiteNames, b: &SiteNames) -> bool {
        match self {
            Foreign::None => true,
            Foreign::Host => a.host != b.host,
            Foreign::Ip if a.ip != 0 && b.ip != 0 => a.ip != b.ip,
            Foreign::Domain | Foreign::Ip => a.domain != b.domain,
        }
    }
}

/// A source of this date is known to be later than a page of that.
pub fn is_later(page: Option<i64>, source: Option<i64>) -> bool {
    page.zip(source).is_some_and(|(page, source)| source > page)
}

/// Which of the allowed pages of a class to name: the first on another domain, else the first.
pub fn pick<P>(allowed: impl Iterator<Item = (P, bool)>) -> Option<(P, bool)> {
    let mut first = None;
    for (member, foreign) in allowed {
        if foreign {
            return Some((member, true));
        }
        first.get_or_insert((member, false));
    }
    first
}

/// A page's site by every name it has. Zero is an unknown IP address; host and domain are never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteNames {
    /// Of the host name.
    pub host: u64,
    /// Of the registered domain.
    pub domain: u64,
    /// Of the IP address.
    pub ip: u64,
    /// Of the page's URL; zero where it has none.
    pub url: u64,
}

impl SiteNames {
    /// From names; a page without a name for something is the only one of its kind.
    pub fn new(page: i64, host: Option<&str>, domain: Option<&str>, ip: Option<&str>) -> Self {
        let number = |name: Option<&str>| name.map(|name| name_hash([name]));
        let own = mix(page as u64 ^ 0x6F77_6E21).max(1);
        SiteNames {
            host: number(host).unwrap_or(own),
            domain: number(domain).unwrap_or(own),
            ip: number(ip).unwrap_or(0),
            url: 0,
        }
    }

    /// The same for a page with this URL.
    pub fn at(self, url: Option<&str>) -> Self {
        SiteNames { url: url.map_or(0, |url| name_hash([url])), ..self }
    }
}

/// Collects sites and duplicate classes of pages.
#[derive(Default)]
pub struct SiteTableBuilder {
    sites: Vec<(i64, SiteNames)>,
    copies: Vec<(i64, i64)>,
    /// Pages with a date, in any unit; only if sources must not be later than their quilts.
    dates: Vec<(i64, i64)>,
}

impl SiteTableBuilder {
    /// Sites of pages: `page`, `url`, `host`, `domain`, `ip`.
    pub fn push_sites(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let pages: &Int64Array = column(batch, "page")?;
        let [url, host, domain, ip] = ["url", "host", "domain", "ip"].map(|name| column::<StringArray>(batch, name));
        let names = [url?, host?, domain?, ip?];
        for row in 0..batch.num_rows() {
            let [url, host, domain, ip] = names.map(|array| string(array, row));
            let page = pages.value(row);
            self.sites.push((page, SiteNames::new(page, host, domain, ip).at(url)));
        }
        Ok(())
    }

    /// Dates of pages: `page`, `date`, the same unit for all. From then on no source may be later than its quilt.
    pub fn push_dates(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let (pages, dates): (&Int64Array, &Int64Array) = (column(batch, "page")?, column(batch, "date")?);
        let known = (0..batch.num_rows()).filter(|&row| dates.is_valid(row));
        self.dates.extend(known.map(|row| (pages.value(row), dates.value(row))));
        Ok(())
    }

    /// Near-copies: `page`, `representative`.
    pub fn push_copies(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let [pages, representatives] = ["page", "representative"].map(|name| column::<Int64Array>(batch, name));
        pages?.values().iter().zip(representatives?.values()).for_each(|(page, of)| self.copy(*page, *of));
        Ok(())
    }

    /// A page that is a near-copy of its representative.
    pub fn copy(&mut self, page: i64, representative: i64) {
        if page != representative {
            self.copies.push((page, representative));
        }
    }

    /// The sites of `pages`, which are in ascending order.
    pub fn finish(mut self, pages: &[i64], rule: Foreign) -> SiteTable {
        self.sites.sort_unstable_by_key(|site| site.0);
        let sites: Vec<SiteNames> = pages
            .iter()
            .map(|page| match self.sites.binary_search_by_key(page, |site| site.0) {
                Ok(at) => self.sites[at].1,
                Err(_) => SiteNames::new(*page, None, None, None),
            })
            .collect();
        let rank_of = |page: &i64| pages.binary_search(page).ok().map(|rank| rank as u32);
        let mut class: Vec<u32> = (0..pages.len() as u32).collect();
        for (page, representative) in &self.copies {
            if let (Some(member), Some(of)) = (rank_of(page), rank_of(representative)) {
                class[member as usize] = of;
            }
        }
        let mut found = SiteTable::new(sites, class, rule);
        if !self.dates.is_empty() {
            found.dates = vec![None; pages.len()];
            for (page, date) in &self.dates {
                if let Some(rank) = rank_of(page) {
                    found.dates[rank as usize] = Some(*date);
                }
            }
        }
        found
    }
}

/// Sites and duplicate classes of a collection whose pages are numbered in the order of their ids.
pub struct SiteTable {
    pub sites: Vec<SiteNames>,
    /// The representative of each page: mostly itself.
    pub class: Vec<u32>,
    /// Whether the page is its own representative.
    pub is_representative: Vec<bool>,
    /// (class, member), sorted: classes of two or more, each with its representative.
    members: Vec<(u32, u32)>,
    rule: Foreign,
    /// By page; empty if dates do not matter.
    dates: Vec<Option<i64>>,
}

impl SiteTable {
    /// From each page's site and representative.
    pub fn new(sites: Vec<SiteNames>, class: Vec<u32>, rule: Foreign) -> Self {
        let mut members: Vec<(u32, u32)> = Vec::new();
        let mut is_representative = vec![true; sites.len()];
        for (page, &of) in class.iter().enumerate().filter(|(page, of)| *page != **of as usize) {
            is_representative[page] = false;
            members.extend([(of, page as u32), (of, of)]);
        }
        members.sort_unstable();
        members.dedup();
        SiteTable { sites, class, is_representative, members, rule, dates: Vec::new() }
    }

    fn members(&self, page: u32) -> impl Iterator<Item = u32> {
        let begin = self.members.partition_point(|member| member.0 < page);
        let class = self.members[begin..].iter().take_while(move |member| member.0 == page).map(|member| member.1);
        let single = self.members.get(begin).is_none_or(|member| member.0 != page);
        class.chain(single.then_some(page))
    }

    fn differs(&self, rule: Foreign, a: u32, b: u32) -> bool {
        rule.differs(&self.sites[a as usize], &self.sites[b as usize])
    }

    fn may_be_source(&self, page: u32, source: u32) -> bool {
        let date = |page: u32| self.dates.get(page as usize).copied().flatten();
        self.differs(self.rule, page, source) && !is_later(date(page), date(source))
    }

    /// `source`, or a page that it represents, may be a source of `page`.
    pub fn allows(&self, page: u32, source: u32) -> bool {
        if self.members.is_empty() {
            return self.may_be_source(page, source);
        }
        self.members(source).any(|member| self.may_be_source(page, member))
    }

    /// Which page to name as the source, and whether it is on another domain.
    pub fn name(&self, page: u32, source: u32) -> (u32, bool) {
        let allowed = self.members(source).filter(|member| self.may_be_source(page, *member));
        pick(allowed.map(|member| (member, self.differs(Foreign::Domain, page, member)))).unwrap_or((source, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(rule: Foreign) -> SiteTable {
        let mut builder = SiteTableBuilder::default();
        let mut site = |page, host, domain, ip| builder.sites.push((page, SiteNames::new(page, host, domain, ip)));
        site(10, Some("a.x.com"), Some("x.com"), Some("1.1.1.1"));
        site(11, Some("b.x.com"), Some("x.com"), None);
        site(12, Some("y.com"), Some("y.com"), Some("1.1.1.1"));
        site(13, None, None, None);
        site(14, None, None, None);
        builder.copy(12, 11);
        builder.copy(11, 11);
        builder.finish(&[10, 11, 12, 13, 14, 15], rule)
    }

    #[test]
    fn rules() {
        let by = |rule| {
            let sites = sites(rule);
            [(0, 1), (0, 2), (3, 4), (0, 5), (3, 3)].map(|(a, b)| sites.differs(rule, a, b))
        };
        assert_eq!(by(Foreign::None), [true; 5]);
        assert_eq!(by(Foreign::Host), [true, true, true, true, false]);
        assert_eq!(by(Foreign::Domain), [false, true, true, true, false]);
        assert_eq!(by(Foreign::Ip), [false, false, true, true, false], "unknown address: the domain decides");
    }

    #[test]
    fn nothing_later() {
        let mut builder = SiteTableBuilder { dates: vec![(10, 5), (11, 5), (12, 6)], ..SiteTableBuilder::default() };
        let found = |builder: SiteTableBuilder| builder.finish(&[10, 11, 12, 13], Foreign::None);
        builder.copy(12, 11);
        let sites = found(builder);
        assert!(sites.allows(0, 1) && sites.allows(0, 3) && sites.allows(3, 1), "as old, or unknown");
        assert_eq!(sites.name(0, 1), (1, true), "the copy is later");
        let sites = found(SiteTableBuilder { dates: vec![(10, 5), (11, 6)], ..SiteTableBuilder::default() });
        assert!(!sites.allows(0, 1) && sites.allows(1, 0));
    }

    #[test]
    fn classes() {
        let found = sites(Foreign::Domain);
        assert_eq!(found.is_representative, [true, true, false, true, true, true]);
        assert!(found.allows(0, 1), "a copy of page 11 is on another domain");
        assert_eq!(found.name(0, 1), (2, true));
        assert_eq!(found.name(3, 1), (1, true));
        assert_eq!(sites(Foreign::None).name(0, 1), (2, true));
        assert!(!sites(Foreign::Ip).allows(0, 1), "same domain, or same address");
        assert_eq!(sites(Foreign::Host).name(0, 1), (2, true));
    }
}
