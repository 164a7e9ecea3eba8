"""Check every event before it is recorded."""

from __future__ import annotations

from companion.notebook import events
from companion.notebook.describe import hand_name, hands_of
from companion.notebook.endings import check_turns_card
from companion.notebook.events import Action, Event, Marks, NotPossible, PlayerAction
from companion.notebook.hand_marks import check_marks, settle_marks
from companion.notebook.hand_sheet import HandSheet, on_record
from companion.notebook.names import LONGEST_REASON, check_name, check_text, check_title
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_cards
from companion.rules.game import Game
from companion.rules.games import game_named
from companion.rules.language import gettext, noted
from companion.rules.question import CALL, DRAW, MAY_I, Call, Question
from companion.rules.ruling import Ruling, TakeBack
from companion.rules.seating import who_gets
from companion.rules.table import LayOff, MeldPlay, Swap, TakePile, check_onto, parse_play

# No table charges more than this at once.
MOST_HOUSE_POINTS = 500
# More than an evening has with every play recorded. Undo may replay all of them.
MOST_ENTRIES = 2500
MOST_PENALTIES = 200


def check_start(event: events.GameStarted) -> None:
    """Raise `NotPossible` or `Malformed` if no game can begin like this."""
    game = game_named(event.game)
    game.house(event.sheet, event.rules)
    check_players(game, len(event.names))
    for seat, name in enumerate(event.names):
        check_name(name, event.names[:seat], f"names.{seat}")
    check_dealer(event.first_dealer, len(event.names))
    check_title(event.title)


def check_dealer(seat: int | None, players: int) -> None:
    """Raise `NotPossible` unless the seat is one of this number of players."""
    if seat not in range(players):
        raise NotPossible("Say who deals first.", "first_dealer")


def check_players(game: Game, players: int) -> None:
    """Raise `NotPossible` if the game is not for this number of players."""
    fewest, most = game.players
    if players < fewest:
        says = noted("Enter the names of %(fewest)s to %(most)s players.")
        raise NotPossible(says, "names", fewest=fewest, most=most)
    if players > most:
        says = noted("%(name)s is played by %(fewest)s to %(most)s players, not %(names)s.")
        raise NotPossible(says, "names", name=game.name, fewest=fewest, most=most, names=players)


def check(event: Event, sheet: ScoreSheet) -> None:
    """Raise `NotPossible`, or an error of the rules, if the event cannot follow on the sheet.

    It also accepts events recorded by earlier versions; `settle` is for new ones.
    """
    if sheet.deleted and not isinstance(event, events.GameDeleted | events.GameRestored):
        raise NotPossible("This game is deleted. Restore it to go on with it.")
    if not isinstance(event, Action):
        _check_game(event, sheet)
        return
    hand_of = _begun_hand if isinstance(event, _ALSO_LATER) else _played_hand
    hand = hand_of(sheet, event.hand)
    if isinstance(event, PlayerAction):
        _check_player(sheet, event.player)
    on_table = isinstance(event, events.PlayRecorded | events.PileSeen | events.UpcardGiven)
    if on_table and not sheet.game.has_table:
        raise NotPossible("No cards are laid on a table in %(name)s.", name=sheet.game.name)
    _check(event, hand, sheet)


def settle(event: Event, sheet: ScoreSheet) -> Event:
    """Return a new event ready to record: checked, with marks completed from the record.

    Raises as `check` does, and `NotPossible` if the game has too many entries or penalties.
    """
    if sheet.number >= MOST_ENTRIES and not isinstance(event, _ALWAYS):
        raise NotPossible(
            "This game has %(number)s entries, the most a game can have. End it and begin another.",
            number=sheet.number,
        )
    if isinstance(event, Marks) and 1 <= event.hand <= len(sheet.hands):
        event = settle_marks(sheet, sheet.hands[event.hand - 1], event)
    check(event, sheet)
    if isinstance(event, events.PenaltyCharged | events.HousePenalty | events.RulingEnforced):
        charged = len(sheet.hands[event.hand - 1].penalties)
        if charged >= MOST_PENALTIES:
            raise NotPossible(
                "%(hand)s has had %(charged)s penalties, and can have no more. "
                "Add up the rest and charge them in another hand as one house penalty.",
                hand=hand_name(sheet.game, event.hand),
                charged=charged,
            )
    return event


