"""Events and rulings in words, for the undo button, the record and the pages of rulings."""

from __future__ import annotations

from collections.abc import Iterator

from companion.notebook import events
from companion.notebook.endings import ending_of
from companion.notebook.events import Event, Marks, PlayerAction
from companion.notebook.hand_sheet import Penalty
from companion.notebook.scoresheet import ScoreSheet
from companion.rules.cards import parse_cards, parse_rank, show_cards
from companion.rules.game import Game
from companion.rules.language import gettext, listed, ngettext, noted
from companion.rules.question import DECLARE, DRAW, Question
from companion.rules.ruling import Ruling
from companion.rules.table import describe, parse_play


def say(event: Event, sheet: ScoreSheet) -> str:  # noqa: C901 - one case for each kind of event
    """Return an event in a few words, with names and cards as people write them."""
    name = sheet.names[event.player] if isinstance(event, PlayerAction) else ""
    match event:
        case events.GameRenamed(title=""):
            return gettext("Game named after its players")
        case events.GameRenamed(title=title):
            return gettext("Game called %(title)s", title=title)
        case events.PlayerRenamed(player=player, name=called):
            return gettext("Player %(number)s is called %(name)s", number=player + 1, name=called)
        case events.FirstDealerChanged(first_dealer=seat):
            return gettext("%(name)s deals first", name=sheet.names[seat])
        case events.CardTurned(rank=rank):
            return gettext("Turned up: %(rank)s", rank=parse_rank(rank).word)
        case events.PlayRecorded(player=seat, play=play):
            says = describe(parse_play(play), sheet.hand.rules.limits)
            if seat is None:
                return says
            return gettext("%(name)s: %(play)s", name=sheet.names[seat], play=says)
        case events.PileSeen(cards=""):
            return gettext("There is no pile")
        case events.PileSeen(cards=cards):
            return gettext("Top of the pile %(cards)s", cards=show_cards(parse_cards(cards)))
        case events.Ruled(question=question, ruling=ruling):
            says = noted("Ruling on %(name)s: %(asked)s: legal")
            if ruling.broken:
                says = noted("Ruling on %(name)s: %(asked)s: illegal (%(rules)s)")
            asked, rules = asked_in_words(question, sheet), listed(ruling.broken, "standard-narrow")
            ruled = gettext(says, name=name, asked=asked, rules=rules)
            return ". ".join(filter(None, [ruled, charge_taken_back(event, sheet)]))
        case events.RulingEnforced():
            return _enforced(event, sheet)
        case events.UpcardGiven(gets=None):
            return gettext("“May I?”: nobody gets the card")
        case events.UpcardGiven(gets=int(seat)):
            return gettext("“May I?”: %(name)s gets the card", name=sheet.names[seat])
        case events.CallNoted():
            return gettext("%(name)s called for the discard", name=name)
        case events.PenaltyCharged(hand=hand, rule=rule):
            cost = in_points(sheet.rules(hand).charge_points(rule))
            if not sheet.game.charge(rule).leaves:
                return _charged(cost, name, rule)
            left = noted("%(name)s left the game and pays %(points)s (%(rule)s)")
            return gettext(left, name=name, points=cost, rule=rule)
        case events.HousePenalty(points=points, text=text):
            charge = charge_in_words(points, name)
            return gettext("%(charge)s: %(reason)s (house)", charge=charge, reason=text)
        case events.PenaltyWithdrawn():
            return _withdrawn(event, sheet)
        case events.HandThrownIn(hand=hand):
            return gettext("%(hand)s thrown in", hand=hand_name(sheet.game, hand))
        case events.GameEnded(hand=hand):
            return gettext("Game ended after %(hands)s", hands=hands_of(sheet.game, hand - 1))
        case Marks(hand=hand):
            is_new = isinstance(event, events.HandMarked)
            says = noted("%(hand)s marked") if is_new else noted("%(hand)s corrected")
            done = gettext(says, hand=hand_name(sheet.game, hand))
            ended = ending_of(sheet).says(sheet, event)
            return f"{done}, {ended}" if ended else done
        case events.Undone(act=number):
            return gettext("Undone: entry %(number)s", number=number)
        case events.Redone(act=number):
            return gettext("Redone: entry %(number)s", number=number)
    return gettext(_PLAIN[type(event)])


