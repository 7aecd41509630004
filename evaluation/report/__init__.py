"""The report of a run: tables/, figures/ and page/, and paper/ with the printed numbers beside ours.

Reads the files that the other rooms wrote; of their code it may use statistics/.
"""
