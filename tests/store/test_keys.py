"""Ids, keys and digests."""

import re

from companion import store


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


def test_the_digest_is_sha_256():
    # The one-block example of FIPS 180-2, appendix B.1.
    assert store.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_keys_are_the_same_or_not():
    assert store.same_key("abc", "abc")
    assert not any(store.same_key("abc", key) for key in ("abd", "ab", "", "äbc", "\ud800"))


def test_a_key_of_any_characters_has_a_digest():
    assert len({store.digest(key) for key in ("", "é", "e\u0301", "\ud800", "\x00")}) == 5
