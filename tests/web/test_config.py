"""Settings in the environment, trusted proxies and hosts, and the examples for hosting."""

import os
import re
import runpy
import threading
import traceback
from pathlib import Path
from unittest.mock import patch

import pytest
from flask import request

import companion.web.app
from companion.hosting import gunicorn_conf
from companion.store.installation import Installation
from companion.web.app import HEADERS
from companion.web.config import Misconfigured, from_environment, public_address
from companion.web.monitoring import without_keys
from tests.web.test_auth import moved

SECRET = "s" * 32


def configured(environ: dict[str, str]) -> dict[str, object]:
    """Return the configuration that an environment gives in which nothing else is set."""
    with patch.dict(os.environ, environ, clear=True):
        return from_environment()


# By their names without COMPANION_: a value, what is then configured, and what is by default.
SETTINGS = {
    "DATABASE_URL": ("sqlite:////srv/a", {"DATABASE_URL": "sqlite:////srv/a"}, None),
    "HTTPS": ("1", {"SESSION_COOKIE_SECURE": True}, False),
    "DAILY_BACKUPS": ("off", {"DAILY_BACKUPS": False}, True),
    "RATE_LIMITS": ("off", {"RATE_LIMITS": False}, True),
    "SECRET_KEY": (SECRET, {"SECRET_KEY": SECRET}, None),
    "SECRET_KEY_FALLBACKS": (
        f"{'b' * 32}, {'a' * 32},",
        {"SECRET_KEY_FALLBACKS": ["a" * 32, "b" * 32]},
        None,
    ),
    "HOUSE_KEY": ("our-house_key-01", {"HOUSE_KEY": "our-house_key-01"}, None),
    "TRUST_PROXY": ("1", {"TRUST_PROXY": 1}, 0),
    "HOSTS": ("A.Example, .b.example", {"TRUSTED_HOSTS": ["a.example", ".b.example"]}, None),
    "LOG": ("json", {"LOG": "json"}, "text"),
    "METRICS_TOKEN": ("t" * 16, {"METRICS_TOKEN": "t" * 16}, None),
}


def test_each_setting_has_its_name_and_a_default_if_it_is_missing_or_empty():
    given = {f"COMPANION_{name}": value for name, (value, _, _) in SETTINGS.items()}
    expected, defaults = {}, {}
    for _, configures, default in SETTINGS.values():
        expected |= configures
        defaults |= dict.fromkeys(configures, default)
    assert configured(given) == expected
    assert configured({}) == defaults
    assert configured(dict.fromkeys(given, " ") | {"COMPANION_DATABASE_URL": ""}) == defaults


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SECRET_KEY", "s" * 31),
        ("SECRET_KEY", "s" * 32 + ",s"),
        ("SECRET_KEY", "ключ" * 8),
        ("SECRET_KEY", "two words that are long enough to be one"),
        ("SECRET_KEY_FALLBACKS", SECRET),
        ("SECRET_KEY_FALLBACKS", f"{SECRET},short-one"),
        ("HOUSE_KEY", "fifteen-letters"),
        ("HOUSE_KEY", "a/slash/in/the/key"),
        ("HOUSE_KEY", "ключключключключ"),
        ("TRUST_PROXY", "yes"),
        ("TRUST_PROXY", "-1"),
        ("TRUST_PROXY", "10"),
        ("TRUST_PROXY", "²"),
        ("HTTPS", "https://scores.example"),
        ("DAILY_BACKUPS", "never"),
        ("RATE_LIMITS", "none"),
        ("HOSTS", "https://scores.example"),
        ("HOSTS", " , ,"),
        ("HOSTS", "scores.example scores2.example"),
        ("HOSTS", "[::1]"),
        ("HOSTS", "scores..example"),
        ("LOG", "xml-with-everything"),
        ("METRICS_TOKEN", "t" * 15),
        ("METRICS_TOKEN", "with a space in it"),
    ],
)
def test_a_wrong_setting_is_reported_without_its_value(variable, value):
    with pytest.raises(Misconfigured) as caught:
        configured({f"COMPANION_{variable}": value})
    assert str(caught.value).startswith(f"COMPANION_{variable} ")
    assert str(caught.value).endswith(".")
    logged = "".join(traceback.format_exception(caught.value))
    assert value not in re.sub(r"line \d+", "", logged)  # 10 may be in a line's number


