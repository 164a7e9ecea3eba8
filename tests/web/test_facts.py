"""The facts that rulings rest on: asked for, named with their source, and changed.

Proter, hand 1: aces are wild. Ana deals; Ben plays first, then Chandi, then Ana.
"""

import json
import re
from urllib.parse import urlencode

from companion.notebook.events import PlayRecorded
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
    played_by,
    ruling,
    see,
    text_of,
    undo,
    verdict,
)
from tests.web.conftest import begin, checked, find, read_in, sent_again, text

WILD = ["TC", "AH", "QC"]  # the ace of hearts is the jack of clubs


# -- a meld on the table that is not recorded -----------------------------------------------------


def test_naming_a_meld_inside_a_question_keeps_the_entries_and_the_meld_is_nobodys(marker, carioca):
    mark(marker, carioca)  # hand 2: a trio and an escalera; Ben deals
    cards = {"cards": ["XX", "5C", "6C", "7C"], "contract": "earlier", "add": "lies"}
    for kind, did in (("swap", "swap"), ("lay_off", "lay off")):
        asked = ask(marker, carioca, kind, CHANDI, **cards)
        assert "Which card does ★ stand for?" in text_of(asked.text)
        page = marker.open(answered(marker, asked, reading="XX=4C").location)
        assert f"What did Chandi {did}?" in text_of(page)
        assert checked(page, "contract") == ["earlier"]
        assert "★ for 4♣ 5♣ 6♣ 7♣" in text_of(page)
    assert checked(page, "onto") == ["0"]
    assert len(marker.loaded(carioca).entries) == 2  # nothing is written down yet
    fields = {"cards": ["8C"], "onto": "0", "contract": "earlier", "seen": "XX=4C 5C 6C 7C"}
    assert verdict(ruling(marker, carioca, "lay_off", CHANDI, **fields)) == "Legal"
    assert "★ for 4♣ 5♣ 6♣ 7♣ 8♣" in on_table(marker, carioca)
    board = marker.loaded(carioca).sheet.hand.board
    assert not board.melded
    assert not board.met_contract
    asked = ask(marker, carioca, "lay_off", BEN, cards=["9C"], onto="0")
    assert "Had Ben met the contract?" in text(asked.text)


def test_a_lay_off_without_a_recorded_meld_first_asks_for_the_meld(marker, game):
    form = f"{game}/ruling"
    bare = f"{form}?ask=lay_off&player={ANA}"
    assert "Which meld is on the table?" in text_of(marker.open(bare))
    page = marker.open(f"{bare}&cards=8C")
    assert "Which meld did Ana lay 8♣ on?" in text_of(page)
    # The card that was laid off is none of those of the meld.
    assert checked(page, "cards") == []
    assert 'data-card="8C" aria-label="8 of clubs, taken: laid off"' in page
    meld = {"ask": "lay_off", "player": ANA, "laid_off": "8C", "cards": ["5C", "6C", "7C"]}
    back = marker.act(bare, meld | {"add": "lies"}, form)
    page = marker.open(back.location)
    assert "What did Ana lay off?" in text_of(page)
    assert checked(page, "cards") == ["8C"]


def test_a_meld_named_inside_the_question_can_be_removed_again(marker, game):
    for kind in ("lay_off", "swap", "turn"):
        two = {"seen": ["5C 6C 7C 8C", "9D 9H 9S"], "contract": "earlier", "onto": "1"}
        page = marker.open(ask(marker, game, kind, BEN, **two, unsee="0").location)
        assert re.findall(r'name="seen" value="([^"]*)"', page) == ["9D 9H 9S"]
        assert 'name="unsee" value="0"' in page


# -- facts that do not matter ---------------------------------------------------------------------


