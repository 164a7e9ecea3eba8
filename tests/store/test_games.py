"""Games: who finds which, in what order, and by what words."""

import re
from datetime import timedelta

import pytest
from hypothesis import given, strategies as st
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from companion import store


@pytest.fixture
def ben(database, eight):
    """A marker with another notebook."""
    with database.write() as session:
        return store.open_notebook(session, "Ben's phone", eight)


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


def test_the_marker_finds_the_game_until_revoked_and_those_of_other_notebooks_do_not(
    database, ana, ben, game, eight
):
    with database.read() as session:
        assert store.game_of_marker(session, game.id, ana.id) == game
        assert store.game_of_marker(session, game.id, ben.id) is None
    with database.write() as session:
        store.revoke_marker(session, ana.id, eight)
    with database.read() as session:
        assert store.game_of_marker(session, game.id, ana.id) is None


def test_odd_ids_find_no_game(database, ana, game):
    with database.read() as session:
        for text in ("", "%", "unknown", "é", "\ud800", "a\x00b", "' OR 1=1 --"):
            assert store.game_of_marker(session, text, ana.id) is None
            assert store.game_of_marker(session, game.id, text) is None
            assert store.game_of_viewer(session, text) is None


@pytest.mark.database("sqlite")
def test_the_marker_is_checked_and_the_game_found_by_one_query_by_keys_alone(database, ana, game):
    asked = []
    with database.read() as session:
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
        store.game_of_marker(session, game.id, ana.id)
        ((statement, values),) = asked
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
    assert plan
    assert all(row[-1].startswith("SEARCH") for row in plan)


def test_the_viewer_key_finds_the_game_and_its_neighbours_do_not(database, game):
    with database.read() as session:
        assert store.game_of_viewer(session, game.viewer_key) == game
        for guess in (
            game.viewer_key[:-1],
            game.viewer_key + "A",
            game.viewer_key.swapcase(),
            game.viewer_digest,
            game.id,
        ):
            assert store.game_of_viewer(session, guess) is None


def test_a_game_is_known_by_the_key_of_its_first_event(database, ana, ben, game, mark):
    with database.write() as session:
        mark(session, 0, key="started")
        mark(session, 1, key="later")
    with database.read() as session:
        assert store.game_begun_with(session, ana.notebook_id, "started") == game.id
        assert store.game_begun_with(session, ana.notebook_id, "later") is None
        assert store.game_begun_with(session, ana.notebook_id, "\ud800") is None
        assert store.game_begun_with(session, ben.notebook_id, "started") is None


def test_an_event_rewrites_what_lists_show(database, ana, game, mark, eight):
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


def test_a_list_holds_the_games_of_one_notebook(database, ana, ben, game):
    with database.read() as session:
        assert store.list_games(session, ana.notebook_id) == [game]
        assert store.list_games(session, ben.notebook_id) == []


def create(session, marker, at, title, names="", **given):
    shown = store.Projection(title, names, "{}", **given)
    return store.create_game(session, marker.notebook_id, shown, at)


def test_the_game_with_the_latest_event_stands_first(database, ana, game, mark, eight):
    with database.write() as session:
        create(session, ana, eight + timedelta(days=1), "Saturday")
        create(session, ana, eight + timedelta(days=2), "Sunday")
        listed = store.list_games(session, ana.notebook_id)
        assert titles(listed) == ["Sunday", "Saturday", "Friday"]
        mark(session, 0, at=eight + timedelta(days=3))
        listed = store.list_games(session, ana.notebook_id)
        assert titles(listed) == ["Friday", "Sunday", "Saturday"]


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


