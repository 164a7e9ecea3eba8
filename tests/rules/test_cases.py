"""The case tables in ``cases/``: one line a case, asked as anybody outside would ask it.

A line has four columns: the rule it is about, the play (or the plays of a turn, with ``;``
between), what is given, and the answer. ``given …`` on a line of its own holds for the lines
below it, in place of what was given before. Parts of a column are separated by ``;``, melds by
``/``.

Those of Proter lie in ``cases/``, those of another game in a folder with its id.

- given: ``hand 8``, ``online`` (the other sheet), ``sheet denexa``, ``packs 2``, ``wild 8``,
  ``table 5C 6C 7C / 9C 9D 9H``, ``pile 2C 3D``, ``holding 2C 3D``, ``melded this turn``,
  ``melded this hand``, ``contract met``, ``drew 8H``, ``holds 12``, ``min_naturals=1``;
  ``cards …`` of a declaration, where they are not those of its melds.
- plays: ``meld …``, ``lay_off … onto 0``, ``swap … onto 0 low``, ``discard …``, ``turn …; …``,
  ``contract … / …``, and ``declare … / …``, without a ``/`` if the cards are not grouped.
- answer: ``legal`` or the broken rules; ``reads …`` every reading, ``ways … or …`` those
  of a contract; ``20 turn`` points and what is taken back; ``there legal`` what the other sheet
  says, or ``there nothing``; ``takes 8H`` and ``becomes …`` for a swap;
  ``melds … / …`` what makes a declaration legal; ``says …`` words of the sentence;
  ``error cards: …`` what is to be changed, and words of why.
- answer to a turn, beside those: ``plays legal, PRO-9`` each play; ``table …``, ``pile …`` and
  ``holds …`` what there is afterwards; ``plays there …`` each play on the other sheet.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.check import answer
from companion.rules.errors import Malformed
from companion.rules.games import GAMES

CASES = Path(__file__).parent / "cases"
ONLINE = "playginrummyonline"


def parts(text: str, between: str = ";") -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]


def asked_play(text: str) -> dict[str, Any]:
    word, _, rest = text.partition(" ")
    cards, _, onto = rest.partition(" onto ")
    onto, _, joker_to = onto.partition(" ")
    said: dict[str, Any] = {"onto": int(onto)} if onto else {}
    return {word: cards or True, **said, **({"joker_to": joker_to} if joker_to else {})}


def question(game: str, plays: str, given: str) -> dict[str, Any]:
    asked: dict[str, Any] = {"game": game}
    for part in parts(given):
        word, _, rest = part.partition(" ")
        if word in GIVEN:
            asked |= GIVEN[word](rest)
        elif word in ("melded", "contract"):
            asked.setdefault("player", {})[part.replace(" ", "_")] = True
        elif word == "drew":
            asked.setdefault("player", {})["drew"] = rest
        elif word == "holds":
            asked.setdefault("player", {})["holds"] = int(rest)
        else:
            rule, equals, choice = part.partition("=")
            assert equals, f"{part!r} is nothing that can be given"
            asked.setdefault("rules", {})[rule] = choice
    if plays.startswith("contract "):
        return asked | {"ask": "contract", "melds": parts(plays.removeprefix("contract "), "/")}
    if plays.startswith("declare "):
        melds = parts(plays.removeprefix("declare "), "/")
        grouped = {"melds": melds} if "/" in plays else {}
        cards = [card.partition("=")[0] for meld in melds for card in meld.split()]
        return {"ask": "declare", "cards": cards, **grouped, **asked}
    if plays.startswith("turn "):
        return asked | {"ask": "turn", "plays": [asked_play(play) for play in parts(plays[5:])]}
    play = asked_play(plays)
    ask = next(iter(play))
    key = "cards" if ask in ("meld", "lay_off") else "card"
    return asked | {"ask": ask, key: play.pop(ask), **play}


GIVEN: dict[str, Callable[[str], dict[str, Any]]] = {
    "hand": lambda rest: {"hand": int(rest)},
    "packs": lambda rest: {"packs": int(rest)},
    "wild": lambda rest: {"wild_rank": None if rest == "none" else rest},
    "sheet": lambda rest: {"sheet": rest},
    "online": lambda rest: {"sheet": ONLINE},
    "table": lambda rest: {"table": parts(rest, "/")},
    "pile": lambda rest: {"pile": rest},
    "holding": lambda rest: {"holding": rest},
    "cards": lambda rest: {"cards": rest},
}


def lines() -> Iterator[Any]:
    for path in sorted(CASES.glob("**/*.txt")):
        game = "proter" if path.parent == CASES else path.parent.name
        standing = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("given"):
                standing = line.removeprefix("given").strip()
                continue
            rule, plays, given, expected = (column.strip() for column in line.split("|"))
            yield pytest.param(
                question(game, plays, f"{standing};{given}"),
                parts(expected),
                id=f"{game}/{path.stem}:{number} {rule} {plays}",
            )


def broken(text: str) -> list[str]:
    return [] if text == "legal" else text.split()


def expect_error(asked: dict[str, Any], expected: str) -> None:
    where, _, words = expected.partition(": ")
    with pytest.raises(Malformed) as raised:
        answer(asked)
    assert (raised.value.where, words in str(raised.value)) == (where, True), str(raised.value)


@pytest.mark.parametrize(("asked", "expected"), list(lines()))
def test_case(asked, expected):
    if expected[0].startswith("error "):
        expect_error(asked, expected[0].removeprefix("error "))
        return
    ruling = answer(asked)
    assert ruling["broken"] == broken(expected[0]), ruling["says"]
    assert ruling["legal"] is (expected[0] == "legal")
    assert ruling["says"].startswith(("Legal", "The whole turn is legal")) is ruling["legal"]
    # The turn passes when the whole of it is taken back, and a legal play costs nothing.
    assert ruling["turn_passes"] is (ruling["take_back"] == "turn")
    assert not ruling["legal"] or (ruling["points"], ruling["take_back"]) == (0, "none")
    assert set(ruling["elsewhere"]) == other_sheets(asked)
    for part in expected[1:]:
        word, _, rest = part.partition(" ")
        holds = ANSWERS.get(word, costs)
        assert holds(ruling, part if holds is costs else rest), (part, ruling)


def other_sheets(asked: dict[str, Any]) -> set[str]:
    sheets = [sheet.id for sheet in GAMES[asked["game"]].sheets]
    return set(sheets) - {asked.get("sheet", sheets[0])}


def costs(ruling: dict[str, Any], part: str) -> bool:
    return f"{ruling['points']} {ruling['take_back']}" == part


# A sheet that cannot be asked the same says nothing.
LEGAL = {"legal": True, "illegal": False, "nothing": None}


def there(ruling: dict[str, Any], part: str) -> bool:
    return list(ruling["elsewhere"].values()) == [LEGAL[part]]


def plays(ruling: dict[str, Any], part: str) -> bool:
    if part.startswith("there "):
        legal = [play["elsewhere"] for play in ruling["plays"]]
        expected = [LEGAL[play] for play in parts(part.removeprefix("there "), ",")]
        return [list(play.values()) for play in legal] == [[play] for play in expected]
    return [play["broken"] for play in ruling["plays"]] == [broken(p) for p in parts(part, ",")]


ANSWERS: dict[str, Callable[[dict[str, Any], str], bool]] = {
    "reads": lambda ruling, part: (
        sorted(parts("/".join(ruling["readings"]), "/")) == sorted(parts(part, "/"))
    ),
    "ways": lambda ruling, part: sorted(ruling["readings"]) == sorted(parts(part, " or ")),
    "says": lambda ruling, part: part in ruling["says"],
    "there": there,
    "takes": lambda ruling, part: ruling["took"] == part,
    "becomes": lambda ruling, part: ruling["meld_after"] == part,
    "melds": lambda ruling, part: sorted(ruling["melds"]) == sorted(parts(part, "/")),
    "plays": plays,
    "table": lambda ruling, part: ruling["table_after"] == parts(part, "/"),
    "pile": lambda ruling, part: ruling["pile_after"] == part.split(),
    "holds": lambda ruling, part: sorted(ruling["holding_after"]) == sorted(part.split()),
}
