"""Network reconstruction: Precision@P, the share of edges among the most similar pairs of a sample of nodes.

Imports networks and harness, no other room.
"""
