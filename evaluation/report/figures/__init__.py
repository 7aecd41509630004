"""The figures of a run, and how a method looks in all of them."""
