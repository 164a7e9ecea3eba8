"""The rules of the rummy games: what is a legal play, and what it costs.

Pure: standard library only; no clock, no randomness, no input or output. Rules are
cited by their numbers in the rulebook (``PRO-9``).
"""
