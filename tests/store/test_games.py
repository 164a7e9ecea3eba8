"""Games and notebooks: finding, ordering and searching them; ids, keys and digests."""

import re
from datetime import timedelta

import pytest
from hypothesis import given, strategies as st
from sqlalchemy import event, select
from sqlalchemy.exc import IntegrityError

from companion import store
from companion.store.models import MarkerRecord


@pytest.fixture
def ben(database, eight):
    """A marker with another notebook."""
    with database.write() as session:
        return store.add_notebook(session, "Ben's phone", eight)


def titles(games):
    return [game.title for game in games]


def test_a_new_game_has_a_short_id_and_a_long_key(game, ana, friday, eight):
    assert re.fullmatch("[0-9a-hjkmnp-tv-z]{10}", game.id)
    assert re.fullmatch("[A-Za-z0-9_-]{22}", game.viewer_key)
    assert game.viewer_digest == store.digest(game.viewer_key)
    assert game.notebook_id == ana.notebook_id
    assert game.created_at == game.updated_at == eight
    assert game.last_number == 0
    assert (game.title, game.names, game.summary) == ("Friday", "ana ben friday", '{"hand":1}')
    assert (game.archived, game.deleted_at) == (False, None)


def test_a_game_is_found_by_its_markers_until_they_are_revoked(database, ana, ben, game, eight):
    with database.read() as session:
        assert store.game_of_marker(session, game.id, ana.id) == game
        assert store.game_of_marker(session, game.id, ben.id) is None
        assert store.list_games(session, ana.notebook_id) == [game]
        assert store.list_games(session, ben.notebook_id) == []
    with database.write() as session:
        store.revoke_marker(session, ana.id, eight)
    with database.read() as session:
        assert store.game_of_marker(session, game.id, ana.id) is None


def test_only_the_exact_viewer_key_finds_the_game(database, ana, game):
    key = game.viewer_key
    with database.read() as session:
        assert store.game_of_viewer(session, key) == game
        for guess in (key[:-1], key + "A", key.swapcase(), game.viewer_digest, game.id):
            assert store.game_of_viewer(session, guess) is None
        for text in ("", "%", "unknown", "é", "\ud800", "a\x00b", "' OR 1=1 --"):
            assert store.game_of_marker(session, text, ana.id) is None
            assert store.game_of_marker(session, game.id, text) is None
            assert store.game_of_viewer(session, text) is None


def test_a_game_is_known_by_the_key_of_its_first_event(database, ana, ben, game, mark):
    with database.write() as session:
        mark(session, 0, key="started")
        mark(session, 1, key="later")
    with database.read() as session:
        assert store.games_begun_with(session, ana.notebook_id, "started") == [game.id]
        assert store.games_begun_with(session, ana.notebook_id, "later") == []
        assert store.games_begun_with(session, ana.notebook_id, "\ud800") == []
        assert store.games_begun_with(session, ben.notebook_id, "started") == []


def test_an_event_updates_what_lists_show(database, ana, game, mark, eight):
    later = eight + timedelta(hours=1)
    shown = store.Projection("Saturday", "Zoë", '{"hand":2}', archived=True, deleted_at=later)
    with database.write() as session:
        mark(session, 0, at=later, projection=shown)
    with database.read() as session:
        found = store.game_of_marker(session, game.id, ana.id)
    assert (found.title, found.names, found.summary) == ("Saturday", "zoe saturday", '{"hand":2}')
    assert (found.archived, found.deleted_at) == (True, later)
    assert (found.created_at, found.updated_at, found.last_number) == (eight, later, 1)
    assert (found.id, found.viewer_key) == (game.id, game.viewer_key)


def create(session, marker, at, title, names="", **given):
    shown = store.Projection(title, names, "{}", **given)
    return store.create_game(session, marker.notebook_id, shown, at)


def test_the_game_with_the_latest_event_stands_first(database, ana, game, mark, eight):
    with database.write() as session:

        def listed(**given):
            return titles(store.list_games(session, ana.notebook_id, **given))

        create(session, ana, eight - timedelta(days=1), "Thursday")
        create(session, ana, eight + timedelta(days=1), "Saturday")
        assert listed() == ["Saturday", "Friday", "Thursday"]
        place = store.Place(game.updated_at, game.id)
        mark(session, 0, at=eight + timedelta(days=3))
        assert listed() == ["Friday", "Saturday", "Thursday"]
        assert listed(older=place) == ["Thursday"]  # a page stays when a game on it goes up


def test_archived_and_deleted_games_have_lists_of_their_own(database, ana, eight):
    with database.write() as session:
        create(session, ana, eight, "open")
        create(session, ana, eight, "archived", archived=True)
        create(session, ana, eight, "deleted", deleted_at=eight)
        create(session, ana, eight, "both", archived=True, deleted_at=eight)

        def listed(**given):
            return set(titles(store.list_games(session, ana.notebook_id, **given)))

        assert listed() == {"open"}
        assert listed(archived=True) == {"archived"}
        assert listed(deleted=True) == {"deleted", "both"}


