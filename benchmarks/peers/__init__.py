"""Programs that run other people's implementations, for comparison; never imported by ours."""
