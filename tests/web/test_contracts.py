"""Contracts: first melds, whether cards make the contract, and “May I?” (CON-9).

Ana deals; Ben, at Ana's left, plays first, then Chandi. Hand 1 of Carioca asks for 2 trios, and 11
cards are dealt (CAR-1, CAR-3).
"""

import re

import pytest

from tests.notebook.evening import Evening, started
from tests.web.asking import (
    ANA,
    BEN,
    CHANDI,
    answered,
    ask,
    changed,
    lay,
    mark,
    ruling,
    text_of,
    undo,
    verdict,
)
from tests.web.conftest import Marker, begin, checked, find, read_in, sent_again, text

EARLIER, NOW, NO = "earlier", "turn", "no"


# -- first melds ----------------------------------------------------------------------------------


def test_the_cards_tapped_last_are_the_last_meld_without_another_tap(marker, carioca):
    page = marker.open(f"{carioca}/ruling?ask=contract&player={BEN}")
    assert "Contract: 2 trios. Tap one meld, then “Next meld”." in text_of(page)
    fields = {"play": ["meld 7C 7D XX"], "cards": ["8C", "8D", "8H"]}
    page = ruling(marker, carioca, "contract", BEN, **fields)
    assert verdict(page) == "Legal"
    for said in (
        "The first melds of Ben. The contract is 2 trios.",
        *("trio 1 of 2", "trio 2 of 2", "Added to the record."),
    ):
        assert said in text_of(page)
    assert text_of(page).count("2 trios") == 1
    table = marker.loaded(carioca).sheet.hand.board.table
    assert [meld.text for meld in table.melds] == ["7C 7D XX=7H", "8C 8D 8H"]
    # CAR-2: a trio is of any suits, and nobody has said which one the joker is of.
    for place in (carioca, f"{carioca}/table", f"{carioca}/rulings", f"{carioca}/log"):
        opened = marker.open(place)
        assert "7♣, 7♦, ★ for" not in text_of(opened)
        assert "Meld 7♣, 7♦, ★; Meld 8♣, 8♦, 8♥" in text_of(opened)
        assert " for the 7 of " not in opened
    # Asking again shows the same melds, which can be changed.
    again = find(page, r'href="([^"]+)">Ask again')
    assert "play=meld+7C+7D+XX%3D7H" in again
    assert 'name="drop" value="1"' in marker.open(again)


def test_a_refused_set_of_any_suits_is_read_with_no_suit_for_its_joker(marker):
    game = begin(marker, ("Ana", "Ben", "Cem"), game="contract_rummy")
    # CON-3: a meld alone is not the contract. CON-4: a set is of any suits.
    for cards, is_read in ((["5S", "5H", "XX"], False), (["5S", "6S", "8S", "XX"], True)):
        page = ruling(marker, game, "meld", BEN, cards=cards, contract=NO)
        assert verdict(page) == "Illegal"
        assert ("Read as" in page) == (" for the " in page) == is_read


def test_nobody_lays_first_melds_twice(marker, carioca):
    first = {"play": ["meld 7C 7D 7H", "meld 9C 9D 9H"]}
    ruling(marker, carioca, "contract", BEN, **first)
    asked = ask(marker, carioca, "contract", BEN, play=["meld 8C 8D 8H", "meld QC QD QH"])
    assert asked.status_code == 422
    assert "By the record Ben has met the contract. Ask about a whole turn" in text_of(asked.text)
    # A question that replaces it is not a second time, nor is one after an undo.
    again = ruling(marker, carioca, "contract", BEN, instead_of="2", **first)
    assert verdict(again) == "Legal"
    undo(marker, carioca)
    undo(marker, carioca)
    assert verdict(ruling(marker, carioca, "contract", BEN, **first)) == "Legal"