def pages(session, marker, way: str, place: store.Place | None) -> list[list[str]]:
    """Return the titles on each page of two games, in one direction from a first place."""
    found = []
    while page := store.list_games(session, marker.notebook_id, limit=2, **{way: place}):
        found.append(titles(page))
        edge = page[-1 if way == "older" else 0]
        place = store.Place(edge.updated_at, edge.id)
    return found


@pytest.mark.parametrize(("hours", "there"), [(1, "54 32 1"), (0, None)])
def test_a_list_has_the_same_pages_forwards_and_backwards(hours, there, database, ana, eight):
    with database.write() as session:
        for number in range(1, 6):
            create(session, ana, eight + timedelta(hours=hours * number), str(number))
        _there_and_back(session, ana, there)


@pytest.mark.database("sqlite")
def test_a_list_goes_on_after_a_game_with_a_damaged_time(database, ana, eight):
    with database.write() as session:
        for day in range(1, 6):
            create(session, ana, eight + timedelta(days=day), str(day))
        session.connection().exec_driver_sql(
            "UPDATE game SET updated_at = 'soon' WHERE title > '2'"
        )
        assert _there_and_back(session, ana).endswith("2 1")


def _there_and_back(session, marker, expected: str | None = None) -> str:
    """Return the titles on all pages, and assert that they are the same backwards."""
    there = pages(session, marker, "older", None)
    titles_there = [title for page in there for title in page]
    assert sorted(titles_there) == ["1", "2", "3", "4", "5"]
    last = store.list_games(session, marker.notebook_id)[-1]
    back = pages(session, marker, "newer", store.Place(last.updated_at, last.id))
    assert [title for page in back[::-1] for title in page] == titles_there[:-1]
    shown = " ".join("".join(page) for page in there)
    assert expected in (None, shown)
    return shown


@pytest.mark.database("sqlite")
def test_damaged_text_and_times_are_read_as_replacements(database, ana, game):
    with database.write() as session:
        session.connection().exec_driver_sql(
            "UPDATE game SET title = CAST(x'41ff' AS TEXT), updated_at = 'soon', created_at = 7"
        )
    with database.read() as session:
        alone = store.game_of_marker(session, game.id, ana.id)
        (found,) = store.list_games(session, ana.notebook_id)
    assert found.title == "A\ufffd"
    assert found.updated_at == found.created_at == alone.updated_at == store.UNREADABLE


@pytest.mark.database("sqlite")
def test_queries_use_keys_and_the_index(database, ana, game):
    asked = []
    event.listen(database._engine, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
    with database.read() as session:

        def plan() -> list[str]:
            statement, given = asked[0]
            found = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
            asked.clear()
            return [row[3] for row in found]

        session.connection()
        asked.clear()
        store.game_of_marker(session, game.id, ana.id)
        assert len(asked) == 1  # the marker is checked by it, too
        steps = plan()
        assert steps
        assert all(step.startswith("SEARCH") for step in steps)
        place = store.Place(game.updated_at, game.id)
        for beyond, sign in (({"older": place}, "<"), ({"newer": place}, ">")):
            store.list_games(session, ana.notebook_id, **beyond)
            by = f"ix_game_notebook_id_updated_at (notebook_id=? AND updated_at{sign}?)"
            assert any(by in step for step in plan())


# The players' names of a game, the words that find it, and words that do not.
SEARCHES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Ana\nBen\nIşık\n山田\n👩‍👧": (
        (
            *("", "   ", "ana", "BE", "isik", "田", "👩‍👧", "ben ana", "n " * 100),
            *("evening", "EVENING ben"),  # the title's word, too
            "ana \ud83d",  # half a surrogate pair is passed over
        ),
        (
            *("cleo", "ana cleo", "ibrahim", "%", "A_a", "an%", "/", "\\", "'"),
            "nabe",  # the end of one name and the beginning of the next
            *("a" * 201, "a " * 100_000 + "z"),
            "\ufdfa" * 1000,  # each becomes eighteen letters
        ),
    ),
    "100%": (("100%",), ("%%",)),
    "a_b": (("a_b",), ()),
    "a/b": (("a/b",), ()),
    "a\\b": (("\\",), ()),
    "[x]*?": (("[x]*?",), ()),
    "O'Neil": (("o'neil",), ()),
}


def test_a_game_is_found_by_its_names_and_its_title_and_not_by_other_words(database, ana, eight):
    with database.write() as session:
        for names, (finding, others) in SEARCHES.items():
            game = create(session, ana, eight, "Evening", names)
            for words in (*finding, *others):
                found = store.list_games(session, ana.notebook_id, search=words)
                assert (game in found) is (words in finding), (names, words)


def test_events_from_elsewhere_with_one_key_are_refused(database, ana, friday, eight):
    event = {"key": "a", "at": eight, "marker_id": "m", "kind": "HandMarked", "payload": "{}"}
    events = [store.EventRow(number=number, **event) for number in (1, 2)]
    with pytest.raises(IntegrityError), database.write() as session:
        store.create_game(session, ana.notebook_id, friday, eight, events)
    with database.read() as session:
        assert store.list_games(session, ana.notebook_id) == []


