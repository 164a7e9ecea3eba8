"""Proxies in front: what they say of the client is believed of so many as are configured."""

from __future__ import annotations

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix


def init_app(app: Flask) -> None:
    """Take the client's address and scheme from the last ``TRUST_PROXY`` proxies; from none if 0.

    The host is not taken from X-Forwarded-Host: a proxy that does not set that hands on what the
    client claims. It is to hand on Host itself.
    """
    proxies = app.config["TRUST_PROXY"]
    if proxies:
        wsgi = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=0)
        app.wsgi_app = wsgi  # type: ignore[method-assign]
