"""Torch-style functions, one module per family. Importing a module declares its functions."""

from . import core, shapes

__all__ = ["core", "shapes"]
