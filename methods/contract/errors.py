"""The mistakes in using methods that a user can mend."""

from harness.errors import UserError


class MethodError(UserError):
    """A method that does not exist, breaks the contract, or was given parameters it does not know."""


class KilledError(MethodError):
    """What did the work was killed from outside; done again, it may come to its end."""
