"""Errors that forward functions raise for values, not for types or shapes."""


class LinAlgError(RuntimeError):
    """A matrix without the property an algorithm needs (regular, positive definite, ...)."""
