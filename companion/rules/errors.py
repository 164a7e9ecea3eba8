"""What can be wrong with a question, as opposed to a play that is wrong by a rule."""


class Malformed(ValueError):
    """What was entered is not a position of this game: no such card, or one card in two places.

    ``where`` names the entry that has to be changed (``cards``, ``table``, …).
    """

    def __init__(self, sentence: str, where: str = "cards") -> None:
        super().__init__(sentence)
        self.where = where


class Ambiguous(Malformed):
    """A wild card could be two cards, and what follows depends on which one it is.

    ``card`` is the wild card as text; ``choices`` the cards that it may stand for, as text.
    """

    def __init__(
        self, sentence: str, card: str, choices: tuple[str, ...], where: str = "table"
    ) -> None:
        super().__init__(sentence, where)
        self.card = card
        self.choices = choices


class Illegal(ValueError):
    """A play was pushed onto a table although a rule forbids it. Judge first, then push."""


class NotInThisGame(Malformed):
    """The question is about something that this game does not have."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, "ask")
