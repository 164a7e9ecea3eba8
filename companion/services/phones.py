"""The phones that keep a notebook: list, name and revoke them, and the codes that add one.

A transfer code adds a phone once, within ten minutes. A recovery code adds one until it is replaced
or the phone that made it is revoked.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, col, delete, or_, select, update

from companion import store
from companion.notebook.events import NotPossible
from companion.notebook.names import LONGEST_NAME, check_text
from companion.rules.language import noted
from companion.services import NotFound
from companion.services.games import game_line
from companion.store import Database, MarkerRecord, TransferRecord
from companion.store.models import NotebookRow

RECOVERY_LENGTH: Final = 20
TRANSFER_VALID: Final = timedelta(minutes=10)
# Digits can be guessed, from any number of addresses. So they are valid for ten minutes and 10,000
# wrong tries by anybody: of 100,000,000 codes that is a chance of 1 in 10,000. With a lower limit a
# few addresses could make everybody's digits useless. `rate_limits` lets an address try 19 times
# in ten minutes, but only one a minute once all together have made 200: so it takes 980 addresses.
DIGITS: Final = 8
MOST_WRONG: Final = 10_000
_UNTAKEN: Final = col(TransferRecord.taken_by).is_(None)
_REFUSED: Final = noted(
    "This code does not work: it is mistyped, older than ten minutes, or another phone has used"
    " it. Ask for a new one, or scan it."
)

# Letters that are never in a code, and the digits that they are mistaken for.
_LOOKS_LIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1", "u": "v"})


class WrongCode(NotPossible):
    """No such code is valid. Whoever tries codes may be guessing."""


class Phone(NamedTuple):
    """A phone that keeps the notebook, as its markers see it.

    ``game`` is the name of the only game that it keeps, empty if it keeps all. ``here`` is true for
    the phone that asks, ``has_code`` if revoking the phone also revokes the recovery code.
    """

    marker: MarkerRecord
    game: str
    here: bool
    has_code: bool

    @property
    def handle(self) -> str:
        """Its id in addresses. It is not secret, unlike the marker's id."""
        return handle_of(self.marker.id)

    @property
    def seen(self) -> datetime:
        """When it last sent a request, or got the notebook."""
        return self.marker.seen_at or self.marker.created_at


def handle_of(marker_id: str) -> str:
    """Return an id for a marker's phone that does not give the marker's id away."""
    return store.digest(f"phone {marker_id}")[:16]


def phones(db: Database, asking: MarkerRecord) -> list[Phone]:
    """Return the phones that keep the notebook, oldest first, for a marker of all its games."""
    found = []
    with db.read() as session:
        code = _recovery_code(session, asking)
        for marker in store.markers_of(session, asking.notebook_id):
            only = marker.game_id
            game = store.game_of_marker(session, only, marker.id) if only else None
            has_code = code is not None and only is None and code.marker_id in (None, marker.id)
            name = game_line(game).name if game else ""
            found.append(Phone(marker, name, marker.id == asking.id, has_code))
    return found


def set_nickname(db: Database, asking: MarkerRecord, handle: str, nickname: str) -> None:
    """Give a phone of the notebook a nickname, or remove it if it is empty.

    Raises `NotFound` if the notebook has no such phone, and `NotPossible` for a bad nickname.
    """
    called = as_nickname(nickname)
    with db.write(asking.notebook_id) as session:
        _marker_of_handle(_markers(session, asking), handle).nickname = called


def as_nickname(text: str) -> str | None:
    """Return a nickname as it is stored, None for an empty one. Raises `NotPossible`."""
    called = " ".join(text.split())
    if called:
        check_text(called, LONGEST_NAME, "nickname")
    return called or None


def revoke(db: Database, asking: MarkerRecord, handle: str) -> tuple[MarkerRecord, datetime | None]:
    """Revoke a phone and the recovery code that it made.

    Returns its marker, and when that code was made, None if there was none. Raises `NotFound` if
    the notebook has no such phone, and `NotPossible` if no phone would be left that keeps the whole
    notebook.
    """
    with db.write(asking.notebook_id) as session:
        markers = _markers(session, asking)
        marker = _marker_of_handle(markers, handle)
        if not any(other.game_id is None and other.id != marker.id for other in markers):
            raise NotPossible(
                "This is the only phone that keeps the notebook, and nothing could bring it back:"
                " the recovery code stops working when the phone that made it is removed. Transfer"
                " the notebook to another phone first."
            )
        notebook = session.get_one(NotebookRow, asking.notebook_id)
        made_at = notebook.recovery_made_at
        store.revoke_marker(session, marker.id, store.now_in(session))
        return marker, made_at if notebook.recovery_made_at is None else None


