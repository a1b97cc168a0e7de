"""Style fingerprints by the definition: every n-gram hashed by itself, every minimum searched for."""

from __future__ import annotations

MASK = (1 << 64) - 1


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def rotate(x: int, by: int) -> int:
    return (x << by % 64 | x >> (64 - by % 64)) & MASK


def grams(noise: str, n: int) -> set[str]:
    return {noise[i : i + n] for i in range(len(noise) - n + 1)}


def gram_hash(gram: str, seed: int) -> int:
    """The exclusive or of the characters' numbers, each rotated by its distance from the end."""
    seed = mix(seed ^ int.from_bytes(b"pagekin1", "big"))
    hashed = 0
    for distance, char in enumerate(reversed(gram)):
        hashed ^= rotate(mix(seed + ord(char) + 1 & MASK), distance)
    product = hashed * 0x9E3779B97F4A7C15 & MASK
    return product ^ product >> 32


def fingerprint(noise: str, n: int = 32, m: int = 128, seed: int = 0) -> list[int] | None:
    classes: list[list[int]] = [[] for _ in range(m)]
    for gram in grams(noise, n):
        hashed = gram_hash(gram, seed)
        classes[(hashed >> 32) * m >> 32].append(hashed)
    if not any(classes):
        return None
    found = []
    for i, hashes in enumerate(classes):
        random = mix(mix(seed) ^ mix(i + 1))
        permuted = [rotate(h, random >> 58) ^ mix(random) for h in hashes]
        found.append(1 + (mix(min(permuted)) * 65535 >> 64) if permuted else 0)
    return found
