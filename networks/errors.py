"""The mistakes about networks that a user can mend."""

from harness.errors import UserError


class NetworkError(UserError):
    """A network that cannot be fetched, read or split as asked."""
