"""The games other than Proter on the same pages, with their packs, contracts and marks."""

import re

from companion.notebook.events import CallNoted
from tests.notebook.evening import Evening, started
from tests.web.asking import ANA, BEN, CHANDI, answered, ask, lay, mark, record, ruling, text_of
from tests.web.conftest import begin, checked, preview, read_in, text, totals

# -- setup ----------------------------------------------------------------------------------------


def test_the_setup_offers_every_game_with_its_length_players_and_packs(marker):
    page = text(marker.open("/games/new"))
    for line in (
        "Pay Me 11 hands · 2 to 8 players · 1 to 3 packs with jokers",
        "Three Thirteen 11 hands · 2 to 8 players · 1 to 3 packs",
        "Carioca 7 hands · 2 to 5 players · 2 packs with jokers",
        "Indian Chief 7 rounds · 2 to 8 players · 1 to 2 packs",
        "Kalooki 9 hands · 3 to 5 players · 2 packs with jokers",
        "Contract Rummy 7 hands · 3 to 5 players · 1 to 2 packs with jokers",
    ):
        assert line in page
    # An unknown game means the first one.
    for play in ("", "whist"):
        assert "New game of Proter" in marker.act("/games/new", {"play": play}).text


# -- the end of a hand ----------------------------------------------------------------------------


def test_in_three_thirteen_nobody_lays_off(marker):
    # TTN-8: the melds of who went out are not asked for, and are not kept if they are sent.
    address = begin(marker, game="three_thirteen")
    form = marker.open(f"{address}/end")
    assert "Went out: nothing to enter." in form
    assert "or nobody lays off" not in form
    fields = {"out": ANA, "cards-0": ["5C", "6C", "7C"], "cards-1": ["8C", "KH", "2D"]}
    marker.saved(f"{address}/end", fields | {"points-2": "0"})
    assert totals(marker, address) == [0, 20, 0]
    assert "5♣" not in text(marker.open(f"{address}/hands/1"))


def test_a_bent_table_that_the_record_contradicts_is_told_of_and_counts(marker, kalooki):
    fields = {"out": ANA, "cards-1": ["KC"], "cards-2": ["XX"], "bent": "1"}
    says = "By the record, Ana had melded in an earlier turn."
    lay(marker, kalooki, ANA, "7C", "7D", "7H")
    # KAL-9: these may be the first melds of the turn in which Ana went out.
    assert says not in text(preview(marker, kalooki, fields))
    record(marker, kalooki, {"player": BEN, "add": "discard", "cards": "4S"})
    shown = text(preview(marker, kalooki, fields))
    assert f"Ana bent the table: doubled. {says}" in shown
    assert says not in text(preview(marker, kalooki, fields | {"bent": ""}))
    marker.saved(f"{kalooki}/end", fields)
    assert marker.loaded(kalooki).sheet.total(1) == 20


def test_a_table_that_was_bent_by_the_record_is_asked_about(marker, kalooki):
    """KAL-1 deals 9 cards, and the contract of hand 1 takes them all (KAL-3)."""
    fields = {"out": ANA, "cards-1": ["KC"], "cards-2": ["XX"]}
    asks = "By the record, Ana laid all cards in one turn. Bent the table?"
    for rank in "579":
        assert asks not in text(preview(marker, kalooki, fields))
        lay(marker, kalooki, ANA, f"{rank}C", f"{rank}D", f"{rank}H")
    assert asks in text(preview(marker, kalooki, fields))
    assert asks not in text(preview(marker, kalooki, fields | {"bent": "1"}))
    assert asks not in text(preview(marker, kalooki, fields | {"out": BEN}))


def test_a_bent_table_doubles_the_others_cards(marker, kalooki):
    fields = {"out": ANA, "cards-1": ["KC", "AH"], "cards-2": ["XX"], "bent": "1"}
    sums = preview(marker, kalooki, fields)
    assert re.findall(r"<b>(\d+)</b>", sums) == ["0", "22", "100"]
    # KAL-9 is told before it is saved, on the hand, the sheet and the tally.
    assert "Ana bent the table: doubled." in text(sums)
    marker.saved(f"{kalooki}/end", fields)
    assert totals(marker, kalooki) == [0, 22, 100]  # (10 + 1) and 50, doubled
    assert "bending the table" in text(marker.open(f"{kalooki}/hands/1"))
    for page in ("hands/1", "sheet", "tally"):
        assert "Ana bent the table: doubled." in text(marker.open(f"{kalooki}/{page}"))
    assert checked(marker.open(f"{kalooki}/hands/1/correct"), "bent")


