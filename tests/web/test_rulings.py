"""Rulings. Hand 1: aces are wild, and high in runs. Ana deals; Ben plays first, then Chandi."""

import re
from urllib.parse import parse_qs

from companion.notebook.events import HandThrownIn, PenaltyWithdrawn
from tests.notebook.evening import WRONG_DISCARD, Evening
from tests.web.asking import (
    ANA,
    BEN,
    CHANDI,
    answered,
    ask,
    changed,
    lay,
    mark,
    on_table,
    record,
    ruling,
    see,
    text_of,
    undo,
    verdict,
)
from tests.web.conftest import Marker, begin, checked, read_in, sent_again, text

# -- the kinds of questions, and the player ------------------------------------------------------

OFFERED = {
    "proter": "Discard, Meld, Lay-off, Swap, A whole turn",
    "pay_me": "Meld, Pay me!",
    "carioca": "First melds, Lay-off, Swap, A whole turn",
    "kalooki": "First melds, Discard, Further meld, Lay-off, Swap, Call, A whole turn",
    "contract_rummy": "First melds, Further meld, Lay-off, Swap, May I?, A whole turn",
    "contract_rummy gamerules": (
        "First melds, Discard, Further meld, Lay-off, Swap, Draw from the pile, A whole turn"
    ),
    "indian_rummy": "Discard, Meld, Rummy",
    "three_thirteen": "Meld, Going out",
}


def test_a_table_is_offered_the_questions_that_its_rules_decide(marker):
    for table, titles in OFFERED.items():
        name, _, sheet = table.partition(" ")
        game = begin(marker, game=name, sheet=sheet)
        page = marker.open(f"{game}/ruling").partition('id="ask"')[2]
        tiles = re.findall(r'<button class="tile[^>]*>(.*?)(?: <small>|</button>)', page)
        assert ", ".join(tiles) == titles
        # The server answers these: they are of no use on a page that is kept for later.
        if "Call" in titles or "Draw" in titles:
            assert not re.search('value="(call|draw)"', marker.open(f"{game}/ruling?hand=2"))
        kind = "call" if "First melds" in titles else "contract"
        if "Call" not in titles:
            assert "What is in dispute?" in marker.open(f"{game}/ruling?ask={kind}")
            refused = ask(marker, game, kind, BEN, play="meld 7C 7D 7H", turn=ANA)
            assert refused.status_code == 422
            assert "decides on that." in refused.text
        pages = {"may-i": "May I?", "contract": "First melds", "table": "Lay-off"}
        for page, title in pages.items():
            marker.open(f"{game}/{page}", 200 if title in titles else 404)


def test_a_form_opened_without_a_player_lists_all_and_chooses_none(marker, game):
    for kind, says in {
        "discard": "Whose play?",
        # The last tap on a meld says whose it is.
        "meld": "Whose play was it? Tap to rule. Ana Ben Chandi",
        "turn": "Whose play?",
    }.items():
        page = marker.open(f"{game}/ruling?ask={kind}")
        assert re.findall(r'name="player" value="(\d)"', page) == [ANA, BEN, CHANDI]
        assert not checked(page, "player")
        assert says in text(page)
        assert 'type="hidden" name="player"' not in page
        assert 'name="other"' not in page
        named = marker.open(f"{game}/ruling?ask={kind}&player=2")
        assert "Whose play?" not in named
        assert not re.findall(r'<(?:input type="radio"|button[^>]*) name="player"', named)


# -- the page of a ruling -------------------------------------------------------------------------

