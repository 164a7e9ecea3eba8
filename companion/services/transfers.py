"""Transfers: codes that make another phone a marker. A code works once, for ten minutes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlmodel import Session, col, delete, or_, select, update

from companion import store
from companion.notebook.events import NotPossible
from companion.rules.language import noted
from companion.services import NotFound
from companion.services.phones import WrongCode, as_nickname
from companion.store import Database, HandoverRecord, MarkerRecord

VALID: Final = timedelta(minutes=10)
# Digits can be guessed, from any number of addresses. So a code is valid for ten minutes, and its
# digits for 10,000 wrong tries by anybody (its link for any number). There are 100,000,000 codes,
# so the chance to guess this one is 1 in 10,000. The limit is not lower, as with a hundred tries a
# few addresses could make everybody's digits useless. `rate_limits` checks 19 tries of an address
# in ten minutes, and once all addresses have made 200, one a minute: so that takes 980 addresses at
# the same time.
DIGITS: Final = 8
MOST_WRONG: Final = 10_000
_UNTAKEN: Final = col(HandoverRecord.taken_by).is_(None)
_REFUSED: Final = (
    noted(
        "This code does not work: it is mistyped, older than ten minutes, or another phone has used"
        " it. Ask for a new one, or scan it."
    ),
    "code",
)


class TransferCode(NamedTuple):
    """Both forms of a code: a link to scan or send, and eight digits to type."""

    link: str
    digits: str
    expires_at: datetime


class Taker(NamedTuple):
    """The phone that takes a code.

    ``proof`` is a secret of that browser: with it, it can take the same code again if the answer
    was lost. ``label`` is what it runs on, ``nickname`` its owner's name for it, and ``marker_id``
    the marker that it is now, if any.
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
) -> TransferCode:
    """Make a code that makes another phone a marker of the whole notebook, or of this game only.

    ``secret`` is the installation's: without it, nobody can find the digits for a stored digest by
    trying them all. ``resigns`` revokes this phone when the other one has taken the code. Raises
    `NotFound` if the marker may not write in that game, if it keeps one game and wants to transfer
    all, or if nobody would be left who keeps the notebook.
    """
    with db.write() as session:
        now = store.now_in(session)
        giver = store.marker(session, marker_id)
        if giver is None or store.game_of_marker(session, game_id, marker_id) is None:
            raise NotFound("game")
        if (whole and giver.game_id) or (resigns and not whole and giver.game_id is None):
            raise NotFound("notebook")
        earlier = (col(HandoverRecord.by_marker_id) == giver.id) & _UNTAKEN
        expired = col(HandoverRecord.expires_at) < now
        session.exec(delete(HandoverRecord).where(earlier | expired))
        made = TransferCode(store.random_key(), _free_digits(session, secret, now), now + VALID)
        session.add(
            HandoverRecord(
                link_digest=store.digest(made.link),
                code_digest=_digest_of_digits(made.digits, secret),
                notebook_id=giver.notebook_id,
                game_id=None if whole else game_id,
                by_marker_id=giver.id,
                resigns=resigns,
                expires_at=made.expires_at,
            )
        )
    return made


def take_link(db: Database, link: str, taker: Taker) -> MarkerRecord:
    """Take a code by its link, and return the phone's new marker.

    Raises `WrongCode`, and `NotPossible` for a bad nickname or if this phone keeps all of it.
    """
    return _take(db, store.digest(link), taker)


def take_digits(db: Database, digits: str, taker: Taker, *, secret: str) -> MarkerRecord:
    """Take a code by its digits, and return the phone's new marker. Raises as `take_link`.

    Digits can be guessed, so the caller has to limit the tries of each address.
    """
    as_nickname(taker.nickname or "")
    wanted = _digest_of_digits(digits, secret)
    with db.read() as session:  # wrong digits must not make writers wait
        now = store.now_in(session)
        is_wrong = _code(session, wanted, now) is None
    if is_wrong:
        with db.write("wrong digits") as session:
            valid = col(HandoverRecord.expires_at) > now
            counted = {"wrong_digits": HandoverRecord.wrong_digits + 1}
            session.exec(update(HandoverRecord).where(_UNTAKEN, valid).values(counted))
        raise WrongCode(*_REFUSED)
    return _take(db, wanted, taker)


def _take(db: Database, wanted: str, taker: Taker) -> MarkerRecord:
    """Take the code whose link or digits have this digest."""
    nickname, proof = as_nickname(taker.nickname or ""), store.digest(taker.proof)
    with db.write() as session:
        now = store.now_in(session)
        found = _code(session, wanted, now)
        if found is None or (found.code_digest == wanted and found.wrong_digits >= MOST_WRONG):
            raise WrongCode(*_REFUSED)
        if found.taken_by is not None:
            known = store.marker(session, found.taken_by)
            if known is None or not store.same_key(found.taker_digest or "", proof):
                raise WrongCode(*_REFUSED)
            return known  # the answer to the first request was lost
        own = store.marker(session, taker.marker_id) if taker.marker_id else None
        if own is not None and own.notebook_id != found.notebook_id:
            own = None  # it keeps another notebook, and goes on with that
        if own is not None and own.game_id in (None, found.game_id):
            raise NotPossible(
                "This phone keeps all of that already. Another phone can still take the code."
            )
        narrower = own if found.game_id is None else None
        nickname = nickname or (narrower.nickname if narrower else None)
        added = store.add_marker(
            session, found.notebook_id, taker.label, now, nickname=nickname, game_id=found.game_id
        )
        found.taken_by, found.taker_digest = added.id, proof
        if found.resigns:
            store.revoke_marker(session, found.by_marker_id, now)
        if narrower is not None:
            store.revoke_marker(session, narrower.id, now)
        return added


def _free_digits(session: Session, secret: str, now: datetime) -> str:
    """Return digits that no other valid code has."""
    while True:
        digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        if _code(session, _digest_of_digits(digits, secret), now) is None:
            return digits


def _code(session: Session, digest: str, now: datetime) -> HandoverRecord | None:
    """Return the code whose link or digits have this digest, taken or not, if still valid."""
    forms = or_(HandoverRecord.link_digest == digest, HandoverRecord.code_digest == digest)
    of_form = select(HandoverRecord).where(forms, HandoverRecord.expires_at > now)
    return session.exec(of_form).first()


def _digest_of_digits(digits: str, secret: str) -> str:
    octets = digits.encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), octets, hashlib.sha256).hexdigest()
