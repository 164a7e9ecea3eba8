"""Asking for a ruling: what is in dispute, what decides, and the ruling that is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue

from companion.notebook.board import Board, why_not_there
from companion.notebook.describe import say
from companion.notebook.events import CardTurned, Event, NotPossible, PlayRecorded
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import format_cards, parse_meld_text
from companion.rules.contracts import ContractJudge
from companion.rules.declaring import DeclaringJudge
from companion.rules.errors import Ambiguous, Malformed
from companion.rules.judge import Judge, position_text
from companion.rules.position import parse_table
from companion.rules.question import CALL, DECLARE, DRAW, UNKNOWN_PILE, Depends
from companion.rules.table import MeldPlay, Play
from companion.services.game_log import LoadedGame, as_meant
from companion.services.rulings import (
    CALL_FACTS,
    SAID,
    TURNED,
    judge,
    next_to_play,
    open_readings,
    ruled,
)
from companion.web.acting import Refused, act, field_id, key_sent, loaded_game
from companion.web.fields import number_or_none, small_number
from companion.web.hand import hand_sent, is_past, past_hand_page, tell_turned
from companion.web.pages import game_page, refused_page
from companion.web.rulings.facts import CONTRACT_ASKS, contract_asked, facts_asked, source_of
from companion.web.rulings.form import (
    MOST_PLAYS,
    MOST_SEEN,
    OF_SEVERAL,
    RulingForm,
    ask_url,
    read_asked,
)
from companion.web.rulings.plays import (
    Open,
    Step,
    added,
    course,
    open_among,
    open_play,
    parsed_plays,
    question_steps,
)
from companion.web.rulings.verdict import bp
from companion.web.upcoming import book_ahead, is_ahead, not_begun_after

FORMS = {
    "": "rulings/ask.html",
    "discard": "rulings/discard.html",
    "meld": "rulings/meld.html",
    "lay_off": "rulings/meld.html",
    "swap": "rulings/swap.html",
    "contract": "rulings/contract.html",
    "turn": "rulings/turn.html",
    DECLARE: "rulings/declare.html",
    CALL: "rulings/call.html",
    DRAW: "rulings/draw.html",
}
FIELDS = frozenset({"player", "cards", "onto", "turn", "drawn", "above"})
# What an address may ask for again, and the fact that it is.
CHANGES = {"contract": "contract_met", "pile": "pile"} | {fact: fact for fact in CALL_FACTS}
# The button that says of tapped cards that they lie on the table as a meld.
LIES = "lies"


@bp.get("/games/<game_id>/ruling")
def form(game_id: str) -> ResponseReturnValue:
    """What is in dispute: whose play, which kind, and then its cards.

    With ``change`` it asks for that fact of a ruling again.
    """
    loaded = loaded_game(game_id)
    asked = read_asked(request.args)
    if is_past(loaded.sheet, asked.hand):  # an old address: nothing of it is asked in this hand
        asked = RulingForm(asked.ask, asked.player)
    try:
        parsed_plays(asked.plays)
        changed = request.args.get("change", "")
        if changed and not loaded.sheet.over and (asked.ask != DRAW or changed in CHANGES):
            return _ask_facts(
                loaded, asked.whole.found(loaded.sheet), [CHANGES.get(changed, "pile")]
            )
    except (NotPossible, Malformed) as problem:
        return _form(replace(asked, plays=()), _refused(problem, loaded))
    return _form(asked, loaded)


@bp.post("/games/<game_id>/ruling")
def ask(game_id: str) -> ResponseReturnValue:
    """Rule on it and keep the ruling, or ask what it depends on first."""
    loaded = loaded_game(game_id)
    asked, number, said = read_asked(request.form), hand_sent(loaded.sheet), 0
    try:
        meant = as_meant(loaded, key_sent())
        if not is_past(meant.sheet, number):  # else it is refused as it is
            composed = _composing(loaded, asked)
            if composed is not None:
                return composed
            asked = _with_readings(asked.whole.found(meant.sheet), meant.sheet)
            said = _say_turned(game_id, meant.sheet)
        _, entry = act(game_id, lambda sheet: _ruled(sheet, asked), said)
    except Unsaid as problem:
        return _ask_facts(loaded_game(game_id), asked, problem.facts)
    except Open as problem:
        return _ask_reading(loaded_game(game_id), asked, problem)
    except (NotPossible, Malformed) as problem:
        return _form(asked, _refused(problem, loaded))
    except Refused as refused:
        return _form(asked, refused)
    return redirect(url_for("rulings.show", game_id=game_id, number=entry.number), 303)


def _composing(loaded: LoadedGame, asked: RulingForm) -> ResponseReturnValue | None:
    """The next page of a question that is put together; None if it is to be ruled on now."""
    adds = request.form.get("add", "")
    if adds == LIES:
        return _with_meld_there(loaded, asked)
    if "unsee" in request.form:
        asked = asked.without_seen(request.form.get("unsee", type=small_number))
        return redirect(ask_url(loaded.record.id, asked), 303)
    if asked.ask in (*OF_SEVERAL, DRAW) and (adds or "drop" in request.form):
        return _composed(loaded, asked)
    if asked.ask == DRAW and (asked.lacks_player or "next" in request.form):
        return _next_of_draw(loaded, asked)
    return None


class Unsaid(ValueError):
    """The ruling depends on facts that nobody stated."""

    def __init__(self, facts: Sequence[str]) -> None:
        super().__init__("The ruling depends on what nobody has said yet.")
        self.facts = tuple(facts)


def _ruled(sheet: ScoreSheet, form: RulingForm) -> Event:
    asked = form.asked(sheet)
    try:
        found = judge(sheet, asked)
    except Ambiguous as problem:
        raise open_play(problem) from None
    if isinstance(found, Depends):
        raise Unsaid(found.on)
    is_open = open_readings(asked.question, found)
    if is_open is not None:
        raise open_among(*is_open)
    return ruled(sheet, asked, found)


def _say_turned(game_id: str, sheet: ScoreSheet) -> int:
    """Put on record which card was turned up, if the form says it and the record does not.

    Returns how many events that made.
    """
    rank = request.form.get(TURNED, "")[:10]
    if not rank or not sheet.hand.lacks_turned:
        return 0
    after, _ = act(game_id, lambda sheet: CardTurned(sheet.hand.number, rank))
    tell_turned(after.sheet.hand)
    return 1


def _refused(problem: ValueError, loaded: LoadedGame) -> Refused:
    return Refused(422, [(field_id(problem), str(problem))], loaded)


def _composed(loaded: LoadedGame, asked: RulingForm) -> ResponseReturnValue:
    """The turn with one play more or fewer, at an address of its own. Nothing is written down."""
    _, asked = in_its_hand(loaded, asked)
    plays = [play.text for play in parsed_plays(asked.plays)]
    drop = request.form.get("drop", "")
    if drop:
        plays = [play for number, play in enumerate(plays) if str(number) != drop]
    elif len(plays) < MOST_PLAYS:
        plays.append(added(request.form.get("add", ""), asked.with_drawn.cards).text)
    else:
        raise NotPossible("No turn has so many plays.", "cards")
    asked = replace(asked, cards=(), onto=None, plays=tuple(plays))
    return redirect(ask_url(loaded.record.id, asked), 303)


def _next_of_draw(loaded: LoadedGame, asked: RulingForm) -> ResponseReturnValue:
    """The next page of a draw: what lay above the card, then the melds. Nothing is written down."""
    if not asked.above and request.form.get("next") == "above":
        raise NotPossible("Tap the cards that lay above it, or say that none did.", "above")
    return redirect(ask_url(loaded.record.id, asked), 303)


def _with_meld_there(loaded: LoadedGame, asked: RulingForm) -> ResponseReturnValue:
    """The question with the tapped cards as a meld that lies on the table, not on record yet.

    It belongs to no player. Nothing is written down before the ruling is.
    """
    _, text = chosen_reading()
    sheet, asked = loaded.sheet, asked.found(loaded.sheet)
    if text:
        asked = asked.standing(0, parse_meld_text(text))
    if not asked.cards:
        raise NotPossible("Tap the cards of the meld that lies there.", "cards")
    if asked.plays:
        raise NotPossible("Name the melds that lie there before the plays of the turn.", "cards")
    rules = sheet.hand.rules
    recorded, _ = position_text(asked.board(sheet).table)
    there = parse_table([*recorded, *asked.seen], (), rules)
    problem = why_not_there(there, MeldPlay(parse_meld_text(asked.cards)), rules)
    if problem:
        raise NotPossible(problem, "cards")
    try:
        texts = [meld.text for meld in there.melds]
        melds = parse_table([*texts, " ".join(asked.cards)], (), rules, "cards").melds
    except Ambiguous as open_card:
        return _ask_reading(loaded, asked, open_play(open_card), add=LIES)
    seen = (*asked.seen, melds[-1].text)[:MOST_SEEN]
    onto = len(recorded) + len(seen) - 1
    asked = replace(asked, cards=asked.laid_off, laid_off=(), seen=seen, onto=onto, lying=None)
    return redirect(ask_url(loaded.record.id, asked), 303)


def _with_readings(asked: RulingForm, sheet: ScoreSheet) -> RulingForm:
    """The question with what the marker chose for a wild card, if that is what was sent."""
    number, text = chosen_reading()
    if not text:
        return asked
    if asked.ask == "swap":
        return asked.moved(parse_meld_text(text), asked.asked(sheet).question.melds)
    return asked.standing(number, parse_meld_text(text))


def chosen_reading() -> tuple[int, str]:
    """The play whose wild card was asked about, and what was chosen for it, as card text."""
    number, _, wild = request.form.get("wild", "")[:10].partition(":")
    stands = request.form.get("stands", "")[:10]
    text = f"{wild}={stands}" if stands else request.form.get("reading", "")[:300]
    return number_or_none(number) or 0, text


# -- the pages of a question ----------------------------------------------------------------------


def _form(asked: RulingForm, of: LoadedGame | Refused) -> ResponseReturnValue:
    """The page on which the question is entered, or entered again with what is wrong."""
    refused = of if isinstance(of, Refused) else None
    loaded = of.loaded if isinstance(of, Refused) else of
    if refused is not None and asked.hand is not None and is_past(loaded.sheet, asked.hand):
        return past_hand_page(refused, asked.hand, "A ruling", "Rulings")
    loaded, asked = in_its_hand(loaded, asked)
    sheet = loaded.sheet
    asked = asked.found_in_part(sheet)
    if request.form.get("add") != LIES:
        asked = asked.asking_for_meld(sheet)
    if asked.replaces(sheet) is None:
        asked = replace(asked, instead_of=None)
    known = asked.ask in sheet.hand.rules.disputes and not sheet.over
    if asked.player not in sheet.players:
        # A form that is asked for without a player has them all to choose from.
        asked = replace(asked, player=None if known else next_to_play(sheet))
    template = FORMS[asked.ask if known else ""]
    context = question_context(loaded, asked.shown)
    if asked.ask == DRAW:
        at = refused.errors[0][0] if refused else request.args.get("change", "")
        context["stage"] = at if at in {"drawn", "above"} else context["asked"].draw_step
    if refused is None:
        return game_page(template, loaded, "Rulings", errors=[], **context)
    refused.loaded = loaded
    refused.errors = [(at if at in FIELDS else "cards", says) for at, says in refused.errors]
    return refused_page(template, refused, "Rulings", **context)


def _ask_facts(loaded: LoadedGame, asked: RulingForm, facts: Sequence[str]) -> ResponseReturnValue:
    """The page that asks for what the ruling depends on; the pile comes last."""
    loaded, asked = in_its_hand(loaded, asked)
    question = asked.asked(loaded.sheet).question
    context = question_context(loaded, asked)
    wanted = facts_asked([fact for fact in facts if fact != "pile"], asked, loaded.sheet)
    if wanted:
        fields = {fact.field for fact in wanted}
        context |= {"wanted": wanted, "without": fields, "steps": steps_of(asked, loaded.sheet)}
        asks = " ".join(fact.says for fact in wanted)
        return game_page("rulings/facts.html", loaded, "Rulings", asks=asks, **context)
    if question.discarded is None:
        return _form(asked, loaded)  # an address that asks for what no ruling depends on
    pile = question.pile.cards
    asks_under = bool(pile) and not request.args.get("change")
    lies = {card: where for card, where in context["laid"].lies.items() if where == "table"}
    lies |= {card.text: "pile" for card in pile if asks_under}
    lies[question.discarded.text] = "discard"
    if asks_under:
        asked = replace(asked, top=pile[-1].text)
    context |= {
        "asked": asked,
        "wanted": "under" if asks_under else "top",
        "without": {"under"} if asks_under else {"top", "under"},
        "discarded": question.discarded,
        "lies": lies,
        "on_top": pile[-1:],
        "recorded": _recorded(loaded, asked, lies),
    }
    asks = f"What was on top of the pile before {question.discarded.shown}?"
    if asks_under:
        asks = f"What lay under {pile[-1].shown}?"
    return game_page("rulings/pile.html", loaded, "Rulings", asks=asks, **context)


def _recorded(loaded: LoadedGame, asked: RulingForm, lies: Mapping[str, str]) -> str:
    """The card that the record has there, to be said with one tap; or nothing.

    It is the top of the pile, or where that was said, the card under it.
    """
    pile = [card.text for card in asked.board(loaded.sheet).table.pile]
    if asked.top:
        pile = pile[: pile.index(asked.top)] if asked.top in pile else []
    return pile[-1] if pile and pile[-1] not in lies else ""


def _ask_reading(
    loaded: LoadedGame, asked: RulingForm, problem: Open, add: str = ""
) -> ResponseReturnValue:
    loaded, asked = in_its_hand(loaded, asked)
    fields = [*asked.fields, *([("add", add)] if add else [])]
    address = url_for("rulings.ask", game_id=loaded.record.id)
    return reading_page(loaded, asked.shown, problem, address, fields, is_ruling=not add)


def reading_page(
    loaded: LoadedGame,
    asked: RulingForm,
    problem: Open,
    action: str,
    fields: Sequence[tuple[str, str]],
    *,
    is_ruling: bool,
) -> str:
    """A page that asks what a wild card stands for, and sends the fields again with the answer."""
    return game_page(
        "rulings/reading.html",
        loaded,
        "Rulings",
        open=problem,
        action=action,
        fields=fields,
        is_ruling=is_ruling,
        asks=f"What does {', '.join(problem.wilds)} stand for?",
        **question_context(loaded, asked),
    )


def in_its_hand(loaded: LoadedGame, asked: RulingForm) -> tuple[LoadedGame, RulingForm]:
    """The game as the question sees it: with its hand open, if that has not begun.

    Otherwise no page says which hand it was asked in: it is the open one's.
    """
    ahead = book_ahead(loaded, asked.hand)
    return (loaded, replace(asked, hand=None)) if ahead is None else (ahead, asked)


def question_context(loaded: LoadedGame, asked: RulingForm) -> dict[str, Any]:
    """What a page needs to show a question on the recorded table of the open hand."""
    sheet = loaded.sheet
    hand, board = sheet.hand, asked.board(sheet)
    try:
        plays: Sequence[Play] = parsed_plays(asked.plays)
    except Malformed:
        plays = ()
    melds, pile = position_text(board.table)
    # Cards of the pile can be tapped: the player may have taken it in this turn.
    laid = course((*melds, *asked.seen), "", hand.rules, plays)
    player = asked.player if asked.player in sheet.players else None
    address = url_for("rulings.form", game_id=loaded.record.id, hand=asked.hand, ask=asked.ask)
    name = "the player" if player is None else sheet.names[player]
    last = sheet.can_undo.event if sheet.can_undo else None
    following = str(next_to_play(sheet))
    return {
        "asked": asked,
        "player": player,
        "name": name,
        "whose": "a" if player is None else f"{name}’s",
        "again": address if player is None else "",
        "start_url": ask_url(loaded.record.id, replace(asked.of(None), ask="")),
        "asked_url": ask_url(loaded.record.id, asked),
        "ahead_of": asked.hand,
        "what": _what(asked, name, hand.rules),
        "waits_begin": _WAITS_SEVERAL if asked.ask in OF_SEVERAL else _WAITS,
        "begun_says": BEGUN_SAYS.format("The" if asked.ask in hand.rules.disputes else "A"),
        "follows": not_begun_after(),
        "next_to_play": following,
        "turn": following if asked.turn is None else str(asked.turn),
        "laid": laid,
        "lying": {"melds": "; ".join(melds), "pile": ""},
        "pile": pile,
        "pile_is_whole": board.whole,
        "pile_known": _pile_known(loaded, board, asked),
        "contract": _contract(sheet, asked),
        "wild_rank": "".join(rank.text for rank in hand.rules.limits.wild_ranks),
        "hand_rules": hand.rules,
        "kinds": _kinds(sheet, loaded.record.id),
        "has_swaps": "swap" in hand.rules.asks,
        "joker_ends": hand.rules.joker_ends,
        "takes_pile": hand.rules.takes_pile,
        "claim": _claim(sheet),
        "claim_rule": sheet.game.house_rule("claim_until").rule if _claim(sheet) else "",
        "players": [(str(seat), sheet.names[seat]) for seat in sheet.playing],
        "dispute": say(last, sheet) if isinstance(last, PlayRecorded) else "",
    }


_WAITS: Final = "Without a connection the"
_WAITS_SEVERAL: Final = "Without a connection the plays are put together on this phone. The"
BEGUN_SAYS: Final = (
    "so of this one nothing is on record. {} question waits on this phone, and is ruled on when it "
    "is saved"
)


def _what(asked: RulingForm, name: str, rules: Judge) -> str:
    """What the question is about, for the list of what waits on the phone: ``Ben’s discard``."""
    if asked.ask == CALL:
        return "a call"
    if asked.ask == "contract" and asked.player is None:
        return "first melds"
    called = {"contract": "first melds", "lay_off": "lay-off"}
    if isinstance(rules, DeclaringJudge):
        called[DECLARE] = rules.declare_call
    return f"{'a' if asked.player is None else f'{name}’s'} {called.get(asked.ask, asked.ask)}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of play that can be asked about: what the page sends, its name, and a note under it.

    ``address`` is where it is asked, if that is another page than the others'.
    """

    ask: str
    name: str
    note: str = ""
    address: str = ""


