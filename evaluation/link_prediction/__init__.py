"""Link prediction: from vectors or scores of pairs to metrics (operators, classifier), and what leaks into them.

Imports examples/, never the report.
"""
