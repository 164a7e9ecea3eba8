"""The sentences of rulings by their ids, and messages: an id with the values of its sentence.

A ruling is stored as data, never as a finished sentence. A value is a number, cards, or a word of
the game by its id in `TERMS`. A sentence names its values in braces, and after a colon how to write
them: ``{kind:a}`` with its article, ``{fewest:word}`` in letters, ``{wild:wild_card}`` counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from string import Formatter
from typing import Any, Final, NamedTuple, Protocol

from companion.rules.cards import (
    Card,
    Laid,
    Offered,
    as_run,
    format_cards,
    parse_meld_text,
    show_cards,
)
from companion.rules.errors import Malformed
from companion.rules.language import gettext, listed, ngettext, noted

SENTENCES: Final[Mapping[str, str]] = {
    # -- what a meld is
    "meld_too_small": "{cards}: a meld needs at least {fewest:word} cards.",
    "not_a_set_of_suits": (
        "{cards} is not {kind:a}: {fewest:word} or {most:word} cards of one rank, every suit "
        "different."
    ),
    "not_a_set_of_size": (
        "{cards} is not {kind:a}: {size:word} cards of one rank, every suit different."
    ),
    "not_a_set_of_any": "{cards} is not {kind:a}: {size:word} cards of one rank, of any suits.",
    "not_a_set": "{cards} is not {kind:a}: {fewest:word} or more cards of one rank, of any suits.",
    "not_a_run_ace_high": (
        "{cards} is not {kind:a}: {fewest:word} or more cards of one suit that follow one another, "
        "the ace above the king."
    ),
    "not_a_run_ace_low": (
        "{cards} is not {kind:a}: {fewest:word} or more cards of one suit that follow one another, "
        "the ace below the 2."
    ),
    "not_a_run_ace_both": (
        "{cards} is not {kind:a}: {fewest:word} or more cards of one suit that follow one another, "
        "the ace above the king or below the 2, never around the corner."
    ),
    "not_a_run_of_size": (
        "{cards} is not {kind:a}: {fewest:word} cards of one suit in a row, an ace first or last."
    ),
    # -- wild cards in a meld
    "half_wild": "{wild} of its {size} cards are wild; at most half may be.",
    "half_wild_in": "{meld}: {wild} of its {size} cards are wild; at most half may be.",
    "too_many_wild": "It has {wild:wild_card}; at most {most} may be in a meld.",
    "too_many_wild_in": "{meld} has {wild:wild_card}; at most {most} may be in a meld.",
    "wild_neighbours": "Two wild cards are neighbours in the {kind}.",
    "wild_neighbours_in": "{meld}: two wild cards are neighbours in the {kind}.",
    "too_few_naturals": "This meld has {naturals:natural_card}, and needs at least {wanted}.",
    "too_few_naturals_in": "{meld} has {naturals:natural_card}, and needs at least {wanted}.",
    # -- lay-offs, swaps, discards, turns
    "cannot_be_added": "{cards} cannot be added to the {kind} {meld}.",
    "just_drawn": "{card} was just taken from the pile, and may not be discarded in this turn.",
    "turn_over": "The discard ended the turn.",
    "meld_taken_back": "The meld that it was played on is taken back.",
    "swap_taken_back": "{card} stays on the table: the swap that took it is taken back.",
    "not_playable": "This can no longer be played.",
    "joker_stays": "A joker in {kind:a} cannot be swapped: {meld}.",
    "no_joker_for": "No joker stands for {card} in {meld}.",
    "no_open_end": "{meld} has no open end for the joker.",
    # -- contracts
    "not_the_contract_alone": (
        "{meld} alone is not the contract of hand {hand}: {contract}, laid together."
    ),
    "not_in_contract": "{meld} is {kind:a}, and hand {hand} asks for {contract}.",
    "one_too_many": "{meld} is one {kind} too many: hand {hand} asks for {contract}.",
    "not_the_contract": "Hand {hand} asks for {contract}; what is laid is {laid}.",
    "contract_first": "The contract must be on the table first: {contract}.",
    # -- Proter
    "first_of_turn": "The first meld of a turn may not contain a Proter.",
    "first_of_hand": "A player's first meld in a hand may not contain a Proter.",
    "needs_meld": "This table asks for a meld first, and the player has laid none in this hand.",
    "pile_first": "The pile is taken at the start of a turn, not during it.",
    "twice_in_meld": "{card} is twice in one meld.",
    "on_table": "{card} is already on the table, in {meld}; {played} would stand for it.",
    "on_table_as_wild": (
        "{card} is already on the table: {wild} stands for it in {meld}; it may only be swapped in."
    ),
    "on_table_as_wild_again": (
        "{card} is already on the table: {wild} stands for it in {meld}; {played} would stand for "
        "it too."
    ),
    "not_the_real_card": "{card} is not the {wanted}; only the real card can be swapped in.",
    "no_proter_for": "No Proter stands for {card} in that meld.",
    "fresh_proter_stays": "{card} cannot be swapped out: the same player laid it in this turn.",
    "proter_not_melded": "{card} was swapped out, and not laid in a new meld in the same turn.",
    "discard_same_rank": "{card} has the rank of {top}, the top of the pile.",
    "discard_near": "{card} is within two ranks of {top}, the top of the pile, in its suit.",
    "discard_run": "{card} makes a run with {below} and {top}.",
    "last_card_discarded": "The last card must be discarded at this table.",
    # -- Pay Me and Three Thirteen
    "not_all_melded": (
        "{left:card} in no meld: a player who goes out has the whole hand in melds, except one "
        "discard."
    ),
    "must_discard": "A player who goes out discards one card, and no card is left to discard.",
    # -- Carioca
    "lay_off_next_turn": "Only a player who met the contract in an earlier turn may add to melds.",
    "no_contract_met": "Only a player who has met the contract may add to melds.",
    "no_more_melds": "After the contract no new melds are laid at this table.",
    "contract_jokers": "{meld}: {jokers:joker}, and a meld of the contract has one at most.",
    "contract_size": "{meld}: {size} cards, and {kind:a} of the contract has {wanted}.",
    "end_closed": "The joker cannot go to the {end} end of {meld}: the ace closes it.",
    # -- Kalooki
    "two_fours_of_suit": "{one} and {other} are two fours of one suit; a player has one.",
    "two_threes_of_rank": (
        "{one} and {other} are two threes of one rank, which this table does not allow."
    ),
    "low_end_waits": ("The low end of {meld} can only grow once the high end has reached the ace."),
    "joker_goes_to": "The joker goes to the {end} end of {meld}.",
    "jokers_neighbours": "Two jokers would be neighbours: {meld}.",
    "joker_discarded": "A joker is not discarded.",
    "own_turn_no_call": (
        "Players may call only in another player's turn; in their own turn they draw."
    ),
    "melded_no_call": "Only a player who has laid nothing in the hand may call.",
    "call_beyond_third": (
        "{calls:call} of this player succeeded before. A call beyond the third is charged, and "
        "bending the table then doubles nothing."
    ),
    # -- Contract Rummy
    "drawn_not_melded": (
        "{card} lies inside the pile. It may be taken, with all cards above it, only if it is "
        "melded at once."
    ),
    "contract_exact_size": "{meld}: {kind:a} of the contract has {wanted} cards at this table.",
    "runs_are_one": (
        "{one} and {other} follow one another in one suit: they are one run, not two."
    ),
    "runs_of_one_suit": "{one} and {other} are of one suit; the runs of a contract differ in suit.",
    "lay_off_too_early": "Only a player who met the contract in an earlier turn may lay off.",
    "meld_too_early": "In the turn of the contract no further meld may be laid.",
    "swap_too_early": "Only a player who met the contract in an earlier turn may take a joker.",
    "joker_for_joker": "A joker cannot be swapped for another joker, only for the real card.",
    "joker_not_melded": "The joker was swapped out, and not laid in a new meld in the same turn.",
    "all_at_once": (
        "In hand 7 all cards held are melded at once: 12, or all 13 after the draw, with no "
        "discard and no lay-off."
    ),
    "all_but_one": (
        "In hand 7 all cards held but one are melded at once, 12 of 13, and that one is discarded."
    ),
    # -- declarations
    "in_no_meld": "In no meld: {cards}.",
    "too_few_clean_runs": "The melds have {found:clean_sequence}; this table asks for {wanted}.",
    "too_few_runs": "The melds have {found:sequence}; this table asks for {wanted}.",
    "no_grouping": "The cards cannot all be put into melds.",
    "no_grouping_but": (
        "However the cards are arranged, {left:card} would be in no meld, and only one of them may "
        "be discarded."
    ),
    "no_grouping_with_runs": (
        "The cards can all be put into melds, but not with {runs:sequence}, {clean} of them clean."
    ),
    "no_grouping_ever": (
        "Whichever card was turned up, the cards are not all in melds with {runs:sequence}, "
        "{clean} of them clean."
    ),
    "as_written": "{words}",  # of a ruling that was kept as a sentence
    # -- what is said of a legal play
    "legal_meld": "Legal: {meld} is {kind:a}.",
    "legal_in_2": "Legal, in 2 readings: {one}; or {two}. Say what each wild card stands for.",
    "legal_in_3": (
        "Legal, in 3 readings: {one}; or {two}; or {three}. Say what each wild card stands for."
    ),
    "legal_in_4": (
        "Legal, in 4 readings: {one}; or {two}; or {three}; or {four}. Say what each wild card "
        "stands for."
    ),
    "legal_in_many": "Legal, in {count} readings. Say what each wild card stands for.",
    "legal_swap": "Legal: {card} takes the place of {taken}.",
    "legal_swap_to_meld": (
        "Legal: {card} takes the place of {taken}, which has to be in a new meld before the turn "
        "ends."
    ),
    "legal_discard": "Legal: {card} may be discarded.",
    "legal_take_pile": "Legal: the pile is taken.",
    "legal_call": "Legal: the player may call for the top of the pile.",
    "call_may_be_refused": (
        "The player whose turn it is may refuse by taking the card; a refused call does not count."
    ),
    "call_may_be_refused_unless_melded": (
        "The player whose turn it is may refuse by taking the card, unless that player has melded "
        "in this hand; a refused call does not count."
    ),
    "call_cannot_be_refused": "The player whose turn it is has melded, and cannot refuse.",
    "call_takes_penalty_card": "The caller takes the card, and a penalty card from the stock.",
    "legal_draw": (
        "Legal: {card} is melded at once, and the rest of what is taken goes to the hand; any of "
        "it may be discarded."
    ),
    "legal_draw_of_one": "Legal: {card} is taken alone, and may not be discarded in this turn.",
    "legal_turn": "Legal: the whole turn.",
    "legal_contract": "Legal: {contract}, the contract of hand {hand}.",
    "legal_declaration": "Legal: {cards:card} in {melds:meld}, {clean:clean_sequence} among them.",
    "legal_all_melded": "Legal: {cards:card} in {melds:meld}.",
    "legal_all_but_one": "Legal: {cards:card} in {melds:meld}, with {discard} as the discard.",
    "legal_possible": "Legal: {cards:card} can be laid in melds.",
    "the_part": "the {kind}",
    "nth_part": "{kind} {nth} of {wanted}",
    "beside_contract": "{kind:a} besides the contract",
    # -- what is taken back, after the points that it costs
    "nothing_back": "{points}; nothing is taken back.",
    "play_back": "{points}; the play is taken back.",
    "play_back_next_plays": "{points}; the play is taken back and the next player plays.",
    "turn_back": "{points}; the whole turn is taken back.",
    "turn_back_next_plays": "{points}; the whole turn is taken back and the next player plays.",
}


class Word(NamedTuple):
    """A word of the game: singular, plural, and with its article."""

    one: str
    many: str
    a: str


TERMS: Final[Mapping[str, Word]] = {
    term.replace(" ", "_"): Word(term, f"{term}s", f"{'an' if term[0] in 'aeiou' else 'a'} {term}")
    for term in (
        *("set", "run", "tanala", "trio", "escalera", "three", "four", "sequence", "meld"),
        *("card", "joker", "call", "wild card", "natural card", "clean sequence", "point"),
        *("low", "high"),
    )
}

NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six")
# The highest number and the longest text that imported data may have.
_MOST: Final = 1_000_000
_COUNT: Final = re.compile("[0-9]{1,7}")
_LONGEST: Final = 2000


class Showable(Protocol):
    """A value with a text to read and a text to store: a card, a meld, a word."""

    @property
    def shown(self) -> str:
        """The text that people read."""

    @property
    def text(self) -> str:
        """The text that is stored."""


Value = int | Showable


class Term(NamedTuple):
    """A word of the game, by its id in `TERMS`."""

    id: str

    @property
    def shown(self) -> str:
        """The word alone: ``escalera``."""
        return gettext(TERMS[self.id].one)

    @property
    def a(self) -> str:
        """The word with its article: ``an escalera``."""
        return gettext(TERMS[self.id].a)

    @property
    def text(self) -> str:
        """As it is stored: ``@escalera``."""
        return f"@{self.id}"


class Counted(NamedTuple):
    """Numbers of things, each with the id in `TERMS` of what it counts."""

    parts: tuple[tuple[int, str], ...]

    @property
    def shown(self) -> str:
        """In words: ``2 trios and 1 escalera``."""
        return listed([_counted(count, term) for count, term in self.parts])

    @property
    def text(self) -> str:
        """As it is stored: ``@2 trio 1 escalera``."""
        return "@" + " ".join([f"{count} {term}" for count, term in self.parts])


class Cards(NamedTuple):
    """Cards as a value: those played, or those left over."""

    cards: tuple[Card | Offered | Laid, ...]

    @property
    def shown(self) -> str:
        """As people write them."""
        return show_cards(as_run(self.cards))

    @property
    def text(self) -> str:
        """As card text."""
        return format_cards(self.cards)


def _counted(count: int, term: str) -> str:
    one, many = (f"%(number)s {word}" for word in TERMS[term][:2])
    return ngettext(one, many, count, number=count or gettext("no"))


class _Formatted(NamedTuple):
    """A value in the form that its sentence asks for."""

    value: Value

    def __format__(self, form: str) -> str:
        if isinstance(self.value, Term) and form == "a":
            return self.value.a
        if not isinstance(self.value, int):
            return self.value.shown
        if form in TERMS:
            return _counted(self.value, form)
        if form == "word" and 0 <= self.value < len(NUMBERS):
            return gettext(NUMBERS[self.value])
        return str(self.value)


@lru_cache(maxsize=len(SENTENCES))
def names_in(message: str) -> frozenset[str]:
    """Return the names of the values in a message's sentence."""
    return frozenset(name for _, name, _, _ in Formatter().parse(SENTENCES[message]) if name)


