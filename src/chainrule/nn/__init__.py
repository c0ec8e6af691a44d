"""Neural networks: functions in `nn.functional`, parameters of a model in `nn.Parameter`."""

from ..tensor import Parameter
from . import functional

__all__ = ["Parameter", "functional"]
