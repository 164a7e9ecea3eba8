"""Benchmarks of other solvers that arrange and declare the same hands."""
