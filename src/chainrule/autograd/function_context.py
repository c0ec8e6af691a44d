"""The context of a custom function, which is its node: what forward leaves for backward."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

from . import errors, source
from .dispatch import P
from .node import Node, OutSlot, public_edge, start
from .record import edge, rebuilt
from .running_rules import distinct
from .source import warn_user
from .state import STATE
from .trees import several
from .value import TensorBase, make, with_history

_TAKEN: tuple[Any, ...] = ("saved tensors were given away on first access",)


def _no_backward() -> Any:
    from .function import Function

    return Function.backward


class _Apart:
    """A field of the node that users may have a field of the same name beside, such as `ctx.s`.

    The engine's code reads and writes its own; any other code gets what such code has put there.
    """

    def __init__(self, name: str, slot: Any, fixed: Any = None) -> None:
        self.place = f"user's {name}"
        self.slot = slot
        self.fixed = fixed  # of the class, where there is no slot

    def __get__(self, node: Any, owner: Any = None) -> Any:
        if node is None:
            return self.fixed if self.slot is None else self
        if self.place in node.__dict__ and not _asks_from_inside():
            return node.__dict__[self.place]
        return self.fixed if self.slot is None else self.slot.__get__(node)

    def __set__(self, node: Any, value: Any) -> None:
        if self.slot is not None and _asks_from_inside():
            self.slot.__set__(node, value)
        else:
            node.__dict__[self.place] = value


def _asks_from_inside() -> bool:
    return source.is_library(sys._getframe(2).f_code.co_filename)


class FunctionCtx(Node):
    """What forward leaves for backward; the node of a custom function."""

    multi = _Apart("multi", None, True)
    op = _Apart("op", None)
    # Missing gradients are filled in `_call_backward`, as the user asked.
    materialise = _Apart("materialise", None, False)
    _function: Any = None

    def __init__(self) -> None:
        start(self, (), *source.user_position())
        self.needs_input_grad: tuple[bool, ...] = ()
        self.materialize_grads = True
        self.to_save: tuple[Any, ...] = ()
        self.saved_for_forward: tuple[Any, ...] | None = None
        self.dirty_tensors: tuple[Any, ...] = ()
        self.non_differentiable: tuple[Any, ...] = ()
        self._tensor_inputs: tuple[bool, ...] = ()
        self._wrote_inputs = False
        self.still: frozenset[int] = frozenset()  # outputs without a gradient
        self.dirty: dict[int, Any] = {}  # outputs that are modified inputs: their places there
        self._at_level: Any = None
        self._moved: Any = None  # the forward-mode level in which what it saved has tangents

    # -- what users call in forward / setup_context --

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward (inputs, outputs or values in between; None is fine)."""
        for k, t in enumerate(tensors):
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {k} is of type "
                    f"{type(t).__name__}; keep other values as attributes of ctx"
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for the `jvp` staticmethod."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward modified in place; they must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing output gradients come as zeros (default) or None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to save_for_backward."""
        if self.saved_for_forward is not None and self.s == ():
            return self.saved_for_forward
        found = tuple(self._unpack(entry) for entry in self._stored())
        if self._function.clear_saved_tensors_on_access:
            self.s = _TAKEN
        return found

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The old name of saved_tensors."""
        warn_user("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    def _stored(self) -> tuple[Any, ...]:
        if self.s is None:
            raise errors.freed(self)
        if self.s is _TAKEN:
            raise RuntimeError(
                "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True: "
                f"{self.name()}, recorded at {self.where()}, has given them away"
            )
        return self.s

    # -- storing without cycles --

    def _store(self, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        self.s = tuple([self._pack(t, inputs, outputs) for t in self.to_save])
        self.to_save = ()

    def _pack(self, t: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
        if t is None or t._level is not None:
            return ("tensor", t)
        hooks = STATE.saved_hooks
        if hooks:
            from .saved_hooks import pack_tensor

            return ("packed", *pack_tensor(t), position(t, outputs), edge(t))
        version = t._v
        if version is None:
            raise errors.inference_saved()
        at = position(t, outputs)
        if at is not None:
            return ("out", t._a, version, version[0], at)
        return ("same", t._a, version, version[0], t, t._node is not None)

    def _unpack(self, stored: Any) -> Any:
        kind = stored[0]
        if kind == "tensor":
            return stored[1]
        if kind == "packed":
            from .saved_hooks import unpack_tensor

            value = unpack_tensor(stored[1], stored[2])
            history = stored[4] if stored[3] is None else OutSlot(self, stored[3])
            return value if history is None else rebuilt(value._a, history, None, "graph", None)
        _, array, version, then = stored[:4]
        if version[0] != then:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an "
                f"inplace operation: a tensor of shape {list(array.shape)} saved by "
                f"{self.name()} (recorded at {self.where()}) is at version {version[0]}; expected "
                f"version {then} instead.\n  modified by: "
                + (
                    f"{version[1]} at {source.describe(version[2], version[3])}"
                    if len(version) > 3
                    else "an in-place operation"
                )
            )
        if kind == "out":
            return with_history(array, OutSlot(self, stored[4]), version)
        if stored[5] and stored[4]._node is None:
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with "
                f".detach_(): {self.name()}, recorded at {self.where()}, saved it\n"
                "  Fix: use the out-of-place form, .detach()."
            )
        return stored[4]

    # -- running backward --

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        pairs = zip(self.parents, self._tensor_inputs, strict=True)
        return tuple(public_edge(p) for p, is_tensor in pairs if is_tensor)

    def vjp(self, g: Any, parents: tuple[Any, ...]) -> Any:
        if self._at_level is not None:
            return self._call_backward(g, parents)
        tensors = [None if x is None else make(np.asarray(x)) for x in g]
        with _enabled(False):
            made = self._call_backward(tensors, parents)
        return tuple(distinct(None if x is None else x._a for x in made))

    def vjp_tensors(self, g: Any, parents: tuple[Any, ...], mode: str) -> Any:
        return self._call_backward(g, parents)

    def _call_backward(self, grads: Any, parents: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.materialize_grads:
            grads = [
                make(np.zeros(*about)) if g is None and about is not None else g
                for g, about in zip(grads, self.meta, strict=True)
            ]
        if self._moved is not None and any(
            x is not None and x._level is self._moved for x in grads
        ):
            raise RuntimeError(
                f"the gradient through {self.name()} has a tangent (forward over reverse), and so "
                "have tensors it saved, which its backward would not see.\n"
                f"  recorded at {self.where()}\n"
                "  Fix: torch.func.jvp(torch.func.grad(f), ...), or differentiate twice in reverse "
                "(create_graph=True)."
            )
        cls = self._function
        run = cls.vjp if cls.backward is _no_backward() else cls.backward
        if cls.boxed_grads_call:
            grads = [list(grads)]
        result: Any = nested(run, self, *grads)
        made = several(result) if isinstance(result, tuple) else (result,)
        return self._checked(made, parents)

    def _checked(self, made: tuple[Any, ...], parents: tuple[Any, ...]) -> tuple[Any, ...]:
        count = len(parents)
        extra = made[count:]
        if len(made) < count or any(x is not None for x in extra):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{count}, got {len(made)})\n  recorded at {self.where()}\n"
                "  Fix: backward returns one gradient per argument of forward (after ctx), None "
                "for those that need none."
            )
        out: list[Any] = []
        for k, (x, p) in enumerate(zip(made, parents, strict=False)):
            if x is not None and not self._tensor_inputs[k]:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position "
                    f"{k + 1}, but the corresponding forward input was not a Variable"
                )
            if x is not None and not isinstance(x, TensorBase):
                raise RuntimeError(
                    f"expected Variable or None (got {type(x).__name__}) as gradient {k} of "
                    f"{self.name()}"
                )
            out.append(None if x is None or p is None else self._fit(k, x))
        return tuple(out)

    def _fit(self, k: int, grad: Any) -> Any:
        shape, dtype = self.fix[k]
        if tuple(grad.shape) != shape:
            grad = self._resized(k, grad, shape)
        leaf = self.parents[k]
        if isinstance(leaf, TensorBase) and leaf._rare and "grad_dtype" in leaf._rare:
            return grad  # the leaf converts it as it was asked to
        if grad.dtype.np != dtype:
            if grad.dtype.is_complex and dtype.kind != "c":
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {k} - it is "
                    f"complex ({grad.dtype!r}), but the input is real\n  recorded at "
                    f"{self.where()}\n  Fix: return its real part."
                )
            grad = P.cast(grad, dtype=dtype)
        return grad

    def _resized(self, k: int, grad: Any, shape: Any) -> Any:
        from .running_rules import tensors_world

        have = tuple(grad.shape)
        lead = len(have) - len(shape)
        fits = lead >= 0 and all(n in (1, h) for h, n in zip(have[lead:], shape, strict=True))
        if not fits:
            raise errors.wrong_gradient_shape(self, k, have, shape)
        return tensors_world().function("unbroadcast")(grad, shape)


for _name in ("code", "fix", "hooks", "key", "lasti", "meta", "parents", "s"):
    setattr(FunctionCtx, _name, _Apart(_name, getattr(Node, _name)))


def position(t: Any, outputs: tuple[Any, ...]) -> int | None:
    for k, o in enumerate(outputs):
        if o is t:
            return k
    return None


class _enabled:
    """Grad mode for a block."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __enter__(self) -> None:
        self.previous = STATE.grad_enabled
        STATE.set_grad_enabled(self.value)

    def __exit__(self, *exc: object) -> None:
        STATE.set_grad_enabled(self.previous)


_MOST_NESTED = 30  # backward passes inside each other on one thread: each takes a dozen frames


def nested(function: Any, *args: Any) -> Any:
    """Call a user's backward, which may start a pass of its own, and so on.

    Python's stack is short: deep nests go on in another thread.
    """
    depth = STATE.nested
    if depth >= _MOST_NESTED:
        return _in_another_thread(function, args)
    STATE.nested = depth + 1
    try:
        return function(*args)
    finally:
        STATE.nested = depth


def _in_another_thread(function: Any, args: tuple[Any, ...]) -> Any:
    modes = {**STATE.__dict__, "nested": 0}
    found: list[Any] = []
    problems: list[BaseException] = []

    def work() -> None:
        STATE.w  # noqa: B018 - gives the thread a state of its own
        STATE.__dict__.update(modes)
        try:
            found.append(function(*args))
        except BaseException as problem:  # handed to the waiting thread
            problems.append(problem)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if problems:
        raise problems[0]
    return found[0]