def test_a_list_comes_page_by_page(database, ana, eight):
    with database.write() as session:
        made = [create(session, ana, eight + timedelta(days=day), str(day)) for day in range(1, 6)]

        def listed(limit: int, **beyond: int) -> str:
            places = {
                name: store.Place(made[day - 1].updated_at, made[day - 1].id)
                for name, day in beyond.items()
            }
            found = store.list_games(session, ana.notebook_id, limit=limit, **places)
            return "".join(titles(found))

        assert listed(2) == "54"
        assert [listed(2, older=day) for day in (4, 2, 1)] == ["32", "1", ""]
        assert [listed(2, newer=day) for day in (1, 4, 5)] == ["32", "5", ""]


def pages(session, marker, forth: bool, first):
    """The titles on each page of two, on and on in one direction from a first place."""
    place, found = first, []
    while True:
        beyond = {"older" if forth else "newer": place}
        page = store.list_games(session, marker.notebook_id, limit=2, **beyond)
        if not page:
            return found
        found.append([game.title for game in page])
        edge = page[-1 if forth else 0]
        place = store.Place(edge.updated_at, edge.id)


def there_and_back(session, marker) -> list[str]:
    """The titles on all pages, which are the same on the way back."""
    there = [title for page in pages(session, marker, True, None) for title in page]
    last = store.list_games(session, marker.notebook_id)[-1]
    back = pages(session, marker, False, store.Place(last.updated_at, last.id))
    assert [title for page in back[::-1] for title in page] == there[:-1]
    return there


def test_games_of_one_moment_are_on_one_page_each_there_and_back(database, ana, eight):
    with database.write() as session:
        for number in range(5):
            create(session, ana, eight, str(number))
        assert sorted(there_and_back(session, ana)) == ["0", "1", "2", "3", "4"]


def test_a_page_stays_when_a_game_that_it_was_on_goes_up(database, ana, game, mark, eight):
    with database.write() as session:
        create(session, ana, eight - timedelta(days=1), "Thursday")
        place = store.Place(game.updated_at, game.id)
        mark(session, 0, at=eight + timedelta(days=3))
        listed = store.list_games(session, ana.notebook_id, older=place)
        assert titles(listed) == ["Thursday"]


@pytest.mark.database("sqlite")
def test_a_list_goes_on_after_a_game_with_a_damaged_time(database, ana, eight):
    with database.write() as session:
        for day in range(1, 6):
            create(session, ana, eight + timedelta(days=day), str(day))
        session.connection().exec_driver_sql(
            "UPDATE game SET updated_at = 'soon' WHERE title > '2'"
        )
        there = there_and_back(session, ana)
        assert sorted(there) == ["1", "2", "3", "4", "5"]
        assert there[3:] == ["2", "1"]


@pytest.mark.database("sqlite")
def test_damaged_text_and_times_are_read_as_what_they_are_not(database, ana, game):
    with database.write() as session:
        session.connection().exec_driver_sql(
            "UPDATE game SET title = CAST(x'41ff' AS TEXT), updated_at = 'soon', created_at = 7"
        )
    with database.read() as session:
        alone = store.game_of_marker(session, game.id, ana.id)
        (found,) = store.list_games(session, ana.notebook_id)
    assert (found.title, found.updated_at, found.created_at) == (
        "A\ufffd",
        store.UNREADABLE,
        store.UNREADABLE,
    )
    assert alone.updated_at == store.UNREADABLE


@pytest.mark.database("sqlite")
def test_the_pages_of_a_list_are_found_by_the_index(database, ana, eight):
    asked = []
    event.listen(database._engine, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
    with database.write() as session:
        made = create(session, ana, eight, "Friday")
        place = store.Place(made.updated_at, made.id)
        for beyond, sign in (({"older": place}, "<"), ({"newer": place}, ">")):
            asked.clear()
            store.list_games(session, ana.notebook_id, **beyond)
            (statement, given), *_ = asked
            plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given)
            by = f"ix_game_notebook_id_updated_at (notebook_id=? AND updated_at{sign}?)"
            assert any(by in row[3] for row in plan)


# The players' names of a game, the words that find it, and words that do not.
SEARCHES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Ana\nBen\nIşık\n山田\n👩‍👧": (
        (
            "",
            "   ",
            "ana",
            "BE",
            "isik",
            "田",
            "👩‍👧",
            "ben ana",
            "evening",
            "EVENING ben",
        ),  # the title's word, too
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


