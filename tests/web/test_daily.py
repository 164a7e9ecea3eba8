"""The running server makes the backup of the day, and the settings say when that was."""

import re
import threading

import pytest

from companion.store.installation import Installation
from companion.web.app import make_daily_backups

pytestmark = pytest.mark.own_app


def test_the_first_request_has_it_made_and_the_settings_tell(app, marker):
    assert "There is no backup of the notebooks here yet." in marker.open("/settings")
    installation: Installation = app.extensions["companion_installation"]
    app._got_first_request = False
    app.config["DAILY_BACKUPS"] = True
    make_daily_backups(app, installation)
    marker.open("/")
    marker.open("/")
    (worker,) = [one for one in threading.enumerate() if one.name == "daily backup"]
    while not list(installation.backups.glob("daily-*.backup")):
        assert worker.is_alive()
        worker.join(0.05)
    app.extensions["companion_daily"].set()
    worker.join()
    said = r"The last backup of all notebooks here was made on \d+ \w+ 20\d\d, \d\d:\d\d\."
    assert re.search(said, str(marker.open("/settings")))


def test_requests_that_come_together_begin_one_thread(app, monkeypatch):
    started = []
    # Another request comes while a thread starts.
    monkeypatch.setattr(threading.Thread, "start", lambda one: (started.append(one), begin()))
    app._got_first_request = False
    app.config["DAILY_BACKUPS"] = True
    make_daily_backups(app, app.extensions["companion_installation"])
    begin = app.before_request_funcs[None][-1]
    begin()
    assert len(started) == 1


def test_strangers_are_told_nothing_of_backups(stranger):
    assert "backup" not in stranger.open("/settings")
