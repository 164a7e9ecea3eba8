"""Notebooks and their markers, ids, keys and digests."""

import re
from datetime import timedelta

from sqlalchemy import select

from companion import store
from companion.store.models import MarkerRecord


def test_a_marker_has_a_notebook_and_ids_that_nobody_guesses(ana, eight):
    assert re.fullmatch("[A-Za-z0-9_-]{22}", ana.id)
    assert re.fullmatch("[A-Za-z0-9_-]{22}", ana.notebook_id)
    assert ana.id != ana.notebook_id
    assert (ana.label, ana.created_at, ana.revoked_at) == ("Ana's phone", eight, None)


def test_a_marker_with_a_notebook_of_its_own_is_found_until_it_is_revoked(database, ana, eight):
    with database.write() as session:
        other = store.open_notebook(session, "Ana's phone", eight)
        assert store.marker(session, ana.id) == ana
        store.revoke_marker(session, ana.id, eight)
    assert (other.id != ana.id, other.notebook_id != ana.notebook_id) == (True, True)
    with database.write() as session:
        assert store.marker(session, ana.id) is None
        assert store.marker(session, other.id) == other
        for text in ("", "unknown", other.notebook_id, "é", "\ud800", "%"):
            assert store.marker(session, text) is None
            store.revoke_marker(session, text, eight)
        store.revoke_marker(session, ana.id, eight + timedelta(days=1))  # is once and for all
        stored = session.connection().execute(select(MarkerRecord.revoked_at)).scalars()
        assert {*stored} == {eight, None}


def test_the_markers_of_a_notebook_are_named_the_revoked_ones_too(database, ana, eight):
    with database.write() as session:
        other = store.open_notebook(session, "Ben's phone", eight)
        store.revoke_marker(session, ana.id, eight)
    with database.read() as session:
        assert store.marker_labels(session, ana.notebook_id) == {ana.id: "Ana's phone"}
        assert store.marker_labels(session, other.notebook_id) == {other.id: "Ben's phone"}
        assert store.marker_labels(session, "unknown") == {}


# -- ids, keys and digests ------------------------------------------------------------------------


def test_a_games_id_is_ten_letters_and_digits_that_nobody_mistakes_for_others():
    ids = {store.random_game_id() for _ in range(2000)}
    assert len(ids) == 2000
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{10}", game_id) for game_id in ids)
    assert set("".join(ids)) == set("0123456789abcdefghjkmnpqrstvwxyz")


def test_the_game_that_follows_on_a_game_has_the_same_id_whenever_it_is_asked_for():
    before = [store.random_game_id() for _ in range(2000)]
    ids = [store.following_game_id(game_id) for game_id in before]
    assert ids == [store.following_game_id(game_id) for game_id in before]
    assert len({*before, *ids}) == 4000
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{10}", game_id) for game_id in ids)
    # The SHA-256 of "again after 0123456789" begins with e3 87 70, which modulo 32 are 3, 7 and 16.
    assert store.following_game_id("0123456789").startswith("37g")


def test_a_key_is_128_bits_that_need_no_quoting():
    keys = {store.random_key() for _ in range(2000)}
    assert len(keys) == 2000
    assert all(re.fullmatch("[A-Za-z0-9_-]{22}", key) for key in keys)


def test_keys_are_the_same_or_not_whatever_they_hold():
    assert store.same_key("abc", "abc")
    assert not any(store.same_key("abc", key) for key in ("abd", "ab", "", "äbc", "\ud800"))
    assert len({store.digest(key) for key in ("", "é", "e\u0301", "\ud800", "\x00")}) == 5
    # The one-block example of FIPS 180-2, appendix B.1.
    assert store.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
