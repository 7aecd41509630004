"""What a method must give and what it is given: protocol.py says it in one screen, registry.py finds the folders.

Imports harness and networks; neither running/ nor kernels/.
"""
