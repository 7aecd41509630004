"""The walk engine: plain numba functions on the time-ordered adjacency, shared by Node2Vec, CTDNE and EHNA."""
