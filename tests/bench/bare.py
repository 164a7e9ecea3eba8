"""A bare Flask app to compare with: one page reads a row, the other one writes a row.

``python -m tests.bench.bare`` serves it, with the companion's server, engine and pragmas.
"""

import os
import sys
from html import escape
from pathlib import Path

from flask import Flask, redirect, request
from flask.typing import ResponseReturnValue
from sqlalchemy import bindparam, select
from sqlmodel import Field, SQLModel

from companion.serving import serve
from companion.store import Database


class BareLine(SQLModel, table=True):
    """The row that the app reads or writes."""

    __tablename__ = "bare_line"

    id: int | None = Field(default=None, primary_key=True)
    text: str


LINE = SQLModel.metadata.tables["bare_line"]
_ONE = select(LINE.c.id, LINE.c.text).where(LINE.c.id == bindparam("id"))


def make_app() -> Flask:
    """Return an app with two routes: one reads a row, the other one commits a row."""
    database = Database(f"sqlite:///{Path(os.environ['COMPANION_INSTANCE']) / 'bare.sqlite3'}")
    database.migrate()
    with database.write() as session:
        SQLModel.metadata.create_all(session.connection(), [LINE])
        session.add(BareLine(id=1, text="Hand 8 of 13"))
    app = Flask("bare")
    app.config["HOUSE_KEY"] = "none"

    @app.get("/")
    def page() -> ResponseReturnValue:
        with database.read() as session:
            row = session.connection().execute(_ONE, {"id": 1}).one()
        return f"<!doctype html><title>{row.id}</title><p>{escape(row.text)}</p>"

    @app.post("/")
    def write() -> ResponseReturnValue:
        with database.write() as session:
            session.connection().execute(LINE.insert(), {"text": request.form["text"]})
        return redirect("/", 303)

    return app


if __name__ == "__main__":
    serve(make_app, "127.0.0.1", 0, sys.stdout)
