"""Errors that forward functions raise for values, not for types or shapes."""


class LinAlgError(RuntimeError):
    """A matrix without the property an algorithm needs (regular, positive definite, ...)."""


class Refusal(RuntimeError, ValueError):
    """A value that an op does not take: what is wrong, and the fix. Callers add the line."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(f"{what}\n  Fix: {fix}" if fix else what)
        self.what = what
        self.fix = fix
