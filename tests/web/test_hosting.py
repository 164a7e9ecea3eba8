"""The examples for a hosted companion name what is there, and hide what must be hidden."""

import re
import runpy
from pathlib import Path

import pytest

import companion.web.app
from companion.hosting import gunicorn_conf
from companion.web.app import HEADERS
from companion.web.monitoring import without_keys

HOSTING = Path(gunicorn_conf.__file__).parent


def test_gunicorn_serves_the_application_and_believes_nobody():
    assert gunicorn_conf.wsgi_app == "companion.web.app:create_app()"
    assert callable(companion.web.app.create_app)
    assert gunicorn_conf.forwarded_allow_ips == ""
    assert gunicorn_conf.accesslog is None


def test_the_unit_starts_what_there_is():
    unit = (HOSTING / "companion.service").read_text(encoding="utf-8")
    (config,) = re.findall(r"--config (\S+)", unit)
    assert HOSTING.parents[1] / config == Path(gunicorn_conf.__file__)


def test_no_log_has_the_addresses_that_let_one_in(app):
    proxy = (HOSTING / "nginx.conf").read_text(encoding="utf-8")
    (hidden,) = re.findall(r'"~(\^/\S+)" /\$door/\.\.\.;', proxy)
    caddy = (HOSTING / "Caddyfile").read_text(encoding="utf-8")
    (rewritten,) = re.findall(r'request>uri regexp "(\S+)" "/\$1/\.\.\."', caddy)
    assert "request>headers delete" in caddy  # where a page came from is among them
    assert "exclude http.log.error" in caddy
    rules = [rule.rule for rule in app.url_map.iter_rules() if "<key>" in rule.rule]
    assert {"/k/<key>", "/v/<key>", "/v/<key>/live", "/j/<key>"} <= {*rules}
    for rule in rules:
        address = rule.replace("<key>", "SECRET")
        assert "SECRET" not in without_keys(f"GET {address} HTTP/1.1")
        assert re.match(hidden.replace("(?<", "(?P<"), address)
        assert "SECRET" not in re.sub(rewritten, r"/\1/...", address)


def test_the_proxies_ask_where_gunicorn_is(monkeypatch):
    monkeypatch.delenv("COMPANION_BIND", raising=False)
    bind = runpy.run_path(gunicorn_conf.__file__)["bind"]
    assert f"server {bind};" in (HOSTING / "nginx.conf").read_text(encoding="utf-8")
    assert f"reverse_proxy {bind} {{" in (HOSTING / "Caddyfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("proxy", ["nginx.conf", "Caddyfile"])
def test_what_a_proxy_answers_by_itself_has_the_headers_of_the_pages(proxy):
    text = (HOSTING / proxy).read_text(encoding="utf-8")
    own = text[text.index("answers by itself") :]
    for name, value in {**HEADERS, "Cache-Control": "no-store"}.items():
        (said,) = re.findall(rf'\b{name} "?([^"\n]*?)"?(?: always;)?\n', own)
        # A policy with less in it: nothing of these answers is a page.
        assert said in (value, "default-src 'none'; frame-ancestors 'none'")
