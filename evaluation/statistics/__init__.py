"""Statistics of layered repeats (seeds, draws, splits): summaries, intervals, paired tests, ranks.

Arrays in, numbers out. Imports no other room.
"""
