"""Transferring a notebook or a game: once, within ten minutes, and nothing else."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from companion import store
from companion.notebook.events import NotPossible
from companion.services import NotFound, games, phones
from companion.services.game_log import load_game
from companion.services.phones import Taker, WrongCode
from companion.store import Database, MarkerRecord
from tests.at_once import at_once
from tests.notebook.evening import started

SECRET = "a secret of the installation"
NOW = datetime(2024, 5, 3, 20, 0, tzinfo=UTC)


@pytest.fixture
def ana(db: Database) -> MarkerRecord:
    return games.start_notebook(db, "iPhone")


@pytest.fixture
def game(db: Database, ana: MarkerRecord) -> str:
    return begin(db, ana, "first")


def begin(db: Database, writer: MarkerRecord, key: str) -> str:
    return games.start(db, writer, started(("Ana", "Ben")), key)


class Clock:
    """The database's clock, which stands still after a code was made or taken."""

    at: datetime | None = None


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock.at, real = None, store.now_in
    monkeypatch.setattr(store, "now_in", lambda session: Clock.at or real(session))


def offer(
    db: Database, game: str, by: MarkerRecord, *, whole: bool = False, resigns: bool = False
) -> phones.TransferCode:
    Clock.at = NOW
    return phones.offer(db, game, by.id, secret=SECRET, whole=whole, resigns=resigns)


def ben(proof: str = "ben's browser", marker_id: str | None = None) -> Taker:
    return Taker(proof, "Android phone", "Ben", marker_id)


def by_digits(
    db: Database, digits: str, taker: Taker, at: datetime = NOW, secret: str = SECRET
) -> MarkerRecord:
    Clock.at = at
    return phones.take_digits(db, digits, taker, secret=secret)


def by_link(db: Database, link: str, taker: Taker, at: datetime = NOW) -> MarkerRecord:
    Clock.at = at
    return phones.take_link(db, link, taker)


def refuse(db: Database, code: phones.TransferCode, taker: Taker, at: datetime = NOW) -> None:
    """Assert that neither the digits nor the link of a code make anybody a marker."""
    with pytest.raises(WrongCode):
        by_digits(db, code.digits, taker, at)
    with pytest.raises(WrongCode):
        by_link(db, code.link, taker, at)


def opens(db: Database, game: str, who: MarkerRecord) -> bool:
    try:
        load_game(db, game, who.id)
    except NotFound:
        return False
    return True


def test_a_link_transfers_one_game_and_nothing_else(db, ana, game):
    other = begin(db, ana, "second")
    made = offer(db, game, ana)
    found = by_link(db, made.link, ben())
    assert (found.game_id, found.name, found.label) == (game, "Ben", "Android phone")
    assert opens(db, game, found)
    assert not opens(db, other, found)
    assert opens(db, game, ana)
    assert [line.id for line in games.lines(db, found)[0]] == [game]
    for taker in (ben("another"), ben("")):  # it made one phone a marker, by either of its forms
        refuse(db, made, taker)


def test_a_marker_who_resigns_stops_when_the_code_is_taken(db, ana, game):
    recovery = phones.new_recovery_code(db, ana)
    made = offer(db, game, ana, whole=True, resigns=True)
    assert opens(db, game, ana)
    found = by_digits(db, made.digits, ben())
    assert opens(db, game, found)
    assert not opens(db, game, ana)
    assert games.find_marker(db, ana.id).revoked_at
    assert games.find_marker(db, found.id).revoked_at is None
    with pytest.raises(WrongCode):
        phones.recover(db, recovery, "iPad")
    # The phone whose answer was lost gets it again, and is one marker.
    assert by_link(db, made.link, ben()) == found
    assert [one.marker.nickname for one in phones.phones(db, found)] == ["Ben"]
    with pytest.raises(NotPossible, match="the only phone"):
        phones.revoke(db, found, phones.handle_of(found.id))


def test_a_phone_that_was_revoked_can_do_nothing_and_no_code_of_it_lets_anybody_in(db, ana, game):
    its = offer(db, game, ana, whole=True)
    helper = by_digits(db, its.digits, ben())
    made = offer(db, game, helper)
    phones.revoke(db, ana, phones.handle_of(helper.id))
    refuse(db, its, ben())
    refuse(db, made, ben("third"))
    for ask in (  # it was let in before, and asks a moment later
        lambda: phones.revoke(db, helper, phones.handle_of(ana.id)),
        lambda: phones.set_nickname(db, helper, phones.handle_of(ana.id), "Mine"),
        lambda: phones.new_recovery_code(db, helper),
    ):
        with pytest.raises(NotFound):
            ask()
    assert opens(db, game, ana)


