"""`opcheck`: whether what was registered for an operator fits together."""

from __future__ import annotations

from typing import Any

from ..autograd.accidents import explain_module
from ..tensor import Tensor
from .registry import Operator, find, tensors_of

_TESTS = (
    "test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic",
)  # fmt: skip


class OpCheckError(Exception):
    """An operator does something else than was registered."""


def opcheck(
    op: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *,
    test_utils: Any = _TESTS, raise_exception: bool = True, atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Test an operator on examples: its schema, its autograd formula, its shapes, compiled.

    >>> import chainrule as torch
    >>> @torch.library.custom_op("demo::cube", mutates_args=())
    ... def cube(x: torch.Tensor) -> torch.Tensor:
    ...     return x ** 3
    >>> _ = cube.register_fake(lambda x: torch.empty_like(x))
    >>> opcheck(cube, (torch.ones(2),))["test_faketensor"]
    'SUCCESS'
    """
    operator = find(op if not hasattr(op, "overloads") or hasattr(op, "overloadpacket")
                    else op.default)  # fmt: skip
    chosen = (test_utils,) if isinstance(test_utils, str) else test_utils
    found: dict[str, Any] = {}
    for name in chosen:
        if name not in _CHECKS:
            raise ValueError(f"Invalid test_utils passed to opcheck: {name}; one of {_TESTS}")
        try:
            _CHECKS[name](operator, args, kwargs or {})
            found[name] = "SUCCESS"
        except Exception as problem:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {problem}") from problem
            found[name] = problem
    return found


def _copies(values: Any) -> Any:
    if isinstance(values, Tensor):
        return values.detach().clone().requires_grad_(values.requires_grad)
    if isinstance(values, list | tuple):
        return type(values)(_copies(v) for v in values)
    return {k: _copies(v) for k, v in values.items()} if isinstance(values, dict) else values


def _schema(op: Operator, args: Any, kwargs: Any) -> None:
    """What the schema does not say is written is not written, and results are new."""
    from .. import equal
    from ..autograd.modes import no_grad

    values = op.schema.bind(_copies(args), _copies(kwargs))
    before = _copies(values)
    with no_grad():
        result = op(**values)
    op._check_aliases(tensors_of(values.values()), result) if not op.schema.is_mutable else None
    for a in op.schema.arguments:
        held, was = values[a.name], before[a.name]
        if isinstance(held, Tensor) and not a.is_write and not equal(held, was):
            raise RuntimeError(
                f"Argument {a.name} is not defined as mutable but was mutated by {op.schema.name}"
            )


def _autograd(op: Operator, args: Any, kwargs: Any) -> None:
    """An operator with gradients has a formula, or is made of functions that have one."""
    wanted = [t for t in tensors_of([*args, *kwargs.values()]) if t.requires_grad]
    whole = any(k in op.kernels for k in ("Autograd", "AutogradCPU", "CompositeImplicitAutograd"))
    if wanted and op.backward is None and not whole and not op.schema.is_mutable:
        raise RuntimeError(
            f"{op.schema.name} has no autograd formula, and its inputs require grad\n"
            "  Fix: torch.library.register_autograd."
        )


def _fake(op: Operator, args: Any, kwargs: Any) -> None:
    """Results on the meta device have the shapes and types of the real ones."""
    from ..autograd.modes import no_grad

    def meta(value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.detach().to("meta")
        return type(value)(map(meta, value)) if isinstance(value, list | tuple) else value

    with no_grad():
        real = tensors_of([op(*_copies(args), **_copies(kwargs))])
        shaped = tensors_of([op(*map(meta, args), **{k: meta(v) for k, v in kwargs.items()})])
    if len(real) != len(shaped):
        raise RuntimeError(f"the fake impl gives {len(shaped)} tensors, the operator {len(real)}")
    for a, b in zip(real, shaped, strict=True):
        if tuple(a.shape) != tuple(b.shape) or a.dtype is not b.dtype:
            raise RuntimeError(
                f"the fake impl gives {b.dtype} of shape {tuple(b.shape)}, the operator {a.dtype} "
                f"of shape {tuple(a.shape)}"
            )


def _compiled(op: Operator, args: Any, kwargs: Any) -> None:
    """Compiled, it gives the results and gradients of an eager call."""
    import warnings

    from .. import allclose
    from .. import compile as compile_function

    run = compile_function(lambda a, k: op(*a, **k))
    wanted = _with_gradients(lambda a, k: op(*a, **k), args, kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            found = _with_gradients(run, args, kwargs)
    for a, b in zip(wanted, found, strict=True):
        if not allclose(a, b, equal_nan=True):
            raise RuntimeError("a compiled call gives other values than an eager one")


def _with_gradients(function: Any, args: Any, kwargs: Any) -> list[Any]:
    args, kwargs = _copies(args), _copies(kwargs)
    outs = tensors_of([function(args, kwargs)])
    leaves = [t for t in tensors_of([*args, *kwargs.values()]) if t.requires_grad]
    total = [o.sum() for o in outs if o.requires_grad]
    if total and leaves:
        from .. import stack

        stack(total).sum().backward()
    return [o.detach() for o in outs] + [t.grad for t in leaves if t.grad is not None]


_CHECKS = {
    "test_schema": _schema,
    "test_autograd_registration": _autograd,
    "test_faketensor": _fake,
    "test_aot_dispatch_dynamic": _compiled,
    "test_aot_dispatch_static": _compiled,
}


explain_module(globals())