def test_a_ruling_says_which_unknown_facts_make_no_difference(marker, game):
    melded = "It makes no difference whether Ben had melded before."
    # No meld in any turn (PRO-5); with a Proter the turn decides (PRO-7), and it was said.
    assert melded in text_of(ruling(marker, game, "meld", BEN, cards=["5C", "6D", "7C"]))
    stated = ruling(marker, game, "meld", BEN, cards=WILD, melded_this_turn="0")
    assert "makes no difference" not in text_of(stated)
    # All other kings are on the table, so none is the top of the pile (PRO-11).
    game = begin(marker, ("Ana", "Ben", "Chandi"), **{"rule-discard_run": "off"})
    lay(marker, game, CHANDI, "KC", "KD", "KH")
    discard = text_of(ruling(marker, game, "discard", BEN, cards=["KS"]))
    assert "It makes no difference what lay on the pile." in discard
    # A nine goes on no trio of fives, whether the contract was met or not (CAR-5).
    carioca = begin(marker, ("Ana", "Ben"), game="carioca")
    asked = {"cards": ["9S"], "seen": "5C 5D 5S", "onto": "0"}
    page = text_of(ruling(marker, carioca, "lay_off", BEN, **asked))
    assert "It makes no difference whether Ben had met the contract." in page


# -- changing a fact ------------------------------------------------------------------------------


def test_changing_a_fact_replaces_the_old_ruling(marker, game):
    old = ask(marker, game, "meld", BEN, cards=WILD, melded_this_turn="1").location
    assert "10♣ A♥ for J♣ Q♣" in on_table(marker, game)
    new = changed(marker, marker.open(old), "Ben had already melded this turn").location
    page = marker.open(new)
    assert verdict(page) == "Illegal"
    assert "Ben had not melded yet this turn as you said" in text_of(page)
    assert "10♣" not in on_table(marker, game)
    said = marker.open(old)
    assert "This ruling was replaced. It no longer counts." in said
    assert f'href="{new}">The ruling that counts' in said
    assert "Change" not in text_of(said)
    for counts, gone in ((new, old), (old, new)):
        listed = marker.open(f"{game}/rulings")
        assert f'href="{counts}"' in listed
        assert f'href="{gone}"' not in listed
        if counts == new:
            undo(marker, game)
    assert "was replaced" not in marker.open(old)
    assert "10♣ A♥ for J♣ Q♣" in on_table(marker, game)


def test_a_fact_cannot_be_changed_after_later_plays(marker, game):
    see(marker, game, "7C")
    discard = ruling(marker, game, "discard", BEN, cards="8D")
    lay(marker, game, CHANDI, "9C", "9D", "9S")
    before = on_table(marker, game)
    answer = changed(marker, discard, "Top of the pile")
    assert answer.status_code == 422
    said = "The recorded table has changed since that ruling. Undo what came after it first."
    assert said in text(answer.text)
    page = text_of(marker.open(f"{game}/rulings/3"))
    assert "This ruling can no longer be changed, because the recorded table has" in page
    assert "Change" not in page
    assert "Ask again" not in page
    assert on_table(marker, game) == before
    assert len(marker.loaded(game).sheet.hand.standing_rulings) == 1


# -- who plays ------------------------------------------------------------------------------------


def test_choosing_another_player_keeps_the_stated_pile_and_replaces_the_ruling(marker, game):
    old = ask(marker, game, "discard", ANA, cards="TH", top="TD").location
    page = marker.open(old)
    assert "Who plays: Ana as entered Change: who plays Ben Chandi" in text_of(page)
    marker.act(old, to=f"{old}/enforce")
    new = played_by(marker, marker.open(old), BEN)
    assert new.status_code == 303
    page = marker.open(new.location)
    assert "Ben: discard 10♥" in text_of(page)
    assert "Top of the pile: 10♦ as you said" in text_of(page)
    assert "Charge Ben 20 and take the turn back" in page
    said = marker.open(old)
    assert "This ruling was replaced." in said
    assert "Charge Ana" not in said
    assert marker.loaded(game).sheet.hand.mark(0).points == 0


def test_facts_stated_about_one_player_do_not_apply_to_another(marker, game):
    page = ruling(marker, game, "meld", BEN, cards=WILD, melded_this_turn="1")
    asked = played_by(marker, page, CHANDI)
    assert "Had Chandi already melded this turn?" in text_of(asked.text)
    assert ">Keep the ruling<" in asked.text
    asked = ask(marker, game, "meld", ANA, cards=["KC", "AD", "KH"])
    assert f'href="{game}">Nobody knows: no ruling</a>' in asked.text


