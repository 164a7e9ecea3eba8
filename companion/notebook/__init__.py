"""The events of a game, which are only ever added to, and the score sheet replayed from them.

Pure: no clock, no random numbers, no files. Callers pass in times and keys.
"""
