"""The made-up languages: which letters, which punctuation, which character sets.

Nothing here is a real language. Codes come from the range that ISO 639 leaves for local use (qaa to qtz),
with the script after it, so that nobody takes the text for what it is not. What counts is what a detector
sees: letters of many scripts, words parted by spaces or not at all, and bytes that mean different things in
different charsets.
"""

from __future__ import annotations

from dataclasses import dataclass

# What the Encoding Standard calls a charset, and the Python codec that writes exactly those bytes.
CODECS: dict[str, str] = {
    "utf-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1252": "cp1252",
    "windows-1253": "cp1253",
    "windows-1256": "cp1256",
    "windows-874": "cp874",
    "iso-8859-1": "latin-1",
    "iso-8859-2": "iso8859-2",
    "koi8-r": "koi8-r",
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "gb18030": "gb18030",
    "big5": "big5",
}


@dataclass(frozen=True)
class Language:
    """Letters and habits of one made-up language."""

    code: str
    onsets: tuple[str, ...]
    vowels: tuple[str, ...]
    codas: tuple[str, ...]
    joiner: str = " "
    comma: str = ","
    stop: str = "."
    capitals: bool = True
    rtl: bool = False
    words: int = 3100
    syllables: tuple[int, ...] = (1, 2, 2, 2, 3, 3, 3, 4)

    @property
    def spaced(self) -> bool:
        """Are words parted by spaces?"""
        return self.joiner == " "


def _split(text: str) -> tuple[str, ...]:
    return tuple("" if part == "_" else part for part in text.split())


def _block(first: int, last: int, step: int = 1, codec: str = "utf-8") -> tuple[str, ...]:
    """Characters of a Unicode range that a charset can write."""
    found = []
    for code in range(first, last + 1, step):
        try:
            chr(code).encode(codec)
        except UnicodeEncodeError:
            continue
        found.append(chr(code))
    return tuple(found)


