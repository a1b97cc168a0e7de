//! Who is joined with whom: disjoint sets of the numbers below n.

/// Disjoint sets. Which sets there are in the end does not depend on the order of the unions.
#[derive(Clone, Default)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Every number alone.
    pub fn new(n: usize) -> Self {
        assert!(u32::try_from(n).is_ok(), "more rows than 32 bits can number");
        UnionFind { parents: (0..n as u32).collect() }
    }

    /// The number that stands for the set of `x`: the smallest in it.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parents[x as usize] != x {
            let grandparent = self.parents[self.parents[x as usize] as usize];
            self.parents[x as usize] = grandparent;
            x = grandparent;
        }
        x
    }

    /// Joins two sets; false if they were one already.
    pub fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller one stands for both: that keeps `find` right, and path halving keeps it quick.
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parents[high as usize] = low;
        low != high
    }

    /// For each number the one that stands for its set.
    pub fn labels(&mut self) -> &[u32] {
        // Parents are never larger than their children, so one pass from below is enough.
        for x in 0..self.parents.len() {
            self.parents[x] = self.parents[self.parents[x] as usize];
        }
        &self.parents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The smallest number stands for each set, in whatever order the unions come.
        #[test]
        fn sets_are_those_of_relabelling(edges in prop::collection::vec((0u32..40, 0u32..40), 0..60)) {
            let mut slow: Vec<u32> = (0..40).collect();
            let (mut fast, mut back) = (UnionFind::new(40), UnionFind::new(40));
            for &(a, b) in &edges {
                let (x, y) = (slow[a as usize], slow[b as usize]);
                prop_assert_eq!(fast.union(a, b), x != y);
                slow.iter_mut().filter(|l| **l == x || **l == y).for_each(|l| *l = x.min(y));
            }
            edges.iter().rev().for_each(|&(a, b)| { back.union(b, a); });
            prop_assert!((0..40).all(|x| fast.find(x) == slow[x as usize]));
            prop_assert_eq!(fast.labels(), &slow[..]);
            prop_assert_eq!(back.labels(), &slow[..]);
        }
    }
}