def test_a_search_of_a_hundred_words_is_answered(database, ana, eight):
    with database.write() as session:
        create(session, ana, eight, "Evening", "Ana")
        found = store.list_games(session, ana.notebook_id, search="a " * 100)
    assert titles(found) == ["Evening"]


def test_half_a_surrogate_pair_in_a_search_is_passed_over(database, ana, game):
    with database.read() as session:
        assert store.list_games(session, ana.notebook_id, search="ana \ud83d") == [game]


def test_half_a_surrogate_pair_in_a_title_is_refused(database, ana, eight):
    with pytest.raises(ValueError, match="surrogates not allowed"), database.write() as session:
        create(session, ana, eight, "\ud83d")


def test_a_game_that_was_written_elsewhere_keeps_its_events(
    database, another, ana, game, mark, friday, eight
):
    with database.write() as session:
        written = [mark(session, base, marker_id=f"elsewhere-{base}") for base in range(3)]
    there = store.Database(another())
    arrived = eight + timedelta(days=1)
    with there.write() as session:
        marker = store.open_notebook(session, "Cleo", arrived)
        arriving = [store.EventRow(**event.model_dump()) for event in written]
        copied = store.create_game(session, marker.notebook_id, friday, arrived, arriving)
    with there.read() as session:
        assert [event.model_dump(exclude={"game_id"}) for event in arriving] == [
            event.model_dump(exclude={"game_id"}) for event in written
        ]
        assert store.load(session, copied.id) == arriving
        assert store.game_of_marker(session, copied.id, marker.id) == copied
        assert store.list_games(session, marker.notebook_id) == [copied]
    assert copied.last_number == 3
    assert copied.created_at == copied.updated_at == arrived
    assert copied.id != game.id
    assert copied.viewer_key != game.viewer_key
    there.close()


def test_a_copied_game_goes_on_where_it_stopped(database, ana, game, mark, friday, eight):
    with database.write() as session:
        written = [mark(session, base).model_dump() for base in range(3)]
        *before, third = (store.EventRow(**event) for event in written)
        copied = store.create_game(session, ana.notebook_id, friday, eight, before)
        third.game_id = copied.id
        assert store.append(session, third, friday).number == 3
        assert store.load(session, copied.id) == [*before, third]


def test_events_from_elsewhere_with_one_key_are_refused(database, ana, friday, eight):
    event = {"key": "a", "at": eight, "marker_id": "m", "kind": "HandMarked", "payload": "{}"}
    events = [store.EventRow(number=number, **event) for number in (1, 2)]
    with pytest.raises(IntegrityError), database.write() as session:
        store.create_game(session, ana.notebook_id, friday, eight, events)
    with database.read() as session:
        assert store.list_games(session, ana.notebook_id) == []


def test_a_game_cannot_be_in_a_notebook_that_is_not_there(database, friday, eight):
    with pytest.raises(Exception, match=r"(?i)foreign key"), database.write() as session:
        store.create_game(session, "unknown", friday, eight)


# -- folding: what is the same name in any script, whoever types it ------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
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
    ],
)
def test_a_name_is_folded(text, expected):
    assert store.folded(text) == expected


def test_case_makes_no_difference_for_any_character_there_is():
    letters = [chr(code) for code in range(0x20000)]  # beyond that no letter has a case
    with_case = [letter for letter in letters if {letter} != {letter.upper(), letter.lower()}]
    assert len(with_case) > 2000
    for letter in with_case:
        assert store.folded(letter.upper()) == store.folded(letter) == store.folded(letter.lower())


@given(st.text(st.characters()))
def test_what_is_folded_can_be_stored_and_folding_it_again_changes_nothing(text):
    once = store.folded(text)
    assert once.encode().decode() == once
    assert store.folded(once) == once
