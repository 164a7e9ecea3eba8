"""Actions sent from a page: saved once, refused after changes, saved in their own hand."""

from typing import Any, NamedTuple

import pytest

from companion.notebook.events import CardTurned, PenaltyCharged
from tests.web.asking import ANA, BEN, CHANDI, mark, text_of
from tests.web.conftest import begin, checked, sent_again, text, totals

MELD = ["5C", "6C", "7C"]
MARKS = {"out": "0", "cards-1": ["KC", "AH"], "cards-2": ["2D", "3S"]}


class Form(NamedTuple):
    """A form: its page, its address, its fields, and other values for them."""

    page: str
    to: str
    fields: dict[str, Any]
    other: dict[str, Any]
    kind: str = "proter"


FORMS = {
    "marks": Form("end", "end", MARKS, {"cards-1": "QC"}),
    "correction": Form("hands/1/correct", "hands/1/correct", MARKS, {"cards-1": "QC"}),
    "throw-in": Form("throw-in", "throw-in", {}, {}),
    "ruling": Form(
        *("ruling?ask=meld", "ruling"),
        {"ask": "meld", "player": BEN, "cards": MELD},
        {"cards": ["5D", "6D", "7D"]},
    ),
    "turn": Form(
        *("ruling?ask=turn", "ruling"),
        {"ask": "turn", "player": BEN, "play": "meld 5C 6C 7C"},
        {"play": "meld 5D 6D 7D"},
    ),
    "table": Form(
        *("table", "table"),
        {"player": BEN, "cards": MELD, "add": "meld"},
        {"cards": ["5D", "6D", "7D"]},
    ),
    "penalty": Form("penalty", "penalty", {"player": BEN, "rule": "PRO-13.3"}, {"player": CHANDI}),
    "may I": Form(
        *("may-i", "may-i"),
        {"player": BEN, "asked": [ANA], "last_taker": "nobody"},
        {"asked": [CHANDI]},
        "contract_rummy",
    ),
    "turned": Form("turned", "turned", {"rank": "8"}, {"rank": "9"}, "indian_rummy"),
}
KEPT = {"out", "player", "cards-1", "cards-2", "cards", "asked"}  # what is tapped
OF_THE_OPEN_HAND = [name for name in FORMS if name not in ("correction", "penalty")]


@pytest.fixture
def form(request):
    return FORMS[getattr(request, "param", "marks")]


@pytest.fixture
def game(marker, form):
    """A game in its first hand, or for a correction in its second."""
    game = begin(marker, game=form.kind)
    if form.to.endswith("correct"):
        mark(marker, game)
    return game


@pytest.fixture
def hidden(marker, game, form):
    """Return the form's hidden fields, as the page has them now."""
    return marker.hidden(f"{game}/{form.page}", f"{game}/{form.to}")


def entries(marker, game):
    return marker.loaded(game).sheet.number


# -- once -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_a_form_that_is_sent_twice_is_one_entry(marker, game, form, hidden):
    before = entries(marker, game)
    sent = [marker.post(f"{game}/{form.to}", form.fields, **hidden) for _ in range(2)]
    assert [one.status_code for one in sent] == [303, 303]
    assert sent[0].location == sent[1].location
    assert entries(marker, game) == before + 1
    if form.other:
        other = marker.post(f"{game}/{form.to}", form.fields | form.other, **hidden)
        assert other.status_code == 409
        assert entries(marker, game) == before + 1


# -- refused after changes ------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS, indirect=True)
def test_an_older_page_is_told_what_changed_and_keeps_the_entry(marker, game, form, hidden):
    said = "20 points to Chandi (PRO-13.3)"
    if form.kind == "proter":
        marker.write(game, PenaltyCharged(1, 2, "PRO-13.3"))
    elif form.kind == "indian_rummy":
        marker.write(game, CardTurned(1, "K"))
        said = "Turned up: king"
    else:
        marker.saved(f"{game}/may-i", form.fields | form.other)
        said = "“May I?”: Chandi gets the card"
    before = entries(marker, game)
    answer = marker.post(f"{game}/{form.to}", form.fields, **hidden)
    assert answer.status_code == 409
    assert entries(marker, game) == before
    assert said in text_of(answer.text)
    assert 'id="cards-error"' not in answer.text  # no card is wrong
    assert "Ask for a ruling on it" not in answer.text
    for name in KEPT & form.fields.keys() - ({"player"} if form.to == "ruling" else set()):
        assert sorted(checked(answer.text, name)) == sorted(form.fields[name])
    if form.kind == "proter":
        heading = answer.text.partition("<h1")[2].partition("</h1>")[0]
        assert "hand 1" in heading
        assert 'name="hand" value="1"' in answer.text
    if form.to in ("end", "hands/1/correct"):
        assert 'data-draft-restored="no"' in answer.text
        assert "meanwhile. Saving this" not in answer.text


# -- saved in its own hand ------------------------------------------------------------------------


@pytest.mark.parametrize("form", OF_THE_OPEN_HAND, indirect=True)
def test_a_form_of_another_hand_than_the_open_one_writes_nothing(marker, game, form, hidden):
    assert hidden["hand"] == "1"
    before = entries(marker, game)
    for hand in ("", "0", "2", "x"):
        answer = marker.post(f"{game}/{form.to}", form.fields, **hidden | {"hand": hand})
        assert answer.status_code in {400, 422}, hand
    del hidden["hand"]
    assert marker.post(f"{game}/{form.to}", form.fields, **hidden).status_code == 400
    assert entries(marker, game) == before