def not_revoked(db: Database, marker_ids: Sequence[str]) -> list[MarkerRecord]:
    """Return the markers with these ids that were not revoked."""
    with db.read() as session:
        return [one for id_ in marker_ids if (one := store.marker(session, id_))]


def store_seen(db: Database, marker_id: str) -> None:
    """Store that a marker sent a request now. Raises DatabaseProblem if somebody else writes."""
    with db.write(marker_id, wait=False) as session:
        of_this = col(MarkerRecord.id) == marker_id
        session.exec(update(MarkerRecord).where(of_this).values(seen_at=store.now_in(session)))


def _markers(session: Session, asking: MarkerRecord) -> list[MarkerRecord]:
    """Return the notebook's markers. Raises `NotFound` if the one that asks was revoked."""
    markers = store.markers_of(session, asking.notebook_id)
    if asking.id not in {marker.id for marker in markers}:
        raise NotFound("phone")
    return markers


def _marker_of_handle(markers: Sequence[MarkerRecord], handle: str) -> MarkerRecord:
    for marker in markers:
        if handle_of(marker.id) == handle:
            return marker
    raise NotFound("phone")


# -- transfer codes -------------------------------------------------------------------------------


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
    nickname: str = ""
    marker_id: str | None = None


def offer(
    db: Database, game_id: str, marker_id: str, *, secret: str, whole: bool, resigns: bool
) -> TransferCode:
    """Make a code that makes another phone a marker of the whole notebook, or of this game only.

    ``secret`` is the installation's: without it, nobody can find the digits for a stored digest by
    trying them all. ``resigns`` revokes this phone when the other one has taken the code. Raises
    `NotFound` if the marker may not write in that game, if it keeps one game and wants to transfer
    all, or if it keeps all and wants to resign for one game.
    """
    with db.write() as session:
        now = store.now_in(session)
        giver = store.marker(session, marker_id)
        if giver is None or store.game_of_marker(session, game_id, marker_id) is None:
            raise NotFound("game")
        if (whole and giver.game_id) or (resigns and not whole and giver.game_id is None):
            raise NotFound("notebook")
        earlier = (col(TransferRecord.by_marker_id) == giver.id) & _UNTAKEN
        expired = col(TransferRecord.expires_at) < now
        session.exec(delete(TransferRecord).where(earlier | expired))
        digits, expires_at = _free_digits(session, secret, now), now + TRANSFER_VALID
        made = TransferCode(store.random_key(), digits, expires_at)
        session.add(
            TransferRecord(
                link_digest=store.digest(made.link),
                code_digest=_digest_of_digits(digits, secret),
                notebook_id=giver.notebook_id,
                game_id=None if whole else game_id,
                by_marker_id=giver.id,
                resigns=resigns,
                expires_at=expires_at,
            )
        )
    return made


def take_link(db: Database, link: str, taker: Taker) -> MarkerRecord:
    """Take a code by its link, and return the phone's new marker.

    Raises `WrongCode`; `NotPossible` for a bad nickname, or if this phone keeps all that it gives.
    """
    return _take(db, store.digest(link), taker)


def take_digits(db: Database, digits: str, taker: Taker, *, secret: str) -> MarkerRecord:
    """Take a code by its digits, and return the phone's new marker. Raises as `take_link`.

    Digits can be guessed, so the caller has to limit the tries of each address.
    """
    as_nickname(taker.nickname)  # a bad one is refused before a try is counted
    wanted = _digest_of_digits(digits, secret)
    with db.read() as session:  # wrong digits must not make writers wait
        now = store.now_in(session)
        is_wrong = _code(session, wanted, now) is None
    if is_wrong:
        with db.write("wrong digits") as session:
            valid = col(TransferRecord.expires_at) > now
            counted = {"wrong_digits": TransferRecord.wrong_digits + 1}
            session.exec(update(TransferRecord).where(_UNTAKEN, valid).values(counted))
        raise WrongCode(_REFUSED, "code")
    return _take(db, wanted, taker)


def _take(db: Database, wanted: str, taker: Taker) -> MarkerRecord:
    """Take the code whose link or digits have this digest."""
    nickname, proof = as_nickname(taker.nickname), store.digest(taker.proof)
    with db.write() as session:
        now = store.now_in(session)
        code = _code(session, wanted, now)
        if code is None or (code.code_digest == wanted and code.wrong_digits >= MOST_WRONG):
            raise WrongCode(_REFUSED, "code")
        if code.taken_by is not None:
            known = store.marker(session, code.taken_by)
            if known is None or not store.same_key(code.taker_digest or "", proof):
                raise WrongCode(_REFUSED, "code")
            return known  # the answer to the first request was lost
        own = store.marker(session, taker.marker_id) if taker.marker_id else None
        if own is not None and own.notebook_id != code.notebook_id:
            own = None  # it keeps another notebook, and goes on with that
        if own is not None and own.game_id in (None, code.game_id):
            raise NotPossible(
                "This phone already keeps everything that this code gives. "
                "Another phone can still take the code."
            )
        narrower = own if code.game_id is None else None  # it kept one game, and gets all
        nickname = nickname or (narrower.nickname if narrower else None)
        added = store.add_marker(
            session, code.notebook_id, taker.label, now, nickname=nickname, game_id=code.game_id
        )
        code.taken_by, code.taker_digest = added.id, proof
        if code.resigns:
            store.revoke_marker(session, code.by_marker_id, now)
        if narrower is not None:
            store.revoke_marker(session, narrower.id, now)
        return added


