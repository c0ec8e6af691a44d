"""One of two functions."""

from ..tensor.control_flow import cond

__all__ = ["cond"]
