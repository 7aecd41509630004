"""Fetching: raw files from a mirror or a source, resumed, checked, and unpacked safely.

Imports harness and networks/catalog.py; parse/ asks it which compressed files are bombs. obtain.py alone asks parse/,
by way of networks/recognise.py, whether a file holds the contacts that it should.
"""
