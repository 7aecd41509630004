"""The page: one self-contained HTML file of a run."""
