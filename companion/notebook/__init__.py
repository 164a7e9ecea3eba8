"""What the marker writes down: events that only grow, and the score sheet replayed from them.

Pure: it is handed times and numbers, and asks nobody for them.
"""
