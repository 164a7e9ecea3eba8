"""Pages that stay the same until the game changes: kept as they were drawn, but for the tokens.

What a page says follows from its book, which never changes, and from the look; the form
protection and the idempotency keys belong to one answer alone. So a page is cut at its tokens
when it is drawn, and put together with fresh ones when it is asked for again.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pieces:
    """A page without its tokens: ``texts`` with, between any two, the token of that place."""

    texts: tuple[str, ...]
    places: tuple[int, ...]

    def with_tokens(self, tokens: Sequence[str]) -> str:
        """The page with these tokens, in the order in which it was cut at others."""
        parts = [self.texts[0]]
        for place, text in zip(self.places, self.texts[1:], strict=True):
            parts += tokens[place], text
        return "".join(parts)


def cut(page: str, tokens: Sequence[str]) -> Pieces:
    """The page, cut wherever one of the tokens stands.

    The tokens are long and random, so what looks like one is one. Raises ``ValueError`` if one is
    too short for that or part of another, or if the first, which every page has, is not there: it
    would have been drawn with another one, which would then be kept. A page that has none is whole.
    """
    if not tokens:
        return Pieces((page,), ())
    if any(len(token) < 16 for token in tokens) or any(
        one in other for n, one in enumerate(tokens) for m, other in enumerate(tokens) if n != m
    ):
        raise ValueError("These tokens could be mistaken for something else.")
    if tokens[0] not in page:
        raise ValueError("This page was drawn with another token.")
    parts = re.split(f"({'|'.join(map(re.escape, tokens))})", page)
    return Pieces(tuple(parts[::2]), tuple(tokens.index(token) for token in parts[1::2]))


class KeptPages:
    """The pages that were asked for last. Threads may share it."""

    def __init__(self, size: int) -> None:
        """``size`` is how many pages are kept."""
        self._size = size
        self._pages: OrderedDict[Hashable, Pieces] = OrderedDict()
        self._lock = threading.Lock()

    def page(self, name: Hashable, tokens: Sequence[str], draw: Callable[[], str]) -> str:
        """The page of that name with these tokens; drawn, with the same tokens, if it is not kept.

        The name must tell everything that the page depends on, besides the tokens.
        """
        with self._lock:
            pieces = self._pages.get(name)
            if pieces is not None:
                self._pages.move_to_end(name)
        if pieces is not None:
            return pieces.with_tokens(tokens)
        page = draw()
        pieces = cut(page, tokens)
        with self._lock:
            self._pages[name] = pieces
            while len(self._pages) > self._size:
                self._pages.popitem(last=False)
        return page
