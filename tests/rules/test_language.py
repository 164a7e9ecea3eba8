"""Sentences in a language, with their values."""

import pytest

from companion.rules import language
from companion.rules.language import gettext, ngettext


@pytest.mark.parametrize("name", ["Ana", "දිලානි", "தமிழ்", "Zoë"])
def test_a_name_stands_in_its_sentence(name):
    assert gettext("%(name)s out", name=name) == f"{name} out"


@pytest.mark.parametrize("name", ["دانا", "נועה", "Ben דן"])
def test_a_name_from_right_to_left_leaves_the_words_around_it_in_place(name):
    assert gettext("%(name)s +57", name=name) == f"\u2068{name}\u2069 +57"


def test_a_number_of_things_has_its_own_sentence():
    said = [ngettext("%(number)s card", "%(number)s cards", number) for number in (0, 1, 2)]
    assert said == ["0 cards", "1 card", "2 cards"]


def test_a_sentence_without_values_may_have_a_percent_sign():
    assert gettext("100 % sure") == "100 % sure"
    assert gettext("") == ""


def test_what_is_spoken_translates_each_sentence():
    class Shouted(language.English):
        def gettext(self, message: str, /) -> str:
            return message.upper().replace("%(NAME)S", "%(name)s")

    language.speak(Shouted())
    try:
        assert gettext("%(name)s deals", name="Ana") == "Ana DEALS"
    finally:
        language.speak(language.ENGLISH)
    assert gettext("%(name)s deals", name="Ana") == "Ana deals"
