"""Keeps the score and settles the disputes of rummy games that are played with real cards."""
