"""What func.* refuses: arguments, results and tangents that a transform cannot take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from . import refusal
from .accidents import in_words
from .trees import flatten, several
from .value import TensorBase


def check_callable(func: Any, transform: str) -> None:
    """A transform needs a function."""
    if not callable(func):
        raise refusal.wrong_type(f"{transform}(func): func must be callable, got {in_words(func)}")


def argument_positions(argnums: Any, count: int) -> tuple[int, ...]:
    """The positions that `argnums` means, none of them negative."""
    if isinstance(argnums, int):
        return (_position(argnums, count),)
    if not isinstance(argnums, tuple):
        raise refusal.runtime(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}",
            fix="argnums=0 for the first argument, argnums=(0, 2) for the first and third.",
        )
    if not argnums:
        raise refusal.runtime("argnums must be non-empty")
    given = cast("tuple[Any, ...]", argnums)
    for p in given:
        if not isinstance(p, int):
            raise refusal.runtime(f"argnum must be int, got: {type(p)} in argnums={argnums}")
    positions = tuple(_position(p, count) for p in given)
    if len(set(positions)) != len(positions):
        raise refusal.runtime(f"argnums elements must be unique, got {positions}")
    return positions


def _position(argnum: int, count: int) -> int:
    if not -count <= argnum < count:
        raise refusal.runtime(
            f"Got argnum={argnum}, but only {count} positional inputs",
            why="Transforms count positional arguments only.",
        )
    return argnum % count


def check_inputs(leaves: list[Any], transform: str) -> None:
    """Inputs to differentiate with respect to are tensors that can carry a derivative."""
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise refusal.value(
                f"Thing passed to transform API must be Tensor, got {type(leaf)}",
                f"{transform}",
                fix="pass Python numbers as torch.tensor(...), or choose others by argnums.",
            )
        if leaf.dtype.category < 2:  # type: ignore[attr-defined]
            raise refusal.runtime(
                "only Tensors of floating point dtype can require gradients: an input of "
                f"{transform} has {leaf.dtype!r}",
                fix="convert it first, e.g. x.float(), or choose other arguments by argnums.",
            )


def split_aux(result: Any, has_aux: bool, call: str) -> tuple[Any, Any]:
    """(output, auxiliary) of what the function returned."""
    if not has_aux:
        return result, None
    kind = str(type(result).__name__)
    pair = cast("tuple[Any, ...]", result) if isinstance(result, tuple) else None
    if pair is None or len(pair) != 2:
        what = kind if pair is None else f"{len(pair)} values"
        raise refusal.runtime(
            f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True, "
            f"got {what}"
        )
    for leaf in flatten(pair[1])[0]:
        if not isinstance(leaf, TensorBase):
            raise refusal.runtime(
                f"Expected tensors, got unsupported type {type(leaf)} in the auxiliary output",
                f"{call}",
                fix="return tensors, or keep other things in a variable outside.",
            )
    return pair[0], pair[1]


def check_scalar(func: Callable[..., Any], value: Any) -> None:
    """grad differentiates a function that returns one real number."""
    name = getattr(func, "__name__", "f")
    if not isinstance(value, TensorBase):
        raise refusal.runtime(
            f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}",
            f"f is {name}",
            fix="return a tensor; with has_aux=True, return (tensor, auxiliary).",
        )
    if value.ndim != 0:  # type: ignore[attr-defined]
        raise refusal.runtime(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
            f"with {value.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?",
            f"f is {name}, its result has shape {list(value.shape)}",
            fix="reduce the result with .sum() or .mean(), or map over examples with vmap.",
        )
    if value.dtype.is_complex:  # type: ignore[attr-defined]
        raise refusal.runtime(
            f"grad can be implicitly created only for real scalar outputs but got {value.dtype!r}",
            f"f is {name}",
            fix="take .abs() or .real.",
        )


def check_outputs(result: Any, leaves: list[Any], call: str) -> None:
    """What a differentiated function returns: tensors, at least one."""
    if result is None or not leaves:
        raise refusal.runtime(
            f"{call}: Expected f to be a function that has non-empty output (got output = "
            f"{[None] if result is None else []})"
        )
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise refusal.runtime(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(leaf)}",
                fix="return tensors; other things belong to the auxiliary output (has_aux).",
            )


def check_real(leaves: list[Any], what: str, transform: str) -> None:
    """A Jacobian is a table of real numbers."""
    for k, leaf in enumerate(leaves):
        if leaf.dtype.is_complex:
            raise refusal.runtime(
                f"{transform}: Expected all {what} to be real but received complex tensor at "
                f"flattened input idx: {k}",
                fix="use torch.view_as_real, and differentiate real and imaginary parts.",
            )


def check_tangents(primals: Any, tangents: Any, flat: Any, spec: Any, flat_t: Any) -> None:
    """jvp: one tangent for each primal, in the same nesting, of the same shape."""
    call = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise refusal.runtime(
            f"{call}: Expected primals to be a tuple. E.g. it should be valid to call "
            f"f(*primals), got {type(primals).__name__}",
            fix="jvp(f, (x,), (t,)).",
        )
    if spec != flatten(tangents)[1]:
        raise refusal.runtime(
            f"{call}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got "
            f"{_outline(primals)} and {_outline(tangents)}"
        )
    check_primals(flat)
    check_primals(flat_t, "tangents")
    for p, t in zip(flat, flat_t, strict=True):
        check_dual(p, t)


def check_primals(leaves: list[Any], what: str = "primals") -> None:
    """Forward mode takes tensors, at least one."""
    call = "jvp(f, primals, tangents)"
    if not leaves:
        raise RuntimeError(f"{call}: Expected {what} to contain at least one Tensor.")
    for leaf in leaves:
        if not isinstance(leaf, TensorBase):
            raise refusal.runtime(
                f"{call}: Expected {what} to only contain Tensors, got {type(leaf)}"
            )


def check_dual(primal: Any, tangent: Any) -> None:
    """A tangent has its primal's shape; both can carry derivatives."""
    for name, t in (("primal", primal), ("tangent", tangent)):
        if t.dtype.category < 2:
            raise refusal.value(
                f"Expected {name} to be floating point or complex, but got: {t.dtype!r}"
            )
    if tuple(primal.shape) != tuple(tangent.shape):
        raise refusal.runtime(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(primal.shape)} while the "
            f"given forward gradient is of size {list(tangent.shape)}."
        )