def test_a_game_needs_a_notebook_and_a_title_that_can_be_stored(database, ana, friday, eight):
    with pytest.raises(Exception, match=r"(?i)foreign key"), database.write() as session:
        store.create_game(session, "unknown", friday, eight)
    with pytest.raises(ValueError, match="surrogates not allowed"), database.write() as session:
        create(session, ana, eight, "\ud83d")


# -- notebooks and their markers, ids, keys and digests -----------------------------------------


def test_a_marker_with_a_notebook_of_its_own_is_found_until_it_is_revoked(database, ana, eight):
    assert re.fullmatch("[A-Za-z0-9_-]{22}", ana.id)
    assert re.fullmatch("[A-Za-z0-9_-]{22}", ana.notebook_id)
    assert ana.id != ana.notebook_id
    assert (ana.label, ana.created_at, ana.revoked_at) == ("Ana's phone", eight, None)
    with database.write() as session:
        other = store.add_notebook(session, "Ana's phone", eight)
        assert store.marker(session, ana.id) == ana
        store.revoke_marker(session, ana.id, eight)
    assert (other.id != ana.id, other.notebook_id != ana.notebook_id) == (True, True)
    with database.write() as session:
        assert store.marker(session, ana.id) is None
        assert store.marker(session, other.id) == other
        for text in ("", "unknown", other.notebook_id, "é", "\ud800", "%"):
            assert store.marker(session, text) is None
            store.revoke_marker(session, text, eight)
        assert store.marker_labels(session, ana.notebook_id) == {ana.id: "Ana's phone"}  # revoked
        assert store.marker_labels(session, other.notebook_id) == {other.id: "Ana's phone"}
        assert store.marker_labels(session, "unknown") == {}
        store.revoke_marker(session, ana.id, eight + timedelta(days=1))  # is once and for all
        stored = session.connection().execute(select(MarkerRecord.revoked_at)).scalars()
        assert {*stored} == {eight, None}


# -- ids, keys and digests ------------------------------------------------------------------------


def test_a_games_id_has_ten_characters_and_determines_the_id_of_its_rematch():
    before = [store.random_id() for _ in range(2000)]
    # No letters that somebody mistakes for others.
    assert set("".join(before)) == set("0123456789abcdefghjkmnpqrstvwxyz")
    ids = [store.next_game_id(game_id) for game_id in before]
    assert ids == [store.next_game_id(game_id) for game_id in before]
    assert len({*before, *ids}) == 4000
    assert all(re.fullmatch("[0-9a-hjkmnp-tv-z]{10}", game_id) for game_id in (*before, *ids))
    # The SHA-256 of "again after 0123456789" begins with e3 87 70, which modulo 32 are 3, 7 and 16.
    assert store.next_game_id("0123456789").startswith("37g")


def test_keys_have_128_bits_without_quoting_and_any_text_can_be_compared():
    keys = {store.random_key() for _ in range(2000)}
    assert len(keys) == 2000
    assert all(re.fullmatch("[A-Za-z0-9_-]{22}", key) for key in keys)
    assert store.same_key("abc", "abc")
    assert not any(store.same_key("abc", key) for key in ("abd", "ab", "", "äbc", "\ud800"))
    assert len({store.digest(key) for key in ("", "é", "e\u0301", "\ud800", "\x00")}) == 5
    # The one-block example of FIPS 180-2, appendix B.1.
    assert store.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


# -- folding ---------------------------------------------------------------------------------------


def test_a_name_is_folded():
    for text, expected in (
        ("Ana", "ana"),
        ("  Ana \n\t Ben\u00a0", "ana ben"),
        ("İSTANBUL", "istanbul"),
        ("ısı", "isi"),
        ("Zoe\u0308", "zoe"),
        ("ИВАН", "иван"),
        ("🃏 Joker", "🃏 joker"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
        ("Οδυσσεύς", "οδυσσευσ"),
        ("Straße", "strasse"),
        ("Ａｎａ", "ana"),
        ("ﬁ", "fi"),
        ("مُحَمَّد", "محمد"),
        ("❤\ufe0f", "❤"),
        ("♠\ufe0e", "♠"),
        ("a\ud800b", "ab"),
        ("हिन्दी", "हिनदी"),  # vowel signs are letters, the virama is a mark
        ("", ""),
        (" ", ""),
    ):
        assert store.folded(text) == expected


def test_case_makes_no_difference_for_any_character():
    letters = [chr(code) for code in range(0x20000)]  # beyond that no letter has a case
    with_case = [letter for letter in letters if {letter} != {letter.upper(), letter.lower()}]
    assert len(with_case) > 2000
    for letter in with_case:
        assert store.folded(letter.upper()) == store.folded(letter) == store.folded(letter.lower())


@given(st.text(st.characters()))
def test_folded_text_can_be_stored_and_folding_it_again_changes_nothing(text):
    once = store.folded(text)
    assert once.encode().decode() == once
    assert store.folded(once) == once