# A meld of Chandi on record, what Ben played, and what the page of the ruling says.
RULED = (
    (
        *("", "meld", {"cards": ["5C", "6C", "7C"]}, "Legal", "5♣ 6♣ 7♣ is a run"),
        *("Legal on the Play Gin Rummy Online sheet too.", "Added to the record."),
    ),
    # A♥ could only be the 6♣, which lies there.
    (
        *("6C 6D 6S", "meld", {"cards": ["5C", "AH", "7C"], "melded_this_turn": "1"}, "Illegal"),
        "20 points to Ben (PRO-13.1). The whole turn is taken back. Chandi plays next.",
        *("PRO-9", "Charge Ben 20 and take the turn back"),
    ),
    (
        *("", "meld", {"cards": ["AH", "5C", "6C"], "melded_this_turn": "0"}, "Illegal"),
        *("No points. The play is taken back.", "Read as 5♣ 6♣ A♥ for 7♣."),
        *("Read as A♥ for 4♣ 5♣ 6♣.", "Let it stand Take the play back"),
    ),
    (
        *("5C 6C 7C", "lay_off", {"cards": ["8C"], "onto": "0"}, "Legal"),
        "Ben: lay-off 8♣ on 5♣ 6♣ 7♣",
    ),
    ("5C AS=6C 7C", "swap", {"swap": "6C 0"}, "Legal", "6♣ takes the place of A♠"),
)


def test_an_illegal_meld_is_shown_in_each_way_to_read_it(marker):
    """PRO-7: no Proter in the first meld of a hand, not even the ace as itself."""
    game = begin(marker, sheet="playginrummyonline")
    page = text_of(
        ruling(marker, game, "meld", BEN, cards=["AC", "2C", "3C"], melded_this_hand="0")
    )
    assert "Read as A♣ 2♣ 3♣. Read as 2♣ 3♣ A♣ for 4♣." in page


def test_a_ruling_says_why_and_what_follows(marker, game):
    for meld, kind, fields, word, *sentences in RULED:
        if meld:
            lay(marker, game, CHANDI, meld)
        page = ruling(marker, game, kind, BEN, **fields)
        assert verdict(page) == word
        for sentence in sentences:
            assert sentence in text_of(page)
        assert "Nobody said how they lie" not in page  # that is of cards that are declared
        for _ in range(2 if meld else 1):
            undo(marker, game)


def test_the_only_meld_is_chosen_and_a_swap_is_one_tap(marker, game):
    lay(marker, game, ANA, "5C", "AS=6C", "7C")
    form = marker.open(f"{game}/ruling?ask=lay_off&player={BEN}")
    assert 'name="onto" value="0" checked' in form
    form = marker.open(f"{game}/ruling?ask=swap&player={BEN}")
    assert 'name="swap" value="6C 0"' in form
    assert 'aria-label="6 of clubs, as A♠"' in form
    assert 'aria-label="ace of spades, the Proter, taken: table" data-wild data-taken' in form


# -- what a Proter stands for ---------------------------------------------------------------------


def test_a_meld_with_several_readings_asks_which(marker, game):
    cards = ["AH", "AD", "KC"]
    asked = ask(marker, game, "meld", CHANDI, cards=cards, melded_this_turn="1")
    said = text_of(asked.text)
    # Sets of kings: the two aces take two of three suits, 6 ways. Runs J Q K and Q K A: 2 each.
    assert "Legal hand 1 This meld can be read in 10 ways, and later plays depend on it." in said
    assert "<title>Which cards do A♦ and A♥ stand for?</title>" in asked.text
    assert asked.text.count('name="reading"') == 10
    assert said.index("As a set") < said.index("As a run")
    assert marker.loaded(game).sheet.number == 1  # nothing is written down yet
    page = marker.open(answered(marker, asked, reading="AD=QC KC AH=AC").location)
    assert verdict(page) == "Legal"
    assert "A♦ for Q♣ K♣ A♥ for A♣" in on_table(marker, game)


def test_with_many_readings_each_proter_is_asked_about(marker, game):
    # Sets: 3! = 6. Runs 10 to K and J to A: 3! each. 18 in all, too many to choose among.
    cards = ["AH", "AD", "AS", "KC"]
    asked = ask(marker, game, "meld", BEN, cards=cards, melded_this_turn="1")
    first = re.findall(r'name="reading" value="(A[HDS]=KD)"', asked.text)[0]
    # Two ways are left for the other two aces to be the kings that remain.
    asked = answered(marker, asked, reading=first)
    readings = re.findall(r'name="reading" value="([^"]*)"', asked.text)
    assert [first in one for one in readings] == [True, True]
    page = marker.open(answered(marker, asked, reading=readings[0]).location)
    assert verdict(page) == "Legal"


