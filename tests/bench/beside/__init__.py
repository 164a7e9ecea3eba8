"""Arranging and declaring beside what people would use instead, on the same hands."""
