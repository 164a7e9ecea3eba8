"""The case tables in ``cases/``: each line is a case, asked through the ``check`` protocol.

A line has four columns: the rule, the question, its circumstances, and the answer. ``given …`` on a
line of its own has circumstances for the lines below it, and replaces earlier ones.
Parts of a column are separated by ``;``, melds by ``/``.

Those of Proter lie in ``cases/``, those of another game in a folder with its id. A line of
``marks.txt`` has players with what they have left, of ``rounds.txt`` what each player shows, of
``arrangements.txt`` cards; lines of all other tables have plays.

- given: ``hand 8``, ``online`` (the other sheet), ``sheet denexa``, ``packs 2``, ``wild 8``,
  ``table 5C 6C 7C / 9C 9D 9H``, ``pile 2C 3D``, ``holding 2C 3D``, ``melded this turn``,
  ``melded this hand``, ``contract met``, ``drew 8H``, ``holds 12``, ``min_naturals=1``;
  ``unknown contract_met pile`` what nobody knows, ``unknown all`` of the player;
  ``cards …`` of a declaration, where they are not those of its melds; ``onto …`` the melds on
  which cards that are arranged may be laid off.
- plays: ``meld …``, ``lay_off … onto 0``, ``swap … onto 0 low``, ``discard …``, ``turn …; …``,
  ``contract … / …``, and ``declare … / …``, without a ``/`` if the cards are not grouped.
- players: ``Ana KH QH`` with what is left, ``Ben out``, and ``, no meld``, ``, bent``,
  ``, calls 5``; ``+PRO-13.3`` is a charge that the marker made.
- shown: ``Ana 7C 8C``, with ``suit H`` for a Doctor, ``split …`` for an Indian Chief.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

CASES = Path(__file__).parent / "cases"
ONLINE = "playginrummyonline"
FACTS = ("melded_this_hand", "melded_this_turn", "contract_met")


class Case(NamedTuple):
    """A line of a table: its place, its question, and the parts of the answer."""

    where: str
    asked: dict[str, Any]
    expected: Sequence[str]


def cases(path: Path) -> Iterator[Case]:
    game = "proter" if path.parent == CASES else path.parent.name
    standing = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("given"):
            standing = line.removeprefix("given").strip()
            continue
        _, what, given, expected = (column.strip() for column in line.split("|"))
        asked = what_is_given(f"{standing};{given}") | {"game": game}
        question = QUESTIONS.get(path.stem, plays)(what)
        # Circumstances override fields of the question, like the cards of a declaration.
        yield Case(f"{game}/{path.name}:{number} {line}", question | asked, parts(expected))


@contextmanager
def named(case: str) -> Iterator[None]:
    """Name the case in the message of a failed assertion."""
    try:
        yield
    except BaseException as problem:
        problem.add_note(case)
        raise


def parts(text: str, between: str = ";") -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]


def what_is_given(given: str) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    for part in parts(given):
        word, _, rest = part.partition(" ")
        if word in GIVEN:
            asked |= GIVEN[word](rest)
        elif word in ("melded", "contract"):
            asked.setdefault("player", {})[part.replace(" ", "_")] = True
        elif word == "unknown":
            facts = list(FACTS) if rest == "all" else rest.split()
            asked |= {"pile": None} if "pile" in facts else {}
            asked.setdefault("player", {}).update({fact: None for fact in facts if fact in FACTS})
        elif word in ("drew", "holds"):
            asked.setdefault("player", {})[word] = int(rest) if word == "holds" else rest
        else:
            rule, equals, choice = part.partition("=")
            assert equals, f"{part!r} is nothing that can be given"
            asked.setdefault("rules", {})[rule] = choice
    return asked


GIVEN: dict[str, Callable[[str], dict[str, Any]]] = {
    "hand": lambda rest: {"hand": int(rest)},
    "packs": lambda rest: {"packs": int(rest)},
    "wild": lambda rest: {"wild_rank": None if rest == "none" else rest},
    "sheet": lambda rest: {"sheet": rest},
    "online": lambda rest: {"sheet": ONLINE},
    "table": lambda rest: {"table": parts(rest, "/")},
    "onto": lambda rest: {"onto": parts(rest, "/")},
    "pile": lambda rest: {"pile": rest},
    "holding": lambda rest: {"holding": rest},
    "cards": lambda rest: {"cards": rest},
}


def plays(text: str) -> dict[str, Any]:
    ask, _, rest = text.partition(" ")
    if ask == "contract":
        return {"ask": ask, "melds": parts(rest, "/")}
    if ask == "declare":
        melds = parts(rest, "/")
        grouped = {"melds": melds} if "/" in rest else {}
        return {
            "ask": ask,
            "cards": [card.partition("=")[0] for meld in melds for card in meld.split()],
            **grouped,
        }
    if ask == "turn":
        return {"ask": ask, "plays": [one_play(play) for play in parts(rest)]}
    play = one_play(text)
    key = "cards" if ask in ("meld", "lay_off") else "card"
    return {"ask": ask, key: play.pop(ask), **play}


def one_play(text: str) -> dict[str, Any]:
    word, _, rest = text.partition(" ")
    cards, _, onto = rest.partition(" onto ")
    onto, _, joker_to = onto.partition(" ")
    said: dict[str, Any] = {"onto": int(onto)} if onto else {}
    return {word: cards or True, **said, **({"joker_to": joker_to} if joker_to else {})}


def players(text: str) -> dict[str, Any]:
    return {"ask": "score", "players": [one_player(one) for one in parts(text)]}


def one_player(text: str) -> dict[str, Any]:
    said, *more = text.replace(" +", ", +").split(", ")
    name, *left = said.split()
    entries: dict[str, Any] = {"name": name}
    if "out" in left:
        left.remove("out")
        entries["out"] = True
    if left or "out" not in entries:
        entries["left"] = left
    for one in more:
        if one.startswith("+"):
            entries.setdefault("penalties", []).append(one[1:])
        elif one.startswith("calls "):
            entries["calls"] = int(one.removeprefix("calls "))
        else:
            entries |= {"bent": True} if one == "bent" else {"melded": False}
    return entries


def shown(text: str) -> dict[str, Any]:
    return {"ask": "round", "plays": [one_shown(one) for one in parts(text)]}


def one_shown(text: str) -> dict[str, Any]:
    meld, _, split = text.partition(" split ")
    meld, _, suit = meld.partition(" suit ")
    name, _, cards = meld.partition(" ")
    said = {"suit": suit, "split": split}
    return {"name": name, "cards": cards} | {key: text for key, text in said.items() if text}


# By the name of the table; all other tables ask about plays.
QUESTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "marks": players,
    "rounds": shown,
    "arrangements": lambda cards: {"ask": "arrange", "cards": cards},
}
