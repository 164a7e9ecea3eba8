"""Characters as people count them, and what of a text can be seen.

One character to a person may be several to a computer: a letter and its marks (é, कि), a family
of emoji joined into one, a flag. The rules here are those of Unicode's annex 29 (extended grapheme
clusters), as far as the standard library's tables can tell.
"""

from __future__ import annotations

import unicodedata
from typing import Final

ZERO_WIDTH_JOINER: Final = "\u200d"
# Joiners, skin tones, and the tags that spell the flags of regions belong to what they follow.
_EXTENDS: Final = frozenset(
    [
        "\u200c",
        ZERO_WIDTH_JOINER,
        *map(chr, range(0x1F3FB, 0x1F400)),
        *map(chr, range(0xE0020, 0xE0080)),
    ]
)
# Letters and signs by their category, and yet blank: Hangul fillers, the braille pattern without
# dots, the note without a head.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\U0001d159")


def characters(text: str) -> list[str]:
    """The text cut into what people call characters; joined again they are the text, composed."""
    found: list[str] = []
    for code in unicodedata.normalize("NFC", text):
        if found and _belongs_to(found[-1], code):
            found[-1] += code
        else:
            found.append(code)
    return found


def _belongs_to(character: str, code: str) -> bool:
    if unicodedata.category(code)[0] == "M" or code in _EXTENDS:
        return True
    if character[-1] == ZERO_WIDTH_JOINER:
        return _is_picture(character[0]) and _is_picture(code)
    # A flag is two regional letters; a third one begins the next flag.
    return _is_regional(code) and len(character) == 1 and _is_regional(character)


def _is_picture(code: str) -> bool:
    # Emoji are "other symbols"; those that are newer than the tables have no category yet.
    return unicodedata.category(code) in {"So", "Cn"}


def _is_regional(code: str) -> bool:
    return "\U0001f1e6" <= code <= "\U0001f1ff"


def is_seen(code: str) -> bool:
    """Whether a code point shows by itself: no space, no mark, no control or format character."""
    return is_unknown(code) or (unicodedata.category(code)[0] in "LNPS" and code not in _BLANK)


def is_unknown(code: str) -> bool:
    """Whether the tables do not have this code point yet, as with the emoji of the next years."""
    return unicodedata.category(code) == "Cn" and not is_no_character(code)


def is_no_character(code: str) -> bool:
    """Whether the code point will never be a character (U+FDD0 … U+FDEF, U+xxFFFE, U+xxFFFF)."""
    return 0xFDD0 <= ord(code) <= 0xFDEF or ord(code) & 0xFFFE == 0xFFFE


# Letters and signs that many typefaces draw alike, and what stands for all of them: a few of those
# that Unicode lists as confusable (TR 39), for names that people type.
_DRAWN_ALIKE: Final = str.maketrans(
    "АВЕКМНОРСТУХЅІЈаеорсухѕіјһӏ"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι"  # Greek
    "0I1|ı’‘ʼʹ`‐‑‒–—−",
    "ABEKMHOPCTYXSlJaeopcyxsijhlABEZHlKMNOPTYXoiOllli'''''------",
)


def drawn(text: str) -> str:
    """Texts that are drawn alike give the same: 0 and O, l and I, the А of two alphabets."""
    composed = unicodedata.normalize("NFKC", text)
    return look(composed.translate(_DRAWN_ALIKE))


def look(text: str) -> str:
    """Texts that look alike give the same: letter case, width, spaces and what is unseen apart."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # Joiners and selectors are left out, so that ❤ is ❤️; other marks are seen on their letters.
    seen = "".join(code for code in folded if not _is_unseen(code))
    return " ".join(seen.split())


def _is_unseen(code: str) -> bool:
    return (
        unicodedata.category(code) == "Cf"
        or code in _BLANK
        or "\ufe00" <= code <= "\ufe0f"
        or "\U000e0100" <= code <= "\U000e01ef"
        or code in "\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f"
    )