# -- discards and the pile ------------------------------------------------------------------------


def test_a_wrong_record_of_the_pile_can_be_corrected(marker, game):
    see(marker, game, "5C", "7C")
    form = marker.open(f"{game}/ruling?ask=discard&player={BEN}")
    assert "Top of the pile: 7♣ recorded when Ana discarded" in text_of(form)
    asked = ask(marker, game, "discard", BEN, cards="6C")
    assert "What lay under 7♣?" in text_of(asked.text)  # Ana may have taken the pile before
    assert "5♣, as recorded" in text_of(asked.text)
    page = marker.open(answered(marker, asked, under="5C").location)
    assert verdict(page) == "Illegal"
    assert "Top of the pile: 7♣, on 5♣ as you said Change" in text_of(page)
    asked = changed(marker, page, "Top of the pile")
    assert "What was on top of the pile before 6♣?" in text_of(asked.text)
    assert 'aria-label="7 of clubs"' in asked.text  # which does not lie there
    page = marker.open(answered(marker, asked, top="KH").location)
    assert verdict(page) == "Legal"
    assert "Top of the pile: K♥ as you said Change" in text_of(page)


# -- whole turns ----------------------------------------------------------------------------------


def test_the_marker_can_choose_nobody_instead_of_the_next_player(marker, game):
    ruling(marker, game, "discard", BEN, cards="KH", top="none")
    page = marker.open(f"{game}/table")
    assert checked(page, "player") == [CHANDI]
    assert '<input type="radio" name="player" value=""' in page
    record(marker, game, {"add": "meld", "cards": ["9C", "9D", "9S"], "player": ""})
    board = marker.loaded(game).sheet.hand.board
    assert [meld.text for meld in board.table.melds] == ["9C 9D 9S"]
    assert not board.melded


def test_lay_offs_and_swaps_below_the_cards_are_one_tap_away(marker, game):
    """The link to them is there while a meld lies there, one of the turn itself included."""
    link = re.compile('<a class="btn quiet" href="#targets" data-melds-some( hidden)?>')
    for page in ("table", "ruling?ask=turn&player=1"):
        assert link.findall(marker.open(f"{game}/{page}")) == [" hidden"]
    lay(marker, game, ANA, "5C", "6C", "7C")
    for page in ("table", "ruling?ask=turn&player=1"):
        shown = marker.open(f"{game}/{page}")
        assert link.findall(shown) == [""]
        assert 'id="targets"' in shown


def test_a_turn_is_put_together_play_by_play(marker, game):
    see(marker, game, "2H", "KD")
    address, plays = f"{game}/ruling?ask=turn&player={BEN}", list[str]()
    turn = {"ask": "turn", "player": BEN}
    for cards, add, play in (
        (["4D", "5D", "6D"], "meld", "meld 4D 5D 6D"),
        (["7D"], "lay_off 0", "lay_off 7D onto 0"),
        (["9S"], "discard", "discard 9S"),
    ):
        sent = {"play": plays, "cards": cards, "add": add}
        address = marker.saved(address, turn | sent, to=f"{game}/ruling").location
        plays = [*plays, play]
        assert parse_qs(address)["play"] == plays
    page = marker.open(address)
    assert "Meld 4♦ 5♦ 6♦" in text_of(page)
    assert 'value="4D" data-card="4D" aria-label="4 of diamonds, taken: turn"' in page
    for dropped, left in (("1", [plays[0], plays[2]]), ("0", plays[2:])):
        sent = turn | {"play": plays, "drop": dropped}
        less = marker.saved(address, sent, to=f"{game}/ruling").location
        assert parse_qs(less)["play"] == left  # what was laid off on a meld goes with it
    page = ruling(marker, game, "turn", BEN, play=plays)
    assert verdict(page) == "Legal"
    assert text_of(page).count(" legal") >= 3
    table = text_of(marker.open(f"{game}/table"))
    assert "4♦ 5♦ 6♦ 7♦" in table
    assert "K♦ 9♠ the last one on top" in table


