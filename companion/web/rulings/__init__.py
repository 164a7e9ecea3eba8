"""Disputes: asking for a ruling, keeping it, carrying it out."""

from flask import Blueprint

from companion.web.actions import needs_rulings

bp = Blueprint("rulings", __name__)
bp.before_request(needs_rulings)
