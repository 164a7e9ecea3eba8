"""Errors in a question, as opposed to plays that break a rule."""


class Malformed(ValueError):
    """The input is impossible in this game: no such card, or one card in two places.

    ``where`` names the entry to change (``cards``, ``table``, …).
    """

    def __init__(self, sentence: str, where: str = "cards") -> None:
        super().__init__(sentence)
        self.where = where


class Ambiguous(Malformed):
    """A wild card could stand for several cards, and the answer depends on which.

    ``card`` is the wild card as text; ``choices`` are the cards it may stand for, as text.
    """

    def __init__(
        self, sentence: str, card: str, choices: tuple[str, ...], where: str = "table"
    ) -> None:
        super().__init__(sentence, where)
        self.card = card
        self.choices = choices


class Illegal(ValueError):
    """A play that breaks a rule was pushed onto a table. Judge it before."""


class NotInThisGame(Malformed):
    """The question is about something this game does not have."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, "ask")
