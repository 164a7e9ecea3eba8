"""The use cases: one function each, with a transaction of its own.

Pages call these, and open no session of the database themselves.
"""


class NotFound(LookupError):
    """There is no such game, person or season, or this marker or viewer may not see it."""