def test_nobody_plays_more_cards_than_those_on_record_leave(marker, carioca):
    # CAR-1 deals 11 cards, and one is drawn: six in the contract, six more, and none is left.
    ruling(marker, carioca, "contract", BEN, play=["meld 7C 7D 7H", "meld 9C 9D 9H"])
    met = {"contract": EARLIER, "onto": "0"}
    for cards in (["7C", "7D"], ["7H", "7S"]):
        assert verdict(ruling(marker, carioca, "lay_off", BEN, cards=cards, **met)) == "Legal"
    met["onto"] = "1"
    asked = ask(marker, carioca, "lay_off", BEN, cards=["9C", "9D", "9H"], **met)
    assert asked.status_code == 422
    said = "Ben can hold 2 cards at most: the recorded table has 10 cards that Ben laid."
    assert said in text_of(asked.text)
    turn = ["lay_off 9C 9D onto 1", "discard KH"]
    asked = ask(marker, carioca, "turn", BEN, play=turn, contract=EARLIER)
    assert said in text_of(asked.text)
    last = {"cards": ["9C", "9D"], **met}
    page = ruling(marker, carioca, "lay_off", BEN, **last)
    assert verdict(page) == "Legal"
    assert ask(marker, carioca, "lay_off", BEN, cards=["9S"], **met).status_code == 422
    # What is asked in its place does not count it, and Chandi holds cards of her own.
    number = re.findall(r"instead_of=(\d+)", page)[0]
    assert verdict(ruling(marker, carioca, "lay_off", BEN, instead_of=number, **last)) == "Legal"
    assert verdict(ruling(marker, carioca, "lay_off", CHANDI, cards=["9S"], **met)) == "Legal"


def test_more_cards_than_dealt_need_penalty_cards_which_are_asked_for_once(marker, kalooki):
    # KAL-1 deals 9 cards, and one is drawn; up to three calls give two each (KAL-4).
    melds = ["meld 5C 5D 5H 5S", "meld 7C 7D 7H 7S", "meld 9C 9D 9H"]
    # KAL-1: hand 1 asks for threes, so a four is illegal whatever Ben held.
    wrong = ["meld 5C 6C 7C 8C", *melds[:2]]
    assert verdict(ruling(marker, kalooki, "contract", BEN, play=wrong)) == "Illegal"
    asked = ask(marker, kalooki, "contract", BEN, play=melds)
    assert "Had Ben drawn penalty cards in this hand?" in text_of(asked.text)
    refused = answered(marker, asked, penalty_cards="0")
    assert refused.status_code == 422
    assert "Ben can hold 10 cards at most, not 11." in text_of(refused.text)
    # A "no" that was tapped by mistake is not sent again with the same cards: they are asked about.
    assert "penalty_cards" not in refused.text
    page = marker.open(answered(marker, asked, penalty_cards="1").location)
    assert verdict(page) == "Legal"
    assert "Ben had drawn penalty cards in this hand as you said Change" in text_of(page)
    again = changed(marker, page, "Ben had drawn penalty cards in this hand")
    assert "Had Ben drawn penalty cards in this hand?" in text_of(again.text)
    # The answer holds for what follows: 16 cards at most, and 15 out of turn.
    met = {"contract": EARLIER, "onto": "2"}
    page = ruling(marker, kalooki, "lay_off", BEN, cards=["9S", "9C"], **met)
    assert verdict(page) == "Legal"
    asked = ask(marker, kalooki, "lay_off", BEN, cards=["9S", "9D", "9H", "XX"], **met)
    said = "Ben can hold 3 cards at most: the recorded table has 13 cards that Ben laid."
    assert (asked.status_code, said in text_of(asked.text)) == (422, True)
    end = {"out": "0", "cards-1": ["KC", "QC"], "cards-2": "3C"}
    assert marker.post(f"{kalooki}/end", end, **marker.fresh(kalooki)).status_code == 303


def test_penalty_cards_on_record_are_not_asked_about_when_the_hand_ends(marker):
    """CON-2 deals 10 cards, so 12 in the contract need penalty cards of “May I?” (CON-9)."""
    game = begin(marker, game="contract_rummy")
    melds = ["meld 5C 5C 5D 5D 5H 5H", "meld 9C 9C 9D 9D 9H 9H"]
    asked = ask(marker, game, "contract", BEN, play=melds)
    assert verdict(marker.open(answered(marker, asked, penalty_cards="1").location)) == "Legal"
    asks = re.findall(r'id="penalty_cards-(\d)"', marker.open(f"{game}/end"))
    assert asks == [ANA, CHANDI]


