"""What the rulebook's games are: hands, packs, deals, wild ranks, contracts and choices."""

import pytest

from companion.rules.cards import Rank
from companion.rules.errors import Malformed
from companion.rules.game import Deck
from companion.rules.games import GAMES, game_named
from tests.rules.invented import invented

# The sheets of the rulebook: hands, players, which way the deal passes, cards dealt hand by hand.
GAME_DATA = [
    ("proter", None, 13, (2, 7), "right", [6] * 13),
    ("indian_chief", None, 7, (2, 8), None, [8] * 7),
    ("pay_me", None, 11, (2, 8), "left", [*range(3, 14)]),
    ("three_thirteen", None, 11, (2, 8), "left", [*range(3, 14)]),
    ("carioca", None, 7, (2, 5), "right", [11] * 6 + [12]),
    ("kalooki", None, 9, (3, 5), None, [9, 10, 11, 12, 12, 13, 14, 15, 16]),
    ("contract_rummy", "denexa", 7, (3, 5), "left", [10] * 3 + [12] * 4),
    ("contract_rummy", "gamerules", 7, (3, 5), "left", [10] * 4 + [12] * 3),
    ("indian_rummy", None, 11, (2, 10), None, [13] * 11),
]


@pytest.mark.parametrize(("name", "sheet", "hands", "players", "passes", "dealt"), GAME_DATA)
def test_hands_players_and_deals(name, sheet, hands, players, passes, dealt):
    game = game_named(name)
    assert game is GAMES[name]
    assert (game.hands, game.players) == (hands, players)
    assert [game.dealt(hand, game.house(sheet).sheet) for hand in range(1, hands + 1)] == dealt
    if passes:
        assert game.deal_passes == passes
    for too_many in (players[0] - 1, players[1] + 1):
        says = f"{game.name} is played by {players[0]} to {players[1]}, not {too_many}"
        with pytest.raises(Malformed, match=says):
            game.deck(game.house(sheet), too_many)


TWO_A_PACK = {"jokers": "two_a_pack"}
DECKS = [
    # game; sheet; house rules; packs and jokers by the number of players
    ("proter", "catsatcards", {}, dict.fromkeys(range(2, 8), (1, 0))),
    ("proter", "playginrummyonline", {}, dict.fromkeys(range(2, 8), (1, 0))),
    ("indian_chief", None, {}, {2: (1, 0), 3: (1, 0), 4: (2, 0), 8: (2, 0)}),
    ("pay_me", None, {}, {2: (1, 2), 3: (2, 4), 4: (2, 4), 5: (3, 6), 8: (3, 6)}),
    ("three_thirteen", None, {}, {2: (1, 0), 3: (2, 0), 4: (2, 0), 5: (3, 0), 8: (3, 0)}),
    ("three_thirteen", None, TWO_A_PACK, {2: (1, 2), 3: (2, 4), 4: (2, 4), 5: (3, 6), 8: (3, 6)}),
    ("carioca", None, {}, dict.fromkeys(range(2, 6), (2, 4))),
    ("kalooki", None, {}, dict.fromkeys(range(3, 6), (2, 4))),
    # denexa: two packs and one joker fewer than players; gamerules: one pack and one joker, which
    # cannot serve five players of twelve cards.
    ("contract_rummy", "denexa", {}, {3: (2, 2), 4: (2, 3), 5: (2, 4)}),
    ("contract_rummy", "gamerules", {}, {3: (1, 1), 4: (1, 1), 5: (2, 2)}),
    ("indian_rummy", None, {}, {2: (2, 2), 6: (2, 2), 7: (3, 3), 10: (3, 3)}),
]


@pytest.mark.parametrize(("name", "sheet", "rules", "decks"), DECKS)
def test_the_packs_follow_the_number_of_players(name, sheet, rules, decks):
    game = game_named(name)
    house = game.house(sheet, rules)
    for players, (packs, jokers) in decks.items():
        assert game.deck(house, players) == Deck(packs, jokers)
        most = max(game.dealt(hand, house.sheet) for hand in range(1, game.hands + 1))
        assert players * most < 52 * packs + jokers
    # Only five players of Contract Rummy are told why they have two packs.
    (*says, last) = [one.says for one in game.decks_of(house)]
    assert not any(says)
    told = "53 cards, and five players of twelve cards need 60"
    assert (told in last, bool(last)) == (sheet == "gamerules",) * 2


SEVEN = ["2 0", "1 1", "0 2", "3 0", "2 1", "1 2", "0 3"]
KALOOKIS = ["3 0", "2 1", "1 2", "0 3", "4 0", "3 1", "2 2", "1 3", "0 4"]
ALL_AT_ONCE = [*["jokers"] * 6, "jokers; every card held"]
CONTRACTS = [
    # game; sheet; the names of one set and of more, of one run and of more; the sets and runs of
    # each hand; what else is to know in each hand; how many cards more than the deal it may take
    ("carioca", None, "trio trios escalera escaleras", SEVEN, ["jokers"] * 7, 0),
    ("kalooki", None, "three threes four fours", KALOOKIS, ["jokers"] * 9, 0),
    ("contract_rummy", "denexa", "set sets run runs", SEVEN, ALL_AT_ONCE, 0),
    ("contract_rummy", "gamerules", "set sets run runs", SEVEN, ALL_AT_ONCE, 0),
]


