//! Who may be a source of whom, as rows: the few members of a class that decide it.
//!
//! A source stands for its duplicate class, which may have any number of members. Of those, most can never be the one
//! that is named: whatever page asks, a member before them may be named too.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;

use crate::arrow::{batch_of, column, string};
use crate::quilts::sites::{Foreign, SiteNames, is_later};

/// The sites of pages as numbers: `page`, `host`, `domain`, `ip` from the names.
pub fn site_rows(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let pages: &Int64Array = column(batch, "page")?;
    let [host, domain, ip] = ["host", "domain", "ip"].map(|name| column::<StringArray>(batch, name));
    let names = [host?, domain?, ip?];
    let site = |row: usize| {
        let [host, domain, ip] = names.map(|array| string(array, row));
        SiteNames::new(pages.value(row), host, domain, ip)
    };
    let sites: Vec<SiteNames> = (0..batch.num_rows()).map(site).collect();
    let numbers = |of: fn(&SiteNames) -> u64| Int64Array::from_iter_values(sites.iter().map(|site| of(site) as i64));
    batch_of(vec![
        ("page", Arc::new(pages.clone())),
        ("host", Arc::new(numbers(|site| site.host))),
        ("domain", Arc::new(numbers(|site| site.domain))),
        ("ip", Arc::new(numbers(|site| site.ip))),
    ])
}

/// A page with what decides whether it may be a source.
#[derive(Clone, Copy, Debug)]
struct ClassMember {
    site: SiteNames,
    date: Option<i64>,
}

/// Columns that hold members; `prefix` is before their names.
struct Members<'a> {
    sites: [&'a Int64Array; 3],
    date: &'a Int64Array,
}

impl<'a> Members<'a> {
    fn of(batch: &'a RecordBatch, prefix: &str) -> Result<Self, ArrowError> {
        let [host, domain, ip, date] =
            ["host", "domain", "ip", "date"].map(|name| column(batch, &format!("{prefix}{name}")));
        Ok(Members { sites: [host?, domain?, ip?], date: date? })
    }

    fn get(&self, row: usize) -> ClassMember {
        let [host, domain, ip] = self.sites.map(|names| names.value(row) as u64);
        ClassMember {
            site: SiteNames { host, domain, ip, url: 0 },
            date: self.date.is_valid(row).then(|| self.date.value(row)),
        }
    }
}

/// From complete groups of `holder`, which stands for its class, or parts of them, sorted by `member`: only the rows that matter.
pub fn deciding_members(batch: &RecordBatch, rule: Foreign) -> Result<RecordBatch, ArrowError> {
    let classes = column::<Int64Array>(batch, "holder")?.values();
    let members = Members::of(batch, "")?;
    let mut kept: Vec<u32> = Vec::new();
    let mut row = 0;
    for group in classes.chunk_by(|a, b| a == b) {
        let mut of_class: Vec<ClassMember> = Vec::new();
        for _ in group {
            let member = members.get(row);
            if decides(&of_class, &member, rule) {
                of_class.push(member);
                kept.push(row as u32);
            }
            row += 1;
        }
    }
    taken(batch, &["holder", "member", "host", "domain", "ip", "date"], &kept).and_then(batch_of)
}

/// Some rows of columns of integers.
fn taken<'n>(batch: &RecordBatch, names: &[&'n str], rows: &[u32]) -> Result<Vec<(&'n str, ArrayRef)>, ArrowError> {
    let take = |name: &&'n str| {
        let all: &Int64Array = column(batch, name)?;
        let values = rows.iter().map(|&row| all.is_valid(row as usize).then(|| all.value(row as usize)));
        Ok((*name, Arc::new(values.collect::<Int64Array>()) as ArrayRef))
    };
    names.iter().map(take).collect()
}

