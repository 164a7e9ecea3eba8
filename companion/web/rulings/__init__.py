"""Disputes: asking for a ruling, keeping it, carrying it out."""
