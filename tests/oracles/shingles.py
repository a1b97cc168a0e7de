"""Shingles by the definition: every phrase of the circle hashed by itself, every function tried on all."""

from __future__ import annotations

from .style import MASK, mix
from .words import words

BASE = 0x9E3779B97F4A7C15


def phrases(text: str, k: int) -> list[tuple[str, ...]]:
    """n words give n phrases: the last word is followed by the first."""
    found = words(text)
    return [tuple(found[(i + j) % len(found)] for j in range(k)) for i in range(len(found))]


def plain_phrases(text: str, k: int) -> list[tuple[str, ...]]:
    """Those that begin and end in the text; of a shorter text the one that goes on with its beginning."""
    found = phrases(text, k)
    return found[: max(1, len(found) - k + 1)]


def jaccard(a: str, b: str, k: int, wrap: bool = True) -> float:
    """Phrases in common, of all phrases of either text."""
    of = phrases if wrap else plain_phrases
    first, second = set(of(a, k)), set(of(b, k))
    return len(first & second) / max(len(first | second), 1)


def salt(seed: int) -> int:
    return mix(seed ^ int.from_bytes(b"pagekin2", "big"))


def word_hash(word: str, seed: int) -> int:
    data = word.encode()
    hashed = salt(seed) + len(data) * BASE & MASK
    for at in range(0, len(data), 8):
        hashed = mix(hashed ^ int.from_bytes(data[at : at + 8], "little"))
    return hashed


def fingerprint(phrase: tuple[str, ...], seed: int) -> int:
    """The words' hashes as the digits of a number."""
    number = 0
    for word in phrase:
        number = (number * BASE + word_hash(word, seed)) & MASK
    return mix(number)


def bins(fingerprints: set[int], m: int, seed: int) -> list[int]:
    """Function j takes the phrase that falls into bin j in the earliest round; there, the smallest."""

    def key(phrase: int, j: int) -> tuple[int, int]:
        for turn in range(m):
            hashed = phrase if turn == 0 else mix(phrase ^ mix(salt(seed) + turn & MASK))
            if hashed * m >> 64 == j and hashed != MASK:
                return turn, hashed
        return m, mix(phrase ^ mix(salt(seed) + m + j & MASK))

    return [min(fingerprints, key=lambda phrase: key(phrase, j)) for j in range(m)]


def shingles(text: str, k: int = 5, m: int = 84, seed: int = 0) -> list[int] | None:
    found = {fingerprint(phrase, seed) for phrase in phrases(text, k)}
    return bins(found, m, seed) if found else None


# The paper's family: strings as polynomials over the field of two elements.


def polynomial_remainder(value: int, modulus: int) -> int:
    while value.bit_length() >= modulus.bit_length():
        value ^= modulus << (value.bit_length() - modulus.bit_length())
    return value


def rabin(bits: int, length: int, modulus: int) -> int:
    """One in front, 64 zeros behind, long division."""
    return polynomial_remainder((1 << length | bits) << 64, modulus)


def is_primitive(modulus: int) -> bool:
    """x has order 2^64 - 1 modulo the polynomial."""

    def power(n: int) -> int:
        result = 1
        for bit in bin(n)[2:]:
            square = sum(((result >> i & 1) << 2 * i) for i in range(64))
            result = polynomial_remainder(square << int(bit), modulus)
        return result

    factors = (3, 5, 17, 257, 641, 65537, 6700417)
    return power(MASK) == 1 and all(power(MASK // q) != 1 for q in factors)


def primitive(start: int) -> int:
    """The first primitive polynomial in the sequence of random ones that a number begins."""
    i = 1
    while not is_primitive(1 << 64 | mix(start + mix(i) & MASK) | 1):
        i += 1
    return 1 << 64 | mix(start + mix(i) & MASK) | 1


def rabin_shingles(text: str, k: int, seed: int, moduli: list[int]) -> list[int] | None:
    """`moduli`: for words, for phrases, and one for each function."""
    tokens = {w: rabin(int.from_bytes(w.encode()), 8 * len(w.encode()), moduli[0]) for w in words(text)}
    found = set()
    for phrase in phrases(text, k):
        bits = 0
        for word in phrase:
            bits = bits << 64 | tokens[word]
        found.add(rabin(bits, 64 * k, moduli[1]))
    if not found:
        return None
    return [min(found, key=lambda phrase: rabin(phrase, 64, modulus)) for modulus in moduli[2:]]


def rabin_moduli(m: int, seed: int) -> list[int]:
    return [primitive(mix(salt(seed) ^ mix(i + 1))) for i in range(m + 2)]
