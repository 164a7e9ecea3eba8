"""Why something cannot be written down."""


class NotPossible(ValueError):
    """What the marker asked for cannot be written down.

    The text is a sentence for the marker; ``field`` names the entry to change, for a player's
    entry followed by the seat (``cards.2``).
    """

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field