def test_a_repeated_question_can_be_about_another_player_and_keeps_card_and_pile(marker, game):
    old = ask(marker, game, "discard", ANA, cards="TH", top="TD").location
    page = marker.follow(marker.open(old), "Ask again with changes")
    assert "Top of the pile: 10♦ as you said" in text_of(page)
    assert f'name="other" value="{BEN}"' in page
    # From the start: whose play, which play, and the card.
    page = marker.follow(page, "Another player or play")
    form = page[page.rindex("<form", 0, page.index("Whose play")) :]
    fields = dict(sent_again(form, f"{game}/ruling")) | {"ask": "discard", "player": BEN}
    page = marker.open(f"{game}/ruling?{urlencode(fields)}")
    assert "Rule on 10♥" in text(page).replace("\ufe0e", "")
    form = sent_again(page[page.index('<form id="ask"') :], f"{game}/ruling")
    new = marker.post(f"{game}/ruling", dict(form) | {"cards": "TH"})
    assert new.status_code == 303, new.text
    assert "Ben: discard 10♥" in text_of(marker.open(new.location))
    assert "This ruling was replaced." in marker.open(old)


# -- stating the pile -----------------------------------------------------------------------------


def test_a_recorded_card_under_the_top_is_one_tap(marker, game):
    see(marker, game, "JH", "9H")
    asked = ask(marker, game, "discard", CHANDI, cards="TH")
    asked = answered(marker, asked, top="9H")
    assert "What lay under 9♥?" in text_of(asked.text)
    assert "J♥, as recorded" in text_of(asked.text)
    page = marker.open(answered(marker, asked, under="JH").location)
    assert "Top of the pile: 9♥, on J♥ as you said" in text_of(page)
    # That the player took the pile first is said where the game has it.
    asked = changed(marker, page, "Top of the pile")
    assert "Chandi took the pile first" in text_of(asked.text)
    page = marker.open(answered(marker, asked, top="none").location)
    assert verdict(page) == "Legal"
    # Both answers are kept as one, so neither is put into the marker's mouth.
    assert "There was no pile as you said" in text_of(page)
    # That nothing lay under it decides as well, and is said.
    asked = answered(marker, ask(marker, game, "discard", CHANDI, cards="TC"), top="9C")
    page = marker.open(answered(marker, asked, under="none").location)
    assert "Top of the pile: 9♣, nothing under it as you said" in text_of(page)


def test_a_discard_on_record_has_the_recorded_cards_under_it(marker, game):
    see(marker, game, "4C", "9S", "9H", to=CHANDI)
    asked = ask(marker, game, "discard", BEN, cards="9H")
    assert "9♠, as recorded" in text_of(asked.text)
    assert verdict(marker.open(answered(marker, asked, top="9S").location)) == "Illegal"
    asked = answered(marker, ask(marker, game, "discard", CHANDI, cards="TS"), top="9S")
    assert "4♣, as recorded" in text_of(asked.text)


# -- facts that are shown and kept ----------------------------------------------------------------


def test_not_having_melded_in_the_hand_is_stated_once(marker):
    game = begin(marker, sheet="playginrummyonline")
    asked = ask(marker, game, "meld", BEN, cards=WILD)
    page = marker.open(answered(marker, asked, melded_this_hand="0").location)
    assert "PRO-7" in page
    assert "Ben had not melded yet in this hand as you said" in text_of(page)
    # That of the turn follows: to change it alone would change nothing.
    assert "Ben had not melded yet this turn" not in text_of(page)
    page = marker.open(changed(marker, page, "Ben had not melded yet in this hand").location)
    assert verdict(page) == "Legal"


def test_a_contract_stated_as_met_is_not_asked_about_again(marker, carioca):
    lay(marker, carioca, CHANDI, "7C 7D 7H")
    asked = ask(marker, carioca, "lay_off", BEN, cards=["7S"], onto="0")
    said = marker.open(answered(marker, asked, contract="earlier").location)
    again = text_of(ruling(marker, carioca, "lay_off", BEN, cards=["7C"], onto="0"))
    assert "Ben had met the contract in an earlier turn on record" in again
    form = marker.open(f"{carioca}/ruling?ask=lay_off&player={BEN}")
    assert checked(form, "contract") == ["earlier"]
    # It was not said of what is asked in the place of the first ruling.
    assert "Had Ana met the contract?" in text(played_by(marker, said, ANA).text)


