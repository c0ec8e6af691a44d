"""Errors of PyTorch's tracer, for programs that catch them. Ours raises `CaptureError`."""

from __future__ import annotations

from ..compiler import CaptureError


class TorchDynamoException(RuntimeError):
    """The base of PyTorch's errors of tracing; never raised here."""


class InternalTorchDynamoError(TorchDynamoException):
    """Never raised here."""


class BackendCompilerFailed(TorchDynamoException):
    """Never raised here."""


class TorchRuntimeError(TorchDynamoException):
    """Never raised here."""


class RecompileError(TorchDynamoException):
    """Never raised here."""


class RecompileLimitExceeded(TorchDynamoException):
    """Never raised here."""


class ResetRequired(TorchDynamoException):
    """Never raised here."""


class UserError(TorchDynamoException):
    """Never raised here."""


class FailOnRecompileLimitHit(TorchDynamoException):
    """Never raised here."""


# What cannot be captured, with `fullgraph=True`.
Unsupported = CaptureError