def test_each_meld_gets_a_reason(marker, carioca):
    plays = ["meld 7C 7D 7H", "meld 8C 8D 8H 8S"]
    page = ruling(marker, carioca, "contract", BEN, play=plays)
    assert verdict(page) == "Illegal"
    for said in (
        *("trio 1 of 2", "not part of it", "Still missing: 1 trio.", "CAR-3"),
        "8♣ 8♦ 8♥ 8♠: 4 cards, and a trio of the contract has 3.",
        *("The melds are taken back.", "Take the melds back"),
    ):
        assert said in text_of(page)
    done = marker.saved(f"{carioca}/rulings/2", {}, to=f"{carioca}/rulings/2/enforce")
    page = marker.open(done.location)
    assert "Ben&#39;s first melds are taken back." in page
    assert "Nothing is recorded in this hand" in page


@pytest.mark.parametrize(
    ("name", "kind", "fields", "rules"),
    [
        (
            *("carioca", "turn", {"play": ["meld 7C 7D 7H", "discard KC"]}),
            {EARLIER: "CAR-5", NO: "CAR-3"},
        ),
        (
            *("contract_rummy", "meld", {"cards": ["7C", "7D", "7H"]}),
            {EARLIER: "", NOW: "CON-8", NO: "CON-3"},
        ),
    ],
)
def test_a_ruling_can_depend_on_when_the_contract_was_met(marker, name, kind, fields, rules):
    game = begin(marker, game=name)
    form = marker.open(f"{game}/ruling?ask={kind}&player={BEN}")
    assert re.findall(r'type="radio" name="contract" value="(\w+)"', form) == [*rules]
    assert not checked(form, "contract")
    for choice, rule in rules.items():
        asked = ask(marker, game, kind, BEN, **fields)
        assert "Had Ben met the contract?" in text(asked.text)
        page = marker.open(answered(marker, asked, contract=choice).location)
        assert verdict(page) == ("Illegal" if rule else "Legal")
        assert f'rules#{rule}"' in page if rule else "ruleno" not in page
        assert "Read as" not in page  # as its melds have no wild card
        undo(marker, game)


def offered(marker: Marker, game: str, ask: str, player: str) -> list[str]:
    """Return what the form of a question offers to say of when the contract was met."""
    page = marker.open(f"{game}/ruling?ask={ask}&player={player}")
    return re.findall(r'name="contract" value="(\w+)"', page)


def test_when_the_contract_was_met_is_not_asked_where_all_may_follow_at_once(marker, kalooki):
    # KAL-3, KAL-5: further melds may be laid with the contract, and tacking on is at once.
    melds = ["meld 5C 5D 5H", "meld 7C 7D 7H", "meld 9C 9D 9H"]
    ruling(marker, kalooki, "contract", BEN, play=melds)
    for asks in ("lay_off", "swap", "meld"):
        assert offered(marker, kalooki, asks, BEN) == []
    assert offered(marker, kalooki, "turn", BEN) == [EARLIER]
    assert offered(marker, kalooki, "lay_off", CHANDI) == [EARLIER, NOW, NO]
    page = ruling(marker, kalooki, "lay_off", BEN, cards=["5S"], onto="0")
    assert verdict(page) == "Legal"
    assert "Ben had met the contract on record Change" in text_of(page)
    assert "in this turn" not in text_of(page)
    # Nor if it was only said.
    ruling(marker, kalooki, "lay_off", CHANDI, cards=["7S"], onto="1", contract="turn")
    assert offered(marker, kalooki, "lay_off", CHANDI) == []


