"""The mistakes in using methods that a user can mend."""

from datasets.errors import UserError


class MethodError(UserError):
    """A method that does not exist, breaks the contract, or was given parameters it does not know."""
