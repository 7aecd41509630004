"""Benchmarks: our speed and quality against a peer's, in turns in one run; `python -m benchmarks` writes a table.

Imports all packages; none imports it.
"""
