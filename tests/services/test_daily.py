"""The daily backup is made once, whoever else tries, and the last two weeks' are kept."""

import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from companion.services import backups
from companion.services.backups import back_up_daily
from companion.store.installation import Installation, only_one
from tests.services.installations import friday

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)


@pytest.fixture
def house(tmp_path: Path) -> Installation:
    return friday(tmp_path / "house")


def names(house: Installation) -> list[str]:
    return sorted(path.name for path in house.backups.glob("*.backup"))


def test_the_backup_is_made_and_logged_once_a_day(house, caplog):
    for hours in (0, 0, 11):
        assert back_up_daily(house, NOON + timedelta(hours=hours)) == ""
    assert names(house) == ["daily-2024-05-03.backup"]
    assert backups.check_backup(house.backups / "daily-2024-05-03.backup").counts.entries == 3
    (record,) = caplog.records
    assert "Today's backup is " in record.getMessage()
    back_up_daily(house, NOON + timedelta(hours=12))
    assert names(house) == ["daily-2024-05-03.backup", "daily-2024-05-04.backup"]


def test_one_worker_makes_it_keeps_the_last_fourteen_and_leaves_other_files_alone(house):
    house.backups.mkdir()
    with only_one(house.backups / ".lock") as first:
        assert first
        assert back_up_daily(house, NOON) == ""
    assert names(house) == []
    kept = ["before-restore-2024-01-01-000000.backup", "companion-2024-01-01-000000.backup"]
    days = [f"daily-2024-04-{day}.backup" for day in range(10, 24)]
    for name in [*kept, *days]:
        (house.backups / name).touch()
    back_up_daily(house, NOON)
    assert names(house) == [*kept, *days[1:], "daily-2024-05-03.backup"]


def test_the_drafts_of_killed_processes_are_removed_after_a_day(house, tmp_path):
    house.backups.mkdir()
    drafts = [house.backups / f".{kind}.backup.0a1b2c3d" for kind in ("daily", "companion", "now")]
    for draft, hours in zip(drafts, (25, 25, 23), strict=True):
        draft.touch()
        at = (NOON - timedelta(hours=hours)).timestamp()
        os.utime(draft, (at, at))
    backups.back_up(house, tmp_path / "a.backup", NOON)
    assert [*house.backups.iterdir()] == drafts[2:]


def test_an_obstacle_is_logged_once_until_it_is_gone(house, caplog):
    house.backups.write_text("no folder")
    trouble = ""
    for _ in range(3):
        trouble = back_up_daily(house, NOON, trouble)
        assert trouble == "File exists"
    house.backups.unlink()
    assert back_up_daily(house, NOON, trouble) == ""
    ours = [record for record in caplog.records if record.name == "companion.backups"]
    levels = [record.levelno for record in ours]
    assert levels == [logging.ERROR, logging.WARNING]
    assert "was not made: " in ours[0].getMessage()
    back_up_daily(Installation.in_folder(house.folder / "elsewhere"), NOON)
    assert "There is no database at" in caplog.text
    assert "The first start makes it." in caplog.text


def test_a_clock_that_is_ahead_deletes_no_backups(house):
    back_up_daily(house, NOON)
    back_up_daily(house, NOON.replace(year=2034))
    assert names(house) == ["daily-2024-05-03.backup", "daily-2034-05-03.backup"]


def test_a_clock_that_is_behind_the_other_backups_keeps_the_new_one(house):
    house.backups.mkdir()
    days = [f"daily-2024-05-{day}.backup" for day in range(10, 24)]
    for name in days:
        (house.backups / name).touch()
    assert back_up_daily(house, NOON) == ""
    assert names(house) == ["daily-2024-05-03.backup", *days[1:]]


def test_a_lock_that_fails_is_logged_and_tried_again(house, caplog):
    lock = house.backups / ".lock"
    lock.mkdir(parents=True)
    trouble = back_up_daily(house, NOON)
    assert trouble == f"{lock} cannot be locked (unable to open database file)"
    assert trouble in caplog.text
    lock.rmdir()
    assert back_up_daily(house, NOON, trouble) == ""