def _check_game(event: Event, sheet: ScoreSheet) -> None:
    match event:
        case events.Undone(act=number):
            if sheet.can_undo is None or sheet.can_undo.number != number:
                raise NotPossible("That is no longer the last entry. Undo the newer ones first.")
        case events.Redone(act=number):
            if sheet.can_redo is None or sheet.can_redo.number != number:
                raise NotPossible("There is nothing to redo.")
        case events.GameRenamed(title=title):
            check_title(title)
        case events.PlayerRenamed(player=player, name=name):
            _check_player(sheet, player)
            check_name(name, [*sheet.names[:player], *sheet.names[player + 1 :]], "name")
        case events.FirstDealerChanged(first_dealer=dealer):
            check_dealer(dealer, len(sheet.names))
        case events.GameStarted():
            raise NotPossible("The game has begun already.")
        case _:
            was = {events.GameArchived: sheet.archived, events.GameDeleted: sheet.deleted}
            was |= {events.GameTakenOut: not sheet.archived, events.GameRestored: not sheet.deleted}
            if was[type(event)]:
                raise NotPossible("That has been done already.")


# Events that a game with the most entries still takes.
_ALWAYS = (events.GameDeleted, events.GameRestored, events.GameEnded)
# Actions that can be of a hand already marked. All others are of the hand being played.
_ALSO_LATER = (
    events.RulingEnforced,
    events.PenaltyCharged,
    events.HousePenalty,
    events.PenaltyWithdrawn,
    events.HandCorrected,
)


def why_over(sheet: ScoreSheet) -> str:
    """Return the sentence that a game is over, and why."""
    if sheet.hand.ended:
        says = noted("The game was ended after %(hands)s. Undo that to play on.")
        return gettext(says, hands=hands_of(sheet.game, len(sheet.marked)))
    if sheet.winner is not None:
        return gettext("The game is over: %(name)s has won.", name=sheet.names[sheet.winner])
    word = sheet.game.hand_word
    return gettext("The game is over: its last %(hand_word)s is marked.", hand_word=word)


def _check(  # noqa: C901 - one case for each kind of action
    event: Action, hand: HandSheet, sheet: ScoreSheet
) -> None:
    """Raise `NotPossible`, or an error of the rules, if an action cannot be made in the hand."""
    match event:
        case events.CardTurned(rank=rank):
            check_turns_card(sheet)
            if sheet.with_turned(hand, rank).turned is hand.turned:
                raise NotPossible("That is recorded already.", "turned")
        case events.PlayRecorded():
            _check_play(event, hand, sheet)
        case events.PileSeen(cards=cards):
            board = hand.board.see_pile(parse_cards(cards, "pile"))
            hand.rules.check_cards(board.table, TakePile())
        case events.Ruled():
            _check_ruled(on_record(event, hand.board), hand, sheet)
        case events.RulingEnforced():
            _check_enforced(event, hand, sheet)
        case events.UpcardGiven():
            _check_upcard(event, hand, sheet)
        case events.CallNoted(player=player):
            _check_call(player, hand, sheet)
        case events.PenaltyCharged(rule=rule):
            _check_charge(sheet, hand, rule)
            if sheet.game.charge(rule).leaves:
                _check_leaving(sheet, hand, event)
        case events.HousePenalty(points=points, text=text):
            nothing = noted("Say what for, in a few words.")
            too_long = noted(
                "“%(begins)s…” is too long: a reason has %(longest)s characters at most."
            )
            check_text(text, LONGEST_REASON, "text", too_long, nothing)
            if not 1 <= abs(points) <= MOST_HOUSE_POINTS:
                says = noted("Say how many points to add or to take off, from 1 to %(most)s.")
                raise NotPossible(says, "points", most=MOST_HOUSE_POINTS)
        case events.PenaltyWithdrawn(charge=charge):
            _check_withdrawn(charge, hand, sheet)
        case events.GameEnded() if not sheet.marked:
            says = noted("No %(hand_word)s is marked yet. Mark one, or delete the game instead.")
            raise NotPossible(says, hand_word=sheet.game.hand_word)
        case Marks():
            if isinstance(event, events.HandCorrected) and hand.marking is None:
                says = noted("%(hand)s has not been marked yet.")
                raise NotPossible(says, hand=hand_name(sheet.game, event.hand))
            check_marks(sheet, hand, event)


