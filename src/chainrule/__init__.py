"""chainrule: automatic differentiation and training in pure Python, with PyTorch's API.

>>> import chainrule as torch
>>> x = torch.tensor(3.0, requires_grad=True)
>>> (x * x).backward()
>>> x.grad
tensor(6.)
"""

from . import tensor as _tensor_layer
from .autograd.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .ops import dtypes as _dtypes
from .ops.dtypes import dtype, get_default_dtype, set_default_dtype
from .tensor import Parameter, Size, Tensor, return_types
from .tensor.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    scalar_tensor,
    tensor,
    zeros,
    zeros_like,
)
from .tensor.device import device

from . import fft, linalg, signal, special  # isort: skip - filled from the public table
from . import nn  # isort: skip

__version__ = "0.1.0"

globals().update({d.name: d for d in _dtypes.ALL})
globals().update(_dtypes.ALIASES)
globals().update(_tensor_layer.functions_of(""))
