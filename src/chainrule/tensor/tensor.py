"""Tensor: the user's object.

Data, gradient, history and views are in the slots of `autograd.value.TensorBase`. What is here:
construction, metadata, conversion, and the methods that are about the tensor itself; methods that
compute come from the public table (`api.py`), operators from the op table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import errors, refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.backward import backward_tensor
from ..autograd.inplace import do_without
from ..autograd.late import late
from ..autograd.lazy import flagged, memory
from ..autograd.node import UNTRACKED, Node, OutSlot
from ..autograd.record import live_node
from ..autograd.stand_ins import rest_of
from ..autograd.state import STATE
from ..autograd.value import FACTORY, PLAIN, TensorBase, make
from ..ops import dtypes
from .device import CPU, META, device
from .interop import readable_array
from .layouts import strided
from .leaf import check_grad, has_hidden_root, set_requires_grad, want_grad, warn_not_kept
from .overriding import default_handler, disabled, disabled_dispatch
from .size import Size

if TYPE_CHECKING:
    from .annotations import Layout, Number

_new_tuple = tuple.__new__  # an array's shape is whole numbers already


def _getitem() -> Any:
    from .indexing import getitem

    return getitem


def _setitem() -> Any:
    from .index_assign import setitem

    return setitem


class Tensor(TensorBase):
    """An n-dimensional array that can record what is computed from it."""

    __slots__ = ()
    __array_priority__ = 1000  # NumPy leaves `array * tensor` to us

    _level: Any = None  # tensors of a transform level carry theirs

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        from .creation import legacy_constructor

        return legacy_constructor(cls, *args, **kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        asked = vars(cls).get("__torch_dispatch__")
        if asked is disabled_dispatch:
            cls._level = None
        elif asked is not None:
            from ..dispatcher.asking import dispatcher

            cls._level = dispatcher()
            own: Any = cls.__torch_function__
            if getattr(own, "__func__", own) is default_handler:
                cls.__torch_function__ = disabled  # as in PyTorch: it is asked below instead

    __torch_function__ = classmethod(default_handler)
    __torch_dispatch__ = disabled_dispatch

    # ---- metadata ----

    @property
    def shape(self) -> Size:
        """Its lengths along each dimension."""
        return _new_tuple(Size, self._a.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._a.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self.ndim

    ndimension = dim

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of its elements."""
        return dtypes.from_numpy_dtype(self._a.dtype)

    def numel(self) -> int:
        """The number of elements."""
        a = self._a
        return a.size if a.__class__ is np.ndarray else self.shape.numel()

    nelement = numel

    def element_size(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.numel() * self.dtype.itemsize

    def is_floating_point(self) -> bool:
        """Whether the type is a real floating type."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the type is complex."""
        return self.dtype.is_complex

    def is_signed(self) -> bool:
        """Whether the type has negative values."""
        return self.dtype.is_signed

    def size(self, dim: int | None = None, axis: int | None = None) -> Any:
        """The shape, or the length of one dimension."""
        if dim is None:
            if axis is None:
                return self.shape
            dim = axis
        from .functions.common import axis_of

        if self.ndim == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        return self.shape[axis_of(dim, self.ndim)]

    @property
    def device(self) -> device:
        """Where it lies: `cpu`, or `meta` for a tensor without memory."""
        level = self._level
        if level is None:
            return CPU
        return META if level.kind == "meta" else self.__dict__.get("_own_device", CPU)

    @property
    def is_meta(self) -> bool:
        """Whether it has a shape and a type only, and no memory."""
        return self._level is not None and self._level.kind == "meta"

    @property
    def layout(self) -> Layout:
        """How its elements are stored: `torch.strided`, or a sparse layout."""
        return strided if self._level is None else self.__dict__.get("_own_layout", strided)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __hash__(self) -> int:
        return id(self)

    def __iter__(self) -> Any:
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, item: Any) -> bool:
        try:
            return bool((self == item).any())
        except PROBLEMS as problem:
            explain_here(problem)
            raise

    # ---- autograd ----

    @property
    def requires_grad(self) -> bool:
        """Whether operations on it are recorded for gradients."""
        return self._rg

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if self._node is not None and not self.is_leaf:
            raise errors.not_a_leaf(bool(value))
        want_grad(self, value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("cannot delete requires_grad; set it to False instead")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Say whether gradients are wanted with respect to this tensor; returns it."""
        if STATE.levels and STATE.in_transform():
            raise refusal.runtime(
                "You are attempting to call Tensor.requires_grad_() (or perhaps using "
                "torch.autograd.functional.* APIs) inside of a function being transformed by a "
                "functorch transform.",
                fix="use func.grad, func.vjp or func.jacrev inside the function.",
            )
        return want_grad(self, requires_grad)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made it; None for a leaf."""
        if not self._rg:
            return None
        node = live_node(self) if self._view is not None else self._node
        if node is UNTRACKED:
            return None
        return node.node if node.__class__ is OutSlot else node

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made it: gradients arrive here."""
        return not self._rg or self.grad_fn is None

    @property
    def output_nr(self) -> int:
        return self._node.nr if self._node.__class__ is OutSlot else 0

    @property
    def _version(self) -> int:
        if self._v is None:
            raise RuntimeError("Inference tensors do not track version counter.")
        return int(self._v[0])

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes added up here, or None."""
        if self._grad is None and self._node is not None and self._rg:
            warn_not_kept(self)
        return self._grad

    @grad.setter
    def grad(self, value: Number) -> None:
        if value is not None:
            check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    backward = backward_tensor

    def detach(self) -> Tensor:
        """The same memory without history."""
        if self._level is not None:
            return self._level.detach(self)
        t = make(memory(self))
        t._v = self._v
        return flagged(t, self._lazy) if self._lazy else t

    def detach_(self) -> Tensor:
        """Forget this tensor's history in place."""
        if self._view is not None and not STATE.inference and not has_hidden_root(self):
            raise refusal.runtime(
                "Can't detach views in-place. Use detach() instead.",
                f"A view of shape {list(self.shape)}",
            )
        if self._level is not None:
            self._level.detach_in_place(self)
        self._node = self._view = None
        set_requires_grad(self, False)
        return self

    def is_inference(self) -> bool:
        """Whether it was made under inference_mode."""
        return self._v is None

    def _is_view(self) -> bool:
        return self._view is not None

    @property
    def data(self) -> Tensor:
        """The same memory, of which nothing is recorded; prefer detach()."""
        if self._level is not None:
            return self._level.data(self)
        if self._node is not None:
            do_without(self)
        t = make(memory(self), inference=self._v is None)
        return flagged(t, self._lazy) if self._lazy else t

    @data.setter
    def data(self, value: Number) -> None:
        from .leaf import set_data

        set_data(self, value)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("cannot delete data; a tensor always has memory")

    # ---- values ----

    def item(self) -> Any:
        """The one element as a Python number."""
        if self.numel() != 1:
            raise refusal.runtime(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar",
                fix="index or reduce it to one element first.",
            )
        if self._level is not None:
            return self._level.item(self)
        value = readable_array(self, "item()").item()
        return float(value) if self._a.dtype.kind == "V" else value

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        array = readable_array(self, "tolist()")
        return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise refusal.runtime(
                "Boolean value of Tensor with "
                f"{'no values' if self.numel() == 0 else 'more than one value'} is ambiguous: its "
                f"shape is {list(self.shape)}",
                fix="reduce it first, with .any() or .all().",
            )
        return bool(self.item()) if self._level is None else self._level.truth(self)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self.dtype.category > dtypes.INT or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    # ---- indexing ----

    __getitem__ = late("__getitem__", "A part of the tensor, as in NumPy.", _getitem)
    __setitem__ = late("__setitem__", "Write into a part of the tensor.", _setitem)

    def __delitem__(self, index: Tensor) -> None:
        raise refusal.wrong_type("Tensor does not support deleting items")

    # ---- text ----

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        from .text import tensor_repr

        return tensor_repr(self)

    def __format__(self, spec: str) -> str:
        from .text import tensor_format

        return tensor_format(self, spec)


FACTORY.Tensor = Tensor
PLAIN.add(Tensor)

__all__ = ["Node", "Tensor"]

__getattr__ = rest_of(__name__)
