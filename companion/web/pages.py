"""What every page of a game has: its navigation, undo and redo, and what changed meanwhile."""

from __future__ import annotations

from typing import Any

from flask import render_template, url_for

from companion.notebook.words import say
from companion.services.books import Book
from companion.web.acting import Refused, new_key
from companion.web.look import settings

SECTIONS = (
    ("Hand", "hand.show"),
    ("Sheet", "sheet.show"),
    ("Rulings", "rulings.index"),
    ("Tally", "tally.show"),
    ("Rules", "rules.of_game"),
)


def game_page(template: str, book: Book, section: str, **context: Any) -> str:
    """A page of a game, as a marker sees it."""
    sheet = book.sheet
    game_id = book.record.id
    undo, redo = sheet.can_undo, sheet.can_redo
    return render_template(
        template,
        book=book,
        sheet=sheet,
        game=sheet,
        game_id=game_id,
        section=section,
        game_nav=[(label, url_for(endpoint, game_id=game_id)) for label, endpoint in SECTIONS],
        base=sheet.number,
        key=new_key(),
        last_key=sheet.last.key if sheet.last else "",
        undo_url=url_for("hand.undo", game_id=game_id) if undo else None,
        undo_label=f"Undo: {say(undo.event, sheet)}" if undo else None,
        undo_key=new_key(),
        redo_url=url_for("hand.redo", game_id=game_id) if redo else None,
        redo_label=f"Redo: {say(redo.event, sheet)}" if redo else None,
        redo_key=new_key(),
        settings=settings(),
        settings_url=url_for("settings.show"),
        **context,
    )


def refused_page(template: str, refused: Refused, section: str, **context: Any) -> tuple[str, int]:
    """The form again, with what was entered, what is wrong, and what changed meanwhile."""
    book = refused.book
    meanwhile = [say(entry.event, book.sheet) for entry in refused.meanwhile]
    page = game_page(template, book, section, errors=refused.errors, meanwhile=meanwhile, **context)
    return page, refused.status


def plain_page(template: str, **context: Any) -> str:
    """A page that belongs to no game."""
    return render_template(
        template, settings=settings(), settings_url=url_for("settings.show"), **context
    )