def _check_play(event: events.PlayRecorded, hand: HandSheet, sheet: ScoreSheet) -> None:
    play = parse_play(event.play)
    if event.player is None and isinstance(play, MeldPlay):
        hand.board.put_unowned_meld(play, hand.rules)
        return
    _check_player(sheet, event.player)
    hand.board.put(event.player or 0, play, hand.rules)


def _check_ruled(event: events.Ruled, hand: HandSheet, sheet: ScoreSheet) -> None:
    question, rules, board = event.question, hand.rules, hand.board
    may_ask = event.in_words is not None and sheet.game.has_rulings
    if question.ask not in rules.asks | rules.disputes and not may_ask:
        raise NotPossible("There are no such rulings in %(name)s.", name=sheet.game.name)
    if event.charge is not None:
        _check_charge(sheet, hand, event.charge)
        if sheet.game.charge(event.charge).leaves:
            raise NotPossible("A ruling never makes a player leave the game.")
    if event.in_words is None:
        board = hand.without_ruling(event.instead_of).board
        if question.melds[: len(board.table.melds)] != board.table.melds:
            raise NotPossible("The table of the question differs from the recorded table.")
        _check_fits(question, event.ruling)
        _check_call_or_draw(sheet, event.player, question)
        board = board.with_question(question, rules)
        rules.check_cards(board.table, TakePile())
    if event.ruling.legal and event.comes_to_table(rules):
        board.put_turn(event.player, question.plays, rules, melded=event.melded_before)


def _check_fits(question: Question, ruling: Ruling) -> None:
    """Raise `NotPossible` unless the ruling fits the plays, and the plays fit the melds."""
    if ruling.plays and len(ruling.plays) != len(question.plays):
        raise NotPossible("The ruling does not match the plays.")
    melds = len(question.melds)
    for play in question.plays:
        if isinstance(play, LayOff | Swap):
            check_onto(play.onto, melds)
        melds += isinstance(play, MeldPlay)


def _check_call_or_draw(sheet: ScoreSheet, player: int, question: Question) -> None:
    """Raise `NotPossible` unless a call names a turn, and a draw takes cards."""
    if question.ask == CALL:
        call = question.call or Call(None)
        _check_player(sheet, player if call.turn is None else call.turn)
        if call.turn == player or question.plays or not question.call:
            raise NotPossible("A call is made in another player's turn, and nothing is played.")
    elif question.ask == DRAW:
        melds_only = all(isinstance(play, MeldPlay) for play in question.plays)
        if not question.pile.cards or not melds_only:
            raise NotPossible("A draw takes cards from the pile, and only melds are laid with it.")


def _check_enforced(event: events.RulingEnforced, hand: HandSheet, sheet: ScoreSheet) -> None:
    line = hand.standing_ruling(event.ruling)
    if line is None:
        raise NotPossible("There is no such ruling in hand %(hand)s.", hand=event.hand)
    if line.ruling.legal:
        raise NotPossible("The play is legal: there is nothing to carry out.")
    if line.enforced is not None:
        raise NotPossible("That ruling has been carried out already.")
    if event.plays:
        board = _played_hand(sheet, event.hand).board
        if line.ruling.consequence.take_back is not TakeBack.PLAY:
            raise NotPossible("The whole turn is taken back: none of its plays stands.")
        plays = [parse_play(text) for text in event.plays]
        board.put_turn(line.given.player, plays, hand.rules, melded=line.given.melded_before)


