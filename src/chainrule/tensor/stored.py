"""Types that numbers are stored in and nothing more: the float8 types.

A tensor of such a type is of a level of its own (as meta tensors are): it can be made, cast, moved,
viewed, compared and printed, and everything else is refused, as by PyTorch. So no op computes in a
type of two or three digits by accident. Casts are differentiable, as all casts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.dispatch import plain
from ..autograd.levels import Level
from ..autograd.value import make
from ..ops import dtypes
from ..ops.schema import Op
from .tensor import Tensor

# Beside views: what moves values or asks about them, without arithmetic.
_MOVES = frozenset(
    "abs blank cast cat clone copy_value eq fill fill_number fill_written gather index_axis "
    "index_get index_put index_select isnan ne repeat stack view_copy view_dtype view_fill where "
    "write_view".split()
)


class StoredTensor(Tensor):
    """A tensor of a type that only stores."""

    __slots__ = ()
    _is_meta_class = True  # users know it as Tensor

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Refused: a gradient would have its two or three digits."""
        if requires_grad and not self._rg:
            raise refusal.runtime(
                f"a tensor of {self.dtype!r} cannot be a leaf that requires grad here",
                fix="keep it in float32, and cast it where it is used.",
            )
        return self

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


def _rebuilt(bits: np.ndarray, name: str) -> Any:
    return stored(make(bits.view(dtypes.BY_NAME[name].np)))


class StoredLevel(Level):
    """Runs what may be done with numbers that are only stored."""

    kind = "stored"

    def __init__(self) -> None:
        super().__init__()
        self.index = 0  # below every transform

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        mixed = op.name == "where" and not all(isinstance(a, StoredTensor) for a in args[1:])
        if mixed or (not op.view and op.name not in _MOVES):
            held = next(a for a in args if isinstance(a, StoredTensor))
            word = held.dtype.name.capitalize()
            raise refusal.not_implemented(
                f"\"{op.name}\" not implemented for '{word}'",
                f"{held.dtype!r} stores numbers, nothing is computed in it",
                fix="x.to(torch.float32) first.",
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
        return float(t._a.item())

    def array(self, t: Any, what: str) -> Any:
        if what == "numpy()":
            raise refusal.wrong_type(
                f"Got unsupported ScalarType {t.dtype.name.capitalize()}", fix="x.float().numpy()."
            )
        return t._a.astype(np.float32)

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


def is_stored(array: np.ndarray) -> bool:
    """Whether an array has a type that only stores."""
    return array.dtype.itemsize == 1 and array.dtype.kind not in "biu"
