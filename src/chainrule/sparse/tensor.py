"""Sparse tensors in coordinate form: where the values are, and the values.

A sparse tensor is a tensor of a level of its own (as meta tensors are): ops on it are handled by
`SparseLevel`, which writes each in public ops on the indices and values. Gradients therefore flow
through the values without rules of their own.
"""

from __future__ import annotations

import copy
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.function import apply_plain
from ..autograd.function_levels import HANDLERS
from ..autograd.levels import Level
from ..autograd.value import make
from ..ops.schema import Op
from ..tensor.creation import blank_array
from ..tensor.text import tensor_repr

_LINE = 80


class SparseTensor(torch.Tensor):
    """A tensor that stores only the values at given places; repeated places add up."""

    __slots__ = ()

    # ---- what it is made of ----

    def _indices(self) -> Any:
        return self.__dict__["_coo"][0]

    def _values(self) -> Any:
        return self.__dict__["_coo"][1]

    def _nnz(self) -> int:
        return self._values().shape[0]

    def is_coalesced(self) -> bool:
        """Whether every place occurs once, in order."""
        return self.__dict__["_coo"][2]

    def indices(self) -> Any:
        """The places, one column per value."""
        return self._coalesced("indices")[0]

    def values(self) -> Any:
        """The values."""
        return self._coalesced("values")[1]

    def _coalesced(self, asked: str) -> Any:
        if not self.is_coalesced():
            raise refusal.runtime(
                f"Cannot get {asked} on an uncoalesced tensor, please call .coalesce() first: "
                "places may occur several times"
            )
        return self.__dict__["_coo"]

    def sparse_dim(self) -> int:
        """How many leading dimensions are given by places."""
        return self._indices().shape[0]

    def dense_dim(self) -> int:
        """How many dimensions each value has."""
        return self.ndim - self.sparse_dim()

    is_sparse = property(lambda self: True, doc="Whether it is sparse: yes.")
    layout = property(lambda self: torch.sparse_coo, doc="How it is stored.")
    requires_grad = property(
        lambda self: self._values().requires_grad,
        lambda self, wanted: self.requires_grad_(wanted),
        doc="Whether gradients flow to the values.",
    )
    grad_fn = property(lambda self: self._values().grad_fn, doc="The node of the values.")
    is_leaf = property(lambda self: self._values().is_leaf, doc="Whether the values are a leaf.")

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Say whether gradients are wanted with respect to the values; returns it."""
        self._values().requires_grad_(requires_grad)
        return self

    @property
    def grad(self) -> Any:
        """The gradient of the values, at their places."""
        grad = self._values().grad
        return None if grad is None else self._like(self._indices(), grad)

    @grad.setter
    def grad(self, value: Any) -> None:
        self._values().grad = None if value is None else value._values()

    def _dimI(self) -> int:
        return self.sparse_dim()

    def _dimV(self) -> int:
        return self.dense_dim()

    # ---- sizes ----

    def sparse_resize_(self, size: Any, sparse_dim: int, dense_dim: int) -> Any:
        """Another size; values that are there keep their dimensions and their places."""
        old, new = tuple(self.shape), tuple(size)
        if sparse_dim + dense_dim != len(new):
            raise refusal.runtime(
                "number of dimensions must be sparse_dim "
                f"({sparse_dim}) + dense_dim ({dense_dim}), but got {len(new)}"
            )
        kept = (sparse_dim, dense_dim) == (self.sparse_dim(), self.dense_dim())
        if self._nnz() and (not kept or any(n < o for n, o in zip(new, old, strict=True))):
            raise refusal.runtime(
                f"changing a sparse tensor of size {list(old)} with {self._nnz()} values to "
                f"{list(new)} would lose values",
                fix="x.sparse_resize_and_clear_(size, sparse_dim, dense_dim).",
            )
        if self._nnz() and new[sparse_dim:] == old[sparse_dim:]:
            return self._become(self._indices(), self._values(), new)
        return self.sparse_resize_and_clear_(new, sparse_dim, dense_dim)

    def sparse_resize_and_clear_(self, size: Any, sparse_dim: int, dense_dim: int) -> Any:
        """Another size, without values."""
        values = self._values().detach().new_empty((0, *size[sparse_dim:]))
        return self._become(self._indices().new_empty((sparse_dim, 0)), values, size)

    def _become(self, places: Any, values: Any, size: Any) -> Any:
        made = torch.sparse_coo_tensor(places, values, tuple(size), is_coalesced=True)
        self.__dict__.update(made.__dict__)
        self._a = made._a
        return self

    # ---- conversions ----

    def coalesce(self) -> Any:
        """The same tensor with every place once, in order, and the values there added up."""
        if self.is_coalesced():
            return self
        keys, inverse = torch.unique(self._keys(), return_inverse=True)
        values = self._values()
        zeros = values.new_zeros((len(keys), *values.shape[1:]))
        places = torch.stack(torch.unravel_index(keys, self._sparse_shape()))
        return self._like(places, zeros.index_add(0, inverse, values), coalesced=True)

    def to_dense(self, dtype: Any = None, **kwargs: Any) -> Any:
        """The tensor with its zeros written out."""
        values = self._values() if dtype is None else self._values().to(dtype)
        rows = 1
        for n in self._sparse_shape():
            rows *= n
        flat = values.new_zeros((rows, *values.shape[1:]))
        return flat.index_add(0, self._keys(), values).reshape(self.shape)

    def to_sparse(self, *args: Any, layout: Any = None, **kwargs: Any) -> Any:
        """Itself, or a matrix in compressed form."""
        if layout is None or layout is torch.sparse_coo:
            return self
        from .compressed import compressed

        return compressed(self, layout)

    to_sparse_coo = to_sparse

    def _word(self) -> str:
        return "Sparse"

    def _sparse_shape(self) -> tuple[int, ...]:
        return tuple(self.shape[: self.sparse_dim()])

    def _keys(self) -> Any:
        """One number per place: its position in the flattened sparse dimensions."""
        keys, indices = torch.zeros(self._nnz(), dtype=torch.int64), self._indices()
        for k, n in enumerate(self._sparse_shape()):
            keys = keys * n + indices[k]
        return keys

    def _like(self, indices: Any, values: Any, *, coalesced: bool | None = None) -> Any:
        flag = self.is_coalesced() if coalesced is None else coalesced
        return coo(indices, values, tuple(self.shape), flag)

    def __reduce_ex__(self, protocol: Any) -> Any:
        parts = (self._indices(), self._values().detach(), tuple(self.shape), self.is_coalesced())
        return coo, parts

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = self._like(self._indices().clone(), copy.deepcopy(self._values(), memo))
        memo[id(self)] = made
        return made

    def __copy__(self) -> Any:
        return self._like(self._indices(), self._values())


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"


def coo(indices: Any, values: Any, size: tuple[int, ...], coalesced: bool = False) -> Any:
    """A sparse tensor of its parts, which are trusted."""
    made: Any = make(blank_array(size, values._a.dtype))
    made.__class__ = SparseTensor
    made.__dict__.update(_level=LEVEL, _coo=(indices, values, coalesced))
    return made


class SparseLevel(Level):
    """Runs ops on sparse tensors."""

    kind = "sparse"

    def __init__(self) -> None:
        super().__init__()
        self.index = 0  # below every transform

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        from .compressed import CompressedTensor, handle_compressed
        from .handlers import handle

        if any(isinstance(a, CompressedTensor) for a in args):
            return handle_compressed(op, args, params)
        return handle(op, args, params)

    def detach(self, t: Any) -> Any:
        return t._like(t._indices(), t._values().detach())

    def lift(self, value: Any) -> Any:
        return value

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a = value._a
        into.__class__ = value.__class__
        into.__dict__.update(value.__dict__)

    def item(self, t: Any) -> Any:
        return t.to_dense().item()

    def array(self, t: Any, what: str) -> Any:
        raise refusal.wrong_type(
            f"can't convert {t._word()} layout tensor to numpy. Use Tensor.to_dense() first. "
            f"({what} of a tensor of shape {list(t.shape)} with {t._nnz()} stored values)"
        )

    def text(self, t: Any) -> str:
        if t.layout is not torch.sparse_coo:
            return t._text()
        values = t._values()
        facts = [f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
        if t.dtype not in (torch.get_default_dtype(), torch.int64, torch.bool):
            facts.append(f"dtype={t.dtype}")
        facts.append("layout=torch.sparse_coo")
        if values.grad_fn is not None:
            facts.append(f"grad_fn=<{values.grad_fn.name()}>")
        elif values.requires_grad:
            facts.append("requires_grad=True")
        lines = ["tensor(indices=" + _indented(t._indices(), 15) + ",",
                 "       values=" + _indented(values.detach(), 14) + ",",
                 "       " + facts[0]]  # fmt: skip
        for fact in facts[1:]:
            if len(lines[-1]) + len(fact) + 3 > _LINE:
                lines[-1] += ","
                lines.append(f"       {fact}")
            else:
                lines[-1] += f", {fact}"
        return "\n".join(lines) + ")"


LEVEL = SparseLevel()


def with_facts(t: Any, text: str) -> str:
    """The text of a sparse tensor's parts, and what else is to be said of it."""
    facts = [f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
    if t.dtype not in (torch.get_default_dtype(), torch.int64, torch.bool):
        facts.append(f"dtype={t.dtype}")
    facts.append(f"layout={t.layout}")
    if t.grad_fn is not None:
        facts.append(f"grad_fn=<{t.grad_fn.name()}>")
    elif t.requires_grad:
        facts.append("requires_grad=True")
    width = len(text) - text.rfind("\n") + 1
    for fact in facts:
        if width + len(fact) + 2 > _LINE:
            text, width = f"{text},\n       {fact}", 7 + len(fact)
        else:
            text, width = f"{text}, {fact}", width + len(fact) + 2
    return text + ")"


def _indented(t: Any, columns: int) -> str:
    """A tensor's text without its type, as it stands after `columns` characters."""
    if t.numel():
        text = tensor_repr(t).partition(", dtype=")[0].removesuffix(")")
    else:
        text = f"tensor([], size={tuple(t.shape)}"
    return (text + ")").replace("\n", "\n" + " " * columns)


def _custom_function(cls: Any, top: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An `autograd.Function` of dense and sparse tensors: gradients reach the dense ones."""
    moving = [k for k, a in enumerate(args) if isinstance(a, SparseTensor) and a.requires_grad]
    if moving and torch.is_grad_enabled():
        raise refusal.not_implemented(
            f"{cls.__name__}.apply: argument {moving[0]} is a sparse tensor that requires grad, "
            "and a custom Function has no gradient for such",
            fix="give its values() to the Function and build the sparse tensor inside, or "
            "detach() it.",
        )
    made, _ = apply_plain(cls, args, kwargs)
    outputs = made if isinstance(made, tuple | list) else (made,)
    if any(isinstance(o, SparseTensor) and o._node is not None for o in outputs):
        raise refusal.not_implemented(
            f"{cls.__name__}.apply returns a sparse tensor from arguments that require grad: its "
            "history cannot be recorded",
            fix="return the values, and build the sparse tensor of them outside.",
        )
    return made


HANDLERS["sparse"] = _custom_function
