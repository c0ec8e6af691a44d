"""What the user is told when a function cannot be followed."""

from __future__ import annotations


class TraceError(TypeError):
    """A value left the trace: what would follow is a wrong derivative, so nothing is returned."""


class SensitivityWarning(UserWarning):
    """The derivative is right and yet not the whole story: a jump, a kink, a flat step."""
