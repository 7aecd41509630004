"""The tables of a run, one file per table; formats.py writes them as CSV, Markdown and LaTeX.

Imports the run folder, paper/ and statistics/; figures/ and page/ import it.
"""
