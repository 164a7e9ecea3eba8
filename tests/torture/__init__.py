"""Endurance tests, longer than the test run: no action may be lost or doubled."""
