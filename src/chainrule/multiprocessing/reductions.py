"""How tensors reach other processes: as the shared memory they lie on."""

from __future__ import annotations

from multiprocessing import reduction as _reduction
from typing import Any

import numpy as _np

from ..autograd import refusal
from ..autograd.value import make as _make
from ..ops import dtypes as _dtypes
from ..ops.layout import address as _address
from ..standins import add_to as _add_stand_ins
from ..tensor import Parameter as _Parameter
from ..tensor import Tensor as _Tensor
from ..tensor import sharing as _sharing


def _reduced(tensor: Any) -> Any:
    """What is sent for a tensor: the shared block it lies on, and where in it."""
    t = tensor
    if t._level is not None:
        return t.__reduce_ex__(5)
    if t.requires_grad and not t.is_leaf:
        raise refusal.runtime(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd "
            "does not support crossing process boundaries.",
            f"a tensor of shape {list(t.shape)}, the result of {t.grad_fn.name()}, is sent",
            fix="send x.detach().",
        )
    array = t.share_memory_()._a
    block: Any = _sharing.block_of(array)
    memory = _np.ndarray((len(block),), _np.uint8, block)
    start = _address(array) - _address(memory) if array.size else 0
    place = (len(block), start, array.shape, array.strides)
    own = (type(t), t.dtype.name, t.requires_grad, dict(t.__dict__))
    return _rebuilt, (_reduction.DupFd(block.descriptor), place, own)


def _rebuilt(descriptor: Any, place: tuple[Any, ...], own: tuple[Any, ...]) -> Any:
    """The tensor on the sender's memory."""
    size, start, shape, strides = place
    kind, dtype_name, requires_grad, attributes = own
    block = _sharing.open_block(descriptor.detach(), size)
    memory = _np.ndarray((size,), _np.uint8, block)
    dtype = _dtypes.BY_NAME[dtype_name].np
    made = _make(_np.ndarray(shape, dtype, memory, start, strides))
    made.__class__ = kind
    made._rg = requires_grad
    made.__dict__.update(attributes)
    return made


def init_reductions() -> None:
    """Send tensors in this way."""
    for kind in (_Tensor, _Parameter):
        _reduction.ForkingPickler.register(kind, _reduced)


reduce_tensor = _reduced

_add_stand_ins(globals())
