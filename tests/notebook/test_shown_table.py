"""The table that is shown after plays, legal or not: bookkeeping without rules."""

from companion.notebook.shown_table import ShownTable, question_steps
from companion.rules.cards import format_cards, parse_cards
from companion.rules.judge import Judge
from companion.rules.question import Pile, Question
from companion.rules.table import parse_play
from tests.rules.judges import rules_of

PROTER = rules_of("proter", 8)  # eights are wild
CARIOCA = rules_of("carioca")  # two packs, four jokers; a joker stays in its escalera


def after(rules: Judge, melds: list[str], *plays: str) -> ShownTable:
    return ShownTable(melds, rules, [parse_play(play) for play in plays])


def melds_of(table: ShownTable) -> list[str]:
    return [format_cards(meld) for meld in table.melds]


def test_plays_are_laid_whether_they_are_legal_or_not():
    table = after(
        PROTER, ["5C 6C 7C"], "meld 2D 9H", "lay_off KS onto 0", "lay_off 3H onto 1", "discard QS"
    )
    assert melds_of(table) == ["5C 6C 7C KS", "2D 9H 3H"]
    steps = [(one.word, format_cards(one.cards), format_cards(one.onto)) for one in table.steps]
    assert steps == [
        ("Meld", "2D 9H", ""),
        ("Lay-off", "KS", "5C 6C 7C"),
        ("Lay-off", "3H", "2D 9H"),
        ("Discard", "QS", ""),
    ]
    assert table.taken == dict.fromkeys(["5C", "6C", "7C"], "table") | dict.fromkeys(
        ["2D", "9H", "KS", "3H", "QS"], "turn"
    )


def test_a_play_on_a_missing_meld_is_shown_alone():
    table = after(PROTER, ["5C 6C 7C"], "lay_off 8C onto 3", "swap 6C onto 3", "take_pile")
    assert melds_of(table) == ["5C 6C 7C"]
    assert [(one.word, one.onto) for one in table.steps] == [
        ("Lay-off", ()),
        ("Swap", ()),
        ("Takes the pile", ()),
    ]


def test_a_wild_card_that_is_swapped_out_is_picked_up_or_stays_where_the_game_says_so():
    # PRO-10: the 6♣ for the 8♥, which can be played again.
    table = after(PROTER, ["5C 8H=6C 7C"], "swap 6C onto 0")
    assert melds_of(table) == ["5C 6C 7C"]
    assert "8H" not in table.taken
    assert table.taken["6C"] == "turn"

    # CAR-6: the joker moves to an end of its escalera.
    table = after(CARIOCA, ["5C XX=6C 7C 8C"], "swap 6C onto 0 high")
    assert melds_of(table) == ["5C 6C 7C 8C XX"]
    for play in ("swap 9C onto 0", "swap 5C onto 0"):  # for which no wild card stands
        assert melds_of(after(PROTER, ["5C 8H=6C 7C"], play)) == ["5C 8H=6C 7C"]


def test_a_card_is_taken_when_all_its_copies_are_taken():
    once, twice = after(CARIOCA, ["5C 5D 5H"]), after(CARIOCA, ["5C 5D 5H"], "meld 5C 5S 5H")
    assert once.taken == {}
    assert twice.taken == {"5C": "turn", "5H": "turn"}
    assert "XX" in after(CARIOCA, ["XX XX XX XX"]).taken
    assert "XX" not in after(CARIOCA, ["XX XX XX"]).taken


def test_a_card_that_a_wild_card_stands_for_says_so_until_it_is_taken():
    assert after(PROTER, ["5C 8H=6C 7C", "8S=8S 8D 8C"]).tagged == {"6C": "as 8♥"}
    assert after(PROTER, ["5C 8H=6C 7C"], "meld 6C 6D 6S").tagged == {}
    assert after(CARIOCA, ["5C XX=6C 7C 8C"]).tagged == {"6C": "as ★"}