class Message(NamedTuple):
    """A sentence as data: its id in `SENTENCES`, and its values by name."""

    id: str
    values: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, message: str, /, **values: Value) -> Message:
        """Return a message with its values by name."""
        return cls(message, tuple(values.items()))

    @property
    def says(self) -> str:
        """The sentence."""
        values = {name: _Formatted(value) for name, value in self.values}
        return gettext(SENTENCES[self.id]).format_map(values)

    def as_data(self) -> dict[str, Any]:
        """Return the message as JSON data; `message_from` reads it."""
        values = {name: getattr(value, "text", value) for name, value in self.values}
        return {"message": self.id, "values": values}


def message_from(data: object, where: str = "message") -> Message:
    """Read a message from JSON data. Raises `Malformed` for an unknown id or wrong values."""
    if not isinstance(data, dict):
        raise Malformed("A message is an object with its id and its values.", where)
    message, values = data.get("message"), data.get("values", {})
    if not isinstance(message, str) or message not in SENTENCES:
        raise Malformed("There is no message with this id.", where)
    if not isinstance(values, dict) or values.keys() != names_in(message):
        says = noted("These are not the values of the message “%(message)s”.")
        raise Malformed(says, where, message=message)
    return Message(message, tuple((name, _value(given, where)) for name, given in values.items()))


def _value(given: object, where: str) -> Value:
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) <= _MOST:
        return given
    if not isinstance(given, str) or not 0 < len(given) <= _LONGEST:
        raise Malformed("A value of a message is a number, cards, or a word of the game.", where)
    if given.startswith("@"):
        return _term(given[1:].split(" "), where)
    cards = parse_meld_text(given, where)
    if not cards:
        raise Malformed("A value of a message is empty.", where)
    return Cards(cards)


def _term(words: list[str], where: str) -> Term | Counted:
    if len(words) == 1 and words[0] in TERMS:
        return Term(words[0])
    counts, terms = words[::2], words[1::2]
    known = len(counts) == len(terms) and all(word in TERMS for word in terms)
    if not known or not all(_COUNT.fullmatch(count) for count in counts):
        raise Malformed("A message names a word that no game has.", where)
    return Counted(tuple(zip(map(int, counts), terms, strict=True)))
