"""`backward` and `grad`: what users call; arguments are checked here, the engine does the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import errors, refusal, source
from .accidents import explain_module
from .engine import run_backward
from .hooks import retain_grad
from .levels import synced
from .node import UNTRACKED, AccumulateGrad, OutSlot
from .plain_pass import backward_plain
from .record import edge_inside
from .state import STATE
from .value import FACTORY, NODE_VERSION, PLAIN, TensorBase, bottom, make
from .warn_once import warn_once


class GradientEdge(tuple[Any, ...]):
    """(node, output_nr): a place in the graph, without the tensor that was there."""

    like: Any = None  # shape and NumPy type of that tensor, where known

    def __new__(cls, node: Any, output_nr: int, ownership_token: Any = None) -> GradientEdge:
        return super().__new__(cls, (node, output_nr, ownership_token))

    @property
    def node(self) -> Any:
        return self[0]

    @property
    def output_nr(self) -> int:
        return self[1]


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` into `.grad` of the leaves (or of `inputs` only)."""
    if STATE.levels and STATE.in_transform():
        raise refusal.runtime(
            "backward() called inside a functorch transform. This is not supported, please use "
            "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
            "transforms: .grad of a leaf is not a result."
        )
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    roots = as_tuple(tensors)
    if create_graph:
        warn_once(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient: memory is freed only by the garbage collector. Use "
            "autograd.grad() instead, or set the .grad of the parameters to None afterwards."
        )
    if inputs is not None and len(as_tuple(inputs)) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grads = make_gradients(roots, grad_tensors)
    keep = create_graph if retain_graph is None else retain_graph
    wanted = None if inputs is None else [_keeping_grad(t) for t in as_tuple(inputs)]
    run_backward(
        [as_edge(r) for r in roots], grads, keep=keep, create=create_graph,
        inputs=wanted, accumulate_inputs=True,
    )  # fmt: skip


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    roots = as_tuple(outputs)
    wanted = as_tuple(inputs)
    if is_grads_batched:
        return _batched_grad(roots, wanted, grad_outputs, retain_graph, create_graph,
                             bool(allow_unused), materialize_grads)  # fmt: skip
    for k, t in enumerate(wanted):
        if isinstance(t, TensorBase) and not t._rg:
            raise errors.no_graph(f"One of the differentiated Tensors (input {k})")
    grads = make_gradients(roots, grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    found = run_backward(
        [as_edge(r) for r in roots], grads, keep=keep, create=create_graph,
        inputs=[_as_input(t) for t in wanted],
    )  # fmt: skip
    for k, g in enumerate(found):
        if g is None and materialize_grads:
            found[k] = zeros = make(np.zeros(tuple(wanted[k].shape), wanted[k].dtype.np))
            zeros._rg = create_graph  # as every gradient is then
        elif g is None and not allow_unused:
            raise errors.unused_input(k)
    return tuple(found)


def _batched_grad(
    roots: Any, wanted: Any, grad_outputs: Any, keep: Any, create: bool, unused: bool, zeros: bool
) -> tuple[Any, ...]:
    """`is_grads_batched`: one backward pass for a whole batch of output gradients."""
    from .vmap import vmap

    given = as_tuple(grad_outputs)
    for k, (root, g) in enumerate(zip(roots, given, strict=False)):
        shape = tuple(getattr(root, "shape", ()))
        if isinstance(root, TensorBase) and isinstance(g, TensorBase) and g.shape[1:] != shape:
            raise refusal.runtime(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output "
                "as the batch dimension. The sizes of the remaining dimensions are expected to "
                f"match the shape of corresponding output, but grad_output[{k}] has a shape of "
                f"{g.shape!r} and output[{k}] a shape of {root.shape!r}."
            )

    used: list[bool] = []  # vmap returns tensors only, so unused inputs are left out meanwhile

    def one(*grads: Any) -> tuple[Any, ...]:
        found = grad(roots, wanted, grads, True if keep is None else keep, create,
                     allow_unused=unused, materialize_grads=zeros)  # fmt: skip
        used[:] = [g is not None for g in found]
        return tuple(g for g in found if g is not None)

    made = iter(vmap(one)(*given))
    return tuple(next(made) if u else None for u in used)


def as_tuple(x: Any) -> tuple[Any, ...]:
    """One tensor, a sequence of tensors or None as a tuple."""
    if x is None:
        return ()
    if isinstance(x, TensorBase | GradientEdge):
        return (x,)
    return tuple(x)


def as_edge(t: Any) -> Any:
    """A tensor as it is; a GradientEdge or Node as the engine's edge."""
    if isinstance(t, GradientEdge):
        if isinstance(t.node, AccumulateGrad):
            return t.node.variable
        return OutSlot(t.node, t.output_nr) if t.node.multi else t.node
    if isinstance(t, AccumulateGrad):
        return t.variable
    while t._level is not None and t._level.kind == "dual":
        t = synced(t)._a  # the tape runs below forward mode
    return t


def _as_input(t: Any) -> Any:
    """What is differentiated by, as the engine's edge."""
    if isinstance(t, TensorBase):
        edge_inside(t)
    return as_edge(t)


def _keeping_grad(t: Any) -> Any:
    """An input of `backward` as the engine's edge; one that is no leaf keeps its gradient too."""
    if isinstance(t, TensorBase):
        retain_grad(t)
    return as_edge(t)


def make_gradients(roots: Sequence[Any], given: Any) -> list[Any]:
    """The output gradients: the given ones, checked, or one for a scalar."""
    if given is None:
        grads: tuple[Any, ...] = (None,) * len(roots)
    else:
        grads = (given,) if isinstance(given, TensorBase) else tuple(given)
    if len(grads) != len(roots):
        raise refusal.runtime(
            f"got {len(roots)} tensors and {len(grads)} gradients: one gradient per output is "
            "needed (None for a scalar output)"
        )
    return [gradient_for(k, r, g) for k, (r, g) in enumerate(zip(roots, grads, strict=True))]


def gradient_for(position: int, root: Any, g: Any) -> Any:
    """The gradient of one output, checked; one for a scalar."""
    if not isinstance(root, TensorBase):
        return _ones_at(root) if g is None else g
    if not root._rg:
        raise errors.no_graph(f"element {position} of tensors")
    shape = tuple(root.shape)  # type: ignore[attr-defined]
    dtype = root.dtype  # type: ignore[attr-defined]
    if g is None:
        if root.numel() != 1:  # type: ignore[attr-defined]
            raise errors.not_scalar(shape)
        if dtype.is_complex:
            raise refusal.runtime(
                f"grad can be implicitly created only for real scalar outputs but got {dtype!r}",
                fix="pass gradient=, or take .abs() or .real first.",
            )
        if hasattr(root._level, "ones"):  # type: ignore[attr-defined]
            return root._level.ones(root)  # type: ignore[attr-defined]
        if FACTORY.dispatcher is not None and FACTORY.dispatcher.handles(lowest := bottom(root)):
            return FACTORY.dispatcher.ones(lowest)
        return make(np.ones(shape, dtype.np))
    if not isinstance(g, TensorBase):
        raise refusal.wrong_type(
            f"gradients can be either Tensors or None, but got {type(g).__name__}"
        )
    if tuple(g.shape) != shape:  # type: ignore[attr-defined]
        problem = RuntimeError(
            f"Mismatch in shape: grad_output[{position}] has a shape of {g.shape!r} and "  # type: ignore[attr-defined]
            f"output[{position}] has a shape of {root.shape!r}."  # type: ignore[attr-defined]
        )
        problem.add_note(
            f"  at {source.here()}\n  Fix: the gradient of an output has the output's shape."
        )
        raise problem
    if g.dtype.is_complex != dtype.is_complex and g.dtype.is_complex:  # type: ignore[attr-defined]
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output is {g.dtype!r}, output is {dtype!r}."  # type: ignore[attr-defined]
        )
    if g.dtype is not dtype:  # type: ignore[attr-defined]
        g = g.to(dtype)  # type: ignore[attr-defined]
    return g


