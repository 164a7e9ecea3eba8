"""Benchmarks, which are not part of the test run."""
