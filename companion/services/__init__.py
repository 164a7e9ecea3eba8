"""The use cases: one function each, with a transaction of its own.

Pages call these, and open no session of the database themselves.
"""


class NotFound(LookupError):
    """There is nothing of this id or number that this marker or viewer may see."""
