"""Answers about contracts, declarations, arrangements, marks and rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.check.asked import Answer, Asked, ruled
from companion.check.entries import MOST_CALLS, Entries, entries_of
from companion.rules.arrange import arrange
from companion.rules.cards import Card, check_packs, format_cards
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Malformed
from companion.rules.games.indian_chief import IndianChiefJudge
from companion.rules.games.indian_chief_rounds import RoundMeld
from companion.rules.judge import Judge
from companion.rules.position import parse_table
from companion.rules.scoring import HandEnd

_MOST_ARRANGED = 30
_ROUND_MELD = frozenset({"name", "cards", "suit", "split"})
_END = frozenset({"name", "left", "melded", "out", "penalties", "bent", "calls"})


def contract_of(asked: Asked) -> Answer:
    """Whether melds, laid together, are the contract of the hand."""
    asked.entries.some("melds")
    melds = asked.entries.grouped("melds")
    if not isinstance(asked.rules, ContractJudge):
        asked.rules.not_here("contracts")
    player, _ = asked.player()
    found = asked.rules.rule_on_contract(melds, player.holds)
    return ruled(found.ruling) | {
        "readings": [" / ".join(meld.text for meld in way) for way in found.ways]
    }


def declare_of(asked: Asked) -> Answer:
    """Whether all the cards are in melds that make a declaration, and such melds."""
    cards = asked.entries.cards("cards")
    grouping = asked.entries.grouped("melds")
    if not isinstance(asked.rules, DeclaringJudge):
        asked.rules.not_here("declarations")
    player, _ = asked.player()
    asked.rules.check_fits(len(cards), player.holds, "cards")
    found = asked.rules.rule_on_declaration(cards, grouping)
    melds = [meld.text for meld in found.melds]
    return ruled(found.ruling) | {"readings": [" / ".join(melds)] if melds else [], "melds": melds}


def arrange_of(asked: Asked) -> Answer:
    """The fewest points that the cards can be left with, and how."""
    cards = asked.entries.cards("cards")
    _check_held(cards, asked.rules, "cards")
    onto = parse_table(asked.entries.melds("onto"), (), asked.rules, "onto").melds
    if onto and "lay_off" not in asked.rules.asks:
        asked.rules.not_here("lay-offs")
    places = (
        ("the melds on the table", [laid.card for meld in onto for laid in meld.cards]),
        ("the cards", cards),
    )
    check_packs(places, *asked.rules.deck)
    best = arrange(cards, asked.rules, onto)
    return {
        "points": best.points,
        "melds": [meld.text for meld in best.melds],
        "laid_off": [
            {"cards": format_cards(laid.cards), "onto": laid.onto} for laid in best.laid_off
        ],
        "deadwood": [card.text for card in best.deadwood],
    }


def _check_held(cards: Sequence[Card], rules: Judge, where: str) -> None:
    """Raise `Malformed` for too many cards to arrange, in a game where nobody holds so many."""
    if rules.arranges and len(cards) > _MOST_ARRANGED:
        says = f"{len(cards)} cards are more than a player can hold in {rules.game.name}."
        raise Malformed(says, where)


def score_of(asked: Asked) -> Answer:
    """What the end of a hand is worth to each player."""
    ends = [_end(player, asked.rules) for player in _of_players(asked, "players")]
    return {
        "scores": {
            name: {
                "points": mark.points,
                "cards": mark.cards,
                "penalties": [{"rule": c.rule, "points": c.points} for c in mark.charges],
            }
            for name, mark in asked.rules.score(ends).items()
        }
    }


def _of_players(asked: Asked, key: str) -> Iterator[Entries]:
    """The entries of one player after the other, of no more than can play the game."""
    given = asked.entries.some(key)
    fewest, most = asked.rules.game.players
    if len(given) > most:
        says = f"{asked.rules.game.name} is played by {fewest} to {most}, not {len(given)}."
        raise Malformed(says, key)
    for number, player in enumerate(given):
        yield entries_of(player, f"{key}[{number}]")


def _end(entries: Entries, rules: Judge) -> HandEnd:
    name = entries.name()
    entries.only(_END)
    out = entries.flag("out")
    if "left" not in entries.given and not out:
        raise Malformed(f"{name}'s cards are missing: “left” names them.", entries.place)
    left = entries.any_cards("left")
    _check_held(left, rules, entries.place)
    return HandEnd(
        name,
        rules.left(left),
        entries.flag("melded", default=True),
        out,
        entries.charges(),
        entries.flag("bent"),
        entries.number("calls", MOST_CALLS),
    )


def round_of(asked: Asked) -> Answer:
    """What the melds that are shown in one round are worth."""
    if not isinstance(asked.rules, IndianChiefJudge):
        asked.rules.not_here("rounds")
    found = asked.rules.score_round([_round_meld(play) for play in _of_players(asked, "plays")])
    return {
        "scores": {name: score.points for name, score in found.boxes.items()},
        "boxes": {name: score.box.title for name, score in found.boxes.items()},
        "splits": {
            name: format_cards(score.split) for name, score in found.boxes.items() if score.split
        },
        "thieves": [name for equal in found.thieves for name in equal],
        "says": found.says,
    }


def _round_meld(entries: Entries) -> RoundMeld:
    name = entries.name()
    entries.only(_ROUND_MELD)
    cards = entries.any_cards("cards")
    split = entries.cards("split") if entries.given.get("split") is not None else None
    return RoundMeld(name, cards, entries.suit(), split)