_PLAIN: dict[type, str] = {
    events.GameStarted: noted("Game started"),
    events.GameArchived: noted("Game put in the archive"),
    events.GameTakenOut: noted("Game taken out of the archive"),
    events.GameDeleted: noted("Game deleted"),
    events.GameRestored: noted("Game restored"),
}


def asked_in_words(question: Question, sheet: ScoreSheet) -> str:
    """Return in words what a ruling is about: its plays, a call, or the cards declared or drawn."""
    if question.call is not None:
        turn = question.call.turn
        if turn is None:
            return gettext("Call in the player's own turn")
        return gettext("Call in the turn of %(name)s", name=sheet.names[turn])
    plays = [describe(play, sheet.hand.rules.limits, question.melds) for play in question.plays]
    if question.ask == DRAW:
        taken = show_cards(question.pile.cards)
        plays.insert(0, gettext("Draw %(cards)s from the pile", cards=taken))
    if question.ask != DECLARE:
        return "; ".join(plays)
    cards, *groups = (show_cards(play.cards) for play in question.plays)
    if not groups:
        return gettext("Declared %(cards)s", cards=cards)
    says = noted("Declared %(cards)s, grouped as %(groups)s")
    return gettext(says, cards=cards, groups="; ".join(groups))


# The list of entries also has undone ones, whose ruling or penalty is no longer on the sheet.


def _enforced(event: events.RulingEnforced, sheet: ScoreSheet) -> str:
    lines = (line for hand in sheet.hands for line in hand.rulings)
    line = next((line for line in lines if line.entry.number == event.ruling), None)
    if line is None:
        return gettext("Ruling carried out")
    name = sheet.names[line.given.player]
    rule = line.given.charge
    if rule is None:
        return gettext("%(name)s's play taken back", name=name)
    return _charged(in_points(sheet.rules(event.hand).charge_points(rule)), name, rule)


def _charged(points: str, name: str, rule: str) -> str:
    return gettext("%(points)s to %(name)s (%(rule)s)", points=points, name=name, rule=rule)


def charge_in_words(number: int, name: str) -> str:
    """Return a charge or a bonus in words: ``10 points to Ben``, ``10 points off for Ben``."""
    says = noted("%(points)s to %(name)s") if number >= 0 else noted("%(points)s off for %(name)s")
    return gettext(says, points=in_points(abs(number)), name=name)


def charge_taken_back(ruled: Event, sheet: ScoreSheet) -> str:
    """Return in words the charge that a ruling took back, by replacing another; empty if none."""
    for penalty in _penalties(sheet):
        if penalty.withdrawn is not None and penalty.withdrawn.event == ruled:
            return _taken_back(penalty, sheet)
    return ""


def _withdrawn(event: events.PenaltyWithdrawn, sheet: ScoreSheet) -> str:
    penalty = next((one for one in _penalties(sheet) if one.entry.number == event.charge), None)
    return gettext("Penalty taken back") if penalty is None else _taken_back(penalty, sheet)


def _penalties(sheet: ScoreSheet) -> Iterator[Penalty]:
    return (penalty for hand in sheet.hands for penalty in hand.penalties)


def _taken_back(penalty: Penalty, sheet: ScoreSheet) -> str:
    rule, points, text = penalty.charged
    name = sheet.names[penalty.player]
    if not rule:
        charge = charge_in_words(points, name)
        return gettext("Taken back: %(charge)s: %(reason)s (house)", charge=charge, reason=text)
    says = noted("%(points)s taken back from %(name)s (%(rule)s)")
    return gettext(says, points=in_points(points), name=name, rule=rule)


def score(points: int) -> str:
    """Return points or a total with a minus sign, not a hyphen: ``20``, ``−5``."""
    return str(points).replace("-", "−")


