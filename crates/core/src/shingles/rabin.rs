//! Rabin fingerprints: strings as polynomials over the field of two elements, modulo a primitive one of degree 64.
//!
//! The fingerprint of a string b is the remainder of `(1 b 0^64)`: a one in front, 64 zeros behind. A fingerprint can
//! be extended at its end and shortened at its front without the string, and maps 64 bits to 64 bits one to one.
//! The product that all of it rests on is one instruction on most CPUs; elsewhere tables of 256 entries serve.

use crate::hash::mix;

/// The prime factors of 2^64 - 1: an element is primitive when none of its powers by a cofactor is one.
const FACTORS: [u64; 7] = [3, 5, 17, 257, 641, 65537, 6_700_417];

/// A primitive polynomial of degree 64, with what arithmetic modulo it needs.
#[derive(Clone, Debug)]
pub struct Polynomial {
    /// All but the leading coefficient; also the remainder of x^64, which is the fingerprint of the empty string.
    low: u64,
    /// The quotient of x^128 by the polynomial, without its leading coefficient.
    #[cfg_attr(not(simd_x86), allow(dead_code))]
    quotient: u64,
    /// The remainder of x^-64.
    inverse: u64,
    /// The remainders of v x^64 for each byte v.
    table: Box<[u64; 256]>,
}

impl Polynomial {
    /// The first primitive polynomial in the sequence of random ones that a number begins.
    pub fn random(start: u64) -> Self {
        // A polynomial without a constant term is divisible by x.
        let candidates = (1..).map(|i| mix(start.wrapping_add(mix(i))) | 1);
        let low = candidates.into_iter().find(|&low| is_primitive(low)).expect("one in 128 is");
        let mut table = Box::new([0; 256]);
        for v in 1..256usize {
            // Twice the half of it, and one more if it is odd.
            let double = times_x(table[v / 2], low);
            table[v] = if v % 2 == 1 { double ^ low } else { double };
        }
        let inverse = power(low, 0u64.wrapping_sub(1 + 64));
        Polynomial { low, quotient: quotient(low), inverse, table }
    }

    /// The fingerprint of the empty string.
    pub fn empty(&self) -> u64 {
        self.low
    }

    /// The fingerprint of a string with one byte more.
    #[inline]
    pub fn extend_byte(&self, fingerprint: u64, byte: u8) -> u64 {
        fingerprint << 8 ^ self.table[usize::from((fingerprint >> 56) as u8 ^ byte)]
    }

    /// The fingerprint of a string with 64 bits more.
    #[inline]
    pub fn extend(&self, fingerprint: u64, bits: u64) -> u64 {
        self.times_x64(fingerprint ^ bits)
    }

    pub fn fingerprint(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(self.empty(), |f, &b| self.extend_byte(f, b))
    }

    /// The remainder of v x^64.
    #[inline]
    fn times_x64(&self, v: u64) -> u64 {
        v.to_be_bytes().into_iter().fold(0, |f, b| self.extend_byte(f, b))
    }

    /// The product of two remainders.
    pub fn product(&self, a: u64, b: u64) -> u64 {
        let (high, low) = carryless(a, b);
        self.times_x64(high) ^ low
    }

    /// The remainder of x^(64 n).
    fn x64_power(&self, n: usize) -> u64 {
        (0..n).fold(1, |f, _| self.times_x64(f))
    }

    /// The 64 bits whose fingerprint this is.
    pub fn origin(&self, fingerprint: u64) -> u64 {
        self.product(fingerprint, self.inverse) ^ self.low
    }
}

/// Fingerprints of k tokens of 64 bits, rolled: extended at the end, shortened at the front.
pub struct Window<'a> {
    polynomial: &'a Polynomial,
    /// Moves a token to where it is when it leaves.
    leaving: u64,
    /// What the leading one adds when everything moves up.
    leading: u64,
}

impl<'a> Window<'a> {
    pub fn new(polynomial: &'a Polynomial, k: usize) -> Self {
        let leaving = polynomial.x64_power(k + 1);
        let leading = polynomial.times_x64(leaving) ^ leaving;
        Window { polynomial, leaving, leading }
    }

    /// The fingerprint of `old rest` and both its neighbours gives that of `rest new`.
    #[inline]
    pub fn slide(&self, fingerprint: u64, old: u64, new: u64) -> u64 {
        self.polynomial.extend(fingerprint, new) ^ self.leading ^ self.polynomial.product(old, self.leaving)
    }
}