def test_wrong_codes_and_codes_older_than_ten_minutes_make_nobody_a_marker(db, ana, game):
    made = offer(db, game, ana)
    for text in ("", "0", "\ud800", "é", "%", "x" * 5000):
        refuse(db, made._replace(digits=text, link=text), ben())
    assert made.expires_at == NOW + timedelta(minutes=10)
    # A clock that was ahead, and was set right since, makes no code last longer.
    for at in (NOW + timedelta(minutes=10), NOW + timedelta(hours=1), NOW - timedelta(days=900)):
        refuse(db, made, ben(), at)
    assert by_digits(db, made.digits, ben(), NOW + timedelta(minutes=9, seconds=59))


def test_the_database_holds_no_code_or_key_that_works(db, ana, game):
    made, recovery = offer(db, game, ana), phones.new_recovery_code(db, ana)
    assert [len(group) for group in recovery.split("-")] == [4, 4, 4, 4, 4]
    with db.read() as session:
        (row,) = session.connection().exec_driver_sql("SELECT * FROM handover").all()
        (notebook,) = session.connection().exec_driver_sql("SELECT * FROM notebook").all()
    assert made.link not in str(row)
    assert made.digits not in [*row]
    assert recovery not in str(notebook)
    assert recovery.replace("-", "") not in str(notebook)
    with pytest.raises(WrongCode):  # what is kept of digits is of no use alone
        by_digits(db, made.digits, ben(), secret="another secret")


def test_a_new_code_makes_the_one_before_worthless_and_old_ones_are_forgotten(db, ana, game):
    first = offer(db, game, ana)
    second = offer(db, game, ana)
    refuse(db, first, ben())
    assert by_digits(db, second.digits, ben())
    Clock.at = NOW + timedelta(days=2)
    phones.offer(db, game, ana.id, secret=SECRET, whole=False, resigns=False)
    with db.read() as session:
        kept = session.connection().exec_driver_sql("SELECT taken_by FROM handover").all()
    assert kept == [(None,)]


def test_no_two_valid_codes_have_the_same_digits(db, ana, game, monkeypatch):
    drawn = iter([7, 7, 8])
    monkeypatch.setattr(phones.secrets, "randbelow", lambda _: next(drawn))
    zoe = games.start_notebook(db, "iPad")
    assert offer(db, game, ana).digits == "00000007"
    assert offer(db, begin(db, zoe, "hers"), zoe).digits == "00000008"


def test_a_marker_of_one_game_can_transfer_only_that_game_and_resign(db, ana, game):
    other = begin(db, ana, "second")
    helper = by_digits(db, offer(db, game, ana).digits, ben())
    for whole, resigns, where in ((True, False, game), (True, True, game), (False, True, other)):
        with pytest.raises(NotFound):
            offer(db, where, helper, whole=whole, resigns=resigns)
    third = by_digits(db, offer(db, game, helper, resigns=True).digits, ben("third"))
    assert third.game_id == game
    assert not opens(db, game, helper)


def test_nobody_can_transfer_another_markers_games(db, ana, game):
    zoe = games.start_notebook(db, "iPad")
    for of, giver, resigns in (
        (game, zoe, False),
        ("none", ana, False),
        (game, ana, True),  # one game is not taken from who keeps the notebook
    ):
        with pytest.raises(NotFound):
            offer(db, of, giver, resigns=resigns)
    by_digits(db, offer(db, game, ana, whole=True, resigns=True).digits, ben())
    with pytest.raises(NotFound):
        offer(db, game, ana)


def test_a_phone_that_already_keeps_the_notebook_does_not_use_up_the_code(db, ana, game):
    made = offer(db, game, ana, whole=True, resigns=True)
    with pytest.raises(NotPossible, match="already keeps everything"):
        by_digits(db, made.digits, ben("ana's browser", ana.id))
    assert opens(db, game, ana)
    assert by_digits(db, made.digits, ben())


def test_a_marker_of_one_game_who_gets_the_notebook_stays_one_phone(db, ana, game):
    helper = by_digits(db, offer(db, game, ana).digits, ben())
    made = offer(db, game, ana, whole=True)
    wider = by_digits(db, made.digits, Taker("later", "Android phone", "", helper.id))
    assert (wider.game_id, wider.nickname) == (None, "Ben")
    assert [one.marker.name for one in phones.phones(db, ana)] == ["Ben", "iPhone"]