@pytest.mark.parametrize(
    ("hosts", "secure", "proxies", "address"),
    [
        (None, True, 1, None),
        ([".club.example"], True, 1, None),
        (["scores.example"], True, 0, "https://scores.example"),
        ([".club.example", "scores.example"], False, 1, "http://scores.example"),
        (["scores.local"], False, 0, "http://scores.local:8000"),  # without a proxy
    ],
)
def test_the_first_host_is_the_public_address(hosts, secure, proxies, address):
    config = {"TRUSTED_HOSTS": hosts, "SESSION_COOKIE_SECURE": secure, "TRUST_PROXY": proxies}
    assert public_address(config, 8000) == address


def seen() -> dict[str, object]:
    """Facts of the request, as a page."""
    return {"from": request.remote_addr, "scheme": request.scheme, "host": request.host}


CLAIMS = {
    "X-Forwarded-For": "192.0.2.66, 203.0.113.7",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Port": "444",
    "X-Forwarded-Prefix": "/evil",
    "Forwarded": "for=192.0.2.66;proto=https;host=evil.example",
    "X-Real-IP": "192.0.2.66",
}


@pytest.mark.parametrize(
    ("proxies", "headers", "who", "scheme"),
    [
        ("0", CLAIMS, "127.0.0.1", "http"),
        ("1", CLAIMS, "203.0.113.7", "https"),
        ("1", {}, "127.0.0.1", "http"),
        ("2", CLAIMS | {"X-Forwarded-Proto": "https, http"}, "192.0.2.66", "https"),
    ],
)
def test_the_clients_address_comes_from_the_trusted_number_of_proxies(
    served, proxies, headers, who, scheme
):
    app = served(TRUST_PROXY=proxies)
    app.add_url_rule("/seen", "seen", seen)
    answer = app.test_client().get("/seen", headers=headers)
    assert answer.json == {"from": who, "scheme": scheme, "host": "localhost"}


def test_keys_in_the_environment_override_key_files(served):
    keys = {"SECRET_KEY": SECRET, "SECRET_KEY_FALLBACKS": "b" * 32, "HOUSE_KEY": "our-house_key-01"}
    config = served(**keys).config
    assert (config["SECRET_KEY"], config["HOUSE_KEY"]) == (SECRET, "our-house_key-01")
    assert config["SECRET_KEY_FALLBACKS"] == ["b" * 32]
    assert config["WTF_CSRF_SECRET_KEY"] == ["b" * 32, SECRET]


def test_with_https_cookies_are_secure(served):
    app = served(TRUST_PROXY="1", HTTPS="1")
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()
    for answer in (
        client.get(f"/k/{app.config['HOUSE_KEY']}", headers={"X-Forwarded-Proto": "https"}),
        client.post("/settings", data={"theme": "dark"}, headers={"X-Forwarded-Proto": "https"}),
    ):
        assert "; Secure;" in answer.headers["Set-Cookie"]


def test_only_requests_to_named_hosts_are_answered(served):
    client = served(HOSTS="scores.example,.club.example").test_client()
    for host, status in (
        ("scores.example", 200),
        ("scores.example:8443", 200),
        ("one.club.example", 200),
        ("evil.example", 400),
        ("scores.example.evil.example", 400),
        ("127.0.0.1:8000", 400),
    ):
        answer = client.get("/rules", base_url=f"http://{host}")
        assert (answer.status_code, "Content-Security-Policy" in answer.headers) == (status, True)


# -- the backup of the day ------------------------------------------------------------------------