/// The smallest fingerprint of the given 64-bit values under each polynomial, as the value that has it.
pub fn minima(values: &[u64], polynomials: &[Polynomial]) -> Vec<u64> {
    polynomials.iter().map(|p| p.origin(smallest(values, p))).collect()
}

fn smallest(values: &[u64], polynomial: &Polynomial) -> u64 {
    #[cfg(simd_x86)]
    if std::arch::is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: the feature was just detected.
        return unsafe { smallest_clmul(values, polynomial) };
    }
    smallest_plain(values, polynomial)
}

fn smallest_plain(values: &[u64], polynomial: &Polynomial) -> u64 {
    values.iter().map(|&v| polynomial.extend(polynomial.empty(), v)).min().unwrap_or(u64::MAX)
}

/// Division by multiplication: the quotient of v x^64 is the upper half of v times the quotient of x^128.
#[cfg(simd_x86)]
#[target_feature(enable = "pclmulqdq")]
fn smallest_clmul(values: &[u64], polynomial: &Polynomial) -> u64 {
    use std::arch::x86_64::*;
    let constants = _mm_set_epi64x(polynomial.low as i64, polynomial.quotient as i64);
    let mut smallest = u64::MAX;
    for &value in values {
        let v = _mm_set1_epi64x((value ^ polynomial.low) as i64);
        let quotient = _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(v, constants), v);
        let remainder = _mm_clmulepi64_si128::<0x11>(quotient, constants);
        smallest = smallest.min(_mm_cvtsi128_si64(remainder) as u64);
    }
    smallest
}

/// The product without carries, upper and lower half.
fn carryless(a: u64, b: u64) -> (u64, u64) {
    #[cfg(simd_x86)]
    if std::arch::is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: the feature was just detected.
        return unsafe { carryless_clmul(a, b) };
    }
    carryless_plain(a, b)
}

fn carryless_plain(a: u64, b: u64) -> (u64, u64) {
    let product = (0..64).filter(|i| b >> i & 1 == 1).fold(0u128, |sum, i| sum ^ u128::from(a) << i);
    ((product >> 64) as u64, product as u64)
}

#[cfg(simd_x86)]
#[target_feature(enable = "pclmulqdq")]
fn carryless_clmul(a: u64, b: u64) -> (u64, u64) {
    use std::arch::x86_64::*;
    let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(a as i64), _mm_cvtsi64_si128(b as i64));
    (_mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product)) as u64, _mm_cvtsi128_si64(product) as u64)
}

#[inline]
fn times_x(v: u64, low: u64) -> u64 {
    v << 1 ^ if v >> 63 == 1 { low } else { 0 }
}

/// The product of two remainders, when all we have of the polynomial is its coefficients.
fn product(a: u64, b: u64, low: u64) -> u64 {
    (0..64).rev().fold(0, |sum, i| times_x(sum, low) ^ if b >> i & 1 == 1 { a } else { 0 })
}

/// The remainder of x^n.
fn power(low: u64, n: u64) -> u64 {
    (0..64).rev().fold(1, |r, i| {
        let square = product(r, r, low);
        if n >> i & 1 == 1 { times_x(square, low) } else { square }
    })
}

/// x has order 2^64 - 1, which only remainders modulo an irreducible polynomial can have.
fn is_primitive(low: u64) -> bool {
    power(low, u64::MAX) == 1 && FACTORS.iter().all(|q| power(low, u64::MAX / q) != 1)
}