def test_a_phone_with_another_game_or_notebook_gets_the_game_in_addition(db, ana, game):
    zoe = games.start_notebook(db, "iPad")
    helper = by_digits(db, offer(db, game, ana).digits, ben("zoe", zoe.id))
    assert [one.id for one in phones.not_revoked(db, [zoe.id, helper.id])] == [zoe.id, helper.id]
    other = begin(db, ana, "second")
    second = by_digits(db, offer(db, other, ana).digits, ben("later", helper.id))
    assert second.game_id == other
    assert opens(db, game, helper)


def test_if_two_servers_take_the_same_code_only_one_makes_a_marker(db, database_url, ana, game):
    made = offer(db, game, ana)

    def take(who: str) -> bool:
        with closing(Database(database_url)) as server:
            try:
                return bool(by_digits(server, made.digits, ben(who)))
            except WrongCode:
                return False

    assert sorted(at_once(2, lambda number: take(f"browser {number}"))) == [False, True]
    assert len(phones.phones(db, ana)) == 2


def test_after_too_many_wrong_digits_only_the_link_works(db, ana, game, monkeypatch):
    monkeypatch.setattr(phones, "MOST_WRONG", 3)
    made = offer(db, game, ana)
    second = offer(db, begin(db, zoe := games.start_notebook(db, "iPad"), "hers"), zoe)
    for _ in range(2):
        with pytest.raises(WrongCode):
            by_digits(db, "none", ben())
    assert by_digits(db, second.digits, ben("the last moment"))
    with pytest.raises(WrongCode):
        by_digits(db, "none", ben())
    with pytest.raises(WrongCode):
        by_digits(db, made.digits, ben())
    third = offer(db, begin(db, zoe, "another"), zoe)
    assert by_digits(db, third.digits, ben("later"))  # nobody has tried since it was made
    assert by_link(db, made.link, ben()).game_id == game


def test_a_wrong_code_changes_nothing_but_the_count_of_them(db, ana, game):
    made = offer(db, game, ana)
    wrong = f"{(int(made.digits) + 1) % 10**8:08}"
    with db.read() as session:
        before = session.connection().exec_driver_sql("SELECT * FROM marker").all()
    for _ in range(3):
        with pytest.raises(WrongCode):
            by_digits(db, wrong, ben())
        with pytest.raises(WrongCode):
            phones.recover(db, wrong, "iPad")
    with db.read() as session:
        assert session.connection().exec_driver_sql("SELECT * FROM marker").all() == before
        found = session.connection().exec_driver_sql("SELECT wrong_digits FROM handover").all()
    assert found == [(3,)]


# -- the phones -----------------------------------------------------------------------------------


def test_the_phones_are_listed_with_what_they_keep(db, ana, game):
    helper = by_digits(db, offer(db, game, ana).digits, ben())
    second, first = phones.phones(db, ana)  # the oldest first, and NOW was long ago
    assert [
        (one.marker.name, one.here, one.marker.game_id, one.game) for one in (first, second)
    ] == [("iPhone", True, None, ""), ("Ben", False, game, "Ana, Ben")]
    assert second.marker.created_at == second.seen == NOW
    assert ana.id not in first.handle
    Clock.at = NOW + timedelta(hours=1)
    phones.store_seen(db, helper.id)
    assert phones.phones(db, ana)[0].seen == Clock.at


def test_a_phone_has_its_nickname_until_that_is_removed(db, ana, game):
    handle = phones.handle_of(ana.id)
    phones.set_nickname(db, ana, handle, "  Ana's \n old  one ")
    (one,) = phones.phones(db, ana)
    assert one.marker.name == "Ana's old one"
    phones.set_nickname(db, ana, handle, " ")
    assert phones.phones(db, ana)[0].marker.name == "iPhone"


@pytest.mark.parametrize("name", ["A\x00na", "x" * 31])
def test_a_nickname_is_checked_like_a_players_name(db, ana, game, name):
    handle = phones.handle_of(ana.id)
    with pytest.raises(NotPossible) as refused:
        phones.set_nickname(db, ana, handle, name)
    assert refused.value.field == "nickname"
    made = offer(db, game, ana)
    taker = Taker("ben's browser", "Android phone", name)
    for take in (
        lambda: by_digits(db, made.digits, taker),
        lambda: by_link(db, made.link, taker),
    ):
        with pytest.raises(NotPossible):
            take()
    assert [one.marker.name for one in phones.phones(db, ana)] == ["iPhone"]
    assert by_digits(db, made.digits, ben())  # and the code is still good


def test_only_phones_of_the_notebook_can_be_renamed_or_revoked(db, ana, game):
    zoe = games.start_notebook(db, "iPad")
    for handle in (phones.handle_of(zoe.id), zoe.id, "", "\ud800"):
        with pytest.raises(NotFound):
            phones.set_nickname(db, ana, handle, "Mine")
        with pytest.raises(NotFound):
            phones.revoke(db, ana, handle)


