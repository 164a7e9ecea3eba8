"""The usual disputes on the rules pages: cards, verdict and rule, and the filled-in form."""

import re
from html import unescape

import pytest
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from companion.notebook.events import CardTurned
from companion.rules.games.disputes import DISPUTES
from tests.notebook.evening import Evening, started
from tests.web.asking import answered, changed, text_of, undo, verdict
from tests.web.conftest import Marker, begin, find, read_in, sent_again

BUTTON = re.compile(r'<button class="btn wide" form="ask" name="(cards?)" value="(\w+)"')


def examples(page: str) -> dict[str, str]:
    """Return the HTML of each dispute on a rules page, by its title."""
    there = page.partition('<details class="disputes"')[2].partition("</details>")[0]
    titles = re.split(r"<h3[^>]*>(.*?)</h3>", there)
    return dict(zip(map(unescape, titles[1::2]), titles[2::2], strict=True))


def said(example: str) -> str:
    return text_of(f"<main>{example}").strip()


def links(page: str) -> dict[str, str]:
    """Return the links of the disputes, by their titles."""
    found = {
        title: re.search(r'<a class="btn quiet" href="([^"]+)"', example)
        for title, example in examples(page).items()
    }
    return {title: unescape(link[1]) for title, link in found.items() if link}


def ruled(marker: Marker, game: str, address: str) -> TestResponse:
    """Send a filled-in form unchanged, for the second player; return the answer."""
    form = marker.open(address).partition("<main")[2].partition('<form id="ask"')
    fields = [*sent_again("".join(form[1:]), f"{game}/ruling"), *BUTTON.findall(form[2])[:1]]
    return marker.post(f"{game}/ruling", MultiDict(fields) | {"player": ["1"]})


def asked(marker: Marker, game: str, address: str) -> str:
    """Send a filled-in form, and return the recorded verdict."""
    answer = ruled(marker, game, address)
    assert answer.status_code == 303, text_of(answer.text)
    return verdict(marker.open(answer.location))


# Disputes on the pages for everybody.
SAID = {
    "proter": {
        "A nine on a nine": "Discard 9♦ on 9♠ Illegal PRO-11 9♦ has the rank of 9♠, the top of the",
        "A Proter in the first meld of a later turn": "In hand 8, 8s are Proters. Meld 5♣ 8♥ for",
        "A card that a Proter stands for already": "In hand 8, 8s are Proters. Meld 6♣ 6♦ 6♠",
        "A lay-off before any meld": "Lay-off 4♦ on 5♦ 6♦ 7♦ Legal PRO-7 4♦ 5♦ 6♦ 7♦ is a run.",
    },
    "carioca": {"One trio of two": "Hand 1 asks for 2 trios. Meld 9♣ 9♦ 9♥ Illegal CAR-3 "},
    "kalooki": {
        "A joker to the low end": "The contract was met in an earlier turn. Swap J♠ on 9♠ 10♠ ★ for"
    },
    "three_thirteen": {"Out with two cards over": "Declared 9♣ 9♦ 9♥ Q♦ K♠ Illegal TTN-7 "},
    "indian_chief": {
        "The ace of hearts as ace and as heart": "As Doctor, naming spades. Show A♥ 4♣ 6♦ 9♠ J♣ K",
        "A pair as Beggar Man": "The others show 9♦ 9♠ K♣ 2♣ 4 points CHI-3 ",
    },
}


NO_MELD = "The player has laid no meld in this hand."


def test_each_dispute_has_its_cards_its_verdict_and_a_link_to_its_rule(stranger):
    told = {"indian_chief": examples(stranger.open("/rules/indian_chief"))}
    for game, disputes in DISPUTES.items():
        told[game] = shown = examples(stranger.open(f"/rules/{game}"))
        assert list(shown) == [dispute.title for dispute in disputes]
        assert len(shown) == 10
        for example in shown.values():
            assert 'class="k' in example
            assert re.search(r'<b class="tag">(Legal|Illegal)</b>', example)
            assert re.search(r'href="#[A-Z]{3}-\d+"', example)
            assert "Ask this" not in example
    for game, sentences in SAID.items():
        for title, says in sentences.items():
            assert says in said(told[game][title])
    nine = said(told["proter"]["A nine on a nine"])
    assert nine.endswith("20 points; the whole turn is taken back and the next player plays.")
    proter = said(told["proter"]["A Proter in the first meld of a later turn"])
    assert proter.endswith("Legal on the Play Gin Rummy Online sheet.")


def test_a_dispute_that_turns_on_an_earlier_meld_says_that_there_was_none(marker):
    """PRO-8, PRO-10: at this table lay-offs and swaps need a meld first; by default they do not."""
    game = begin(marker, **{"rule-lay_off_needs_meld": "yes"})
    at_table, by_default = (
        {title for title, example in examples(page).items() if NO_MELD in said(example)}
        for page in (marker.open(f"{game}/rules"), marker.open("/rules/proter"))
    )
    assert at_table - by_default == {
        "A lay-off before any meld",
        "A lay-off that leaves a gap",
        "Swapping a Proter",
    }


