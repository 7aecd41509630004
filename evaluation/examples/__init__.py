"""Examples: held-out contacts, negatives by strategy, and the protocols that put them together.

Made once per network and draw, the same for all methods. Imports networks and harness, no other room.
"""
