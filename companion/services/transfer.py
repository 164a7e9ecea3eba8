"""Transferring a notebook or a game: a code that works once, within ten minutes, for one phone."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from companion.services.game_log import NotFound
from companion.services.phones import as_nickname
from companion.store import (
    Database,
    HandoverRecord,
    MarkerRecord,
    add_marker,
    count_wrong_digits,
    digest,
    game_of_marker,
    handover_by_code,
    handover_by_link,
    marker,
    now_in,
    put_handover,
    random_key,
    revoke_marker,
    same_key,
    take_handover,
)

VALID: Final = timedelta(minutes=10)
# Digits can be guessed, and whoever guesses may do it from any number of addresses. So a code is
# good for ten minutes, and its digits for 10,000 wrong tries by anybody (its link for any number):
# of 100,000,000 digits those are one in 10,000, which is the chance of whoever guesses to get this
# notebook. It is not lowered to a hundred tries, with which a few addresses could make everybody's
# digits worthless. `rate_limits` looks at 19 tries of an address in ten minutes, and once all
# addresses have made 200, at one a minute: so that takes 980 addresses at the same time.
DIGITS: Final = 8
MOST_WRONG: Final = 10_000


class CodeRefused(Exception):
    """A code that is wrong, was taken by another phone, or is too old; which, nobody is told."""


class KeptAlready(Exception):
    """The phone is a marker of all that the code transfers; the code is still good."""


@dataclass(frozen=True, slots=True)
class TransferCode:
    """What is shown once: both forms of the code, and until when it is good."""

    link: str
    """128 bits, for the address that is scanned or sent."""
    digits: str
    """To be typed."""
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Taker:
    """The phone that a code is taken by.

    ``proof`` is a secret of that browser: with it the same code can be taken again if the answer
    was lost; ``label`` what it runs on, ``nickname`` what its owner calls it, ``marker_id`` the
    marker that it is so far.
    """

    proof: str
    label: str
    nickname: str | None = None
    marker_id: str | None = None


def offer(
    db: Database,
    game_id: str,
    marker_id: str,
    *,
    secret: str,
    whole: bool,
    resigns: bool,
    at: datetime | None = None,
) -> TransferCode:
    """A code that makes another phone a marker: of the whole notebook, or of this game only.

    ``secret`` is the installation's: all digits there are can be tried, so what is kept of them is
    of no use without it. ``resigns`` revokes this phone when the other one has taken the code.
    Raises `NotFound` if the marker may not write in that game, or transfers more than it has: the
    whole notebook if it keeps one game, or a notebook that nobody would be left with.
    """
    with db.write() as session:
        now = at or now_in(session)
        giver = marker(session, marker_id)
        if giver is None or game_of_marker(session, game_id, marker_id) is None:
            raise NotFound("game")
        if (whole and giver.game_id) or (resigns and not whole and giver.game_id is None):
            raise NotFound("notebook")
        made = TransferCode(random_key(), _free_digits(session, secret, now), now + VALID)
        put_handover(
            session,
            HandoverRecord(
                link_digest=digest(made.link),
                code_digest=_digest_of_digits(made.digits, secret),
                notebook_id=giver.notebook_id,
                game_id=None if whole else game_id,
                by_marker_id=giver.id,
                resigns=resigns,
                expires_at=made.expires_at,
            ),
            now,
        )
    return made


def take_link(db: Database, link: str, taker: Taker, at: datetime | None = None) -> MarkerRecord:
    """The marker that a phone becomes by a link.

    Raises `CodeRefused`, `KeptAlready`, and `NotPossible` if no phone can be called so.
    """
    as_nickname(taker.nickname or "")
    wanted = digest(link)
    with db.write() as session:
        now = at or now_in(session)
        found = handover_by_link(session, wanted, now)
        if found is None or not same_key(found.link_digest, wanted):
            raise CodeRefused
        return _take(session, found, taker, now)


def take_digits(
    db: Database, digits: str, taker: Taker, *, secret: str, at: datetime | None = None
) -> MarkerRecord:
    """The marker that a phone becomes by the digits. Raises as `take_link`.

    Digits can be guessed: whoever calls this has to limit the tries of an address.
    """
    as_nickname(taker.nickname or "")
    wanted = _digest_of_digits(digits, secret)
    with db.read() as session:  # nobody who saves waits for a wrong code
        now = at or now_in(session)
        is_wrong = handover_by_code(session, wanted, now) is None
    if is_wrong:
        with db.write("wrong digits") as session:
            count_wrong_digits(session, now)
        raise CodeRefused
    with db.write() as session:
        now = at or now_in(session)
        found = handover_by_code(session, wanted, now)
        is_right = found is not None and same_key(found.code_digest, wanted)
        if found is None or not is_right or found.wrong_digits >= MOST_WRONG:
            raise CodeRefused
        return _take(session, found, taker, now)


def _take(session: Session, found: HandoverRecord, taker: Taker, now: datetime) -> MarkerRecord:
    proof = digest(taker.proof)
    if found.taken_by is not None:
        known = marker(session, found.taken_by)
        if known is None or not same_key(found.taker_digest or "", proof):
            raise CodeRefused
        return known  # the answer to its first try was lost
    own = marker(session, taker.marker_id) if taker.marker_id else None
    narrower = None
    if own is not None and own.notebook_id == found.notebook_id:
        if own.game_id in (None, found.game_id):
            raise KeptAlready
        narrower = own if found.game_id is None else None
    added = add_marker(
        session,
        found.notebook_id,
        taker.label,
        now,
        nickname=as_nickname(taker.nickname or "") or (narrower.nickname if narrower else None),
        game_id=found.game_id,
    )
    if not take_handover(session, found.link_digest, added.id, proof):
        raise CodeRefused  # another server was quicker: nothing of this is written
    if found.resigns:
        revoke_marker(session, found.by_marker_id, now)
    if narrower is not None:
        revoke_marker(session, narrower.id, now)
    return added


def _free_digits(session: Session, secret: str, now: datetime) -> str:
    """Digits that no other code has which can still be taken."""
    while True:
        digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        if handover_by_code(session, _digest_of_digits(digits, secret), now) is None:
            return digits


def _digest_of_digits(digits: str, secret: str) -> str:
    octets = digits.encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), octets, hashlib.sha256).hexdigest()
