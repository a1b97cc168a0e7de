"""Style fingerprints by the definition: every n-gram and run of tags hashed alone, every minimum sought."""

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


def fold(hashed: int, name: str) -> int:
    """Adds a name to a hash: words of eight bytes, whatever the case of its letters."""
    golden, data = 0x9E3779B97F4A7C15, name.encode()
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        word = int.from_bytes(bytes(b | 0x20 for b in data[at : at + 8]), "little")
        hashed = rotate((hashed ^ word) * golden & MASK, 29)
    tail = len(data)
    for b in data[whole:]:
        tail = tail << 8 | b | 0x20
    hashed = (hashed ^ tail) * golden & MASK
    return hashed ^ hashed >> 32


def tag_hash(start: bool, name: str, attributes: list[tuple[str, str]]) -> int:
    """A tag with the names of its attributes and classes."""
    hashed = fold(1 if start else 2, name)
    for key, value in attributes:
        hashed = fold(rotate(hashed, 7), key)
        if key.lower() == "class":
            for one in value.split():
                hashed = fold(rotate(hashed, 13), one)
    return hashed


def structure(tags: list[int], m: int = 128) -> list[int] | None:
    """The fingerprint of the runs of four tags; empty dimensions borrow unless most are empty."""
    if len(tags) < 4:
        return None
    classes: list[list[int]] = [[] for _ in range(m)]
    for at in range(len(tags) - 3):
        run = 0
        for tag in tags[at : at + 4]:
            run = rotate(run, 16) ^ tag
        hashed = mix(run)
        classes[(hashed >> 32) * m >> 32].append(hashed & 0xFFFFFFFF)
    own = [1 + mix(min(hashes)) % 65535 if hashes else 0 for hashes in classes]
    if sum(value != 0 for value in own) * 5 < m:
        return own
    found = list(own)
    for place in range(m):
        turn = 1
        while not found[place]:
            found[place] = own[mix(place << 32 | turn) % m]
            turn += 1
    return found
