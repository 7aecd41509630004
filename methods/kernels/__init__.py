"""Kernels that methods share: walks, sampling, skip-gram on walks, vectors laid out for the cache.

Functions on arrays. Imports networks, harness and contract/, no method.
"""
