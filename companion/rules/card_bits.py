"""The cards of one suit as bits of one number, each card as often as it is held.

A layer of 16 bits has a bit for each rank or place that is held once at least; the layer above it,
16 bits further up, has one for each that is held twice at least, and so on. With one pack there is
one layer.
"""

from __future__ import annotations

from typing import Final

LAYER_BITS: Final = 16
LAYER: Final = (1 << LAYER_BITS) - 1


# So many copies of the lowest card there is.
_COPIES: Final = (0, 1, 0x1_0001, 0x1_0001_0001, 0x1_0001_0001_0001)


def copies(bit: int, count: int) -> int:
    """So many copies, up to four, of the card that has this bit."""
    return bit * _COPIES[count]


def count_of(mask: int, bit: int) -> int:
    """How many copies of the card that has this bit are held."""
    return (mask & bit * _COPIES[-1]).bit_count()


def take(mask: int, bits: int) -> int:
    """What is left when one copy of each of these cards, all of them held, is taken."""
    if mask > LAYER:
        for shift in range((mask.bit_length() - 1) // LAYER_BITS * LAYER_BITS, 0, -LAYER_BITS):
            there = mask >> shift & bits
            mask ^= there << shift
            bits ^= there
    return mask ^ bits