def test_calls_are_counted_one_tap_each_and_the_fourth_is_charged(marker, kalooki, carioca):
    def called() -> str:
        done = marker.saved(kalooki, {"player": BEN}, to=f"{kalooki}/call")
        return text(marker.open(done.location))

    assert "nothing is doubled" in text(marker.open(f"{kalooki}/penalty"))
    page = called()
    assert "Ben: call 1 of 3." in page
    assert "Ana 0 calls Ben 1 call Chandi 0 calls " in page
    for _ in range(2):
        marker.write(kalooki, CallNoted(1, 1))
    page = called()
    assert "50 points to Ben: Call beyond the third (KAL-4)." in page
    assert "If Ben bends the table, nothing is doubled." in page
    assert "Ben 3 + 1 charged calls" in page
    called()
    assert totals(marker, kalooki) == [0, 100, 0]
    answer = marker.refused(kalooki, {"player": "9"}, to=f"{kalooki}/call")
    assert "Say which player called." in text(answer.text)
    assert f'action="{kalooki}/call"' in marker.open(f"{kalooki}?hand=2")
    assert "/call" not in marker.open(carioca)


# -- rulings --------------------------------------------------------------------------------------


def test_the_marker_chooses_the_end_for_a_swapped_joker(marker):
    game = begin(marker, game="carioca", **{"rule-exact_contract": "no"})
    mark(marker, game)  # hand 2 asks for a trio and an escalera
    play = ["meld 5C 5D 5H", "meld 4S XX=5S 6S 7S", "discard KC"]
    assert "Legal" in ruling(marker, game, "turn", CHANDI, play=play, contract="no")
    form = text_of(marker.open(f"{game}/ruling?ask=swap&player={CHANDI}"))
    for end in ("low", "high"):
        assert f"5♠ for the ★ (it goes to the {end} end)" in form
    asked = ask(marker, game, "swap", CHANDI, swap="5S 1")
    assert asked.status_code == 200
    assert "As an escalera" in asked.text
    assert "XX=3S 4S 5S 6S 7S" in asked.text
    assert "4S 5S 6S 7S XX=8S" in asked.text
    told = answered(marker, asked, reading="4S 5S 6S 7S XX=8S")
    page = marker.open(told.location)
    assert "Legal" in page
    # CAR-6: the joker stays in that escalera, and lies at the end that the player chose.
    assert "5♠ takes the place of ★. The meld is now 4♠ 5♠ 6♠ 7♠ ★ for 8♠" in text_of(page)
    table = marker.open(f"{game}/table")
    assert "8 of spades" in table.partition("<form")[0]
    assert "the Joker" not in table


# -- features that a game lacks -------------------------------------------------------------------


OF_PROTER = ("Laid a meld?", 'name="wilds-', "everyone laid a meld")


def test_a_game_offers_only_what_it_has(marker):
    for game, page, absent in (
        ("pay_me", "end", OF_PROTER),  # those who are left arrange their cards, or do not
        ("carioca", "end", OF_PROTER),
        # KAL-8: a hand in which the stock runs out twice is thrown out; CON-11: all score.
        ("kalooki", "end", ('name="out" value="none"',)),
        ("carioca", "ruling?ask=turn&player=1", ("Took the pile",)),
    ):
        offered = marker.open(f"{begin(marker, game=game)}/{page}")
        assert [one for one in absent if one in offered] == []
    contract_rummy = begin(marker, game="contract_rummy")
    assert 'name="out" value="none"' in marker.open(f"{contract_rummy}/end")


def test_setup_and_deal_say_why_there_are_two_packs(marker):
    setup = text(marker.act("/games/new", {"play": "contract_rummy"}).text)
    assert "Game Rules: One pack and a joker are 53 cards" in setup
    five = ("Ana", "Ben", "Chandi", "Dee", "Ewa")
    game = begin(marker, five, game="contract_rummy", sheet="gamerules")
    page = text(marker.open(game))
    assert "2 packs and 2 jokers. One pack and a joker are 53 cards" in page
    assert "1 pack. Ana shuffles" in text(marker.open(begin(marker)))


def test_no_question_can_be_asked_in_a_finished_game(marker):
    evening = Evening(started(game="contract_rummy"))
    evening.mark_hands(7)
    address = read_in(marker, evening)
    for page in ("table", "ruling?ask=meld", "may-i", "contract?cards=7C"):
        assert "The game is over" in text(marker.open(f"{address}/{page}").partition("<main")[2])
