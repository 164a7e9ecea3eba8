"""May a player call for the discard (KAL-4)? May a card be drawn from inside the pile (CON-9)?

Both are asked before the play, in forms that answer at once. Nothing is written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, abort, request, url_for
from flask.typing import ResponseReturnValue

from companion.rules.cards import format_cards, parse_card, parse_cards, parse_meld_text
from companion.rules.errors import Malformed
from companion.rules.games.contract_rummy import ContractRummyJudge
from companion.rules.games.kalooki import KalookiJudge
from companion.rules.judge import position_text
from companion.rules.ruling import Ruling
from companion.rules.table import MeldPlay
from companion.services.books import Book
from companion.services.calls_and_draws import (
    calls_on_record,
    is_same,
    laid_on_record,
    rule_on_call,
    rule_on_draw,
)
from companion.services.rulings import ON_RECORD, SAID, next_to_play
from companion.web.acting import Errors, book_of
from companion.web.course import course
from companion.web.facts import YES_NO, FactAsked, FactStated, contract_asked, source_of
from companion.web.pages import game_page
from companion.web.play_form import number_in
from companion.web.rules import words_of_rules

bp = Blueprint("calls_and_draws", __name__)

MOST_CALLS = 20
MOST_CARDS = 60
MOST_MELDS = 10
LONGEST = 300
NONE = "none"

# What an address says, by the names of its fields.
_Said = Mapping[str, list[str]]


def _said(*names: str) -> dict[str, list[str]]:
    """The last value of each field: what is tapped comes after what was known before."""
    values = {name: request.args.getlist(name)[-1:] for name in names}
    return {name: [last[0][:LONGEST]] for name, last in values.items() if last and last[0]}


def _of(said: _Said, name: str) -> str:
    return said[name][0] if name in said else ""


def _fields(said: _Said, *without: str) -> list[tuple[str, str]]:
    """The fields of a form that keeps what was said."""
    return [(name, one) for name, values in said.items() if name not in without for one in values]


def _ruled(book: Book, ruling: Ruling, rules: tuple[str, ...]) -> dict[str, Any]:
    """A ruling with the words of its rules."""
    return {"ruling": ruling, "rules": rules, "words": words_of_rules(book, rules)}


# -- calls ----------------------------------------------------------------------------------------


@bp.get("/games/<game_id>/call")
def call(game_id: str) -> ResponseReturnValue:
    """Whose turn it is, who calls, and whether that player may."""
    book = book_of(game_id)
    sheet = book.sheet
    rules = sheet.hand.rules
    if not isinstance(rules, KalookiJudge):
        abort(404)
    facts = [f"{fact}-{seat}" for fact in ("laid", "calls") for seat in sheet.players]
    said = _said("turn", "caller", *facts)
    turn, caller = (number_in(_of(said, name)) for name in ("turn", "caller"))
    if "turn" not in request.args:
        turn = next_to_play(sheet)
    errors: Errors = []
    found: dict[str, Any] = {}
    if request.args.keys() & {"turn", "caller"} and not sheet.over:
        if turn not in sheet.players:
            errors.append(("turn", "Say whose turn it is."))
        if caller not in sheet.players:
            errors.append(("caller", "Tap who calls."))
        if turn is not None and caller is not None and not errors:
            found = _called(book, rules, said | {"turn": [str(turn)]}, turn, caller)
    page = game_page(
        "rulings/call.html",
        book,
        "Rulings",
        errors=errors,
        fields=_fields(said, "turn"),
        turn=turn,
        caller=caller,
        seats=[(str(seat), sheet.names[seat]) for seat in sheet.players],
        rule=rules.calls_rule,
        **found,
    )
    return page, 422 if errors else 200


def _called(book: Book, rules: KalookiJudge, said: _Said, turn: int, caller: int) -> dict[str, Any]:
    """The ruling on a call and what it rests on, or the fact that it depends on."""
    hand, names = book.sheet.hand, book.sheet.names
    name, at_turn = names[caller], names[turn]

    def address(**changed: str) -> str:
        values: dict[str, Any] = {**said, **changed}
        return url_for("calls_and_draws.call", game_id=book.record.id, **values)

    def has_laid(seat: int) -> bool | None:
        on_record = True if laid_on_record(hand, seat) else None
        return {"1": True, "0": False}.get(_of(said, f"laid-{seat}"), on_record)

    def stated(seat: int, says: str, *, has: bool) -> FactStated:
        field = f"laid-{seat}"
        source = source_of(book, SAID if field in said else ON_RECORD)
        return FactStated(says, source, address(**{field: str(int(not has))}))

    laid, melded, own_turn = has_laid(caller), has_laid(turn), turn == caller
    counted = number_in(_of(said, f"calls-{caller}"))
    calls = calls_on_record(hand, caller) if counted is None else min(counted, MOST_CALLS)
    ways = rule_on_call(rules, own_turn=own_turn, laid=laid, melded=melded, calls=calls)
    if ways is None:
        says = f"Had {name} laid anything in this hand?"
        return {"question": FactAsked(f"laid-{caller}", says, YES_NO)}
    if "change" in request.args:
        numbers = [str(number) for number in range(max(rules.calls_allowed, calls) + 1)]
        says = f"How many calls of {name} succeeded in this hand, before this one?"
        return {"question": FactAsked(f"calls-{caller}", says, tuple((n, n) for n in numbers))}
    if_melded, if_not = ways
    follows = [one.says for one in if_not.follows if one in if_melded.follows]
    found = _ruled(book, if_not.ruling, (rules.calls_rule,)) | {"follows": follows}
    facts = found["facts"] = []
    if laid is not None and not own_turn:
        what = "something" if laid else "nothing"
        facts.append(stated(caller, f"{name} had laid {what} in this hand", has=laid))
    if not if_not.follows:  # the card goes to nobody
        return found
    if melded is not None:
        had = "had" if melded else "had not"
        facts.append(stated(turn, f"{at_turn} {had} melded in this hand", has=melded))
    else:
        may = f"Unless {at_turn} has melded in this hand, {at_turn} may refuse by taking the card"
        follows.insert(0, f"{may}; a refused call does not count.")
        says = f"Had {at_turn} melded in this hand?"
        found["question"] = FactAsked(f"laid-{turn}", says, YES_NO)
    source = source_of(book, ON_RECORD if counted is None else SAID)
    says = f"Calls of {name} that succeeded before: {calls}"
    facts.append(FactStated(says, source, address(change="calls")))
    # A free call can be noted while the record has fewer of them than the rules allow.
    found["can_note"] = not if_not.ruling.legal or hand.calls.count(caller) < rules.calls_allowed
    return found


# -- draws from inside the pile -------------------------------------------------------------------

# The pages of a draw in their order, each with what else it asks for.
_STAGES: Final = {"card": ("player",), "above": (), "cards": ("rule",)}
_CONTRACT: Final = {"earlier": True, "no": False}


@bp.get("/games/<game_id>/draw")
def draw(game_id: str) -> ResponseReturnValue:
    """Which card was drawn, what lay above it, where it went, and whether that is legal."""
    book = book_of(game_id)
    sheet = book.sheet
    rules = sheet.hand.rules
    if not isinstance(rules, ContractRummyJudge) or not rules.draws_inside:
        abort(404)
    said, errors = ({}, []) if sheet.over else _entered()
    player = number_in(_of(said, "player")) if "player" in said else next_to_play(sheet)
    player = player if player in sheet.players else None
    stage = errors[0][0] if errors and "card" in said else _stage(said)
    errors = [(stage, says) for _, says in errors]
    found: dict[str, Any] = {}
    if not stage:
        try:
            found = _drawn(book, rules, said, player)
        except Malformed as problem:
            stage = problem.where if problem.where in _STAGES else "cards"
            errors = [(stage, str(problem))]
    melds, _ = position_text(sheet.hand.board.table)
    plays = [MeldPlay(parse_meld_text(text)) for text in said.get("meld", ())]
    laid = course(melds, _of(said, "card") if stage == "above" else "", rules, plays)
    drawn = dict.fromkeys(said.get("above", ()), "taken") | {_of(said, "card"): "drawn"}
    page = game_page(
        "rulings/draw.html",
        book,
        "Rulings",
        errors=errors,
        stage=stage,
        fields=_fields(said, stage, *_STAGES.get(stage, ())),
        said=said,
        player="" if player is None else str(player),
        name="the player" if player is None else sheet.names[player],
        seats=[(str(seat), sheet.names[seat]) for seat in sheet.players],
        lies=laid.lies,
        tags=laid.tags | (drawn if stage == "cards" else {}),
        wild_rank="".join(rank.text for rank in rules.limits.wild_ranks),
        rule=rules.turn_rule,
        **found,
    )
    return page, 422 if errors else 200


def _entered() -> tuple[dict[str, list[str]], Errors]:
    """What was entered of a draw and can be read, and what is wrong with the rest."""
    args = request.args
    errors: Errors = []
    said = _said("player", "rule", "contract")
    sent = {
        "card": ("card", args.getlist("card")[-1:]),
        "above": ("above", args.getlist("above")[:MOST_CARDS]),
        "meld": ("cards", args.getlist("meld")[:MOST_MELDS]),
        "cards": ("cards", args.getlist("cards")[:MOST_CARDS]),
    }
    for name, (stage, texts) in sent.items():
        parse = parse_meld_text if name == "meld" else lambda text: [parse_card(text)]
        try:
            read = [format_cards(parse(one[:LONGEST])) for one in texts if one not in {"", NONE}]
        except Malformed as problem:
            errors.append((stage, str(problem)))
            continue
        if any(read):
            said[name] = [text for text in read if text]
    if NONE in sent["above"][1]:
        said["above"] = [NONE]
    if _of(said, "rule") not in {"1", NONE}:
        said.pop("rule", None)
    melds = said.get("meld", [])
    if "drop" in args:
        said["meld"] = [text for number, text in enumerate(melds) if str(number) != args["drop"]]
    elif "add" in args and "cards" in said:
        said["meld"] = [*melds, " ".join(said.pop("cards"))]
    elif "add" in args or (_of(said, "rule") == "1" and not melds and "cards" not in said):
        errors.append(("cards", "Tap the cards of the meld."))
    if "next" in args and "above" not in said:
        errors.append(("above", "Tap the cards that lay above it, or say that none did."))
    return said, errors


def _stage(said: _Said) -> str:
    """The page to show now; empty once there is enough to rule on."""
    change = request.args.get("change", "")
    if "card" not in said or change == "card":
        return "card"
    if "above" not in said or change == "above":
        return "above"
    has_melds = "rule" in said and change != "cards"
    return "" if said["above"] == [NONE] or has_melds else "cards"


def _drawn(
    book: Book, rules: ContractRummyJudge, said: _Said, player: int | None
) -> dict[str, Any]:
    """The ruling on a draw and what it rests on, or the fact that it depends on."""
    board = book.sheet.hand.board
    name = "the player" if player is None else book.sheet.names[player]

    def address(**changed: str) -> str:
        values: dict[str, Any] = {**said, **changed}
        return url_for("calls_and_draws.draw", game_id=book.record.id, **values)

    card, above = _of(said, "card"), " ".join(one for one in said["above"] if one != NONE)
    melds = [*said.get("meld", ()), *([" ".join(said["cards"])] if "cards" in said else ())]
    if not above or _of(said, "rule") == NONE:
        melds = []
    met = _CONTRACT.get(_of(said, "contract"))
    source = source_of(book, ON_RECORD if met is None else SAID)
    if met is None and player is not None and board.has_met_contract(player):
        met = True
    taken = parse_cards(f"{card} {above}")
    if_met, if_not = rule_on_draw(rules, board.table, taken, [*map(parse_meld_text, melds)], met)
    facts = [
        FactStated("Drawn", change=address(change="card"), cards=card),
        FactStated(
            "Above it" if above else "Nothing lies above it",
            change=address(change="above"),
            cards=above,
        ),
        *(
            FactStated("Melded at once", change=address(change="cards"), cards=meld)
            for meld in melds
        ),
    ]
    if above and not melds:
        facts.append(FactStated("Nothing is melded with it", change=address(change="cards")))
    if not is_same(if_met, if_not):
        return {"question": contract_asked(name, whole_turn=True), "facts": facts}
    if above and met is None:
        facts.append(FactStated(f"Whether {name} had met the contract makes no difference"))
    elif above:
        had = "had met the contract in an earlier turn" if met else "had not met the contract"
        other = address(contract="no" if met else "earlier")
        facts.append(FactStated(f"{name[0].upper()}{name[1:]} {had}", source, other))
    ruling = if_met.ruling
    return _ruled(book, ruling, ruling.broken or (rules.turn_rule,)) | {"facts": facts}