def test_the_form_of_a_box_is_opened_filled_in_and_scores_it(marker):
    game = begin(marker, ("Ana", "Ben", "Cem"), game="indian_chief")
    page = marker.open(f"{game}/rules")
    shown, to_ask = examples(page), links(page)
    assert {*to_ask} == {*shown}
    before = marker.open(f"{game}/game.json")
    for title, link in to_ask.items():
        points = re.findall(r'<b class="tag">(.*?)</b>', shown[title])
        scored = re.findall(r'<h2 class="word">(.*?)</h2>', marker.open(link))
        assert (title, scored) == (title, points)
    doctor = marker.open(to_ask["The ace of hearts as ace and as heart"])
    assert re.search(r'value="S" aria-label="spades" checked', doctor)
    assert marker.open(f"{game}/game.json") == before


def test_a_boxs_missing_facts_are_asked_for(marker):
    game = begin(marker, ("Ana", "Ben", "Cem"), game="indian_chief")
    for asked_for, says in (
        ("suit=H", "Tap the cards of the meld."),
        # CHI-3: two points for each card that the others show of the same rank.
        ("cards=9C&cards=9H", "A Beggar Man scores by what the others show."),
        (
            "cards=AC&cards=4H&cards=6D&cards=9H&cards=JC&cards=KS",
            "The player shows a Doctor and has to name a suit",
        ),
        ("".join(f"cards={rank}C&" for rank in "A2345678"), "The player shows 8 cards"),
        ("cards=9C&cards=9C", "9♣ is twice in the meld"),
        ("cards=9C&others=9C", "9♣ is in the meld and in what the others show"),
        ("cards=ZZ", "ZZ"),
    ):
        refused = marker.client.get(f"{game}/box?{asked_for}")
        assert refused.status_code == 422
        assert says in text_of(refused.text)
        assert '<h2 class="word">' not in refused.text
    # A named suit counts only for a Doctor.
    page = text_of(marker.open(f"{game}/box?cards=KS&suit=H"))
    assert "As Thief. Show K♠" in page
    assert "10 points" in page


def test_a_table_sees_verdicts_by_its_own_rules_if_its_packs_have_the_cards(marker):
    game = read_in(marker, Evening(started(ace_in_runs="both", penalty_points=25)))
    shown = examples(marker.open(f"{game}/rules"))
    assert "Legal PRO-5 " in said(shown["Ace, two, three"])
    assert "Illegal PRO-5 " in said(shown["A run around the corner"])
    assert "25 points" in said(shown["A nine on a nine"])
    for names, holds in ((("Ana", "Ben"), False), (("Ana", "Ben", "Cem"), True)):
        game = begin(marker, names, game="pay_me")
        assert ("The same card twice in a set" in examples(marker.open(f"{game}/rules"))) is holds


def test_the_link_names_the_hand_of_the_question(marker):
    evening = Evening()
    game = read_in(marker, evening)
    page = marker.open(f"{game}/rules")
    first = links(page)
    # The example is of a hand in which aces are not wild: without a Proter, it is no run (PRO-5).
    shown = said(examples(page)["Ace, two, three"])
    assert "Illegal PRO-5 " in shown
    assert shown.endswith("Ask this in hand 1: Ace, two, three")
    # In hand 1 the ace is a Proter, which the first meld of a turn may not have (PRO-7).
    asked(marker, game, first["Ace, two, three"])
    assert "PRO-7" in text_of(marker.open(f"{game}/rulings"))
    # An 8 is no Proter there: it cannot stand for another card, on the table or in a play.
    elsewhere = "Ask this by the rules of hand 8: Swapping a Proter"
    assert said(examples(page)["Swapping a Proter"]).endswith(elsewhere)
    evening.mark_hands(7)
    page = marker.open(f"{read_in(marker, evening)}/rules")
    assert page.count("Ask this in hand 8") == 10


