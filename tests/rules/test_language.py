"""Sentences in a language, with their values."""

from companion.rules import language
from companion.rules.language import gettext, listed, ngettext


def test_a_name_from_right_to_left_leaves_the_words_around_it_in_place():
    for name in ("Ana", "දිලානි", "தமிழ்", "Zoë"):
        assert gettext("%(name)s +57", name=name) == f"{name} +57"
    for name in ("دانا", "נועה", "Ben דן"):
        assert gettext("%(name)s +57", name=name) == f"\u2068{name}\u2069 +57"


def test_plurals_are_translated_and_a_sentence_without_values_may_have_a_percent_sign():
    said = [ngettext("%(number)s card", "%(number)s cards", number) for number in (0, 1, 2)]
    assert said == ["0 cards", "1 card", "2 cards"]
    assert (gettext("100 % sure"), gettext("")) == ("100 % sure", "")


def test_a_list_is_written_without_a_comma_before_its_last_word():
    for names, style, says in (
        ([], "standard", ""),
        (["Ana"], "standard", "Ana"),
        (["Ana", "Ben"], "standard", "Ana and Ben"),
        (["Ana", "Ben", "Dora"], "standard", "Ana, Ben and Dora"),
        (["Ana", "Ben", "Dora"], "or", "Ana, Ben or Dora"),
        (["Ana", "Ben", "Dora"], "standard-narrow", "Ana, Ben, Dora"),
        (["Ana", "\u05d3\u05df", "Dora"], "standard", "Ana, \u2068\u05d3\u05df\u2069 and Dora"),
    ):
        assert listed(names, style) == says
        # Names that are kept apart stand in a sentence as they are.
        assert gettext("%(names)s lead", names=listed(names, style)) == f"{says} lead"


def test_a_sentence_with_a_games_own_word_is_translated_as_a_whole():
    class German(language.Language):
        def gettext(self, message: str, /) -> str:
            return {
                "End the hand": "Blatt beenden",
                "End the round": "Die Runde beenden",
            }[message]

        def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
            assert (msgid1, msgid2) == ("%(number)s round", "%(number)s rounds")
            return "%(number)s Runden"

    language.set_language(German())
    try:
        assert gettext("End the %(hand_word)s", hand_word="hand") == "Blatt beenden"
        assert gettext("End the %(hand_word)s", hand_word="round") == "Die Runde beenden"
        rounds = ngettext(
            "%(number)s %(hand_word)s", "%(number)s %(hand_word)ss", 7, hand_word="round"
        )
        assert rounds == "7 Runden"
    finally:
        language.set_language(language.ENGLISH)
