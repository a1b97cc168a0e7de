//! Many digests in little memory: only what is compared, one behind the other.

use crate::ssdeep::score::Digest;

/// Digests by number.
#[derive(Default)]
pub struct Shelf {
    bytes: Vec<u8>,
    starts: Vec<u64>,
}

/// One digest on the shelf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stored<'a> {
    /// The block size is 3 << level.
    pub level: u8,
    /// The signature at the block size, without runs.
    pub first: &'a [u8],
    /// The signature at twice the block size, without runs.
    pub second: &'a [u8],
}

impl<'a> Stored<'a> {
    /// What is compared of a digest.
    pub fn of(digest: &'a Digest) -> Self {
        Stored { level: digest.level, first: digest.first.characters(), second: digest.second.characters() }
    }

    /// Its signatures, each with the level at which it was made.
    pub fn signatures(&self) -> [(u8, &'a [u8]); 2] {
        [(self.level, self.first), (self.level + 1, self.second)]
    }

    /// The signature made at this level, if it has one.
    pub fn at(&self, level: u8) -> Option<&'a [u8]> {
        self.signatures().into_iter().find(|&(own, _)| own == level).map(|(_, signature)| signature)
    }
}

impl Shelf {
    /// Puts a digest behind the others.
    pub fn push(&mut self, digest: &Stored<'_>) {
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend([digest.level, digest.first.len() as u8]);
        self.bytes.extend(digest.first);
        self.bytes.extend(digest.second);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The digest of this number.
    #[inline]
    pub fn get(&self, number: u32) -> Stored<'_> {
        let number = number as usize;
        let end = self.starts.get(number + 1).map_or(self.bytes.len(), |&end| end as usize);
        let bytes = &self.bytes[self.starts[number] as usize..end];
        let (first, second) = bytes[2..].split_at(usize::from(bytes[1]));
        Stored { level: bytes[0], first, second }
    }

    /// Bytes of memory taken.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * size_of::<u64>()
    }
}
