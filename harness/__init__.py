"""What every stage stands on: whole-file writes, errors, schemas, command lines, compiled kernels, the machine.

Imports nothing of the project.
"""
