"""The pages: parse what was sent, call a service, render the answer."""

from companion.web.app import create_app

__all__ = ["create_app"]