PLAIN = Language(
    "qaa-Latn",
    _split("_ _ b br c ch d dr f fl g gr h j k l m n p pl pr qu r s sh sk st t th tr v w wr y z"),
    _split("a a a e e e e i i o o u ai ea ee io oo ou"),
    _split("_ _ _ _ ck ct l ll m n n nd ng nt r rd rn rs s ss st t th x"),
    words=6600,
)
WEST = Language(
    "qab-Latn",
    _split("_ _ b bl c ç ch d f g gl h j l m n ñ p pr r s sp t v z"),
    _split("a a e e é è ê i î o ô ö u ü ß à ä ã õ å ø œ æ au eu ou"),
    _split("_ _ _ _ l m n n r s s t x nt rd"),
)
CENTRAL = Language(
    "qac-Latn",
    _split("_ b c č ć d ď dz g h k kr ł l m n ň p př r ř s š st ś t ť v w z ž ź"),
    _split("a a á ą e e é ě ę i í o o ó ő u ú ů ű y ý"),
    _split("_ _ _ _ c č k l m n r s t v j st ň"),
)
CYRILLIC = Language(
    "qad-Cyrl",
    _split("_ б в вр г гл д др ж з к кр л м н п пр р с ст т тр ф х ц ч ш щ"),
    _split("а а а е е и и о о о у ы э ю я ё"),
    _split("_ _ _ _ в й к л м н нь р с ст т ть х"),
)
GREEK = Language(
    "qae-Grek",
    _split("_ _ β γ γρ δ ζ θ κ κρ λ μ ν ξ π πρ ρ σ στ τ τρ φ χ ψ"),
    _split("α α ά ε ε έ η ή ι ι ί ο ο ό υ ύ ω ώ αι ει οι ου"),
    _split("_ _ _ _ ν ς ρ ξ"),
)
ARABIC = Language(
    "qaf-Arab",
    _split("ب ت ث ج ح خ د ذ ر ز س ش ص ض ط ع غ ف ق ك ل م ن ه و ي ال"),
    _split("_ _ ا ا و ي"),
    _split("_ _ _ ة ن ر م"),
    comma="،",
    capitals=False,
    rtl=True,
    syllables=(2, 2, 2, 3, 3, 4),
)
DEVANAGARI = Language(
    "qag-Deva",
    _split("क ख ग घ च छ ज झ ट ठ ड त थ द ध न प फ ब भ म य र ल व श ष स ह प्र क्ष त्र"),
    _split("_ _ _ ा ा ि ी ु ू े ै ो ौ"),
    _split("_ _ _ _ न र ल ं"),
    stop="।",
    capitals=False,
    syllables=(1, 2, 2, 2, 3),
)
HAN_SIMPLE = Language(
    "qah-Hans",
    _block(0x4E00, 0x9F00, 5, "gb2312"),
    ("",),
    ("",),
    joiner="",
    comma="，",
    stop="。",
    capitals=False,
    syllables=(1, 1, 1, 2, 2),
)
HAN_OLD = Language(
    "qai-Hant",
    _block(0x4E01, 0x9F00, 4, "big5"),
    ("",),
    ("",),
    joiner="",
    comma="，",
    stop="。",
    capitals=False,
    syllables=(1, 1, 1, 2, 2),
)
KANA = Language(
    "qaj-Jpan",
    _block(0x4E02, 0x9F00, 20, "shift_jis"),
    (*_block(0x3042, 0x308D), *_block(0x30A2, 0x30ED, 3)),
    ("", "", "の", "は", "る", "した"),
    joiner="",
    comma="、",
    stop="。",
    capitals=False,
    syllables=(1, 1, 2),
)
THAI = Language(
    "qak-Thai",
    (*_block(0x0E01, 0x0E23), "ร", "ล", "ว", "ส", "ห", "อ"),
    _split("ะ า า ิ ี ุ ู ั ่า ้า ื"),
    _split("_ _ น ง ม ก ด ย"),
    joiner="",
    comma=" ",
    stop=" ",
    capitals=False,
    syllables=(1, 1, 2),
)

LANGUAGES: dict[str, Language] = {
    language.code: language
    for language in (
        PLAIN, WEST, CENTRAL, CYRILLIC, GREEK, ARABIC, DEVANAGARI, HAN_SIMPLE, HAN_OLD, KANA, THAI,
    )
}  # fmt: skip

# (language, charset, where the page or its headers declare it: http, meta, both, bom, none)
WORLD: tuple[tuple[Language, str, str], ...] = (
    (WEST, "windows-1252", "http"),
    (CENTRAL, "iso-8859-2", "meta"),
    (CYRILLIC, "windows-1251", "both"),
    (CYRILLIC, "koi8-r", "meta"),
    (KANA, "shift_jis", "meta"),
    (HAN_SIMPLE, "gb18030", "meta"),
    (HAN_OLD, "big5", "http"),
    (PLAIN, "utf-16le", "bom"),
    (GREEK, "utf-8", "http"),
    (ARABIC, "utf-8", "both"),
    (DEVANAGARI, "utf-8", "meta"),
    (THAI, "utf-8", "http"),
    (WEST, "windows-1252", "none"),
    (CYRILLIC, "windows-1251", "none"),
    (CENTRAL, "utf-8", "none"),
    (KANA, "utf-8", "none"),
    (HAN_SIMPLE, "utf-8", "both"),
    (CYRILLIC, "utf-16be", "bom"),
    (WEST, "iso-8859-1", "meta"),
    (WEST, "utf-8", "bom"),
    (CENTRAL, "windows-1250", "http"),
    (GREEK, "windows-1253", "meta"),
    (ARABIC, "windows-1256", "http"),
    (THAI, "windows-874", "meta"),
    (KANA, "euc-jp", "both"),
    (CYRILLIC, "utf-8", "meta"),
)