def test_the_last_phone_of_a_notebook_stays(db, ana, game):
    by_digits(db, offer(db, game, ana).digits, ben())  # who keeps one game does not count
    with pytest.raises(NotPossible, match="the only phone"):
        phones.revoke(db, ana, phones.handle_of(ana.id))
    phones.new_recovery_code(db, ana)  # nor does a code that goes with the phone
    with pytest.raises(NotPossible, match="the only phone"):
        phones.revoke(db, ana, phones.handle_of(ana.id))
    helper = by_digits(db, offer(db, game, ana, whole=True).digits, ben("third"))
    assert phones.revoke(db, ana, phones.handle_of(ana.id))[0].id == ana.id
    assert not opens(db, game, ana)
    assert opens(db, game, helper)


# -- lost -----------------------------------------------------------------------------------------


def test_a_recovery_code_makes_phones_markers_and_is_not_replaced_unannounced(db, ana, game):
    helper = by_digits(db, offer(db, game, ana, whole=True).digits, ben())
    Clock.at = None
    assert phones.recovery_code(db, ana) is None
    code = phones.new_recovery_code(db, ana)
    known = phones.recovery_code(db, ana)
    assert (known.by, known.here) == ("iPhone", True)
    found = phones.recover(db, code, "iPad")
    assert (found.notebook_id, found.game_id, found.label) == (ana.notebook_id, None, "iPad")
    assert opens(db, game, found)
    assert phones.recover(db, code, "iPad").id != found.id  # it stays good
    # The helper's page was opened before there was one.
    with pytest.raises(NotPossible, match="A new recovery code"):
        phones.new_recovery_code(db, helper)
    assert phones.recover(db, code, "iPad")
    known = phones.recovery_code(db, helper)
    assert (known.by, known.here) == ("iPhone", False)
    newer = phones.new_recovery_code(db, helper, known.mark)
    # Nor does a page that is sent twice.
    with pytest.raises(NotPossible, match="A new recovery code"):
        phones.new_recovery_code(db, helper, known.mark)
    assert phones.recover(db, newer, "iPad")
    for wrong in (code, "", "x", newer[:-1], newer + "7", "\ud800"):
        with pytest.raises(WrongCode):
            phones.recover(db, wrong, "iPad")


def test_a_recovery_code_is_revoked_with_the_phone_that_made_it_only(db, ana, game):
    helper = by_digits(db, offer(db, game, ana, whole=True).digits, ben())
    others = [
        by_digits(db, offer(db, game, ana, whole=whole).digits, ben(name))
        for whole, name in ((True, "third"), (False, "fourth"))
    ]
    code = phones.new_recovery_code(db, helper)
    known = phones.recovery_code(db, ana)
    listed = [one.marker.id for one in phones.phones(db, ana) if one.has_code]
    assert listed == [helper.id]
    for other in others:
        assert phones.revoke(db, ana, phones.handle_of(other.id))[1] is None
    assert phones.recover(db, code, "iPad")
    assert phones.revoke(db, ana, phones.handle_of(helper.id))[1] == known.made_at
    assert phones.recovery_code(db, ana) is None
    with pytest.raises(WrongCode):
        phones.recover(db, code, "iPad")


def test_a_code_of_an_unknown_maker_is_revoked_with_any_phone_of_the_notebook(db, ana, game):
    helper = by_digits(db, offer(db, game, ana, whole=True).digits, ben())
    of_a_game = by_digits(db, offer(db, game, ana).digits, ben("third"))
    code = phones.new_recovery_code(db, ana)
    with db.write() as session:  # as version 0003 kept it
        session.connection().exec_driver_sql("UPDATE notebook SET recovery_marker_id = NULL")
    known = phones.recovery_code(db, ana)
    assert (known.by, known.here) == ("", False)
    going = {one.handle for one in phones.phones(db, ana) if one.has_code}
    assert going == {phones.handle_of(one.id) for one in (ana, helper)}
    assert phones.revoke(db, ana, phones.handle_of(of_a_game.id))[1] is None
    assert phones.recover(db, code, "iPad")
    assert phones.revoke(db, ana, phones.handle_of(helper.id))[1] is not None
    with pytest.raises(WrongCode):
        phones.recover(db, code, "iPad")


def test_a_code_with_similar_letters_is_read_as_meant():
    typed = ["0AB1-2VCD", "oab1 2ucd", " OABI—2VCD.", "Oabl2vcd", "０ＡＢ１２ＶＣＤ"]
    assert [phones.normalized_code(one) for one in typed] == ["0ab12vcd"] * len(typed)
