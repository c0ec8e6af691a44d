"""Types that numbers are stored in and nothing more: the float8 types and complex32.

A tensor of such a type is of a level of its own (as meta tensors are): it can be made, cast, moved,
viewed, compared and printed. Everything else is refused for float8, as by PyTorch, so that no op
computes in a type of two or three digits by accident. With complex32 PyTorch computes a
little; that is computed in complex64 and rounded once. Casts are differentiable, as all casts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.dispatch import entry, plain
from ..autograd.levels import Level
from ..autograd.value import TensorBase, make
from ..ops import dtypes
from ..ops.halves import COMPLEX_HALF
from ..ops.schema import TABLE, Op
from .tensor import Tensor

# Beside views: what moves values or asks about them, without arithmetic.
_MOVES = frozenset(
    "abs blank cast cat clone clone_contiguous clone_ordered copy_value eq fill fill_number "
    "fill_written gather index_axis index_get index_put index_select isnan ne repeat stack "
    "view_copy view_dtype view_fill where write_view".split()
)
# What is computed with complex32, as by PyTorch on a CPU.
_COMPUTED = frozenset(
    "abs add conj constant_pad count_nonzero flip index_add isfinite isinf masked_fill "
    "masked_fill_number masked_get mul neg nonzero roll sgn sub tril triu unmasked".split()
)


class StoredTensor(Tensor):
    """A tensor of a type that only stores."""

    __slots__ = ()
    _is_meta_class = True  # users know it as Tensor

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Refused: a gradient would have its two or three digits."""
        if requires_grad and not self._rg and not self.dtype.is_complex:
            raise refusal.runtime(
                f"a tensor of {self.dtype!r} cannot be a leaf that requires grad here",
                fix="keep it in float32, and cast it where it is used.",
            )
        return super().requires_grad_(requires_grad) if self.dtype.is_complex else self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuilt, (np.ascontiguousarray(self._a).view(np.uint8), self.dtype.name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = stored(make(self._a.copy()))
        return made


StoredTensor.__name__ = StoredTensor.__qualname__ = "Tensor"


def stored(t: Any) -> Any:
    """A tensor whose array has such a type, as one that refuses arithmetic."""
    t.__class__ = StoredTensor
    t.__dict__["_level"] = LEVEL
    return t


def _word(kind: Any) -> str:
    """PyTorch's name for a type in its messages."""
    return "ComplexHalf" if kind.is_complex else kind.name.capitalize()


def _rebuilt(bits: np.ndarray, name: str) -> Any:
    return stored(make(bits.view(dtypes.BY_NAME[name].np)))


class StoredLevel(Level):
    """Runs what may be done with numbers that are only stored."""

    kind = "stored"

    def __init__(self) -> None:
        super().__init__()
        self.index = 0  # below every transform

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if op.name in _COMPUTED and any(map(_is_complex_half, args)):
            return _by_wider(op, args, params)
        mixed = op.name == "where" and not all(isinstance(a, StoredTensor) for a in args[1:])
        if mixed or (not op.view and op.name not in _MOVES):
            held = next(a for a in args if isinstance(a, StoredTensor))
            word = _word(held.dtype)
            raise refusal.not_implemented(
                f"\"{op.name}\" not implemented for '{word}'",
                f"{held.dtype!r} stores numbers, nothing is computed in it",
                fix=f"x.to(torch.{'complex64' if held.dtype.is_complex else 'float32'}) first.",
            )
        result = plain(op, args, params)
        for out in result if op.n_out != 1 else (result,):
            if is_stored(out._a):
                stored(out)
            elif out.__class__ is StoredTensor:  # the class of its operands
                out.__class__ = Tensor
                out.__dict__.pop("_level", None)
        return result

    def text(self, t: Any) -> str:
        from .text import plain_text

        return plain_text(t)

    def item(self, t: Any) -> Any:
        return complex(t._a.item()) if t.dtype.is_complex else float(t._a.item())

    def array(self, t: Any, what: str) -> Any:
        if what == "numpy()":
            raise refusal.wrong_type(
                f"Got unsupported ScalarType {_word(t.dtype)}",
                fix="x.cfloat().numpy()." if t.dtype.is_complex else "x.float().numpy().",
            )
        return t._a.astype(np.complex64 if t.dtype.is_complex else np.float32)

    def detach(self, t: Any) -> Any:
        made = stored(make(t._a))
        made._v = t._v
        return made

    def lift(self, value: Any) -> Any:
        return value

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a[...] = value._a
        if value._rg:
            into._rg, into._node = True, value._node


LEVEL = StoredLevel()
_WIDE = np.dtype(np.complex64)
_NARROWER = {_WIDE: dtypes.complex32, np.dtype(np.float32): dtypes.float16}


def _is_complex_half(value: Any) -> bool:
    return isinstance(value, TensorBase) and value._a.dtype.kind == COMPLEX_HALF


def _by_wider(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """An op on complex32: computed in complex64, and rounded once."""
    cast = TABLE["cast"]
    wide = tuple(
        LEVEL.process(cast, (a,), {"dtype": _WIDE}) if _is_complex_half(a) else a for a in args
    )
    asked = {k: _WIDE if getattr(v, "kind", "") == COMPLEX_HALF else v for k, v in params.items()}
    result = entry(op)(*wide, **asked)
    others = [a for a in args if isinstance(a, TensorBase) and not _is_complex_half(a)]
    widest = max((a.dtype.to_complex().itemsize for a in others if _widens(a)), default=0)
    single = op.n_out == 1
    outs = (result,) if single else tuple(result)
    if widest <= dtypes.complex32.itemsize:
        outs = tuple(map(_narrowed, outs))
    return outs[0] if single else outs


def _widens(other: Any) -> bool:
    """Whether an operand beside complex32 decides the type: a dimensioned one that is not half."""
    kind = other.dtype
    return other.ndim > 0 and kind.category >= dtypes.FLOAT and kind is not dtypes.float16


def _narrowed(out: Any) -> Any:
    kind = _NARROWER.get(out._a.dtype)
    return out if kind is None else out.to(kind)


def is_stored(array: np.ndarray) -> bool:
    """Whether an array has a type that only stores."""
    kind = array.dtype.kind
    return (array.dtype.itemsize == 1 and kind not in "biu") or kind == COMPLEX_HALF
