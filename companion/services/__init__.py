"""The use cases: one function each, which owns its transaction.

Pages call these and know neither the store nor how a sheet is replayed.
"""
