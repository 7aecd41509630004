"""The Snakemake workflow: what depends on what, and nothing else."""
