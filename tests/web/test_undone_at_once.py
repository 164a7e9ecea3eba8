"""Undo and redo on one phone while another writes on: both versions, and what can be done."""

import re

from tests.web.asking import ANA, BEN, CHANDI, lay
from tests.web.conftest import Marker, text, totals

TO_BEN = {"player": BEN, "rule": "PRO-13.3"}
TO_CHANDI = {"player": CHANDI, "rule": "PRO-13.1"}


def charge(marker: Marker, game: str, fields: dict[str, str]) -> None:
    assert marker.act(f"{game}/penalty", fields, to=f"{game}/penalty").status_code == 303


def both_totals(page: str) -> list[list[str]]:
    """The rows of what is saved and what this phone would have."""
    table = page.partition('<table class="tally versus">')[2].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table)
    return [text(row.replace("</t", " </t")).split() for row in rows]


def test_an_undo_that_comes_late_shows_both_versions_and_undoes_the_last_on_request(marker, game):
    charge(marker, game, TO_BEN)
    undo = marker.hidden(game, f"{game}/undo")
    charge(marker, game, TO_CHANDI)
    late = marker.post(f"{game}/undo", {}, **undo)
    assert late.status_code == 409
    says = text(late.text)
    assert "Saved meanwhile 20 points to Chandi (PRO-13.1) Unknown device" in says
    assert "Yours, not saved Undone: 20 points to Ben (PRO-13.3)" in says
    assert both_totals(late.text) == [
        ["Total", "Saved", "Yours"],
        ["Ana", "0", "0"],
        ["Ben", "20", "0"],
        ["Chandi", "20", "0"],
    ]
    assert 'form="again">Undo: 20 points to Chandi (PRO-13.1)</button>' in late.text
    assert totals(marker, game) == [0, 20, 20]
    form = late.text.partition('<form id="again"')[2].partition("</form>")[0]
    assert f'action="{game}/undo"' in form
    fields = dict(re.findall(r'name="([^"]*)" value="([^"]*)"', form))
    assert marker.client.post(f"{game}/undo", data=fields).status_code == 303
    assert totals(marker, game) == [0, 20, 0]


def test_a_hand_that_was_corrected_meanwhile_is_not_unmarked(marker, game):
    left = {"out": ANA, "cards-1": "KC", "cards-2": "QC", "melded-1": "yes", "melded-2": "yes"}
    marker.act(f"{game}/end", left | {"melded-0": "yes"})
    undo = marker.hidden(game, f"{game}/undo")
    changed = left | {"cards-1": "9C", "melded-0": "yes"}
    assert marker.act(f"{game}/hands/1/correct", changed).status_code == 303
    late = marker.post(f"{game}/undo", {}, **undo)
    assert late.status_code == 409
    assert "Saved meanwhile Hand 1 corrected, Ana out" in text(late.text)
    assert "Yours, not saved Undone: Hand 1 marked, Ana out" in text(late.text)
    assert both_totals(late.text)[1:] == [
        ["Ana", "0", "0"],
        ["Ben", "9", "0"],
        ["Chandi", "12", "0"],
    ]


def test_who_undoes_what_the_other_has_undone_is_told_only_that(marker, game):
    charge(marker, game, TO_BEN)
    undo = marker.hidden(game, f"{game}/undo")
    assert marker.act(game, to=f"{game}/undo").status_code == 303
    late = marker.post(f"{game}/undo", {}, **undo | {"key": "of-the-other-phone"})
    assert late.status_code == 409
    assert "Saved meanwhile Undone: 20 points to Ben (PRO-13.3)" in text(late.text)
    assert "Yours, not saved" not in late.text
    assert 'form="again"' not in late.text


def test_what_was_undone_and_done_again_meanwhile_is_asked_about(marker, game):
    charge(marker, game, TO_BEN)
    undo = marker.hidden(game, f"{game}/undo")
    for step in ("undo", "redo"):
        assert marker.act(game, to=f"{game}/{step}").status_code == 303
    late = marker.post(f"{game}/undo", {}, **undo | {"key": "of-the-other-phone"})
    assert "Yours, not saved Undone: 20 points to Ben (PRO-13.3)" in text(late.text)
    assert 'form="again">Undo: 20 points to Ben (PRO-13.3)</button>' in late.text


def test_a_redo_that_comes_late_shows_both_versions_and_cannot_be_sent_again(marker, game):
    charge(marker, game, TO_BEN)
    assert marker.act(game, to=f"{game}/undo").status_code == 303
    redo = marker.hidden(game, f"{game}/redo")
    charge(marker, game, TO_CHANDI)
    late = marker.post(f"{game}/redo", {}, **redo)
    assert late.status_code == 409
    assert "Yours, not saved Done again: 20 points to Ben (PRO-13.3)" in text(late.text)
    assert both_totals(late.text)[2:] == [["Ben", "0", "20"], ["Chandi", "20", "0"]]
    assert 'form="again"' not in late.text
    assert "Take what is saved" in late.text


def test_where_nobodys_points_differ_there_are_none_to_compare(marker, game):
    lay(marker, game, BEN, "7C", "7D", "7H")
    undo = marker.hidden(game, f"{game}/undo")
    lay(marker, game, CHANDI, "KC", "KD", "KH")
    late = marker.post(f"{game}/undo", {}, **undo)
    says = text(late.text).replace("\ufe0e", "")
    assert "Yours, not saved Undone: Ben: Meld 7♣, 7♦, 7♥" in says
    assert "versus" not in late.text