@pytest.mark.own_app
def test_the_first_request_starts_the_daily_backup_which_only_markers_see_in_the_settings(
    app, marker, stranger, served
):
    assert "There is no backup of the notebooks here yet." in marker.open("/settings")
    serving = served(DAILY_BACKUPS="on")
    for _ in range(2):
        moved(marker, serving).open("/")
    (worker,) = [one for one in threading.enumerate() if one.name == "daily backup"]
    installation: Installation = app.extensions["companion_installation"]
    while not list(installation.backups.glob("daily-*.backup")):
        assert worker.is_alive()
        worker.join(0.05)
    serving.extensions["companion_daily"].set()
    worker.join()
    said = r"The last backup of all notebooks here was made on \d+ \w+ 20\d\d, \d\d:\d\d\."
    assert re.search(said, marker.open("/settings"))
    assert "backup" not in stranger.open("/settings")


def test_simultaneous_requests_start_one_backup_thread(served, monkeypatch):
    begin = served(DAILY_BACKUPS="on").before_request_funcs[None][0]
    started = []
    # Another request comes while a thread starts.
    monkeypatch.setattr(threading.Thread, "start", lambda one: (started.append(one), begin()))
    begin()
    assert len(started) == 1


# -- the examples for hosting ---------------------------------------------------------------------


HOSTING = Path(gunicorn_conf.__file__).parent


def test_gunicorn_serves_the_application_and_trusts_no_proxy():
    assert gunicorn_conf.wsgi_app == "companion.web.app:create_app()"
    assert callable(companion.web.app.create_app)
    assert gunicorn_conf.forwarded_allow_ips == ""
    assert gunicorn_conf.accesslog is None
    assert gunicorn_conf.control_socket_disable


def test_no_log_has_an_address_with_a_key(app):
    proxy = (HOSTING / "nginx.conf").read_text(encoding="utf-8")
    (hidden,) = re.findall(r'"~(\^/\S+)" /\$door/\.\.\.;', proxy)
    caddy = (HOSTING / "Caddyfile").read_text(encoding="utf-8")
    (rewritten,) = re.findall(r'request>uri regexp "(\S+)" "/\$1/\.\.\."', caddy)
    assert "request>headers delete" in caddy  # the referrer is among them
    assert "exclude http.log.error" in caddy
    rules = [rule.rule for rule in app.url_map.iter_rules() if "<key>" in rule.rule]
    assert {"/k/<key>", "/v/<key>", "/v/<key>/live", "/j/<key>"} <= {*rules}
    for rule in rules:
        address = rule.replace("<key>", "SECRET")
        assert "SECRET" not in without_keys(f"GET {address} HTTP/1.1")
        assert re.match(hidden.replace("(?<", "(?P<"), address)
        assert "SECRET" not in re.sub(rewritten, r"/\1/...", address)


def test_the_unit_names_gunicorns_settings_and_the_proxies_its_address(monkeypatch):
    unit = (HOSTING / "companion.service").read_text(encoding="utf-8")
    (config,) = re.findall(r"--config (\S+)", unit)
    assert HOSTING.parents[1] / config == Path(gunicorn_conf.__file__)
    monkeypatch.setenv("COMPANION_BIND", " ")  # a blank variable counts as not set
    bind = runpy.run_path(gunicorn_conf.__file__)["bind"]
    assert f"server {bind};" in (HOSTING / "nginx.conf").read_text(encoding="utf-8")
    assert f"reverse_proxy {bind} {{" in (HOSTING / "Caddyfile").read_text(encoding="utf-8")


def test_gunicorn_has_a_process_to_answer_even_if_none_is_asked_for(monkeypatch):
    monkeypatch.setenv("WEB_CONCURRENCY", "0")
    assert runpy.run_path(gunicorn_conf.__file__)["workers"] == 1


@pytest.mark.parametrize("proxy", ["nginx.conf", "Caddyfile"])
def test_a_proxys_own_answers_have_the_headers_of_the_pages(proxy):
    text = (HOSTING / proxy).read_text(encoding="utf-8")
    own = text[text.index("own answers have") :]
    for name, value in {**HEADERS, "Cache-Control": "no-store"}.items():
        (said,) = re.findall(rf'\b{name} "?([^"\n]*?)"?(?: always;)?\n', own)
        # Plain text needs no more than a shorter policy.
        assert said in (value, "default-src 'none'; frame-ancestors 'none'")