def in_points(points: int) -> str:
    """Return points in words: ``1 point``, ``20 points``, ``−5 points``."""
    return ngettext("%(points)s point", "%(points)s points", points, points=score(points))


def news(event: Event, sheet: ScoreSheet) -> str:
    """Return what an event of the sheet changed: ``Hand 2: Ben out. Ana +57, Dora +64.``"""
    if isinstance(event, Marks):
        ended = ending_of(sheet).says(sheet, event)
        mark = sheet.hands[event.hand - 1].mark
        scored = [(sheet.names[player], mark(player).points) for player in sheet.players]
        changed = noted("%(name)s %(points)s")
        points = [gettext(changed, name=name, points=signed(more)) for name, more in scored if more]
        title = hand_name(sheet.game, event.hand)
        if isinstance(event, events.HandCorrected):
            title = gettext("%(hand)s corrected", hand=title)
        head = f"{title}: {ended}." if ended else f"{title}:"
        if points:
            return f"{head} {listed(points, 'standard-narrow')}."
        return head if ended else head + " " + gettext("no points") + "."
    if isinstance(event, events.PenaltyCharged):
        charge = sheet.game.charge(event.rule)
        if not charge.leaves:
            cost = signed(sheet.rules(event.hand).charge_points(event.rule))
            return _news_of(cost, sheet.names[event.player], gettext(charge.title))
    if isinstance(event, events.HousePenalty):
        return _news_of(signed(event.points), sheet.names[event.player], event.text)
    return say(event, sheet)


def _news_of(points: str, name: str, reason: str) -> str:
    return gettext("%(points)s %(name)s: %(reason)s", points=points, name=name, reason=reason)


def hand_name(game: Game, number: int) -> str:
    """Return a hand in the game's word for it, as a heading begins: ``Hand 3``, ``Round 3``."""
    return gettext("%(hand_title)s %(number)s", hand_title=game.hand_title, number=number)


def hands_of(game: Game, number: int) -> str:
    """Return a number of hands in the game's word for them: ``13 hands``, ``7 rounds``."""
    return ngettext(
        "%(number)s %(hand_word)s", "%(number)s %(hand_word)ss", number, hand_word=game.hand_word
    )


def signed(points: int) -> str:
    """Write points that are added or taken off: ``+20``, ``−10``."""
    return f"+{points}" if points >= 0 else score(points)


def why_upcard(sheet: ScoreSheet, given: events.UpcardGiven) -> str:
    """Return what decided who gets the card, in words."""
    names, says = sheet.names, []
    others = [seat for seat in given.asked if seat != given.last_taker]
    if len(others) > 1 and given.gets is not None:
        nearest = noted(
            "Of %(others)s, %(gets)s sits nearest to the left of %(player)s, whose turn it is."
        )
        gets, player = names[given.gets], names[given.player]
        says.append(gettext(nearest, others=sheet.named(others), gets=gets, player=player))
    if given.last_taker in given.asked:
        two = noted("%(name)s took the card before it, and nobody takes two in a row.")
        says.append(gettext(two, name=names[given.last_taker]))
    if given.gets is None:
        stays = noted("The card stays, and %(name)s plays on.")
        says.append(gettext(stays, name=names[given.player]))
    else:
        says.append(gettext("A card from the stock goes with it."))
    return " ".join(says)


# The ruling of another sheet, by whether it is legal there and whether that is the same as here.
_ELSEWHERE = {
    (True, True): noted("Legal on the %(sheet)s sheet too."),
    (True, False): noted("Legal on the %(sheet)s sheet."),
    (False, True): noted("Illegal on the %(sheet)s sheet too."),
    (False, False): noted("Illegal on the %(sheet)s sheet."),
}


def ruled_elsewhere(game: Game, ruling: Ruling, *, only_others: bool = False) -> list[str]:
    """Return how the game's other sheets rule, or only those that rule otherwise."""
    return [
        gettext(_ELSEWHERE[legal, legal == ruling.legal], sheet=sheet.title)
        for sheet in game.sheets
        if (legal := ruling.elsewhere.get(sheet.id)) is not None
        and not (only_others and legal == ruling.legal)
    ]
