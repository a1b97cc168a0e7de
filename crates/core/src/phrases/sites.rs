//! Where each page lives, as numbers.

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use hashbrown::HashMap;

use crate::arrow::column;
use crate::hash::name_hash;

/// Stands for a host, server or IP address that is not known.
pub const UNKNOWN: i64 = 0;

/// What stands for names.
pub fn name_keys(names: &StringArray) -> Int64Array {
    names.iter().map(|name| Some(name.map_or(UNKNOWN, |name| name_hash([name]) as i64))).collect()
}

/// Hosts, servers and IP addresses of pages, which come in any order and are sorted once all are there. What stands for
/// a name (64 bits) gets a small number, so that a page takes 20 bytes.
#[derive(Default)]
pub struct PageSites {
    pub pages: Vec<i64>,
    pub hosts: Names,
    /// Domains, or what the user says belongs together.
    pub servers: Names,
    pub ips: Names,
}

/// A column of names as numbers.
#[derive(Default)]
pub struct Names {
    pub numbers: Vec<u32>,
    names: Vec<i64>,
    known: HashMap<i64, u32>,
}

impl Names {
    fn push(&mut self, name: i64) {
        let number = *self.known.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        });
        self.numbers.push(number);
    }

    /// The name of a page's host, server or IP address.
    pub fn name(&self, index: u32) -> i64 {
        self.names[self.numbers[index as usize] as usize]
    }
}

impl PageSites {
    /// More pages: `page`, `host`, `server` and `ip`.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        self.pages.extend_from_slice(column::<Int64Array>(batch, "page")?.values());
        for (name, names) in [("host", &mut self.hosts), ("server", &mut self.servers), ("ip", &mut self.ips)] {
            column::<Int64Array>(batch, name)?.values().iter().for_each(|value| names.push(*value));
        }
        Ok(())
    }

    /// Puts the pages in order, once all are there.
    pub fn sort(&mut self) {
        if self.pages.is_sorted() {
            return;
        }
        let mut order: Vec<u32> = (0..self.pages.len() as u32).collect();
        order.sort_unstable_by_key(|&at| self.pages[at as usize]);
        self.pages = order.iter().map(|&at| self.pages[at as usize]).collect();
        for names in [&mut self.hosts, &mut self.servers, &mut self.ips] {
            names.numbers = order.iter().map(|&at| names.numbers[at as usize]).collect();
        }
    }

    pub fn index(&self, page: i64) -> Option<u32> {
        self.pages.binary_search(&page).ok().map(|i| i as u32)
    }
}
