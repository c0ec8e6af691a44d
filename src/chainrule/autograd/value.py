"""The tensor as autograd sees it: a payload, its history, and a version shared with its views.

`tensor.Tensor` adds everything users call; this base is what the tape needs, so that autograd
does not import the layer above it. The payload `_a` of a plain tensor is an ndarray. Tensors of
a transform level (`levels.py`) have a tensor of a lower level as payload.

Slots:
    _a      payload
    _rg     whether gradients are wanted or flow through it
    _node   the Node that made it (or an OutSlot: output k of one); None for a leaf
    _v      [version, name of last in-place writer, code, offset]: shared by all views of one
            memory; None for an inference tensor, which has no version
    _view   None, or the view record [root, parent record, op, params, version, creation], and
            which of the results it is where the op has several
    _grad   accumulated gradient of a leaf (or of one that retains it)
    _rare   None, or a dict of the rare: hooks, names, ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class TensorBase:
    """See the module's docstring."""

    __slots__ = ("__dict__", "__weakref__", "_a", "_grad", "_node", "_rare", "_rg", "_v", "_view")

    _a: Any
    _rg: bool
    _node: Any
    _v: Any
    _view: Any
    _grad: Any
    _rare: Any
    _lazy = 0  # what is still to be done with the memory: CONJ, NEG (`lazy.py`)

    if TYPE_CHECKING:
        # What the layer above adds (shape, dtype, methods made from the table) exists at run time.
        def __getattr__(self, name: str) -> Any: ...


# Classes whose payload is an ndarray and whose results are plain tensors: what the fast path of
# an op accepts. `tensor/` adds Tensor, `nn` adds Parameter.
PLAIN: set[type] = set()

# What is still to be done with the memory of a tensor, see `lazy.py`.
CONJ, NEG = 1, 2
LAZY = {"conj_view": CONJ, "neg_view": NEG}  # the view ops that leave it to be done

# Field numbers of a view record.
ROOT, PARENT, VIEW_OP, VIEW_PARAMS, NODE_VERSION, CREATION, WHICH = range(7)
# How a view came to be: in-place writes through the last four are refused while recording.
FROM_GRAD, FROM_NO_GRAD, FROM_INFERENCE, FROM_MULTI, FROM_CUSTOM = range(5)


class _Factory:
    """The class plain results are made of; `tensor/` installs its Tensor here."""

    Tensor: Any = None
    awaken: Any = None  # whether an argument of a foreign class overrides a public function
    dispatcher: Any = None  # who is asked about ops below autograd, once somebody wants to be
    is_unnoticed: Any = None  # whether a class's tensors came in a way that `tensor/` missed


FACTORY = _Factory

_new = object.__new__


def make(array: Any, *, inference: bool = False) -> Any:
    """A plain tensor without history around an array."""
    t = _new(FACTORY.Tensor)
    t._a = array
    t._rg = False
    t._node = None
    t._v = None if inference else [0]
    t._view = None
    t._grad = None
    t._rare = None
    return t


def bottom(t: Any) -> Any:
    """The plain tensor below all transforms: it holds the values of every example."""
    while t._level is not None and isinstance(t._a, TensorBase):
        t = t._a
    return t


def with_history(array: Any, node: Any, version: Any = None) -> Any:
    """A tensor around an array whose history is `node` (a Node or an OutSlot)."""
    t = make(array)
    t._rg = True
    t._node = node
    if version is not None:
        t._v = version
    return t


class Exposed(int):
    """The version of memory that others hold and may write to unnoticed, as NumPy does: rules that
    can make a result again do not trust it."""


def expose(t: TensorBase) -> None:
    """Note that the tensor's memory was handed out."""
    v = t._v
    if v is not None and v[0].__class__ is int:
        v[0] = Exposed(v[0])
