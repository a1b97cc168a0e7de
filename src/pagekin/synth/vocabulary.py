"""A vocabulary per language: made-up words whose frequencies follow Zipf and Mandelbrot.

Drawing words is the hottest loop of all, so the distribution is laid out in three tables, small enough to
stay in the processor's caches. The few words that make up two fifths of all text stand in one that a random
byte draws from, the usual ones in one of 8,192 slots, the rare ones in a list of their own; text alternates
between them much as it does between the glue and the matter of real sentences. The second table also holds
what is between words (commas, dashes, apostrophes). Words rarer still are coined where they are used
(`coin`), as names and terms are: so the vocabulary keeps growing with the web.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from random import Random
from sys import byteorder

from pagekin.synth.languages import LANGUAGES, Language
from pagekin.synth.rand import between, pick, rng_for

BITS = 13
SLOTS = 1 << BITS
GLUE = 120  # so many words are drawn from the small table,
USUAL = 2500  # so many from both
# p(rank) ~ 1 / (rank + shift). With it, and the tables' turns, two independent texts share five words in a
# row with a chance near 1e-12 per pair of places: what is planted is what is shared.
SHIFT = 6.0
_HIGH = 1 if byteorder == "little" else 0  # where the high byte of a 16-bit number stands
_MASKS = [bytes(byte & (1 << bits) - 1 for byte in range(256)) for bits in range(9)]


class Vocabulary:
    """The words of one language, drawn by `draw`."""

    def __init__(self, language: Language, seed: int) -> None:
        self.language = language
        rng = rng_for(seed, "vocabulary", language.code)
        self.words = _words(rng, language)
        self._glue = _slots(self.words[:GLUE], 0, 256)
        self._usual = _slots(self.words[GLUE:USUAL], GLUE, SLOTS)
        self._rare = self.words[USUAL : USUAL + (1 << (len(self.words) - USUAL).bit_length() - 1)]
        self._rare_bits = len(self._rare).bit_length() - 1
        _punctuate(rng, language, self.words, self._usual)
        # Labels of menus and buttons: neither the few glue words at the top nor the rare ones.
        self.labels = self.words[40:1500]
        self.names = [_coin(rng, language, 2).capitalize() for _ in range(512)]

    def draw(self, rng: Random, n: int) -> list[str]:
        """N words of running text, some with a comma."""
        words = _items(self._glue, rng.randbytes(n))
        words[1::2] = _items(self._usual, _numbers(rng, n // 2, BITS))
        words[::14] = _items(self._rare, _numbers(rng, (n + 13) // 14, self._rare_bits))
        return words

    def label(self, rng: Random, n: int) -> str:
        """N words as on a button or in a menu."""
        labels, size, draw = self.labels, len(self.labels), rng.random
        words = [labels[int(draw() * size)] for _ in range(n)]
        if self.language.capitals:
            words[0] = words[0].capitalize()
        return self.language.joiner.join(words)

    def coin(self, rng: Random) -> str:
        """A rare word: one that the table does not hold, most likely."""
        words, draw = self.words, rng.random
        return words[GLUE + int(draw() * 480)] + words[GLUE + int(draw() * 480)]

    def name(self, rng: Random) -> str:
        """A person's or a thing's name."""
        return self.names[rng.getrandbits(9)]


@lru_cache(maxsize=32)
def vocabulary(code: str, seed: int) -> Vocabulary:
    """The vocabulary of a language in the web of this seed."""
    return Vocabulary(LANGUAGES[code], seed)


def _items(table: list[str], places: bytes | memoryview) -> list[str]:
    if len(places) < 2:
        return [table[place] for place in places]
    return list(itemgetter(*places)(table))  # the fastest loop there is


def _numbers(rng: Random, n: int, bits: int) -> memoryview:
    """N numbers of 9 to 16 bits, at the price of drawing bytes."""
    drawn = bytearray(rng.randbytes(2 * n))
    drawn[_HIGH::2] = drawn[_HIGH::2].translate(_MASKS[bits - 8])
    return memoryview(drawn).cast("H")


def _coin(rng: Random, language: Language, syllables: int) -> str:
    onsets, vowels, draw = language.onsets, language.vowels, rng.random
    first, second = len(onsets), len(vowels)
    parts = [onsets[int(draw() * first)] + vowels[int(draw() * second)] for _ in range(syllables)]
    return "".join(parts) + pick(rng, language.codas)


def _words(rng: Random, language: Language) -> list[str]:
    """Distinct words by rank. Short ones come first, as in every real language."""
    syllables = [onset + vowel for onset in language.onsets for vowel in language.vowels]
    found: dict[str, None] = {}
    round_of = 80
    while len(found) < language.words:
        longest = 1 if len(found) < 80 else 2 if len(found) < 600 else max(language.syllables)
        drawn = rng.choices(syllables, k=round_of * longest)
        ends = rng.choices(language.codas, k=round_of)
        sizes = rng.choices(language.syllables, k=round_of)
        for n in range(round_of):
            found["".join(drawn[n * longest : n * longest + sizes[n]][:longest]) + ends[n]] = None
        for _ in range(round_of // 60):  # numbers are words too
            found[str(between(rng, 2, 2030))] = None
    return list(found)[: language.words]


def _slots(words: list[str], skipped: int, size: int) -> list[str]:
    """Words as often as their rank says, in a table of `size`."""
    weights = [1 / (skipped + rank + SHIFT) for rank in range(1, len(words) + 1)]
    scale = (size - len(words)) / sum(weights)
    slots: list[str] = []
    for word, weight in zip(words, weights, strict=True):
        slots.extend([word] * (1 + int(weight * scale)))
    return slots + words[: size - len(slots)]


def _punctuate(rng: Random, language: Language, words: list[str], slots: list[str]) -> None:
    commas = SLOTS * 12 // 100
    places = rng.sample(range(SLOTS), SLOTS * 14 // 100)
    for place in places[:commas]:
        slots[place] += language.comma
    for place in places[commas:]:
        if language.capitals and place % 4 == 0:
            slots[place] += "&#8217;s"
        elif language.spaced and place % 4 == 1:
            slots[place] += " &amp; " + pick(rng, words)
        elif language.spaced:
            slots[place] += ("-" if place % 4 == 2 else " - ") + pick(rng, words)