@pytest.mark.parametrize(
    ("game", "hands", "fewest"),
    [
        *(("proter", 7, 10), ("carioca", 0, 6), ("kalooki", 1, 8), ("indian_rummy", 0, 9)),
        *(("proter", 0, 0), ("contract_rummy", 0, 0)),
    ],
)
def test_the_form_filled_in_gives_the_verdict_of_the_example(marker, game, hands, fewest):
    evening = Evening(started(game=game))
    if game == "indian_rummy":
        evening.write(CardTurned(1, "8"))
    evening.mark_hands(hands)
    address = read_in(marker, evening)
    page, before = marker.open(f"{address}/rules"), marker.open(f"{address}/game.json")
    shown, to_ask = examples(page), links(page)
    assert {*to_ask} == {*shown}
    words = {title: re.findall(r'<b class="tag">(\w+)</b>', one)[0] for title, one in shown.items()}
    by_rules = {title: link for title, link in to_ask.items() if "by_rules" in link}
    for title, link in by_rules.items():
        answer = ruled(marker, address, link)
        assert (title, answer.status_code, verdict(answer.text)) == (title, 200, words[title])
        assert not {"Ana", "Ben"} & {*text_of(answer.text).split()}
        assert f'href="{address}/rules#disputes"' in answer.text
    assert marker.open(f"{address}/game.json") == before  # nothing is recorded
    # In another hand, another rank is wild or another contract applies.
    of_hand = [one.title for one in DISPUTES[game] if one.hand == hands + 1]
    of_hand = [title for title in of_hand if title in to_ask.keys() - by_rules.keys()]
    assert len(of_hand) >= fewest
    for title in of_hand:
        assert (title, asked(marker, address, to_ask[title])) == (title, words[title])
        undo(marker, address)


def test_in_a_finished_game_each_dispute_follows_the_rules_of_its_own_hand(marker):
    evening = Evening()
    evening.mark_hands(13)
    game = read_in(marker, evening)
    page = marker.open(f"{game}/rules")
    assert page.count("Ask this by the rules of hand 8") == 10
    assert verdict(ruled(marker, game, links(page)["Swapping a Proter"]).text) == "Legal"


def test_a_fact_of_a_ruling_by_the_rules_can_be_changed_and_asked_for(marker):
    game = read_in(marker, Evening())
    to_ask = links(marker.open(f"{game}/rules"))
    proter = ruled(marker, game, to_ask["A Proter in the first meld of a later turn"])
    assert verdict(proter.text) == "Illegal"
    assert "Ana, Ben, Cem" in proter.text.partition("<main")[0]
    assert "The player had not melded yet this turn as you said" in text_of(proter.text)
    changed_fact = changed(marker, proter.text, "The player had not melded yet this turn")
    assert (changed_fact.status_code, verdict(changed_fact.text)) == (200, "Legal")
    # PRO-7: whether it is legal depends on that alone, so it is asked for where nobody said it.
    link = re.sub(r"melded_\w+=\d&", "", to_ask["A Proter in the first meld of a later turn"])
    asks = ruled(marker, game, link)
    assert "Had the player already melded this turn?" in text_of(asks.text)
    assert 'name="by_rules" value="1"' in asks.text
    # PRO-10: a swap needs no meld before it.
    swap = ruled(marker, game, re.sub(r"melded_\w+=\d&", "", to_ask["Swapping a Proter"]))
    says = "It makes no difference whether the player had melded before."
    assert says in text_of(swap.text)


def test_a_turned_card_said_for_the_rules_alone_is_not_on_record(marker, rummy):
    link = f"{rummy}/ruling?ask=meld&by_rules=1&hand=1&cards=7C&cards=8D&cards=9C"
    asks = ruled(marker, rummy, link)
    assert "Which card was turned up?" in text_of(asks.text)
    assert "on record" not in text_of(asks.text).replace("not put on record", "")
    given = answered(marker, asks, turned="8")
    # IND-1: the 8♦ is wild, and stands for the 8♣.
    assert verdict(given.text) == "Legal"
    assert "Turned up: 8 as you said" in text_of(given.text)
    again = changed(marker, given.text, "Turned up: 8")
    assert "Which card was turned up?" in text_of(again.text)
    # It need not be said again.
    link = find(given.text, r'href="([^"]+)">Ask again with changes')
    assert verdict(ruled(marker, rummy, link).text) == "Legal"


def test_off_the_record_questions_need_a_hand_of_the_game_and_possible_cards(marker):
    game = read_in(marker, Evening())
    for hand in ("0", "14", "99999", "", "x"):
        address = f"{game}/ruling?ask=discard&cards=9D&by_rules=1&hand={hand}"
        assert "By the rules of" not in marker.open(address)
    asked_by = {"by_rules": "1", "hand": "8", "ask": "meld", "cards": ["5C", "5C", "ZZ"]}
    refused = marker.refused(f"{game}/ruling", asked_by)
    assert "By the rules of hand 8" in text_of(refused.text)


def test_a_link_leads_to_its_form_whatever_is_on_record(marker):
    evening = Evening()
    evening.mark_hands(7)
    evening.play(1, "meld JC JD JH", "meld 2H 3H 4H")
    game = read_in(marker, evening)
    to_ask = links(marker.open(f"{game}/rules"))
    assert asked(marker, game, to_ask["A lay-off that leaves a gap"]) == "Illegal"
    assert asked(marker, game, to_ask["Swapping a Proter"]) == "Legal"