def _kinds(sheet: ScoreSheet, game_id: str) -> list[Kind]:
    """The plays that can be asked about in this hand, in the game's words."""
    rules = sheet.hand.rules
    has_contract = isinstance(rules, ContractJudge)
    declared = rules.declare_call if isinstance(rules, DeclaringJudge) else ""
    kinds = [
        Kind("contract", "First melds"),
        Kind("discard", "Discard"),
        Kind("meld", "Further meld" if has_contract else "Meld"),
        Kind("lay_off", "Lay-off"),
        Kind("swap", "Swap"),
        Kind(DECLARE, declared, "all cards, declared at once"),
        Kind("turn", "A whole turn", "several plays, one after the other"),
    ]
    kinds += [] if is_ahead() else [Kind(CALL, "Call"), Kind(DRAW, "Draw from the pile")]
    found = [one for one in kinds if one.ask in rules.disputes]
    if rules.may_i_rule:
        found.append(Kind("", "May I?", address=url_for("upcards.form", game_id=game_id)))
    return sorted(found, key=lambda kind: bool(kind.note))


def steps_of(asked: RulingForm, sheet: ScoreSheet) -> list[Step]:
    """The plays that are asked about, to be shown beside what is asked back. May raise."""
    question = asked.asked(sheet).question
    return question_steps(question, [meld.text for meld in question.melds], "", sheet.hand.rules)


def _pile_known(loaded: LoadedGame, board: Board, asked: RulingForm) -> tuple[str, str] | None:
    """The top of the pile and where it is known from, if it was said or is sure for this player."""
    if asked.player is None or asked.top == "none":
        return None
    if asked.top:
        return asked.top, source_of(loaded, SAID)
    pile = board.pile_for(asked.player)
    if pile == UNKNOWN_PILE:
        return None
    return format_cards(pile.cards), source_of(loaded, board.known_by)


def _contract(sheet: ScoreSheet, asked: RulingForm) -> dict[str, Any] | None:
    """What the form asks about the player's contract; None where no ruling depends on it."""
    if asked.ask not in CONTRACT_ASKS or not isinstance(sheet.hand.rules, ContractJudge):
        return None
    fact = contract_asked(asked, sheet)
    met = asked.player is not None and asked.board(sheet).has_met_contract(asked.player)
    met = met or len(fact.choices) == 1
    return {"fact": fact, "value": asked.contract or ("earlier" if met else "")}


def _claim(sheet: ScoreSheet) -> str:
    """When a claim is made at this table; empty where the game does not say."""
    chosen = dict(sheet.house.values).get("claim_until")
    return "" if chosen is None else sheet.game.house_rule("claim_until").says(chosen)