/// The quotient of x^128 by the polynomial, without its leading coefficient.
fn quotient(low: u64) -> u64 {
    // Long division of x^128 = x^64 p + x^64 low: each step takes the upper half's leading bit away.
    let (mut rest, mut quotient) = (u128::from(low) << 64, 0u64);
    for i in (0..64).rev() {
        if rest >> (64 + i) & 1 == 1 {
            quotient |= 1 << i;
            rest ^= (1u128 << 64 | u128::from(low)) << i;
        }
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: one in front, 64 zeros behind, long division.
    fn obvious(bits: &[bool], low: u64) -> u64 {
        let all = std::iter::once(true).chain(bits.iter().copied()).chain([false; 64]);
        all.fold(0, |rest, bit| times_x(rest, low) ^ u64::from(bit))
    }

    fn bits(bytes: &[u8]) -> Vec<bool> {
        bytes.iter().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1 == 1)).collect()
    }

    fn any_polynomial() -> impl Strategy<Value = Polynomial> {
        (0u64..6).prop_map(Polynomial::random)
    }

    #[test]
    fn the_paper_counts_the_primitive_polynomials() {
        // Euler's function of 2^64 - 1, by the factors we test with, over the degree.
        assert_eq!(FACTORS.iter().product::<u64>(), u64::MAX);
        assert_eq!(FACTORS.iter().map(|q| q - 1).product::<u64>() / 64, 143_890_337_947_975_680);
    }

    #[test]
    fn knows_primitive_from_irreducible_and_reducible() {
        assert!(is_primitive(0x1B)); // x^64 + x^4 + x^3 + x + 1
        assert!(!is_primitive(0x1)); // x^64 + 1 = (x + 1)^64
        assert!(!is_primitive(0x0));
        // The square of a primitive element's root has the same order; its cube has a third of it, so the minimal
        // polynomial of the cube is irreducible and not primitive. Found by elimination over its powers.
        let cube = product(product(2, 2, 0x1B), 2, 0x1B);
        let minimal = minimal_polynomial(cube, 0x1B);
        assert!(!is_primitive(minimal));
        assert_eq!(power(minimal, u64::MAX), 1, "irreducible: every element's order divides 2^64 - 1");
        assert_eq!(power(minimal, u64::MAX / 3), 1);
    }

    /// The polynomial of degree 64 without leading coefficient that an element is a root of.
    fn minimal_polynomial(element: u64, low: u64) -> u64 {
        // Rows: a power of the element, and which powers were added up to it.
        let mut rows: Vec<(u64, u128)> = Vec::new();
        let mut current = 1u64;
        for degree in 0..=64 {
            let (mut value, mut used) = (current, 1u128 << degree);
            for &(row, with) in &rows {
                if value ^ row < value {
                    value ^= row;
                    used ^= with;
                }
            }
            if value == 0 {
                return used as u64;
            }
            rows.push((value, used));
            rows.sort_unstable_by(|a, b| b.cmp(a));
            current = product(current, element, low);
        }
        unreachable!("65 vectors of dimension 64 are dependent")
    }

    proptest! {
        #[test]
        fn is_the_definition(p in any_polynomial(), text in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(p.fingerprint(&text), obvious(&bits(&text), p.low));
        }

        /// Extension: from the fingerprint of a and the string b to that of ab.
        #[test]
        fn extends(p in any_polynomial(), a in proptest::collection::vec(any::<u8>(), 0..20), b in any::<u64>()) {
            let ab: Vec<u8> = a.iter().copied().chain(b.to_be_bytes()).collect();
            prop_assert_eq!(p.extend(p.fingerprint(&a), b), p.fingerprint(&ab));
        }

        /// Prefix deletion: with the fingerprint of a and that of ab, without b.
        #[test]
        fn deletes_prefixes(p in any_polynomial(), tokens in proptest::collection::vec(any::<u64>(), 2..9)) {
            let k = tokens.len() - 1;
            let whole = |tokens: &[u64]| tokens.iter().fold(p.empty(), |f, &t| p.extend(f, t));
            let window = Window::new(&p, k);
            prop_assert_eq!(window.slide(whole(&tokens[..k]), tokens[0], tokens[k]), whole(&tokens[1..]));
        }

        /// One to one on 64 bits, and linear: equal distances stay equal.
        #[test]
        fn one_to_one(p in any_polynomial(), a in any::<u64>(), b in any::<u64>(), d in any::<u64>()) {
            let f = |v| p.extend(p.empty(), v);
            prop_assert_eq!(p.origin(f(a)), a);
            prop_assert_eq!(f(a) == f(b), a == b);
            prop_assert_eq!(f(a) ^ f(a ^ d), f(b) ^ f(b ^ d));
        }

        #[test]
        fn products(p in any_polynomial(), a in any::<u64>(), b in any::<u64>()) {
            prop_assert_eq!(carryless(a, b), carryless_plain(a, b));
            prop_assert_eq!(p.product(a, b), product(a, b, p.low));
        }

        /// With and without the instruction: the same minima.
        #[test]
        fn minima_are_the_definition(values in proptest::collection::vec(any::<u64>(), 1..30)) {
            let polynomials: Vec<_> = (0..5).map(Polynomial::random).collect();
            let found = minima(&values, &polynomials);
            for (p, value) in polynomials.iter().zip(found) {
                let expected = values.iter().min_by_key(|v| obvious(&bits(&v.to_be_bytes()), p.low)).unwrap();
                prop_assert_eq!(value, *expected);
                prop_assert_eq!(smallest(&values, p), smallest_plain(&values, p));
            }
        }
    }
}
