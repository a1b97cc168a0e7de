"""Words: case-folded alphanumeric runs, and single characters where a script is written without spaces."""

from __future__ import annotations

from .noise import is_alphanumeric

NO_SPACES: tuple[tuple[int, int, str], ...] = (
    (0x0E00, 0x0E7F, "Thai"),
    (0x0E80, 0x0EFF, "Lao"),
    (0x1000, 0x109F, "Myanmar"),
    (0x1780, 0x17FF, "Khmer"),
    (0x1950, 0x197F, "Tai Le"),
    (0x1980, 0x19DF, "New Tai Lue"),
    (0x1A20, 0x1AAF, "Tai Tham"),
    (0x1B00, 0x1B7F, "Balinese"),
    (0x3005, 0x3007, "ideographic iteration mark, closing mark, zero"),
    (0x3021, 0x3029, "Hangzhou numerals"),
    (0x3031, 0x3035, "vertical kana repeat marks"),
    (0x3038, 0x303B, "Hangzhou numerals, vertical ideographic iteration mark"),
    (0x3040, 0x30FF, "Hiragana, Katakana"),
    (0x3100, 0x312F, "Bopomofo"),
    (0x31A0, 0x31BF, "Bopomofo Extended"),
    (0x31F0, 0x31FF, "Katakana Phonetic Extensions"),
    (0x3400, 0x4DBF, "CJK Extension A"),
    (0x4E00, 0x9FFF, "CJK Unified Ideographs"),
    (0xA980, 0xA9DF, "Javanese"),
    (0xA9E0, 0xA9FF, "Myanmar Extended-B"),
    (0xAA60, 0xAA7F, "Myanmar Extended-A"),
    (0xAA80, 0xAADF, "Tai Viet"),
    (0xF900, 0xFAFF, "CJK Compatibility Ideographs"),
    (0xFF66, 0xFF9F, "halfwidth Katakana"),
    (0x116D0, 0x116E3, "Myanmar Extended-C"),
    (0x16FE3, 0x16FE3, "old Chinese iteration mark"),
    (0x16FF0, 0x16FF6, "Vietnamese reading marks and Chinese numerals"),
    (0x1AFF0, 0x1AFFE, "Kana Extended-B"),
    (0x1B000, 0x1B16F, "Kana Supplement to Small Kana Extension"),
    (0x20000, 0x3FFFF, "CJK Extension B and on"),
)


def is_written_without_spaces(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last, _ in NO_SPACES)


def words(text: str) -> list[str]:
    """The words of a text in order.

    >>> words("Straße 東京, don't")
    ['strasse', '東', '京', 'don', 't']
    """
    found: list[str] = []
    run = ""
    for char in text + " ":
        if is_alphanumeric(char) and not is_written_without_spaces(char):
            run += char
            continue
        if run:
            found.append(run.casefold())
            run = ""
        if is_alphanumeric(char):
            found.append(char.casefold())
    return found
