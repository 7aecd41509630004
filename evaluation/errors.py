"""The mistakes in evaluating that a user can mend."""

from harness.errors import UserError


class EvaluationError(UserError):
    """Embeddings or examples that cannot be evaluated as asked."""
