"""Folding: what is the same name in any script, whoever types it."""

import pytest
from hypothesis import given, strategies as st

from companion.store import folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana", "ana"),
        ("  Ana \n\t Ben\u00a0", "ana ben"),
        ("İSTANBUL", "istanbul"),
        ("ısı", "isi"),
        ("Zoe\u0308", "zoe"),
        ("ИВАН", "иван"),
        ("🃏 Joker", "🃏 joker"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
        ("Οδυσσεύς", "οδυσσευσ"),
        ("Straße", "strasse"),
        ("Ａｎａ", "ana"),
        ("ﬁ", "fi"),
        ("مُحَمَّد", "محمد"),
        ("❤\ufe0f", "❤"),
        ("♠\ufe0e", "♠"),
        ("a\ud800b", "ab"),
        ("हिन्दी", "हिनदी"),  # vowel signs are letters, the virama is a mark
        ("", ""),
        (" ", ""),
    ],
)
def test_a_name_is_folded(text, expected):
    assert folded(text) == expected


def test_case_makes_no_difference_for_any_character_there_is():
    letters = [chr(code) for code in range(0x20000)]  # beyond that no letter has a case
    with_case = [letter for letter in letters if {letter} != {letter.upper(), letter.lower()}]
    assert len(with_case) > 2000
    for letter in with_case:
        assert folded(letter.upper()) == folded(letter) == folded(letter.lower())


@given(st.text(st.characters()))
def test_folding_what_is_folded_changes_nothing(text):
    assert folded(folded(text)) == folded(text)


@given(st.text(st.characters()))
def test_what_is_folded_can_be_stored(text):
    assert folded(text).encode().decode() == folded(text)