@pytest.mark.parametrize(("name", "sheet", "words", "contracts", "besides", "more"), CONTRACTS)
def test_contracts(name, sheet, words, contracts, besides, more):
    game = game_named(name)
    one_set, sets, one_run, runs = words.split()
    assert len(contracts) == len(besides) == game.hands
    for hand, (contract, says_else) in enumerate(zip(contracts, besides, strict=True), 1):
        of_sets, of_runs = map(int, contract.split())
        rules = game.rules(game.house(sheet), hand)
        assert rules.contract == (of_sets, of_runs)
        asked, *others = rules.needs()
        says = [f"{of_sets} {one_set if of_sets == 1 else sets}"] if of_sets else []
        says += [f"{of_runs} {one_run if of_runs == 1 else runs}"] if of_runs else []
        assert (asked.what, asked.says) == ("Contract", " and ".join(says))
        assert [other.says for other in others] == says_else.split("; ")
        # What is dealt is enough for the contract, or with cards that can be bought.
        assert 3 * of_sets + 4 * of_runs <= game.dealt(hand, game.house(sheet).sheet) + more
    if name == "contract_rummy":  # in hand 7 players have to know how many cards go at once
        needs = game.rules(game.house(sheet, {"hand7": "twelve_and_discard"}), 7).needs()
        assert [need.says for need in needs][1:] == ["jokers", "every card held but the discard"]


# The house rules of each game, with the choice of each sheet.
HOUSES = """
proter PRO-5 ace_in_runs high both
proter PRO-6 proter_in_own_place wild wild
proter PRO-6 min_naturals 0 0
proter PRO-7 natural_first_meld each_turn each_hand
proter PRO-7 lay_off_needs_meld no no
proter PRO-10 swapped_proter keep meld_this_turn
proter PRO-10 swap_own_fresh_proter yes no
proter PRO-12 discard_run three_in_suit two_adjacent
proter PRO-12 discard_run_order any any
proter PRO-13 penalty_points 20 20
proter PRO-13.4 proters_left flat flat
proter PRO-13.5 lay_off_counts_as_meld no no
proter PRO-13.5 winner_pays_no_meld yes yes
proter PRO-13.6 wrong_meld take_back penalty
proter PRO-13 claim_until next_draw next_draw
proter PRO-14 going_out_discard optional optional
proter PRO-15 proter_left_value face face
proter PRO-16 ties shared shared
pay_me PAY-5 ace_in_runs low
pay_me PAY-6 wild_in_own_place natural
pay_me PAY-9 lay_off_order in_turn
pay_me PAY-10 false_call 0
three_thirteen TTN-1 jokers none
three_thirteen TTN-6 min_naturals 0
three_thirteen TTN-7 going_out_discard required
three_thirteen TTN-9 ace_left 1
three_thirteen TTN-9 court_left 10
carioca CAR-3 exact_contract yes
carioca CAR-5 lay_off_on_contract_turn no
carioca CAR-5 new_melds_after_contract no
indian_chief CHI-3 doctor_ace_of_hearts both
indian_chief CHI-5 thief_tie rank
kalooki KAL-2 same_rank_threes yes
kalooki KAL-9 bending_doubles cards
contract_rummy CON-3 exact_contract no no
contract_rummy CON-6 min_naturals 1 1
contract_rummy CON-10 hand7 all_cards all_cards
indian_rummy IND-1 joker_turned aces
indian_rummy IND-3 set_size 3
indian_rummy IND-5 clean_sequences 2
indian_rummy IND-5 wild_in_own_place natural
indian_rummy IND-5 jokers_per_meld any
indian_rummy IND-7 leave_early 10
indian_rummy IND-7 leave_late 40
indian_rummy IND-8 count ungrouped
indian_rummy IND-8 cap none
indian_rummy IND-8 wrong_declare 80
"""


def test_the_sheets_are_what_the_rulebook_says():
    found = []
    for game in GAMES.values():
        for rule in game.house_rules:
            choices = [str(game.house(sheet.id)[rule.id]) for sheet in game.sheets]
            found.append(" ".join([game.id, rule.rule, rule.id, *choices]))
            for choice in rule.choices:
                assert rule.says(choice.value) == choice.says
                assert choice.says.endswith(".")
    assert sorted(found) == sorted(HOUSES.split("\n")[1:-1])


def test_games_sheets_and_house_rules_are_found_by_their_ids():
    first = [game_named(game).sheets[0].id for game in ("proter", "contract_rummy")]
    assert first == ["catsatcards", "denexa"]
    proter = game_named("proter")
    assert proter.house_rule("penalty_points").says(25) == "25 points."
    assert game_named("pay_me").house_rule("false_call").says(1) == "1 point."
    assert proter.charge("PRO-13.1").takes_back
    with pytest.raises(KeyError):
        proter.house_rule("aces")
    wild = [proter.wild_rank(hand) for hand in (1, 2, 11, 13)]
    assert wild == [Rank.ACE, Rank.TWO, Rank.JACK, Rank.KING]
    pay_me = [game_named("pay_me").wild_rank(hand) for hand in (1, 8, 11)]
    assert pay_me == [Rank.THREE, Rank.TEN, Rank.KING]
    three_thirteen = game_named("three_thirteen")  # TTN-1: without jokers, by default
    assert three_thirteen.rules(three_thirteen.house(), 1).limits.wild_ranks == {Rank.THREE}
    others = ("carioca", "indian_chief", "indian_rummy")
    assert [game_named(game).wild_rank(1) for game in others] == [None] * 3


def test_a_game_without_a_rule_on_swaps_offers_none():
    assert invented().disputes == {"meld", "lay_off", "turn"}
