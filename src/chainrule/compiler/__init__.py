"""The compiler: tracer -> graph -> passes -> loops -> memory plan -> machine code -> runtime.

`docs/compiler.md` explains the way of a program through these files.
"""

from .api import CaptureError, CompiledFunction, compile  # noqa: A004 - PyTorch's name

__all__ = ["CaptureError", "CompiledFunction", "compile"]
