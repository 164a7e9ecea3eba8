"""Pages that were drawn before and have not changed since."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable


class PageCache:
    """The pages that were asked for last. Threads may share it."""

    def __init__(self, size: int) -> None:
        """``size`` is how many pages are kept."""
        self._size = size
        self._pages: OrderedDict[Hashable, str] = OrderedDict()
        self._lock = threading.Lock()

    def page(self, name: Hashable, draw: Callable[[], str]) -> str:
        """Return the page of that name; drawn, if it is not kept.

        The name must tell everything that the page depends on.
        """
        with self._lock:
            page = self._pages.get(name)
            if page is not None:
                self._pages.move_to_end(name)
                return page
        page = draw()
        with self._lock:
            self._pages[name] = page
            if len(self._pages) > self._size:
                self._pages.popitem(last=False)
        return page
