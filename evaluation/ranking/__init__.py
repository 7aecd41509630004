"""Ranking as users of TGB know it: each query's positive against its own stored negatives; MRR and Hits@10.

Imports examples/ and link_prediction/ (classifier, operators), never the report.
"""
