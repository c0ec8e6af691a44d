"""AdamW, under the name of its own module too."""

from .adam import AdamW

__all__ = ["AdamW"]