/// Whether there can be a page that would not name any member before this one, but would name this one.
fn decides(before: &[ClassMember], member: &ClassMember, rule: Foreign) -> bool {
    // Those that no date forbids which does not forbid this one.
    let no_later = |other: &&ClassMember| match (other.date, member.date) {
        (None, _) => true,
        (Some(other), Some(date)) => other <= date,
        (Some(_), None) => false,
    };
    let before: Vec<SiteNames> = before.iter().filter(no_later).map(|other| other.site).collect();
    // A page's host, domain and IP address matter only if one of these sites has them. Zero stands for no name.
    let names = |of: fn(&SiteNames) -> u64, matters: bool| -> Vec<u64> {
        let mut found: Vec<u64> = if matters { before.iter().map(of).collect() } else { Vec::new() };
        found.push(0);
        found.sort_unstable();
        found.dedup();
        found
    };
    let hosts = names(|site| site.host, rule == Foreign::Host);
    let domains = names(|site| site.domain, true);
    let mut ips = names(|site| site.ip, rule == Foreign::Ip);
    // An IP address that is known, and of none of these sites.
    ips.extend((1..).find(|ip| member.site.ip != *ip && before.iter().all(|site| site.ip != *ip)));
    let pages = domains.iter().flat_map(|&domain| {
        let ips = &ips;
        hosts.iter().flat_map(move |&host| ips.iter().map(move |&ip| SiteNames { host, domain, ip, url: 0 }))
    });
    let named = |page: &SiteNames, site: &SiteNames| (rule.differs(page, site), Foreign::Domain.differs(page, site));
    pages.into_iter().any(|page| {
        let (may, foreign) = named(&page, &member.site);
        let others = || before.iter().map(|site| named(&page, site));
        may && (others().all(|(may, _)| !may) || foreign && others().all(|(may, foreign)| !(may && foreign)))
    })
}

/// The rows of pages and members of holders' classes (`page_host`, `host`, ...) in which the member may be a source:
/// `page`, `holder`, `member`, and whether it is `foreign`: on another domain.
pub fn allowed_members(batch: &RecordBatch, rule: Foreign) -> Result<RecordBatch, ArrowError> {
    let (pages, members) = (Members::of(batch, "page_")?, Members::of(batch, "")?);
    let mut kept: Vec<u32> = Vec::new();
    let mut foreign: Vec<bool> = Vec::new();
    for row in 0..batch.num_rows() {
        let (page, member) = (pages.get(row), members.get(row));
        if rule.differs(&page.site, &member.site) && !is_later(page.date, member.date) {
            kept.push(row as u32);
            foreign.push(Foreign::Domain.differs(&page.site, &member.site));
        }
    }
    let mut columns = taken(batch, &["page", "holder", "member"], &kept)?;
    columns.push(("foreign", Arc::new(BooleanArray::from(foreign))));
    batch_of(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quilts::sites::pick;
    use proptest::prelude::*;

    fn members(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<ClassMember>> {
        let site = (1u64..5, 1u64..5, 0u64..4).prop_map(|(host, domain, ip)| SiteNames { host, domain, ip, url: 0 });
        let member = (site, prop::option::of(0i64..5)).prop_map(|(site, date)| ClassMember { site, date });
        prop::collection::vec(member, count)
    }

    fn decided(members: &[(usize, ClassMember)], rule: Foreign) -> Vec<(usize, ClassMember)> {
        let mut kept: Vec<(usize, ClassMember)> = Vec::new();
        for (number, member) in members {
            let before: Vec<ClassMember> = kept.iter().map(|kept| kept.1).collect();
            if decides(&before, member, rule) {
                kept.push((*number, *member));
            }
        }
        kept
    }

    proptest! {
        /// Whoever asks: the few name what all would name, also if parts were made smaller first.
        #[test]
        fn the_few_decide(all in members(0..30), pages in members(20), dated in any::<bool>(), cut in 0usize..30) {
            let undated = |member: &ClassMember| ClassMember { date: member.date.filter(|_| dated), ..*member };
            let all: Vec<(usize, ClassMember)> = all.iter().map(undated).enumerate().collect();
            for rule in [Foreign::None, Foreign::Host, Foreign::Domain, Foreign::Ip] {
                let (left, right): (Vec<_>, Vec<_>) = all.iter().partition(|member| member.0 % 3 == cut % 3);
                let mut parts = [decided(&left, rule), decided(&right, rule)].concat();
                parts.sort_by_key(|member| member.0);
                for few in [decided(&all, rule), decided(&parts, rule)] {
                    if !dated {
                        prop_assert!(few.len() <= 6, "{} of {}", few.len(), all.len());
                    }
                    for page in pages.iter().map(undated) {
                        let named = |members: &[(usize, ClassMember)]| pick(members.iter()
                            .filter(|(_, member)| rule.differs(&page.site, &member.site) && !is_later(page.date, member.date))
                            .map(|(number, member)| (*number, Foreign::Domain.differs(&page.site, &member.site))));
                        prop_assert_eq!(named(&few), named(&all));
                    }
                }
            }
        }
    }
}