def test_a_wild_card_in_a_set_of_any_suits_stands_for_no_suit():
    table = after(CARIOCA, ["XX=5C 5H 5S", "5C XX=6C 7C 8C"])  # CAR-2: a trio is of any suits
    assert melds_of(table) == ["5H 5S XX", "5C XX=6C 7C 8C"]
    assert table.tagged == {"6C": "as ★"}
    laid_off = after(CARIOCA, ["XX=5C 5H 5S"], "lay_off XX=5D onto 0").steps[0]
    assert format_cards(laid_off.cards) == "XX"
    assert melds_of(after(rules_of("pay_me"), ["XX=5C 5H 5S"])) == ["XX=5C 5H 5S"]  # PAY-4


def ends(rules: Judge, meld: str) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    (shown,) = after(rules, [meld]).targets
    return [(real.text, wild.text) for real, wild in shown.wilds], tuple(shown.ends)


def test_a_meld_has_the_wild_cards_that_can_be_swapped_out_of_it():
    for rules, meld, wilds, to in (
        (PROTER, "5C 8H=6C 7C", [("6C", "8H")], ("",)),  # PRO-10: it leaves the meld
        (PROTER, "6D 8H=6C 6S", [("6C", "8H")], ("",)),
        (PROTER, "5C 6C 7C", [], ()),
        (CARIOCA, "5C XX=6C 7C 8C", [("6C", "XX")], ("low", "high")),
        (CARIOCA, "5C XX=5D 5H", [], ()),  # CAR-6: not in trios
        (rules_of("three_thirteen"), "5C 3H=6C 7C", [], ()),  # there are no swaps
    ):
        assert ends(rules, meld) == (wilds, to)


def steps_of(question: Question, rules: Judge) -> list[tuple[str, str]]:
    return [(one.word, format_cards(one.cards)) for one in question_steps(question, rules)]


def test_declared_cards_are_shown_at_once_or_in_their_groups_and_the_others():
    cards, run, nines = "meld 5C 6C 7C 9D 9H 9S KD", "meld 5C 6C 7C", "meld 9D 9H 9S"
    for groups, steps in (
        ((), [("Declared", "5C 6C 7C 9D 9H 9S KD")]),
        ((run, nines), [("A group", "5C 6C 7C"), ("A group", "9D 9H 9S"), ("In no group", "KD")]),
    ):
        plays = tuple(map(parse_play, (cards, *groups)))
        assert steps_of(Question("declare", plays), PROTER) == steps

    # Of a draw the cards of the pile come first.
    pile = Pile(parse_cards("7C KD"), whole=False)
    draw = Question("draw", (parse_play("meld 7C 7D 7S"),), pile=pile)
    assert steps_of(draw, PROTER) == [("Draw", "7C KD"), ("Meld", "7C 7D 7S")]


def test_a_set_of_jokers_alone_keeps_the_rank_that_they_stand_for():
    # CON-4, CON-6: without the house rule on natural cards three jokers can be the sevens, of which
    # an 8 is none; beside a natural 7 the jokers need no suit, also the one laid off later.
    rules = rules_of("contract_rummy", min_naturals="0")
    sevens = "XX=7C XX=7D XX=7H"
    assert melds_of(after(rules, [sevens], "lay_off 7S onto 0")) == [f"{sevens} 7S"]
    assert melds_of(after(rules, ["7C XX=7D XX=7H"], "lay_off XX=7S onto 0")) == ["7C XX XX XX"]


def test_a_wild_card_with_one_place_in_a_meld_of_the_turn_can_be_swapped_out():
    # The first joker can only be the 6♣; the other one could be the 6♥ or the 10♥.
    forced, open_one = after(CARIOCA, [], "meld 5C XX 7C 8C", "meld 7H 8H XX 9H").targets
    assert [(real.text, wild.text) for real, wild in forced.wilds] == [("6C", "XX")]
    assert (open_one.wilds, open_one.ends) == ([], ())
    table = after(CARIOCA, [], "meld 5C XX 7C 8C", "swap 6C onto 0 high")
    assert melds_of(table) == ["5C 6C 7C 8C XX"]
