"""Context-triggered piecewise hashing by its description: one block size at a time, each window anew."""

from __future__ import annotations

WINDOW = 7
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
LONGEST = 64
MIN_BLOCK = 3
WORD = (1 << 32) - 1


def window_hash(data: bytes, end: int) -> int:
    """Of the seven bytes that end before `end`; those before the beginning are zero."""
    window = (bytes(WINDOW) + data)[end : end + WINDOW]
    plain = sum(window)
    weighted = sum((at + 1) * byte for at, byte in enumerate(window))
    shifted = 0
    for byte in window:
        shifted = (shifted << 5 ^ byte) & WORD
    return plain + weighted + shifted & WORD


def piece_hash(data: bytes) -> str:
    state = 0x28021967
    for byte in data:
        state = state * 0x01000193 & WORD ^ byte
    return ALPHABET[state % 64]


def pieces(data: bytes, hashes: list[int], block: int, longest: int) -> tuple[str, int]:
    """A signature of at most `longest` characters, and how many boundaries there are at this block size."""
    ends = [at + 1 for at, hashed in enumerate(hashes) if hashed % block == block - 1]
    kept = ends[: longest - 1]
    signature = "".join(
        piece_hash(data[start:end]) for start, end in zip([0, *kept[:-1]], kept, strict=False)
    )
    rest = kept[-1] if kept else 0
    if data and hashes[-1] != 0:
        signature += piece_hash(data[rest:])
    elif len(ends) > len(kept):
        # The text ends in zero bytes: they are ignored after the last boundary.
        signature += piece_hash(data[rest : ends[-1]])
    return signature, len(ends)


def digest(data: bytes) -> str:
    hashes = [window_hash(data, end) for end in range(1, len(data) + 1)]
    block = MIN_BLOCK
    while block * LONGEST < len(data):
        block *= 2
    while True:
        first, boundaries = pieces(data, hashes, block, LONGEST)
        if block == MIN_BLOCK or boundaries >= LONGEST // 2:
            break
        block //= 2
    second, _ = pieces(data, hashes, block * 2, LONGEST // 2)
    return f"{block}:{first}:{second}"


def squeezed(signature: str) -> str:
    """With no more than three equal characters in a row."""
    out = ""
    for char in signature:
        if out[-3:] != char * 3:
            out += char
    return out


def parts(digest: str) -> tuple[int, str, str]:
    block, first, second = digest.split(":")
    return int(block), squeezed(first), squeezed(second)


def distance(a: str, b: str) -> int:
    """Insertions and deletions that make `b` of `a`; a replacement is one of each."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(above[j - 1] if x == y else 1 + min(above[j], row[j - 1]))
    return row[-1]


def common_piece(a: str, b: str) -> bool:
    return any(a[at : at + WINDOW] in b for at in range(len(a) - WINDOW + 1))


def signature_score(a: str, b: str, block: int) -> int:
    if not common_piece(a, b):
        return 0
    score = 100 - 100 * (distance(a, b) * LONGEST // (len(a) + len(b))) // LONGEST
    # A short signature of small blocks cannot promise much.
    return min(score, block // MIN_BLOCK * min(len(a), len(b)))


def score(a: str, b: str) -> int:
    block_a, first_a, second_a = parts(a)
    block_b, first_b, second_b = parts(b)
    if (block_a, first_a, second_a) == (block_b, first_b, second_b):
        return 100
    if block_a == block_b:
        return max(
            signature_score(first_a, first_b, block_a), signature_score(second_a, second_b, block_a * 2)
        )
    if block_a == block_b * 2:
        return signature_score(first_a, second_b, block_a)
    if block_b == block_a * 2:
        return signature_score(second_a, first_b, block_b)
    return 0
