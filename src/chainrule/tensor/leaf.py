"""Assigning to `.requires_grad`, `.grad` and `.data`: the checks."""

from __future__ import annotations

from sys import getrefcount
from typing import TYPE_CHECKING, Any

from ..autograd import errors, refusal, source
from ..autograd.hooks import retains_grad
from ..autograd.node import UNTRACKED
from ..autograd.state import STATE
from ..autograd.value import PARENT, ROOT, TensorBase

if TYPE_CHECKING:
    from .annotations import DType, Tensor


def check_may_require_grad(t: Any) -> None:
    """Raise when gradients cannot be wanted with respect to a tensor."""
    if not (t.dtype.is_floating_point or t.dtype.is_complex):
        raise refusal.runtime(
            "only Tensors of floating point and complex dtype can require gradients, this one is "
            f"{t.dtype!r}",
            fix="convert it first, e.g. x.float().",
        )
    if t._v is None and not STATE.inference:
        raise errors.inference_requires_grad()


def set_requires_grad(t: Any, wanted: bool) -> None:
    """Set the flag of a leaf. Its views count as requiring grad while it does, without a history;
    a view itself counts as its root does."""
    if not wanted and t._view is not None and t._view[ROOT]._rg:
        t._rg, t._node = True, UNTRACKED
        return
    t._rg = wanted
    if t._node is UNTRACKED:
        t._node = None
    if not (t._rare and "views" in t._rare):
        return
    for reference in t._rare["views"]:
        view = reference()
        if view is None or view._view is None or view._view[ROOT] is not t:
            continue
        if wanted and not view._rg:
            view._rg, view._node = True, UNTRACKED
        elif not wanted and view._node is UNTRACKED:
            view._rg, view._node = False, None


def has_hidden_root(view: Any) -> bool:
    """Whether nobody holds the tensor this one is a view of: the result of a function that made
    it from a tensor of its own, which users need not know."""
    root, record = view._view[ROOT], view._view
    held = 0
    while record is not None:
        held += record[ROOT] is root
        record = record[PARENT]
    return getrefcount(root) <= held + 2  # the name here and the question itself


def check_grad(t: Any, value: Any) -> None:
    """A gradient is None or a tensor of its tensor's shape and type."""
    if value is None:
        return
    if not isinstance(value, TensorBase):
        raise refusal.wrong_type(
            "assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(value).__name__}"
        )
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    if tuple(value.shape) != tuple(t.shape):  # type: ignore[attr-defined]
        raise refusal.runtime(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
            f"'{list(t.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    wanted = wanted_grad_dtype(t)
    if wanted is not None and value.dtype is not wanted:  # type: ignore[attr-defined]
        raise refusal.runtime(
            f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor with "
            f"grad_dtype '{wanted.name}' ({errors.type_word(wanted)}). The gradient must match the "
            "tensor's dtype, or its grad_dtype if that is set."
        )


def wanted_grad_dtype(t: Any) -> Any:
    """The type a leaf's gradient must have: its own unless another was asked for, None for any."""
    return t._rare["grad_dtype"] if t._rare and "grad_dtype" in t._rare else t.dtype


def get_grad_dtype(t: Tensor) -> Any:
    """The type of this leaf's gradient; None: whatever comes."""
    if not t.is_leaf:
        raise refusal.runtime("grad_dtype can only be accessed on leaf tensors")
    return wanted_grad_dtype(t)


def set_grad_dtype(t: Tensor, dtype: DType) -> None:
    """Ask for gradients of another type than the leaf's own, or of any type (None)."""
    if not t.is_leaf:
        raise refusal.runtime("grad_dtype can only be set on leaf tensors")
    if dtype is not None and t._grad is not None and t._grad.dtype is not dtype:
        raise refusal.runtime(
            f"Cannot set grad_dtype to {dtype!r} because there is already a gradient of type "
            f"{t._grad.dtype!r}",
            fix="set .grad to None first.",
        )
    t._rare = {**(t._rare or {}), "grad_dtype": dtype}


def warn_not_kept(t: Any) -> None:
    """Say that a result's gradient is not kept, when somebody looks for it."""
    if t._node is UNTRACKED or retains_grad(t):
        return
    source.warn_user(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(): only leaves keep their "
        "gradient. Call .retain_grad() on it before backward(), or look at the leaf.",
    )


def set_data(t: Any, value: Any) -> None:
    """`t.data = value`: another value under the same history and version."""
    if not isinstance(value, TensorBase):
        raise refusal.wrong_type(
            f"Variable data has to be a tensor, but got {type(value).__name__}"
        )
    if STATE.levels and STATE.in_transform():
        where = (
            "under vmap transform"
            if STATE.levels[-1].kind == "vmap"
            else "inside functorch transform"
        )
        raise refusal.runtime(
            f"mutating directly with `.data` {where} is not allowed.",
            fix="use copy_(), which transforms know of.",
        )
    if t._rg and value.dtype.category < 2:  # type: ignore[attr-defined]
        raise refusal.runtime(
            "data set to a tensor that requires gradients must be floating point or complex dtype, "
            f"but this is {value.dtype!r}"
        )
    if value._level is not t._level:  # type: ignore[attr-defined]
        _change_level(t, value)
    if value._a is t._a:
        return
    t._a = value._a
    t._view = None


def _change_level(t: Any, value: Any) -> None:
    """Data for a tensor that had none (meta), or the reverse."""
    if value._level is None:
        t.__dict__.pop("_level", None)
        t.__class__ = next(c for c in type(t).__mro__ if "_is_meta_class" not in vars(c))
    elif value._level.kind == "meta":
        from .meta import meta_class

        t.__class__ = meta_class(type(t))
        t.__dict__["_level"] = value._level


def want_grad(t: Any, requires_grad: bool) -> Any:
    """Say whether gradients are wanted with respect to a tensor; returns it."""
    if requires_grad == t._rg and t._node is not UNTRACKED:
        return t
    if not requires_grad and t._node is not None and t._node is not UNTRACKED:
        raise errors.not_a_leaf(False)
    if requires_grad:
        check_may_require_grad(t)
    set_requires_grad(t, bool(requires_grad))
    return t