def test_a_fact_is_asked_for_if_it_decides_which_plays_of_a_turn_stand(marker, carioca):
    lay(marker, carioca, CHANDI, "7C 7D 7H")
    turn = ["meld 5C 5D 5H", "meld 9C 9D 9H", "lay_off 7S onto 0", "discard AH"]
    asked = ask(marker, carioca, "turn", BEN, play=turn)
    assert "Had Ben met the contract?" in text(asked.text)
    page = text_of(marker.open(answered(marker, asked, contract="no").location))
    assert "lay-off 7♠ on 7♣ 7♦ 7♥ illegal" in page
    assert "Ben had not met the contract as you said" in page
    assert "is added to the recorded table: Meld 5♣, 5♦, 5♥; Meld 9♣, 9♦, 9♥; Discard A♥." in page
    # With six cards laid in an earlier turn, Ben can hold six now (CAR-1, CAR-3).
    refused = ask(marker, carioca, "turn", BEN, play=turn, contract="earlier")
    assert "Ben can hold 6 cards at most: with the contract, Ben had laid" in text_of(refused.text)
    turn = [*turn[1:3], "lay_off KS onto 0", "discard AH"]
    asked = ask(marker, carioca, "turn", BEN, play=turn, contract="earlier")
    page = text_of(marker.open(asked.location))
    assert "lay-off 7♠ on 7♣ 7♦ 7♥ legal" in page
    assert "The illegal plays are taken back." in page
    assert "Take them back, keep the rest" in page
    done = marker.act(asked.location, to=f"{asked.location}/enforce")
    assert "Ben's illegal plays are taken back." in text_of(marker.open(done.location))


def test_the_words_of_the_rule_stand_under_the_verdict(marker, game):
    page = ruling(marker, game, "discard", BEN, cards="6C", top="7C", under="5C")
    words = page.partition("<blockquote")[2].partition("</blockquote>")[0]
    assert "What else must not be discarded is a house rule" in text(words)
    links = re.findall(r'href="([^"]+)"', words)
    assert links[0] == f"{game}/rules#PRO-12"
    assert all(link.startswith(f"{game}/rules#") for link in links)
    assert "<blockquote" not in ruling(marker, game, "meld", BEN, cards=["9C", "9D", "9S"])


def test_an_old_ruling_without_facts_is_shown_and_can_be_replaced(marker):
    evening = Evening()
    evening.play(0, "discard 9S")
    evening.rule(1, "discard 9H", verdict=WRONG_DISCARD, ask="discard")
    game = read_in(marker, evening)
    page = marker.open(f"{game}/rulings/3")
    said = text_of(page)
    assert "Illegal Ben: discard 9♥ 9♥ has the rank of 9♠. PRO-11 20 points to Ben" in said
    assert 'class="rests"' not in page  # nobody knows what it rested on
    again = find(page, r'href="([^"]+)">Ask again with changes')
    fields = {"ask": "discard", "player": BEN, "cards": "9H", "instead_of": "3"}
    new = marker.act(again, fields, f"{game}/ruling")
    said = text_of(marker.open(new.location))
    assert "Top of the pile: 9♠ recorded when Ana discarded Change" in said
    assert "This ruling was replaced." in text_of(marker.open(f"{game}/rulings/3"))
    assert json.loads(marker.open(f"{game}/game.json"))["events"][2]["kind"] == "RulingGiven"


def test_whose_a_four_is_decides_whether_a_player_may_have_another_of_that_suit(marker, kalooki):
    marker.write(kalooki, PlayRecorded(1, None, "meld TC JC QC KC"))
    # KAL-1: the contract takes all nine cards dealt, so there were penalty cards.
    four = {"cards": ["5C", "6C", "7C", "8C"], "contract": "earlier", "penalty_cards": "1"}
    asked = ask(marker, kalooki, "meld", BEN, **four)
    assert "Had Ben laid the other meld of that suit or rank?" in text_of(asked.text)
    page = marker.open(answered(marker, asked, laid_unowned="1").location)
    assert "5♣ 6♣ 7♣ 8♣ are two fours of one suit; a player has one. KAL-2" in text_of(page)
    assert "Ben had laid the other meld of that suit or rank as you said" in text_of(page)
    page = marker.open(changed(marker, page, "other meld").location)
    assert verdict(page) == "Legal"
    assert "Ben had not laid the other meld of that suit or rank as you said" in text_of(page)