def _ones_at(edge: Any) -> Any:
    """One for an output given by its place in the graph, when that is a single number."""
    if edge.like is None:
        raise refusal.runtime(
            "grad_outputs are needed for outputs given as nodes: their shape is not known"
        )
    shape: tuple[int, ...]
    shape, dtype = edge.like
    if int(np.prod(shape)) != 1:
        raise errors.not_scalar(shape)
    return make(np.ones(shape, dtype))


_ONES: dict[Any, Any] = {}


def backward_tensor(
    self: Any, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    inputs: Any = None,
) -> None:  # fmt: skip
    """Add the gradient of this tensor with respect to the graph's leaves into their `.grad`."""
    # The usual calls, without the general argument handling.
    if (
        inputs is None and not create_graph and STATE.w <= 2 and not STATE.levels
        and not STATE.anomaly and FACTORY.dispatcher is None and self.__class__ in PLAIN
        and (node := self._node) is not None
        and node is not UNTRACKED and (self._view is None or self._view[NODE_VERSION] == self._v[0])
    ):  # fmt: skip
        seed = _usual_seed(self._a, gradient)
        if seed is not None and backward_plain(node, seed, bool(retain_graph)):
            return
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def _usual_seed(array: Any, gradient: Any) -> Any:
    """The output gradient when nothing about it needs checking or converting, else None."""
    if gradient is not None:
        if gradient.__class__ not in PLAIN:
            return None
        g = gradient._a
        return g if g.shape == array.shape and g.dtype is array.dtype else None
    if array.size != 1 or array.dtype.kind != "f":
        return None
    key = (array.dtype, array.shape)
    one = _ONES.get(key)
    if one is None:
        one = _ONES[key] = np.ones(array.shape, array.dtype)
        one.flags.writeable = False
    return one


explain_module(globals(), "grad", "backward")
