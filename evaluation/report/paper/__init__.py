"""The paper's numbers: as printed, beside ours, and where they contradict each other.

Imports the run folder, tables/ and statistics/.
"""
