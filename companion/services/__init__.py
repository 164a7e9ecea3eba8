"""The use cases: one function each, with a transaction of its own.

Pages call these, and need to know neither the store nor how a sheet is replayed.
"""


class NotFound(LookupError):
    """There is no such game, person or season, or this marker or viewer may not see it."""