def test_a_whole_turn_comes_after_the_plays_on_record_and_the_form_says_so(marker, game):
    says = "on record. If they belong to this turn, ask about its other plays one by one."
    turn = f"{game}/ruling?ask=turn&player={BEN}"
    assert says not in text_of(marker.open(turn))
    lay(marker, game, BEN, "9C", "TC", "JC")
    assert f"After the plays of Ben {says}" in text_of(marker.open(turn))
    see(marker, game, "KD", to=CHANDI)  # Ben's discard
    assert says not in text_of(marker.open(turn))


def test_removing_a_meld_of_a_turn_counts_the_melds_that_lay_there_before(marker, game):
    plays = ("meld 3S 4S 5S", "meld 4D 5D 6D", "meld 7C 8C 9C", "lay_off 7D onto 3")
    sent = {"ask": "turn", "player": BEN, "hand": "1", "play": plays, "drop": "0"}
    there = {"lying": "9S TS JS", "seen": "QH KH AH"}  # one is on record, one was seen
    address = f"{game}/ruling"
    less = marker.saved(f"{address}?ask=turn", sent | there, to=address).location
    assert parse_qs(less)["play"] == [*plays[1:3], "lay_off 7D onto 2"]


def test_a_pile_and_a_proter_are_asked_about_one_after_the_other(marker, game):
    plays = ["meld 4D 5D 6D", "meld TC JC AS", "discard 7H"]
    asked = ask(marker, game, "turn", BEN, play=plays)
    asked = answered(marker, asked, top="8H")
    assert "What lay under 8♥?" in text_of(asked.text)
    asked = answered(marker, asked, under="none")
    assert "Which card does A♠ stand for?" in text_of(asked.text)
    assert 'name="wild" value="1"' in asked.text
    page = marker.open(answered(marker, asked, reading="AS=QC").location)
    assert verdict(page) == "Legal"
    assert "10♣ J♣ A♠ for Q♣" in text_of(page)
    assert marker.loaded(game).sheet.number == 2  # the start and the ruling


# -- enforcing a ruling ---------------------------------------------------------------------------


def wrong_discard_after_a_meld(marker: Marker, game: str) -> str:
    """The address of a ruling on Ben's discard, in a turn that has a meld on record."""
    see(marker, game, "5C", "7C")
    lay(marker, game, BEN, "9C", "9D", "9S")
    return ask(marker, game, "discard", BEN, cards="6C", top="7C", under="5C").location


def test_one_button_charges_and_takes_the_turn_back_once(marker, game):
    address = wrong_discard_after_a_meld(marker, game)
    off = "These are removed from the recorded table: Meld 9♣, 9♦, 9♠."
    # Nobody said whether the meld is of this turn.
    assert f"{off} If some were laid in an earlier turn, record" in text_of(marker.open(address))
    fields = marker.hidden(address, f"{address}/enforce")
    done = marker.post(f"{address}/enforce", fields)
    page = marker.open(done.location)
    says = "20 points to Ben (PRO-13.2). Ben's turn is taken back. Chandi plays next."
    assert says in text(page)
    assert "Removed from the recorded table: Meld 9♣, 9♦, 9♠." in page
    assert marker.post(f"{address}/enforce", fields).location == done.location  # the same act
    newer = fields | {"key": "another", "base": str(int(fields["base"]) + 1)}
    answer = marker.post(f"{address}/enforce", newer)
    assert answer.status_code == 422
    assert "That ruling has been carried out already." in answer.text
    sheet = marker.loaded(game).sheet
    assert [sheet.total(seat) for seat in sheet.players] == [0, 20, 0]
    assert "9♣" not in text_of(marker.open(f"{game}/table")).partition("Record a play")[0]
    page = marker.open(address)
    assert "Carried out by" in page
    assert "Charge Ben" not in page
    assert "20 points · Carried out." in text_of(marker.open(f"{game}/rulings"))
    # Chandi is next, so hers is the play that is asked about first.
    assert re.search(rf'name="player" value="{CHANDI}"[^>]* checked', marker.open(f"{game}/ruling"))
    # The charge alone is taken back on the same page.
    assert "Take the 20 points back from" in page
    marker.write(game, PenaltyWithdrawn(1, sheet.number))
    page = marker.open(address)
    assert "were taken back" in page
    for listed in (f"{game}/rulings", f"{game}/hands/1"):
        assert "Carried out; the points were taken back." in text_of(marker.open(listed))
    assert "Take the 20 points back from" not in page


