"""The recorded table. Hand 1: aces are wild, and high in runs. Ana deals; Ben plays first."""

from html import unescape

from tests.web.asking import ANA, BEN, CHANDI, answered, ask, lay, on_table, record, see
from tests.web.conftest import checked


def test_every_kind_of_play_is_recorded_on_a_table_that_was_empty(marker, game):
    assert "No meld is recorded in this hand. Pile: nothing is recorded" in on_table(marker, game)
    for play in (
        {"player": BEN, "cards": ["5C", "AS=6C", "7C"], "add": "meld"},
        {"player": BEN, "cards": ["9H"], "add": "discard"},
        {"player": CHANDI, "add": "take_pile"},
        {"player": CHANDI, "cards": ["8C", "9C"], "add": "lay_off 0"},
        {"player": CHANDI, "cards": ["6C"], "add": "swap 0"},
        {"player": CHANDI, "cards": ["JD"], "add": "discard"},
    ):
        answer = record(marker, game, play)
        assert answer.status_code == 303, answer.text
        assert "Recorded." in marker.open(answer.location)
    assert "5♣ 6♣ 7♣ 8♣ 9♣ Pile: J♦ on top" in on_table(marker, game)


def test_a_play_sent_after_the_game_was_ended_can_only_be_dropped(marker, game):
    marker.saved(f"{game}/end", {"out": ANA, "points-1": "34", "melded-1": "yes", "points-2": "5"})
    hidden = marker.hidden(f"{game}/table")
    marker.saved(f"{game}/end-game")
    late = marker.post(f"{game}/table", {"player": BEN, "cards": "9H", "add": "discard"}, **hidden)
    assert late.status_code == 409
    assert "The game was ended after 1 hand. Undo that to play on." in unescape(late.text)
    assert "data-discard" in late.text
    # Nothing on that page can be sent.
    assert f'action="{game}/table"' not in late.text


def test_nobody_is_chosen_before_a_discard_was_ruled_on(marker, game):
    def chosen() -> set[tuple[str, ...]]:
        pages = ("table", "ruling", "ruling?ask=discard")
        return {tuple(checked(marker.open(f"{game}/{page}"), "player")) for page in pages}

    record(marker, game, {"player": BEN, "cards": ["9H"], "add": "discard"})
    assert chosen() == {()}
    ask(marker, game, "discard", CHANDI, cards="KD")
    assert chosen() == {(ANA,)}  # KD on 9H is legal, and Ana plays after Chandi


def test_the_top_of_the_pile_can_be_recorded(marker, game):
    see(marker, game, "9H", "JD")
    assert record(marker, game, {"top": "KD"}).status_code == 303
    assert "Pile: K♦ on top" in on_table(marker, game)
    record(marker, game, {"top": "none"})
    assert "Pile: empty" in on_table(marker, game)


def test_a_meld_with_a_card_of_the_recorded_pile_is_recorded(marker, game):
    record(marker, game, {"player": BEN, "cards": ["9H"], "add": "discard"})
    meld = {"player": CHANDI, "cards": ["9H", "9C", "9D"], "add": "meld"}  # she took the pile
    assert record(marker, game, meld).status_code == 303
    assert "9♣ 9♦ 9♥ Pile: nothing is recorded" in on_table(marker, game)


def test_a_proter_is_asked_about_before_it_is_recorded(marker, game):
    play = {"player": BEN, "cards": ["5C", "6C", "AS"], "add": "meld"}
    for seen in ("no cards", "5C=", ";"):  # which no page of the table sends
        assert "Which card does A♠ stand for?" in record(marker, game, play | {"seen": seen}).text
    asked = record(marker, game, play)
    done = answered(marker, asked, reading="AS=7C")
    assert done.status_code == 303
    assert "5♣ 6♣ A♠ for 7♣" in on_table(marker, game)


def test_a_wrong_play_is_refused_and_can_be_ruled_on(marker, game):
    lay(marker, game, BEN, "5C", "6C", "7C")
    answer = record(marker, game, {"player": CHANDI, "cards": ["9C", "TC"], "add": "lay_off 0"})
    assert answer.status_code == 422
    assert "cannot be added to the run 5♣ 6♣ 7♣. So it cannot lie on the table." in answer.text
    assert "points" not in answer.text.partition("Not recorded")[2].partition("</div>")[0]
    assert "TC" in checked(answer.text, "cards")
    form = marker.follow(answer.text, "Ask for a ruling on it")
    assert "What did <bdi>Chandi</bdi> lay off?" in form
    assert 'name="onto" value="0" checked' in form
    assert "9C" in checked(form, "cards")


def test_an_impossible_play_is_refused_with_a_sentence(marker, game):
    lay(marker, game, ANA, "5C", "6C", "7C")
    for fields, sentence in (
        ({"player": "7", "cards": ["9S"], "add": "discard"}, "Say whose play it was."),
        ({"cards": ["9S"], "add": "discard"}, "Say whose play it was."),
        ({"player": BEN, "add": "meld"}, "Tap the cards that were played."),
        ({"player": BEN, "cards": ["9S"]}, "Say on which meld of the table."),
        ({"player": BEN, "cards": ["9S"], "add": "lay_off 3"}, "There is no meld 3 on the table"),
        ({"top": "5C"}, "5♣ is in the melds on the table"),
        ({"top": "?"}, "“?” is not a card."),
        ({}, "Tap the cards that were played."),
    ):
        answer = record(marker, game, fields)
        assert answer.status_code == 422
        assert sentence in answer.text
        assert 'role="alert"' in answer.text


# -- disputes about what was recorded -------------------------------------------------------------


def test_the_play_recorded_last_is_undone_and_asked_about(marker, game):
    lay(marker, game, ANA, "5C", "AS=6C", "7C")
    for play, heading in (
        ({"cards": ["9C", "9D", "9S"], "add": "meld"}, "What did <bdi>Ben</bdi> meld?"),
        ({"cards": ["8C"], "add": "lay_off 0"}, "What did <bdi>Ben</bdi> lay off?"),
        ({"cards": ["6C"], "add": "swap 0"}, "What did <bdi>Ben</bdi> swap?"),
        ({"add": "take_pile"}, "The turn of <bdi>Ben</bdi>"),
        ({"cards": ["6C"], "add": "discard"}, "What did <bdi>Ben</bdi> discard?"),
    ):
        assert record(marker, game, {"player": BEN} | play).status_code == 303
        again = marker.act(f"{game}/table", to=f"{game}/table/dispute")
        form = marker.open(again.location)
        assert heading in form
    assert 'name="cards" value="6C">Rule on 6♣</button>' in form
    assert "Pile: nothing is recorded" in on_table(marker, game)


def test_only_the_last_recorded_play_can_be_disputed(marker, game):
    lay(marker, game, BEN, "5C", "6C", "7C")
    fields = marker.hidden(f"{game}/table", f"{game}/table/dispute")
    record(marker, game, {"top": "9H"})
    assert marker.post(f"{game}/table/dispute", fields).status_code == 409
    fields |= marker.hidden(f"{game}/table", f"{game}/table")
    answer = marker.post(f"{game}/table/dispute", fields)
    assert answer.status_code == 422
    assert "no longer the last one recorded" in answer.text
    assert "In dispute" not in marker.open(f"{game}/table")
