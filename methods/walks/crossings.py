"""Crossings: a contact in one of its two directions, with all that a walk must know to go on from its far end.

A walk over a large network waits for memory, not for arithmetic. So everything about the next step stands in one record
of 16 bytes, which lies on one cache line, instead of in lists of offsets, neighbors, times and weights; and a thread
takes many walks in step, asking for each walk's next record while it turns to the others.
"""

import numpy as np

# Crossing a contact of u with v from u leads to `neighbor` = v. From there a walk may take any of `n_next` crossings,
# which stand at `first_next` and after it. `back` is where the same contact stands among them, as seen from v.
# Positions are unsigned: a network has up to 2**31 contacts, and each has two directions.
CROSSING = np.dtype([("neighbor", np.int32), ("n_next", np.int32), ("first_next", np.uint32), ("back", np.int32)])
