"""Running text: documents of paragraphs of sentences, edits of them, and passages cut from them."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from random import Random
from statistics import NormalDist

from pagekin.synth.rand import between, pick
from pagekin.synth.vocabulary import Vocabulary

Paragraph = list[str]


def _quantiles(median: float, sigma: float, low: int, high: int, n: int = 256) -> list[int]:
    """A log-normal as a table: a random byte is a draw."""
    normal = NormalDist()
    values = [median * exp(sigma * normal.inv_cdf((i + 0.5) / n)) for i in range(n)]
    return [max(low, min(high, round(value))) for value in values]


SENTENCE_WORDS = _quantiles(14, 0.45, 4, 45)
PARAGRAPH_WORDS = _quantiles(58, 0.4, 28, 150)
DOCUMENT_WORDS = _quantiles(158, 0.8, 30, 6000, 4096)
TOPIC_EVERY = 11


@dataclass(slots=True)
class Document:
    """The text of a page apart from what its site puts around it."""

    title: str
    paragraphs: list[Paragraph]

    @property
    def words(self) -> int:
        return sum(map(len, self.paragraphs))


def document_words(rng: Random) -> int:
    """How long a page is: a median of some two hundred words and a heavy tail."""
    return DOCUMENT_WORDS[rng.getrandbits(12)]


def title(rng: Random, vocabulary: Vocabulary) -> str:
    """A headline of four to nine words."""
    joiner = vocabulary.language.joiner
    return (
        vocabulary.label(rng, between(rng, 2, 6))
        + joiner
        + vocabulary.name(rng)
        + joiner
        + vocabulary.coin(rng)
    )


def prose(rng: Random, vocabulary: Vocabulary, n: int) -> list[Paragraph]:
    """N words in sentences and paragraphs. A handful of topic words recurs, as it does in a real page."""
    tokens = vocabulary.draw(rng, n)
    places = len(range(TOPIC_EVERY // 2, n, TOPIC_EVERY))
    if places:
        coin, names = vocabulary.coin, vocabulary.name
        topic = [coin(rng), coin(rng), names(rng), *vocabulary.draw(rng, 5)] * 32
        tokens[TOPIC_EVERY // 2 :: TOPIC_EVERY] = map(topic.__getitem__, rng.randbytes(places))
    language = vocabulary.language
    stop, capitals = language.stop, language.capitals
    paragraphs: list[Paragraph] = []
    begin = start = 0
    target = PARAGRAPH_WORDS[rng.getrandbits(8)]
    for byte in rng.randbytes(n // 4 + 1):
        end = start + SENTENCE_WORDS[byte]
        if end > n - 4:
            end = n
        tokens[end - 1] = tokens[end - 1].rstrip(",;，、،") + stop
        if capitals:
            tokens[start] = tokens[start].capitalize()
        start = end
        if end - begin >= target or end == n:
            paragraphs.append(tokens[begin:end])
            begin = end
            target = PARAGRAPH_WORDS[rng.getrandbits(8)]
        if end == n:
            break
    return paragraphs


def document(rng: Random, vocabulary: Vocabulary, n: int | None = None) -> Document:
    """A fresh document of n words, or of a length drawn from the web's distribution."""
    return Document(title(rng, vocabulary), prose(rng, vocabulary, n or document_words(rng)))


def sentence(rng: Random, vocabulary: Vocabulary, n: int | None = None) -> Paragraph:
    words = vocabulary.draw(rng, n or SENTENCE_WORDS[rng.getrandbits(8)])
    words[-1] = words[-1].rstrip(",;，、،") + vocabulary.language.stop
    if vocabulary.language.capitals:
        words[0] = words[0].capitalize()
    return words


def edited(rng: Random, vocabulary: Vocabulary, doc: Document, rate: float) -> tuple[Document, float]:
    """A copy with a share of its words replaced (at least one when rate > 0), and the share really replaced.

    Words are replaced by words of other letters, in place: length and sentence ends stay.
    """
    total = doc.words
    count = min(total, max(1, round(rate * total))) if rate > 0 else 0
    tails = ".,;" + vocabulary.language.stop + vocabulary.language.comma
    tokens = [token for paragraph in doc.paragraphs for token in paragraph]
    for place in rng.sample(range(total), count):
        old = tokens[place]
        core = old.rstrip(tails)
        new = pick(rng, vocabulary.words)
        while new.casefold() == core.casefold():
            new = pick(rng, vocabulary.words)
        tokens[place] = (new.capitalize() if core[:1].isupper() else new) + old[len(core) :]
    paragraphs, start = [], 0
    for paragraph in doc.paragraphs:
        paragraphs.append(tokens[start : start + len(paragraph)])
        start += len(paragraph)
    return Document(doc.title, paragraphs), count / total if total else 0.0


def passage(rng: Random, doc: Document, which: int, low: int = 20, high: int = 80) -> Paragraph:
    """Between low and high words in a row out of one paragraph, its which-th longest."""
    longest = sorted(doc.paragraphs, key=len, reverse=True)
    source = longest[which % len(longest)]
    size = min(len(source), between(rng, low, high))
    start = between(rng, 0, len(source) - size)
    return source[start : start + size]


def opening(doc: Document, words: int) -> Paragraph:
    """The first words of a document, as excerpts have it."""
    return doc.paragraphs[0][:words]