def test_a_charge_that_comes_late_is_sent_again_with_one_tap(marker, game):
    address = wrong_discard_after_a_meld(marker, game)
    fields = marker.hidden(address, f"{address}/enforce")
    marker.saved(f"{game}/penalty", {"player": CHANDI, "rule": "PRO-13.3"})
    late = marker.post(f"{address}/enforce", fields)
    assert late.status_code == 409
    assert 'form="again">Save mine as well' in late.text
    assert re.findall(r'id="again" method="post" action="([^"]+)"', late.text) == [
        f"{address}/enforce"
    ]
    form = late.text[late.text.index('<form id="again"') :]
    assert marker.post(f"{address}/enforce", sent_again(form, f"{address}/enforce")).location
    sheet = marker.loaded(game).sheet
    assert [sheet.total(seat) for seat in sheet.players] == [0, 20, 20]


def test_a_turn_of_a_past_hand_or_before_the_last_recorded_one_stays(marker, game):
    address = wrong_discard_after_a_meld(marker, game)
    lay(marker, game, CHANDI, "TC", "TD", "TS")
    page = marker.open(address)
    said = "the cards of Ben stay on the recorded table: Meld 9♣, 9♦, 9♠."
    assert said in text_of(page)
    assert ">Charge Ben 20</button>" in page
    done = marker.act(address, to=f"{address}/enforce")
    assert done.location == f"{game}/table"
    said = "Later plays were recorded, so Ben's cards stay on the recorded table: Meld 9♣, 9♦, 9♠."
    assert f"20 points to Ben (PRO-13.2). {said}" in text_of(marker.open(done.location))
    assert "9♣ 9♦ 9♠" in on_table(marker, game)
    undo(marker, game)
    mark(marker, game)  # Ben 9, Chandi 10
    assert ">Charge Ben 20</button>" in marker.open(address)
    page = marker.open(marker.act(address, to=f"{address}/enforce").location)
    assert "20 points to Ben (PRO-13.2). Hand 1 is over, and its recorded table stays" in text(page)
    assert marker.loaded(game).sheet.total(1) == 29


def test_a_ruling_without_points_takes_nothing_back_once_its_hand_is_over(marker, game):
    # PRO-13.6: no points for three cards that are no meld.
    address = ask(marker, game, "meld", BEN, cards=["2C", "5D", "9H"]).location
    assert "Let it stand Take the play back" in text_of(marker.open(address))
    marker.write(game, HandThrownIn(1))
    assert "Take the play back" not in text_of(marker.open(address))
    undo(marker, game)
    mark(marker, game)
    assert "Take the play back" not in text_of(marker.open(address))


