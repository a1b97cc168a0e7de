"""Hosts, domains, IP addresses and dates: all from ranges that are reserved for documentation.

Domains sit under .example, .test and .invalid. No public suffix list knows these, so by the list's default
rule each label under them is a registered domain of its own.
"""

from __future__ import annotations

from random import Random

from pagekin.synth.rand import between, mix, pick

_ONSETS = (
    "b",
    "br",
    "c",
    "d",
    "dr",
    "f",
    "g",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u")
SYLLABLES = tuple(onset + vowel for onset in _ONSETS for vowel in _VOWELS)
_ENDS = ("n", "lume", "rk", "x", "nd", "s", "ll", "mo", "th", "ra")
_SPACE = len(SYLLABLES) ** 3 * len(_ENDS)
_STRIDE = 6_180_341  # prime, so that number -> label is one to one
_TLDS = ("example",) * 7 + ("test",) * 2 + ("invalid",)
_DOCUMENTATION = ("192.0.2", "198.51.100", "203.0.113")
_SHOUTS = (
    "best",
    "buy",
    "cheap",
    "click",
    "deal",
    "fast",
    "free",
    "hot",
    "now",
    "online",
    "save",
    "top",
    "win",
)


def label(number: int, seed: int) -> str:
    """The number-th domain label; different for different numbers up to ten million."""
    value = (number * _STRIDE + mix(seed, "labels")) % _SPACE
    value, end = divmod(value, len(_ENDS))
    parts = []
    for _ in range(3):
        value, syllable = divmod(value, len(SYLLABLES))
        parts.append(SYLLABLES[syllable])
    return "".join(parts) + _ENDS[end]


def domain(number: int, seed: int) -> str:
    """The number-th registered domain."""
    return f"{label(number, seed)}.{_TLDS[mix(seed, 'tld', number) % len(_TLDS)]}"


def stuffed_domain(rng: Random, number: int, seed: int, words: list[str]) -> str:
    """A registered domain such as link farms buy them: stuffed with search words."""
    parts = [pick(rng, _SHOUTS), pick(rng, words), pick(rng, words), label(number, seed)]
    rng.shuffle(parts)
    return "-".join(parts) + ".example"


def address(number: int) -> str:
    """The number-th IP address: documentation ranges first, then the private 10/8."""
    block, last = divmod(number, 254)
    if block < len(_DOCUMENTATION):
        return f"{_DOCUMENTATION[block]}.{last + 1}"
    rest = number - 254 * len(_DOCUMENTATION)
    return f"10.{rest // 62_500 % 250 + 1}.{rest // 250 % 250}.{rest % 250 + 1}"


def server_address(number: int) -> str:
    """The number-th IP address of a machine that serves many hosts; never one of `address`."""
    return f"10.{252 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"


_PAIRS = tuple(first + second for first in SYLLABLES for second in SYLLABLES)


def identifier(rng: Random, syllables: int = 2) -> str:
    """A lower-case name of one to three syllables in plain ASCII, for paths, classes and variables."""
    if syllables == 1:
        return SYLLABLES[int(rng.random() * 100)]
    pair = _PAIRS[int(rng.random() * 10_000)]
    return pair if syllables == 2 else pair + SYLLABLES[int(rng.random() * 100)]


def day(rng: Random) -> tuple[int, int, int]:
    """A year, month and day on which something might have been published."""
    return between(rng, 2009, 2023), between(rng, 1, 12), between(rng, 1, 28)