def _free_digits(session: Session, secret: str, now: datetime) -> str:
    """Return digits that no other valid code has."""
    while True:
        digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        if _code(session, _digest_of_digits(digits, secret), now) is None:
            return digits


def _code(session: Session, digest: str, now: datetime) -> TransferRecord | None:
    """Return the code whose link or digits have this digest, taken or not, if still valid."""
    forms = or_(TransferRecord.link_digest == digest, TransferRecord.code_digest == digest)
    is_valid = TransferRecord.expires_at > now
    # A code that lasts longer was made when the clock was ahead.
    is_recent = TransferRecord.expires_at <= now + TRANSFER_VALID
    return session.exec(select(TransferRecord).where(forms, is_valid, is_recent)).first()


def _digest_of_digits(digits: str, secret: str) -> str:
    octets = digits.encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), octets, hashlib.sha256).hexdigest()


# -- recovery codes -------------------------------------------------------------------------------


class RecoveryCode(NamedTuple):
    """When and by which phone a notebook's recovery code was made.

    ``marker_id`` is None and ``by``, the phone's name, is empty if unknown; ``here`` is true for
    the phone that asks.
    """

    made_at: datetime
    marker_id: str | None
    by: str
    here: bool

    @property
    def mark(self) -> str:
        """An id of this code among the notebook's recovery codes. It is not secret."""
        return self.made_at.isoformat()


def recovery_code(db: Database, asking: MarkerRecord) -> RecoveryCode | None:
    """Return what is known of the notebook's recovery code, None if it has none."""
    with db.read() as session:
        return _recovery_code(session, asking)


def _recovery_code(session: Session, asking: MarkerRecord) -> RecoveryCode | None:
    notebook = session.get_one(NotebookRow, asking.notebook_id)
    made_at, made_by = notebook.recovery_made_at, notebook.recovery_marker_id
    if made_at is None:
        return None
    maker = store.marker(session, made_by) if made_by else None
    return RecoveryCode(made_at, made_by, maker.name if maker else "", made_by == asking.id)


def new_recovery_code(db: Database, asking: MarkerRecord, replaces: str = "") -> str:
    """Make a recovery code for the notebook, and return it in groups of four characters.

    The old code stops working. Only a digest is stored, so show the code now. ``replaces`` is the
    mark of the old code, empty for none. Raises `NotPossible` if that is not the notebook's code,
    so that nobody replaces a code unknowingly, and `NotFound` if the marker was revoked.
    """
    code = store.random_code(RECOVERY_LENGTH)
    with db.write(asking.notebook_id) as session:
        _markers(session, asking)
        known = _recovery_code(session, asking)
        if (known.mark if known else "") != replaces:
            raise NotPossible(
                "A new recovery code was made since you opened this page. See where it was made,"
                " then decide."
            )
        notebook = session.get_one(NotebookRow, asking.notebook_id)
        notebook.recovery_digest = store.digest(code)
        notebook.recovery_made_at = store.now_in(session)
        notebook.recovery_marker_id = asking.id
    return "-".join(code[at : at + 4] for at in range(0, RECOVERY_LENGTH, 4))


def recover(db: Database, code: str, label: str) -> MarkerRecord:
    """Add a marker to the notebook with this recovery code. Raises `WrongCode`.

    The code stays valid, because the answer may get lost.
    """
    wanted = store.digest(normalized_code(code))
    of_code = select(NotebookRow.id).where(NotebookRow.recovery_digest == wanted)
    try:
        with db.read() as session:  # a wrong code must not make writers wait
            session.exec(of_code).one()
        with db.write() as session:
            notebook_id = session.exec(of_code).one()
            return store.add_marker(session, notebook_id, label, store.now_in(session))
    except NoResultFound:
        raise WrongCode(
            "No notebook has this recovery code. Compare it with the paper, letter by letter. It"
            " stops working when a newer one is made, or when the phone that made it is removed"
            " from the notebook.",
            "code",
        ) from None


def normalized_code(code: str) -> str:
    """Return a recovery code as it was made, however it was typed: ``0AB1-2UCD``, ``oabl 2vcd``."""
    plain = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in plain if sign.isalnum()).translate(_LOOKS_LIKE)