def test_another_swap_asks_anew_to_which_end_its_joker_goes(marker, carioca):
    mark(marker, carioca, hands=2)  # hand 3 asks for two escaleras
    for meld in ("6H 7H XX=8H 9H", "3C XX=4C 5C 6C"):
        lay(marker, carioca, BEN, *meld.split())
    page = ruling(marker, carioca, "swap", CHANDI, swap="8H 0 high", contract=EARLIER)
    assert "6♥ 7♥ 8♥ 9♥ ★ for 10♥" in text_of(page)
    form = marker.open(find(page, r'href="([^"]+)">Ask again').replace("&amp;", "&"))
    sent = dict(sent_again(form, f"{carioca}/ruling")) | {"onto": "1", "card": "4C"}
    asked = marker.post(f"{carioca}/ruling", sent)
    assert "This meld can be read in 2 ways" in text_of(asked.text)


def test_a_contract_on_record_is_not_said_to_be_missing(marker, carioca):
    ruling(marker, carioca, "contract", BEN, play=["meld 7C 7D 7H", "meld 8C 8D 8H"])
    assert offered(marker, carioca, "lay_off", BEN) == [EARLIER, NOW]
    assert offered(marker, carioca, "turn", BEN) == [EARLIER]
    assert offered(marker, carioca, "lay_off", CHANDI) == [EARLIER, NOW, NO]
    asked = ask(marker, carioca, "lay_off", BEN, cards=["7S"], onto="0")
    buttons = re.findall(r'<button [^>]*name="contract" value="(\w+)"', asked.text)
    assert buttons == [EARLIER, NOW]
    plays = ["lay_off 7S onto 0", "discard KC"]
    page = ruling(marker, carioca, "turn", BEN, play=plays, contract=EARLIER)
    assert verdict(page) == "Legal"
    assert "Ben had met the contract in an earlier turn on record" in text_of(page)


# -- whether cards make the contract: nothing is written down -------------------------------------


def held(marker: Marker, game: str, cards: str, status: int = 200) -> str:
    tapped = "".join(f"&cards={card}" for card in cards.split())
    return marker.open(f"{game}/contract?ask=1{tapped}", status)


def test_the_hand_leads_there_and_melds_are_shown_where_there_are_any(marker, carioca):
    assert f'href="{carioca}/contract"' in marker.open(carioca)
    page = marker.open(f"{carioca}/contract")
    assert "Can these cards make 2 trios?" in page
    assert "verdict" not in page
    assert f"{carioca}/rules#CAR-3" in page
    page = held(marker, carioca, "7C 7D XX 8C 8D 8H KS")
    assert "Yes" in text_of(page)
    assert "7♦ ★" in text_of(page)
    assert "Joker for" not in page  # CAR-2: a trio is of any suits, and nobody said which
    assert "Left: K♠" in text_of(page)
    assert sorted(checked(page, "cards")) == sorted(["7C", "7D", "XX", "8C", "8D", "8H", "KS"])
    said = text_of(held(marker, carioca, "7C 7D XX KS"))
    assert "No This much of it can be made:" in said
    assert "Missing: 1 trio." in said
    assert marker.loaded(carioca).sheet.number == 1  # nothing was written down


def test_in_hand_7_of_contract_rummy_the_page_says_how_many_cards_are_needed(marker):
    evening = Evening(started(game="contract_rummy"))
    evening.mark_hands(6)
    game = read_in(marker, evening)
    runs = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH"
    assert "Yes" in text_of(held(marker, game, runs))
    says = "In hand 7 all cards held are melded at once: 12, or all 13 after the draw"
    assert says in text_of(held(marker, game, f"{runs} 9C"))


def test_an_impossible_number_of_cards_is_refused(marker, carioca):
    many = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
    for cards, sentence in (
        ("", "Tap the cards that are held."),
        ("7C 7C 7C", "7♣"),
        ("nonsense", "nonsense"),
        (many, "13 cards are more than a player can hold: 12"),
    ):
        page = held(marker, carioca, cards, 422)
        assert sentence in text_of(page)
        assert 'href="#cards"' in page


# -- “May I?” --------------------------------------------------------------------------------------


@pytest.fixture
def game(marker: Marker) -> str:
    return begin(marker, game="contract_rummy")