def _check_upcard(event: events.UpcardGiven, hand: HandSheet, sheet: ScoreSheet) -> None:
    if MAY_I not in hand.rules.disputes:
        raise NotPossible("At this table nobody asks for the upcard in another player's turn.")
    for seat in (event.player, event.last_taker or 0, *event.asked):
        _check_player(sheet, seat)
    if not event.asked:
        raise NotPossible("Say who asked for the card.", "asked")
    if event.gets != who_gets(event.asked, event.player, len(sheet.names), event.last_taker):
        says = noted("By %(rule)s somebody else gets the card.")
        raise NotPossible(says, "asked", rule=hand.rules.allowed_by[MAY_I])


def _check_call(player: int, hand: HandSheet, sheet: ScoreSheet) -> None:
    rules = hand.rules
    if not rules.calls_allowed:
        raise NotPossible("Nobody calls for the discard in %(name)s.", name=sheet.game.name)
    if hand.calls.count(player) >= rules.calls_allowed:
        says = noted("%(name)s has had %(calls)s calls: the next one is charged (%(rule)s).")
        raise NotPossible(
            says, name=sheet.names[player], calls=rules.calls_allowed, rule=rules.calls_rule
        )


def _check_leaving(sheet: ScoreSheet, hand: HandSheet, event: events.PenaltyCharged) -> None:
    """Raise `NotPossible` unless the player can leave the game in that hand (IND-7)."""
    name = sheet.names[event.player]
    if hand.number < sheet.game.charge(event.rule).first_hand:
        raise NotPossible("Nobody can leave before the first Rummy (IND-7).", "rule")
    if event.player in sheet.left_in:
        raise NotPossible("%(name)s has left the game already.", "player", name=name)
    if hand.marking is not None:
        says = noted("Hand %(number)s is marked: record who leaves in the hand being played.")
        raise NotPossible(says, "hand", number=hand.number)
    if sheet.over:
        raise NotPossible(why_over(sheet))


def _check_charge(sheet: ScoreSheet, hand: HandSheet, rule: str) -> None:
    hand.rules.charge_points(rule)
    if sheet.game.charge(rule).worked_out:
        raise NotPossible("That is worked out when the hand is marked.", "rule")


def _check_withdrawn(charge: int, hand: HandSheet, sheet: ScoreSheet) -> None:
    standing = (p for p in hand.penalties if p.entry.number == charge and not p.withdrawn)
    penalty = next(standing, None)
    if penalty is None:
        raise NotPossible("That penalty has been taken back already.")
    if penalty.reason.leaves and sheet.hand.marking is not None:
        raise NotPossible(
            "The last hand is marked without the cards of the player who left. Undo that first."
        )


def _begun_hand(sheet: ScoreSheet, number: int) -> HandSheet:
    """Return a hand that has begun. Raises `NotPossible` for any other."""
    if not 1 <= number <= len(sheet.hands):
        raise NotPossible("%(hand)s has not begun.", hand=hand_name(sheet.game, number))
    return sheet.hands[number - 1]


def _played_hand(sheet: ScoreSheet, number: int) -> HandSheet:
    """Return the hand that is being played. Raises `NotPossible` for any other."""
    game, hand = sheet.game, sheet.hand
    if sheet.over:
        raise NotPossible(why_over(sheet))
    if number != hand.number:
        says = noted("%(hand)s is being played now, not %(hand_word)s %(asked)s.")
        named = hand_name(game, hand.number)
        raise NotPossible(says, hand=named, hand_word=game.hand_word, asked=number)
    return hand


def _check_player(sheet: ScoreSheet, player: int | None) -> None:
    if player not in sheet.players:
        raise NotPossible("Say which player.", "player")
