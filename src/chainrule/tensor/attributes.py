"""Small questions a tensor answers, and properties that are views."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal, source
from ..autograd.dispatch import P
from ..autograd.inplace import check_writable, write
from ..autograd.node import OutSlot, rename
from ..autograd.value import CONJ, NEG, PARENT, ROOT, bottom
from . import layout_methods
from .leaf import get_grad_dtype, set_grad_dtype, want_grad
from .overriding import DisableTorchFunctionSubclass, notice
from .spellings import UNGIVEN, one_of
from .storage import TypedStorage

if TYPE_CHECKING:
    from .annotations import DeviceLike, DType, Layout, Operand, Tensor

# ---- transposes ----------------------------------------------------------------------------------


def _reversed_view(self: Tensor) -> Tensor:
    """The view with all dimensions in reversed order."""
    n = self.ndim
    if n == 2:
        return P.transpose(self, perm=(1, 0))
    if n != 0:
        source.warn_user(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
            "deprecated and it will throw an error in a future release. Consider `x.mT` to "
            "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
            "reverse the dimensions of a tensor.",
        )
    return P.transpose(self, perm=tuple(range(n - 1, -1, -1)))


def _need_matrix(self: Any, name: str, exactly: bool = False) -> None:
    kinds = "matrices (2-D tensors)" if exactly else "matrices or batches of matrices"
    if self.ndim < 2 or (exactly and self.ndim > 2):
        more = " For batches of matrices, consider using tensor.mH" if self.ndim > 2 else ""
        raise refusal.runtime(
            f"tensor.{name} is only supported on {kinds}. Got {self.ndim}-D tensor.{more}",
            f"shape {list(self.shape)}",
        )


def _matrix_transpose(self: Tensor) -> Tensor:
    """The view with the last two dimensions exchanged."""
    if not self.ndim:
        source.warn_user("Tensor.mT is deprecated on 0-D tensors: it is the tensor itself.")
        return self
    _need_matrix(self, "mT")
    return P.swap_axes(self, axis0=self.ndim - 2, axis1=self.ndim - 1)


def _matrix_adjoint(self: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions."""
    if not self.ndim:
        source.warn_user("Tensor.mH is deprecated on 0-D tensors. Use x.conj().")
        return self.conj() if self.is_complex() else self
    _need_matrix(self, "mH")
    turned = P.swap_axes(self, axis0=self.ndim - 2, axis1=self.ndim - 1)
    return turned.conj() if self.is_complex() else turned


