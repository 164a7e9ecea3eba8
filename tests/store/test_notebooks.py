"""Notebooks and their markers."""

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
    with database.read() as session:
        assert store.marker(session, ana.id) is None
        assert store.marker(session, other.id) == other


def test_revoking_again_or_nobody_changes_nothing(database, ana, eight):
    with database.write() as session:
        store.revoke_marker(session, ana.id, eight)
        store.revoke_marker(session, ana.id, eight + timedelta(days=1))
        store.revoke_marker(session, "unknown", eight)
        stored = session.connection().execute(select(MarkerRecord.revoked_at)).all()
    assert stored == [(eight,)]


def test_unknown_and_odd_ids_find_no_marker(database, ana):
    with database.read() as session:
        for text in ("", "unknown", ana.notebook_id, "é", "\ud800", "%"):
            assert store.marker(session, text) is None


def test_the_markers_of_a_notebook_are_named_the_revoked_ones_too(database, ana, eight):
    with database.write() as session:
        other = store.open_notebook(session, "Ben's phone", eight)
        store.revoke_marker(session, ana.id, eight)
    with database.read() as session:
        assert store.marker_labels(session, ana.notebook_id) == {ana.id: "Ana's phone"}
        assert store.marker_labels(session, other.notebook_id) == {other.id: "Ben's phone"}
        assert store.marker_labels(session, "unknown") == {}
