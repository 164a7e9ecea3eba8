"""The files of the keys: made once, replaced whole, and for their owner alone."""

import errno
import os
from pathlib import Path

import pytest

from companion.store.installation import kept_keys, replace_key


def test_a_file_that_everybody_may_read_is_taken_back(tmp_path):
    file = tmp_path / "house.key"
    key = kept_keys(file)[0]
    file.chmod(0o644)
    assert kept_keys(file)[0] == key
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_key_is_made_in_a_folder_that_is_not_there_yet(tmp_path):
    file = tmp_path / "one" / "two" / "house.key"
    assert kept_keys(file)[0] == file.read_text().strip()
    assert [one.name for one in file.parent.iterdir()] == ["house.key"]


@pytest.mark.parametrize("content", [b"", b"\n", b"short\n", b"\xff" * 60])
def test_what_is_no_key_is_not_replaced(tmp_path, content):
    file = tmp_path / "house.key"
    file.write_bytes(content)
    with pytest.raises(OSError, match="holds no key") as caught:
        kept_keys(file)[0]
    assert caught.value.filename == str(file)
    assert file.read_bytes() == content


def test_of_two_that_start_at_once_both_take_the_first_key(tmp_path, monkeypatch):
    file = tmp_path / "house.key"
    link = os.link

    def slower(source: Path, target: Path) -> None:
        file.write_text("k" * 22 + "\n")  # the other one was quicker
        link(source, target)

    monkeypatch.setattr(os, "link", slower)
    assert kept_keys(file)[0] == "k" * 22
    assert [one.name for one in tmp_path.iterdir()] == ["house.key"]


@pytest.mark.parametrize("other", [False, True])
def test_where_a_file_has_one_name_only_it_is_moved_there(tmp_path, monkeypatch, other):
    file = tmp_path / "house.key"

    def refused(source: Path, target: Path) -> None:
        if other:
            file.write_text("k" * 22)
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    key = kept_keys(file)[0]
    assert (key == "k" * 22) is other
    assert kept_keys(file)[0] == key
    assert [one.name for one in tmp_path.iterdir()] == ["house.key"]


# -- a new one ------------------------------------------------------------------------------------


def test_a_new_key_comes_before_the_former_one(tmp_path):
    file = tmp_path / "secret.key"
    (first,) = kept_keys(file)
    second = replace_key(file, 12)
    assert kept_keys(file) == [second, first]
    assert second != first
    assert len(second) == 43
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["secret.key"]


def test_only_so_many_former_ones_are_kept(tmp_path):
    file = tmp_path / "secret.key"
    (first,) = kept_keys(file)
    for _ in range(12):
        replace_key(file, 12)
    assert len(kept_keys(file)) == 13
    assert kept_keys(file)[-1] == first
    replace_key(file, 12)
    assert len(kept_keys(file)) == 13
    assert first not in kept_keys(file)


def test_a_file_that_could_not_be_replaced_is_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "secret.key"
    before = kept_keys(file)

    def full(self: Path, target: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="full"):
        replace_key(file, 12)
    assert kept_keys(file) == before
    assert [one.name for one in tmp_path.iterdir()] == ["secret.key"]
