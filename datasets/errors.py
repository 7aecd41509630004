"""The mistakes that a user can mend, as one exception type per package."""


class UserError(Exception):
    """A sentence for the user: what is wrong, where (file:line or key), and what to do."""


class DatasetError(UserError):
    """A network that cannot be fetched, read or split as asked."""
