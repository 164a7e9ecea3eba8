"""A pseudo-language, with each sentence of the catalogue in brackets.

Words of a page outside of brackets are not in the catalogue.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from companion.rules.games import GAMES
from companion.web.templating import TEMPLATE

LANGUAGE = "eo"
# Attributes with words for people.
READ = {"alt", "aria-description", "aria-label", "placeholder", "title"}
READ |= {"data-ask", "data-says", "data-step", "data-step-open"}  # which scripts show
WORD = re.compile(r"[^\W\d_]{2,}")
# Names of people, games and sheets, cards, and what is no text.
LEFT_ALONE = {"bdi", "script", "style", "option"}
# Names of games, sheets and rules, which are the same in every language.
NAMES = re.compile(
    "|".join(
        [
            r"[A-Z]{3}-\d+(\.\d+)?",
            *(game.name for game in GAMES.values()),
            *(sheet.title for game in GAMES.values() for sheet in game.sheets),
            *("Ana", "Ben", "Chandi", "Ida", "The cup"),
            r"\b(kaj|aŭ)\b",  # between the last two of a list
            r"http://\S+",
            r"\d+ \w+ \d{4}, \d\d:\d\d",  # a date in the language's own words
            r"\b[A2-9TJQKX][CDHSX]\b",
        ]
    )
)
VOID = {"br", "img", "input", "link", "meta", "hr", "col", "line", "path", "circle", "use", "rect"}


def compiled(folder: Path) -> None:
    """Write the catalogue of the pseudo-language into a folder of translations."""
    with TEMPLATE.open("rb") as file:
        template = read_po(file)
    catalogue = Catalog(locale=LANGUAGE)
    for message in template:
        if isinstance(message.id, tuple):
            catalogue.add(message.id, tuple(f"⟦{one}⟧" for one in message.id))
        elif message.id:
            catalogue.add(message.id, f"⟦{message.id}⟧")
    place = folder / LANGUAGE / "LC_MESSAGES"
    place.mkdir(parents=True)
    with (place / "messages.mo").open("wb") as file:
        write_mo(file, catalogue)


class Outside(HTMLParser):
    """Collects the words of a page outside of brackets."""

    def __init__(self, known: re.Pattern[str]) -> None:
        """``known`` are names that no language translates."""
        super().__init__()
        self.found: list[str] = []
        self._known = known
        self._depth = 0
        self._left_alone = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, said in attrs:
            if name in READ and said and not self._left_alone:
                self._look(said, 0)
        if tag not in VOID and (tag in LEFT_ALONE or self._left_alone):
            self._left_alone += 1

    def handle_endtag(self, tag: str) -> None:
        if self._left_alone and tag not in VOID:
            self._left_alone -= 1

    def handle_data(self, data: str) -> None:
        if not self._left_alone:
            self._depth = self._look(data, self._depth)

    def _look(self, text: str, depth: int) -> int:
        for part in re.split("([⟦⟧])", text):
            depth += {"⟦": 1, "⟧": -1}.get(part, 0)
            if depth == 0 and WORD.search(self._known.sub("", part)):
                self.found.append(part.strip())
        return depth


def outside(page: str, known: re.Pattern[str]) -> list[str]:
    """Return the words of a page that are not in the catalogue."""
    words = Outside(known)
    words.feed(page)
    return words.found
