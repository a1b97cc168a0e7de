//! Many digests in little memory: only what is compared, one behind the other.

use crate::ssdeep::score::Digest;

#[derive(Default)]
pub struct DigestStore {
    bytes: Vec<u8>,
    starts: Vec<u64>,
}

/// One digest of the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StoredDigest<'a> {
    /// The block size is 3 << level.
    pub level: u8,
    /// The signature at the block size, without repeats.
    pub first: &'a [u8],
    /// The signature at twice the block size, without repeats.
    pub second: &'a [u8],
}

impl<'a> StoredDigest<'a> {
    /// Those parts of a digest that are compared.
    pub fn of(digest: &'a Digest) -> Self {
        StoredDigest { level: digest.level, first: digest.first.characters(), second: digest.second.characters() }
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

impl DigestStore {
    /// Puts a digest behind the others.
    pub fn push(&mut self, digest: &StoredDigest<'_>) {
        self.starts.push(self.bytes.len() as u64);
        self.bytes.extend([digest.level, digest.first.len() as u8]);
        self.bytes.extend(digest.first);
        self.bytes.extend(digest.second);
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    #[inline]
    pub fn get(&self, number: u32) -> StoredDigest<'_> {
        let number = number as usize;
        let end = self.starts.get(number + 1).map_or(self.bytes.len(), |&end| end as usize);
        let bytes = &self.bytes[self.starts[number] as usize..end];
        let (first, second) = bytes[2..].split_at(usize::from(bytes[1]));
        StoredDigest { level: bytes[0], first, second }
    }
}