def _adjoint(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    if self.ndim == 0:
        return self
    _need_matrix(self, "H", exactly=True)
    return _matrix_adjoint(self)


# ---- parts of complex numbers --------------------------------------------------------------------


def _real(self: Tensor) -> Tensor:
    """The real part: a view (the tensor itself when it is real)."""
    if not self.is_complex():
        return self
    if bottom(self)._lazy:
        return _part_of_lazy(self, 0)
    return P.select(P.view_as_real(self), axis=self.ndim, index=0)


def _imag(self: Tensor) -> Tensor:
    """The imaginary part: a view."""
    if not self.is_complex():
        raise refusal.runtime(
            "imag is not implemented for tensors with non-complex dtypes. This one is "
            f"{self.dtype!r}"
        )
    if bottom(self)._lazy:
        return _part_of_lazy(self, 1)
    return P.select(P.view_as_real(self), axis=self.ndim, index=1)


def _part_of_lazy(self: Any, index: int) -> Any:
    """A part of a conjugate or negative that is still to be computed: on its memory, too."""
    from .lazy_views import flags_of, without

    flags = flags_of(self)
    plain = without(without(self, CONJ), NEG)
    part = P.select(P.view_as_real(plain), axis=self.ndim, index=index)
    conjugated = bool(index) and bool(flags & CONJ)
    if conjugated == bool(flags & NEG):
        return part
    part = P.neg_view(part)
    if part._node is not None and part._node.__class__.__name__ == "NegViewBackward0":
        rename(part._node, "SelectBackward0")
    return part


def _set_part(part: Callable[[Any], Any]) -> Callable[[Any, Any], None]:
    def write(self: Tensor, value: Operand) -> None:
        target = part(self)
        if not hasattr(value, "_a"):
            from .creation import as_tensor

            value = as_tensor(value)
        target.copy_(value)

    return write


# ---- questions -----------------------------------------------------------------------------------


def _volatile(self: Tensor) -> bool:
    """Always False: an old flag that no_grad() has replaced."""
    source.warn_user("volatile was removed (Variable.volatile is always False)")
    return False


def _no(doc: str) -> property:
    return property(lambda self: False, doc=doc)


def _root(self: Tensor) -> Any:
    """The tensor this one is a view of; None when it is no view."""
    return None if self._view is None else self._view[ROOT]


def get_device(self: Tensor) -> int:
    """The number of the GPU: -1 on the CPU."""
    return -1


def is_nonzero(self: Tensor) -> bool:
    """Whether the one element is not zero."""
    return bool(self)


def is_same_size(self: Tensor, other: Tensor = UNGIVEN, *, x2: Tensor = UNGIVEN) -> bool:
    """Whether another tensor has the same shape."""
    return self.shape == one_of("is_same_size", "other", other, x2).shape


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether another tensor shows the same memory in the same way."""
    return (
        self.data_ptr() == tensor.data_ptr()
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
        and self.dtype is tensor.dtype
    )


def dim_order(self: Tensor, *, ambiguity_check: bool = False) -> tuple[int, ...]:
    """The dimensions from the slowest to the fastest in memory."""
    steps = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda d: -steps[d]))


def pin_memory(self: Tensor, device: DeviceLike | None = None) -> Any:
    """Refused: memory is pinned for a GPU, and there is none."""
    raise refusal.runtime(
        "Cannot access accelerator device when none is available: pin_memory() prepares memory "
        "for a GPU",
        fix="leave it out.",
    )


def to_dense(self: Tensor, dtype: DType | None = None, **kwargs: Any) -> Tensor:
    """The tensor itself: it is dense."""
    return self if dtype is None else self.to(dtype)


def as_subclass(self: Tensor, cls: type) -> Any:
    """The same tensor as an object of a Tensor subclass."""
    made = P.alias(self)
    made.__class__ = cls
    notice(cls)
    return made


def _make_subclass(cls: type, data: Any, require_grad: bool = False, **ignored: Any) -> Any:
    """An object of a Tensor subclass on a tensor's memory."""
    with DisableTorchFunctionSubclass():
        made = data.detach()
        made.__class__ = cls
        notice(cls)
        return want_grad(made, require_grad)


def _make_wrapper_subclass(cls: type, size: Any, *args: Any, **kwargs: Any) -> Any:
    """A tensor of a class with `__torch_dispatch__` that has a shape and a type and no values."""
    from ..dispatcher.wrappers import make_wrapper

    named = dict(zip(("strides", "storage_offset", "memory_format", "dtype"), args, strict=False))
    return make_wrapper(cls, size, **named, **kwargs)


def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Like the old constructor, in this tensor's type."""
    from .legacy import constructed

    return constructed(args, self.dtype, kwargs)


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace every element by a Python function of it."""
    return _map(self, (), callable, "apply_")


def _map(self: Any, others: tuple[Any, ...], function: Any, name: str) -> Any:
    if any(t._rg for t in (self, *others)):
        raise refusal.runtime(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
            "instead."
        )
    check_writable(self, name, False)
    arrays = np.broadcast_arrays(self._a, *(t._a for t in others))
    columns = [a.reshape(-1).tolist() for a in arrays]
    values = [function(*row) for row in zip(*columns, strict=True)]
    write(self, np.array(values, self._a.dtype).reshape(self._a.shape), name)
    return self


def map_(self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Replace every element by a Python function of it and of another tensor's."""
    return _map(self, (tensor,), callable, "map_")


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replace every element by a Python function of it and of two other tensors'."""
    return _map(self, (x, y), callable, "map2_")


def to_sparse(
    self: Tensor, sparse_dim: int | None = None, *, layout: Layout | None = None, **kw: Any
) -> Tensor:
    """The values that are not zero, with their places, as a sparse tensor."""
    from ..sparse.handlers import to_sparse as sparse_of

    if layout is None or layout.name == "sparse_coo":
        return sparse_of(self, sparse_dim)
    from ..sparse.compressed import compressed

    return compressed(self, layout)


_COMPRESSED_FORMS = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


def _to_layout(name: str) -> Callable[..., Any]:
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        from . import layouts

        return self.to_sparse(layout=getattr(layouts, name))

    call.__doc__ = f"The matrix in the form torch.{name}."
    call.__name__ = call.__qualname__ = f"to_{name}"
    return call


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Any:
    """What load_state_dict puts into a module for this parameter or buffer."""
    return other.detach() if assign else self.copy_(other).detach()


def __reversed__(self: Tensor) -> Tensor:
    return self.flip(0) if self.ndim else self


def output_nr(self: Tensor) -> int:
    """Which output of its grad_fn this tensor is."""
    if self._rg:
        _ = self.grad_fn  # a view learns of writes to its memory
    return self._node.nr if self._node.__class__ is OutSlot else 0


def view_depth(self: Tensor) -> int:
    """How many views lie between this tensor and the one that owns the history."""
    depth, record = 0, self._view
    while record is not None:
        depth, record = depth + 1, record[PARENT]
    return depth


def is_shared(self: Tensor) -> bool:
    """Whether other processes can see this tensor's memory."""
    from .sharing import block_of  # mmap is loaded when it is used

    return self._level is None and block_of(self._a) is not None


def share_memory_(self: Tensor) -> Tensor:
    """Move the tensor's memory to where forked and receiving processes share it.

    Other tensors that viewed the old memory stay there: share before making views.
    """
    from .sharing import share

    share(self)
    return self


def _removed(name: str) -> Any:
    """A method that PyTorch still has in order to say that it is gone."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        instead = {"solve": "linalg.solve", "symeig": "linalg.eigh"}.get(name, f"linalg.{name}")
        raise refusal.runtime(
            "This function was deprecated since version 1.9 and is now removed.",
            f"Tensor.{name}",
            fix=f"use torch.{instead}.",
        )

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Removed: use torch.linalg ({name})."
    return method


METHODS: dict[str, Any] = {
    "T": property(_reversed_view), "mT": property(_matrix_transpose),
    "mH": property(_matrix_adjoint), "H": property(_adjoint),
    "real": property(_real, _set_part(_real)), "imag": property(_imag, _set_part(_imag)),
    "is_cpu": property(lambda self: not self.is_meta),
    "is_cuda": _no("Whether it is on a CUDA GPU."), "is_mps": _no("Whether it is on Apple's GPU."),
    "is_xpu": _no("Whether it is on an Intel GPU."), "is_hip": _no("Whether it is on an AMD GPU."),
    "is_xla": _no("Whether it is on an XLA device."), "is_mtia": _no("Whether it is on MTIA."),
    "is_ipu": _no("Whether it is on an IPU."), "is_hpu": _no("Whether it is on an HPU."),
    "is_vulkan": _no("Whether it is on Vulkan."), "is_mkldnn": _no("Whether it is MKL-DNN's."),
    "is_sparse": _no("Whether it is sparse."), "is_sparse_csr": _no("Whether it is CSR-sparse."),
    "is_quantized": _no("Whether it is quantized."), "is_nested": _no("Whether it is nested."),
    "is_conj": lambda self: bool(bottom(self)._lazy & CONJ),
    "is_neg": lambda self: bool(bottom(self)._lazy & NEG),
    "is_pinned": lambda self, device=None: False, "is_shared": is_shared,
    "is_coalesced": lambda self: False, "is_distributed": lambda self: False,
    "name": property(lambda self: self.__dict__.get("name")),
    "output_nr": property(output_nr), "_view_depth": view_depth,
    "get_device": get_device, "is_nonzero": is_nonzero, "is_same_size": is_same_size,
    "is_set_to": is_set_to, "dim_order": dim_order, "pin_memory": pin_memory, "to_dense": to_dense,
    "share_memory_": share_memory_, "as_subclass": as_subclass,
    "_make_subclass": staticmethod(_make_subclass),
    "_make_wrapper_subclass": staticmethod(_make_wrapper_subclass), "new": new, "apply_": apply_,
    "__reversed__": __reversed__, "_base": property(_root),
    "map_": map_, "map2_": map2_, "module_load": module_load, "to_sparse": to_sparse,
    "to_sparse_coo": to_sparse, **{f"to_{n}": _to_layout(n) for n in _COMPRESSED_FORMS},
    "record_stream": lambda self, stream: None, "volatile": property(_volatile),
    "grad_dtype": property(get_grad_dtype, set_grad_dtype),
    "const_data_ptr": lambda self: self.data_ptr(), "is_maia": _no("Whether it is on MAIA."),
    "storage_type": lambda self: TypedStorage, "_grad_fn": property(lambda self: self.grad_fn),
    "resize": lambda self, *sizes: self.reshape(*sizes),
    "resize_as": lambda self, tensor: self.reshape(tensor.shape),
    "sparse_dim": lambda self: 0, "dense_dim": lambda self: self.ndim,
    **{name: _removed(name) for name in ("eig", "lstsq", "solve", "symeig")},
    **layout_methods.METHODS,
}  # fmt: skip

for _name, _text in {
    "is_cpu": "Whether its memory is the computer's: always, but for meta tensors.",
    "is_conj": "Whether conjugation is still to be done when it is read.",
    "is_neg": "Whether negation is still to be done when it is read.",
    "is_pinned": "Whether its memory is locked for a GPU: it never is.",
    "is_coalesced": "Whether a sparse tensor lists each place once; this one is not sparse.",
    "is_distributed": "Whether parts of it lie in other processes: they do not.",
    "name": "A name given to it, or None.",
    "record_stream": "Nothing: there is no stream of a GPU.",
    "const_data_ptr": "The address of its first element.",
    "storage_type": "The class of its storage.",
    "resize": "A view or copy in another shape; use reshape.",
    "resize_as": "A view or copy in another tensor's shape; use reshape.",
    "sparse_dim": "The number of sparse dimensions: none.",
    "dense_dim": "The number of dense dimensions: all.",
}.items():
    if isinstance(METHODS[_name], property):
        METHODS[_name] = property(METHODS[_name].fget, doc=_text)
    else:
        METHODS[_name].__doc__ = _text