def cotangent_leaves(given: Any, spec: Any, result: Any) -> list[Any]:
    """vjp_fn's argument: one cotangent per output, in the same nesting; its leaves."""
    leaves, given_spec = flatten(given)
    if given_spec != spec:
        raise refusal.runtime(
            "Expected pytree structure of cotangents to be the same as pytree structure of outputs "
            f"to the function. cotangents: {_outline(given)}, primal output: {_outline(result)}"
        )
    return leaves


def check_differentiable(leaves: list[Any]) -> None:
    """vjp takes cotangents for all outputs: each has to have a derivative."""
    for leaf in leaves:
        if leaf.dtype.category < 2:
            raise refusal.runtime(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got "
                f"Tensor with dtype {leaf.dtype!r}",
                fix="return it as auxiliary output (has_aux=True).",
            )


def _outline(tree: Any) -> str:
    """The nesting of a tree: * for each leaf."""
    if isinstance(tree, tuple | list):
        inner = [_outline(part) for part in several(cast("Any", tree))]
        if isinstance(tree, list):
            return f"[{', '.join(inner)}]"
        return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
    if isinstance(tree, dict):
        entries = cast("dict[Any, Any]", tree)
        return "{" + ", ".join(f"{k!r}: {_outline(v)}" for k, v in entries.items()) + "}"
    return "*"