def test_the_rest_of_a_turn_is_recorded_with_the_button_that_takes_a_play_back(marker, game):
    plays = ["meld 2S 3D 9H", "meld 5D 6D 7D", "lay_off 8D onto 1", "discard KS"]
    address = ask(marker, game, "turn", BEN, play=plays, top="none").location
    page = marker.open(address)
    for said in ("meld 2♠ 3♦ 9♥ illegal", "meld 5♦ 6♦ 7♦ legal", "discard K♠ legal"):
        assert f"Ben: {said}" in text_of(page)
    rest = "Meld 5♦, 6♦, 7♦; Lay-off 8♦ on meld 1; Discard K♠."
    assert f"The rest of the turn is added to the recorded table: {rest}" in text_of(page)
    assert ">Take it back, keep the rest</button>" in page
    page = marker.open(marker.act(address, to=f"{address}/enforce").location)
    assert f"Ben&#39;s play is taken back. Added to the recorded table: {rest}" in page
    assert "5♦ 6♦ 7♦ 8♦ Pile: K♠ on top" in on_table(marker, game)
    assert marker.loaded(game).sheet.total(1) == 0
    assert re.search(rf'name="player" value="{CHANDI}"[^>]* checked', marker.open(f"{game}/table"))
    undo(marker, game)
    assert "No meld is recorded" in on_table(marker, game)
    # On another table the rest is left to the marker.
    lay(marker, game, CHANDI, "TC", "TD", "TS")
    page = marker.open(address)
    assert "The recorded table has changed since the ruling" in page
    assert ">Take the play back</button>" in page
    done = marker.act(address, to=f"{address}/enforce")
    assert "Ben&#39;s play is taken back.</" in marker.open(done.location)
    assert "5♦" not in on_table(marker, game)


def test_the_turn_is_taken_back_even_if_penalties_are_0_points(marker):
    game = begin(marker, ("Ana", "Ben"), **{"rule-penalty_points": "0"})
    address = wrong_discard_after_a_meld(marker, game)
    assert ">Take the turn back</button>" in marker.open(address)
    done = marker.act(address, to=f"{address}/enforce")
    assert "Ben&#39;s turn is taken back. Ana plays next." in marker.open(done.location)


# -- rulings are kept -----------------------------------------------------------------------------


def test_rulings_are_listed_with_the_newest_of_the_open_hand_first(marker, game):
    assert "Nobody has asked yet." in marker.open(f"{game}/rulings")
    lay(marker, game, ANA, "TC", "TD", "TS")
    first = ask(marker, game, "meld", BEN, cards=["5C", "6C", "7C"]).location
    ruling(marker, game, "meld", CHANDI, cards=["5D", "6D", "8D"])
    mark(marker, game)
    last = ask(marker, game, "meld", ANA, cards=["9D", "9H", "8S"]).location
    said = text_of(marker.open(f"{game}/rulings"))
    order = ["Hand 2", "Ana: Meld 9♦, 9♥, 8♠", "Hand 1", "Chandi: Meld 5♦, 6♦, 8♦", "Ben: Meld 5♣"]
    assert [said.index(text) for text in order] == sorted(said.index(text) for text in order)
    assert "Illegal PRO-5" in said
    assert "Not carried out." in said
    # Each is read again with the table as it then was, and once it is undone.
    then = text_of(marker.open(first)).partition("The table as recorded")[2]
    assert "10♣ 10♦ 10♠" in then
    assert "5♣" not in then.partition("Undo")[0]
    assert "Undo this ruling" in marker.open(last)
    undo(marker, game)
    page = marker.open(last)
    assert "This ruling was undone." in page
    assert verdict(page) == "Illegal"
    assert "Take the play back" not in page
    marker.refused(f"{last}/enforce")


def test_no_ruling_is_given_when_the_game_is_over(marker):
    evening = Evening()
    evening.mark_hands(12)
    evening.rule(1, "discard 9H", verdict=WRONG_DISCARD)
    evening.mark_hands(1)
    game = read_in(marker, evening)
    fields = {"ask": "meld", "player": BEN, "cards": ["5D", "6D", "7D"]}
    answer = marker.refused(f"{game}/ruling", fields)
    assert "The game is over: its last hand is marked." in answer.text
    listed = marker.open(f"{game}/rulings")
    assert "Ask for a ruling" not in listed
    # What was ruled in a hand can still be carried out.
    address = re.findall(rf'href="({game}/rulings/\d+)"', listed)[0]
    assert "Charge Ben 20" in marker.open(address)
    assert "Ask again" not in marker.open(address)
