"""`torch.export.exported_program`: a captured module."""

from __future__ import annotations

from . import ExportedProgram, default_decompositions

__all__ = ["ExportedProgram", "default_decompositions"]