def get_card(marker: Marker, game: str, asked: list[str], **fields: str) -> str:
    """Ask, and open the page of the ruling."""
    sent = {"asked": asked, "player": BEN, "last_taker": "nobody"} | fields
    answer = marker.saved(f"{game}/may-i", sent)
    return marker.open(answer.location)


def test_the_nearest_player_gets_the_card_and_the_ruling_is_kept(marker, game):
    kinds = marker.open(f"{game}/ruling?player={CHANDI}")
    assert '<button class="tile" form="may-i">May I?</button>' in kinds
    # It says neither who asked nor whose turn it was.
    form = kinds[kinds.index('<form id="may-i"') :].partition("</form>")[0]
    assert f'action="{game}/may-i"' in form
    assert "player" not in form
    assert checked(marker.open(f"{game}/may-i?player={CHANDI}"), "player") == [CHANDI]
    form = marker.open(f"{game}/may-i")
    assert [checked(form, name) for name in ("player", "asked", "last_taker")] == [[], [], []]
    page = get_card(marker, game, [ANA, CHANDI])
    said = text_of(page)
    assert "Of Ana and Chandi, Chandi sits nearest to the left of Ben" in said
    assert f'href="{game}/rules#CON-9"' in page
    assert "It was Ben's turn. Ana and Chandi asked for the card." in said
    assert "Undo: “May I?”: Chandi gets the card" in page
    following = marker.follow(page, "Ask about the next card")
    assert (checked(following, "player"), checked(following, "last_taker")) == ([BEN], [CHANDI])
    # Asked about otherwise, the card may lie on one that nobody spoke of.
    assert checked(marker.open(f"{game}/may-i?player={BEN}"), "last_taker") == []
    index = marker.open(f"{game}/rulings")
    assert "Chandi gets the card" in text_of(index)
    address = find(index, rf"({game}/may-i/\d+)")
    assert address in marker.open(f"{game}/hands/1")
    assert "Hand 1: “May I?”: Chandi gets the card" in text_of(marker.open(f"{game}/tally"))
    said = text_of(get_card(marker, game, [CHANDI], last_taker=CHANDI))
    assert "Nobody gets the card" in said
    assert "Chandi took the card before it." in said
    # An undone one stays readable.
    for _ in range(2):
        undo(marker, game)
    assert "This ruling was undone." in marker.open(address)
    for number in ("1", "9", "x"):  # no such ruling
        marker.open(f"{game}/may-i/{number}", status=404)


def test_a_ruling_stays_readable_when_its_hand_is_undone_too(marker, game):
    mark(marker, game)
    address = marker.saved(
        f"{game}/may-i", {"asked": [ANA], "player": BEN, "last_taker": "nobody"}
    ).location
    for _ in range(2):
        undo(marker, game)
    assert len(marker.loaded(game).sheet.hands) == 1
    assert "This ruling was undone." in marker.open(address)


def test_a_missing_entry_is_named_and_the_others_stay(marker, game):
    for fields, field, sentence in (
        ({"player": BEN}, "asked", "Say who asked for the card."),
        ({"player": BEN}, "last_taker", "Say who took the card before this one"),
        ({"asked": [ANA], "player": BEN}, "last_taker", "Say who took the card before this one"),
        (
            *({"asked": [ANA], "player": BEN, "last_taker": "?"}, "last_taker"),
            "Say who took the card before this one",
        ),
        ({"asked": [ANA]}, "player", "Say whose turn it was."),
        ({}, "asked", "Say who asked for the card."),
        ({}, "player", "Say whose turn it was."),
        ({"asked": ["7"], "player": BEN}, "asked", "There is no seat 7"),
        ({"asked": [ANA], "player": BEN, "last_taker": "9"}, "player", "Say which player"),
    ):
        answer = marker.refused(f"{game}/may-i", fields)
        assert f'href="#{field}">{sentence}' in answer.text
        kept = [seat for seat in fields.get("asked", ()) if seat != "7"]
        assert checked(answer.text, "asked") == kept
