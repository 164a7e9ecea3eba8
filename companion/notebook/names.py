"""Check and compare names of players and titles of games, and count their characters.

What people call one character may be several code points: a letter with its marks (é, कि), a family
of emoji joined into one, a flag. The rules here are those of Unicode's annex 29 (extended grapheme
clusters), with the tables of the standard library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from companion.notebook.events import NotPossible, PlayerRenamed
from companion.rules.language import noted

LONGEST_NAME: Final = 30
LONGEST_TITLE: Final = 60
LONGEST_REASON: Final = 60
# The most that any script or emoji puts into one character is 11 (a family of four, each with a
# skin tone); a letter that is buried in marks would cover the lines around it.
_MOST_IN_ONE: Final = 12
_LONG_NAME: Final = noted("“%(begins)s…” is too long: a name has %(longest)s characters at most.")


def check_name(name: str, others: Sequence[str], field: str) -> None:
    """Raise `NotPossible` unless the name has 1 to 30 characters and is unique.

    A letter with its accents is one character, and so is an emoji.
    """
    check_text(name, LONGEST_NAME, field, _LONG_NAME, noted("A player needs a name."))
    if name_key(name) in {name_key(other) for other in others}:
        raise NotPossible("Two players are called %(name)s. Tell them apart.", field, name=name)


def check_title(title: str) -> None:
    """Raise `NotPossible` unless the title is empty or has 1 to 60 visible characters."""
    if title:
        too_long = noted("“%(begins)s…” is too long: a title has %(longest)s characters at most.")
        check_text(title, LONGEST_TITLE, "title", too_long)


def check_text(
    text: str, longest: int, field: str, too_long: str = _LONG_NAME, if_blank: str = ""
) -> None:
    """Raise `NotPossible` unless a text has ``longest`` characters at most, which can all be shown.

    ``too_long`` and ``if_blank`` are the messages for a longer text, and for a blank one.
    """
    if if_blank and not text.strip():
        raise NotPossible(if_blank, field)
    # Of a long text, look only at what could be kept.
    beginning = text[: longest * _MOST_IN_ONE]
    if any(_is_refused(code) for code in beginning):
        raise NotPossible("This has a character that cannot be shown. Type it again.", field)
    letters = characters(beginning)
    if len(letters) > longest or text != beginning:
        raise NotPossible(too_long, field, begins="".join(letters[:longest]), longest=longest)
    if text != text.strip():
        raise NotPossible("This begins or ends with a space. Remove the space.", field)
    if not any(_is_visible(code) for code in text):
        raise NotPossible("This has no visible characters. Type it again.", field)
    if any(len(letter) > _MOST_IN_ONE for letter in letters):
        says = noted("This has more marks on one letter than can be shown. Type it again.")
        raise NotPossible(says, field)


# Embeddings, overrides and isolates, and deprecated ones (U+206A … U+206F).
_BIDI: Final = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
)
_ZERO_WIDTH_JOINER: Final = "\u200d"
# Joiners, skin tones, and the tags that spell the flags of regions belong to what they follow.
_EXTENDS: Final = frozenset("\u200c" + _ZERO_WIDTH_JOINER) | {
    *map(chr, range(0x1F3FB, 0x1F400)),
    *map(chr, range(0xE0020, 0xE0080)),
}
_REGIONAL: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
# Blank, though letters and signs by their category: Hangul fillers, the braille pattern without
# dots, the note without a head.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\U0001d159")


def _is_refused(code: str) -> bool:
    # Control characters and lone surrogates cannot be shown, and some could turn a line around.
    # The joiners (ZWJ, ZWNJ) belong to letters in several scripts and to emoji.
    kind = unicodedata.category(code)
    return kind in {"Cc", "Cs", "Zl", "Zp"} or code in _BIDI or _is_noncharacter(code)


def characters(text: str) -> list[str]:
    """Return the text, composed, as a list of what people call characters."""
    clusters: list[str] = []
    for code in unicodedata.normalize("NFC", text):
        if clusters and _belongs_to(clusters[-1], code):
            clusters[-1] += code
        else:
            clusters.append(code)
    return clusters


def _belongs_to(character: str, code: str) -> bool:
    if unicodedata.category(code)[0] == "M" or code in _EXTENDS:
        return True
    if character[-1] == _ZERO_WIDTH_JOINER:
        # Emoji are "other symbols"; those that are newer than the tables have no category yet.
        return {unicodedata.category(one) for one in (character[0], code)} <= {"So", "Cn"}
    # A flag is two regional letters; a third one begins the next flag.
    return len(character) == 1 and {character, code} <= _REGIONAL


def _is_visible(code: str) -> bool:
    """True if a code point is visible by itself: no space, mark, control or format character."""
    kind = unicodedata.category(code)
    if kind == "Cn":  # the tables may not have it yet, as with the emoji of the next years
        return not _is_noncharacter(code)
    return kind[0] in "LNPS" and code not in _BLANK


def _is_noncharacter(code: str) -> bool:
    """True if the code point will never be a character (U+FDD0 … U+FDEF, U+xxFFFE, U+xxFFFF)."""
    return 0xFDD0 <= ord(code) <= 0xFDEF or ord(code) & 0xFFFE == 0xFFFE


# Letters and signs that many typefaces draw alike, each with the one to compare in its place: those
# of Unicode's confusable ones (TR 39) that people type in names.
_DRAWN_ALIKE: Final = str.maketrans(
    "АВЕКМНОРСТУХЅІЈаеорсухѕіјһӏ"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι"  # Greek
    "0I1|ı’‘ʼʹ`‐‑‒–—−",
    "ABEKMHOPCTYXSlJaeopcyxsijhlABEZHlKMNOPTYXoiOllli'''''------",
)


def lookalike_key(name: str) -> str:
    """Return a key that is equal for names drawn alike: 0 and O, l and I, А and A.

    Two players may have such names, but hardly anybody means them to.
    """
    return name_key(unicodedata.normalize("NFKC", name).translate(_DRAWN_ALIKE))


# Blank letters, and selectors and fillers that only change the sign beside them, so that ❤ is ❤️.
_UNSEEN: Final = _BLANK | {
    *"\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f",
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}


def name_key(name: str) -> str:
    """Return a key that ignores letter case, width, extra spaces and invisible code points."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = [code for code in folded if unicodedata.category(code) != "Cf" and code not in _UNSEEN]
    return " ".join("".join(seen).split())


def renames(before: Sequence[str], names: Sequence[str]) -> list[PlayerRenamed]:
    """Return the events that give the players these names, by seat.

    They are in an order in which no two players ever have the same name. Raises `NotPossible` for
    names that change places.
    """
    called = [name_key(name) for name in before]
    waiting = [seat for seat, name in enumerate(names) if name != before[seat]]
    events: list[PlayerRenamed] = []

    def is_free(seat: int) -> bool:
        return name_key(names[seat]) not in called[:seat] + called[seat + 1 :]

    while waiting:
        free = next(filter(is_free, waiting), None)
        if free is None:
            raise NotPossible(
                "%(name)s is still another player's name. To swap two names, save a third name "
                "for one of them first.",
                f"name.{waiting[0]}",
                name=names[waiting[0]],
            )
        waiting.remove(free)
        called[free] = name_key(names[free])
        events.append(PlayerRenamed(free, names[free]))
    return events


def unaccented(name: str) -> str:
    """Return a key that ignores accents, too: José is Jose. Indic vowel signs are no accents."""
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", name_key(name)))