@pytest.mark.parametrize("is_new", [True, False], ids=["on the newest entry", "on an old page"])
@pytest.mark.parametrize("form", OF_THE_OPEN_HAND, indirect=True)
def test_an_entry_for_a_finished_hand_gets_no_form(marker, game, form, hidden, is_new):
    points = {"by": "points", "points-1": "9", "points-2": "10", "rest": "melded"}
    over = {"out": "0"} | ({"turned": "5"} if form.to == "turned" else points)
    marker.saved(f"{game}/end", over)
    before = entries(marker, game)
    assert marker.loaded(game).sheet.hand.number == 2
    if is_new:
        hidden |= {"base": str(before), "key": "kept-on-the-phone"}
    answer = marker.post(f"{game}/{form.to}", form.fields, **hidden)
    assert answer.status_code == (422 if is_new else 409)
    said = text_of(answer.text)
    assert "hand 1" in said.lower()
    assert "Correct hand 1" in said
    assert "Discard" in said
    assert is_new or "Saved meanwhile Hand 1 marked" in said
    assert entries(marker, game) == before
    # Whatever form of that page is sent: hand 2 gets nothing of it.
    assert 'name="hand" value="2"' not in answer.text


def test_an_old_address_asks_no_question_in_the_next_hand(marker, game):
    mark(marker, game)
    for page in ("ruling?ask=meld&player=1", "ruling?ask=turn&player=1&play=meld+5C+6C+7C"):
        address = f"{game}/{page}&cards=5H&cards=6H&hand="
        assert 'value="5H" checked' not in marker.open(f"{address}1")
        assert "meld 5C 6C 7C" not in marker.open(f"{address}1")
    assert "checked" not in marker.open(f"{game}/table?hand=1&cards=5H").partition('id="cards"')[2]


# -- undo and redo on one phone while another writes on --------------------------------------------

TO_BEN = {"player": BEN, "rule": "PRO-13.3"}
TO_CHANDI = {"player": CHANDI, "rule": "PRO-13.1"}


def charge(marker, game, fields):
    marker.saved(f"{game}/penalty", fields, to=f"{game}/penalty")


def test_an_undo_that_comes_late_shows_both_versions_and_undoes_the_last_on_request(marker, game):
    charge(marker, game, TO_BEN)
    undo = marker.hidden(game, f"{game}/undo")
    charge(marker, game, TO_CHANDI)
    late = marker.post(f"{game}/undo", {}, **undo)
    assert late.status_code == 409
    says = text(late.text)
    assert "Saved meanwhile 20 points to Chandi (PRO-13.1) Unknown device" in says
    assert "Yours, not saved Undone: 20 points to Ben (PRO-13.3)" in says
    assert 'form="again">Undo: 20 points to Chandi (PRO-13.1)</button>' in late.text
    assert totals(marker, game) == [0, 20, 20]
    again = marker.post(f"{game}/undo", sent_again(late.text, f"{game}/undo"))
    assert again.status_code == 303
    assert totals(marker, game) == [0, 20, 0]


def test_an_undo_of_an_undone_entry_says_only_that(marker, game):
    charge(marker, game, TO_BEN)
    undo = marker.hidden(game, f"{game}/undo") | {"key": "of-the-other-phone"}
    marker.saved(game, to=f"{game}/undo")
    late = marker.post(f"{game}/undo", {}, **undo)
    assert late.status_code == 409
    assert "Saved meanwhile Undone: 20 points to Ben (PRO-13.3)" in text(late.text)
    assert "Yours, not saved" not in late.text
    assert 'form="again"' not in late.text
    marker.saved(game, to=f"{game}/redo")
    late = marker.post(f"{game}/undo", {}, **undo)
    assert "Yours, not saved Undone: 20 points to Ben (PRO-13.3)" in text(late.text)
    assert 'form="again">Undo: 20 points to Ben (PRO-13.3)</button>' in late.text


def test_a_redo_that_comes_late_shows_both_versions_and_cannot_be_sent_again(marker, game):
    charge(marker, game, TO_BEN)
    marker.saved(game, to=f"{game}/undo")
    redo = marker.hidden(game, f"{game}/redo")
    charge(marker, game, TO_CHANDI)
    late = marker.post(f"{game}/redo", {}, **redo)
    assert late.status_code == 409
    assert "Yours, not saved Redone: 20 points to Ben (PRO-13.3)" in text(late.text)
    assert 'form="again"' not in late.text
    assert "Keep what is saved" in late.text


def test_undo_is_on_pages_that_show_entries(marker, game):
    charge(marker, game, TO_BEN)
    undo = "Undo: 20 points to Ben (PRO-13.3)"
    for path in ("", "/sheet", "/tally", "/table"):
        assert undo in text(marker.open(f"{game}{path}"))
    # Pages with a form have Cancel instead, and other pages are not about actions of the game.
    for path in ("/end", "/penalty", "/throw-in", "/manage", "/code", "/delete", "/transfer"):
        assert undo not in text(marker.open(f"{game}{path}"))
    assert "Undo" not in marker.open(f"{game}/rules")  # which is kept whatever is done
