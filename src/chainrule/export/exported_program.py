"""`torch.export.exported_program`: a captured module."""

from __future__ import annotations

from . import ExportedProgram, default_decompositions
from .signature import ModuleCallEntry, ModuleCallSignature

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature", "default_decompositions"]
