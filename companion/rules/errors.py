"""Errors in a question, as opposed to plays that break a rule."""

from companion.rules.language import gettext


class Malformed(ValueError):
    """The input is impossible in this game: no such card, or one card in two places.

    ``where`` names the entry to change (``cards``, ``table``, …). The sentence is translated, and
    its values are put into it.
    """

    def __init__(self, sentence: str, where: str = "cards", /, **values: object) -> None:
        super().__init__(gettext(sentence, **values))
        self.where = where


class Ambiguous(Malformed):
    """A wild card could stand for several cards, and the answer depends on which.

    ``card`` is the wild card as text; ``choices`` are the cards it may stand for, as text.
    """

    def __init__(
        self, sentence: str, card: str, choices: tuple[str, ...], where: str, /, **values: object
    ) -> None:
        super().__init__(sentence, where, **values)
        self.card = card
        self.choices = choices


class Illegal(ValueError):
    """A play that breaks a rule was to be put on the recorded table."""
