//! Disjoint sets of ordinals that grow together.

/// Union-find; the root of a set is its smallest ordinal.
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    pub fn new(n: usize) -> Self {
        assert!(u32::try_from(n).is_ok(), "more sets than 32 bits can number");
        UnionFind { parents: (0..n as u32).collect() }
    }

    /// The smallest ordinal of the set that this one is in.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.parents[i as usize] != i {
            // Halve the path on the way.
            let up = self.parents[self.parents[i as usize] as usize];
            self.parents[i as usize] = up;
            i = up;
        }
        i
    }

    /// Makes one set of two; says whether they were two.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }

    /// For each ordinal the smallest of its set.
    pub fn labels(&mut self) -> &[u32] {
        // No parent is larger than its child, so one pass from below is enough.
        for i in 0..self.parents.len() {
            self.parents[i] = self.parents[self.parents[i] as usize];
        }
        &self.parents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against labels that are all rewritten at every step.
        #[test]
        fn is_the_closure(edges in proptest::collection::vec((0u32..30, 0u32..30), 0..40)) {
            let mut union = UnionFind::new(30);
            let mut labels: Vec<u32> = (0..30).collect();
            for (a, b) in edges {
                let (x, y) = (labels[a as usize], labels[b as usize]);
                prop_assert_eq!(union.join(a, b), x != y);
                labels.iter_mut().filter(|l| **l == x.max(y)).for_each(|l| *l = x.min(y));
            }
            for i in 0..30 {
                prop_assert_eq!(union.find(i), labels[i as usize]);
            }
            prop_assert_eq!(union.labels(), &labels[..]);
        }
    }
}
