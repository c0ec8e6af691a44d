"""`vmap`: a function of one example becomes a function of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import refusal, source
from .accidents import explain_module
from .batches import BatchLevel, stack, to_front
from .dispatch import P
from .levels import synced
from .transform_checks import check_callable
from .trees import broadcast_prefix, flatten, several, unflatten
from .value import TensorBase


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Run `func` on every example along `in_dims` at once; results are stacked along `out_dims`.

    >>> import chainrule as torch
    >>> from chainrule.func import vmap
    >>> vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    tensor([2., 2., 2.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size <= 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    check_callable(func, "vmap")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, dims, spec, size = _inputs(func, in_dims, args)
        if chunk_size is None or chunk_size >= size:
            return _run(func, leaves, dims, spec, size, kwargs, out_dims, randomness)
        return _chunked(func, leaves, dims, spec, size, kwargs, out_dims, randomness, chunk_size)

    return wrapped


def _name(func: Any) -> str:
    return getattr(func, "__name__", repr(func))


def _inputs(func: Any, in_dims: Any, args: tuple[Any, ...]) -> tuple[Any, Any, Any, int]:
    if not isinstance(in_dims, int | tuple) and in_dims is not None:
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int "
            f"or a (potentially nested) tuple matching the structure of inputs, got: "
            f"{type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you "
            "are trying to vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = flatten(args)
    dims = broadcast_prefix(in_dims, args, _is_dim)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible "
            f"with the structure of `inputs`: there are {len(args)} inputs; each entry of in_dims "
            "is an int, None, or nested as its input is."
        )
    size = None
    for k, (leaf, d) in enumerate(zip(leaves, dims, strict=True)):
        if d is None:
            continue
        dims[k] = d = _checked_dim(func, in_dims, leaf, d)
        n = leaf.shape[d]
        if size is not None and n != size:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got "
                f"sizes {[t.shape[e] for t, e in zip(leaves, dims, strict=True) if e is not None and isinstance(t, TensorBase)]} for the mapped dimension\n"  # noqa: E501
                f"  vmap of {_name(func)} at {source.here()}\n  Fix: give every mapped input as "
                "many examples, or in_dims=None to those that all examples share."
            )
        size = n
    if size is None:
        raise refusal.value(
            "vmap: Expected at least one Tensor to vmap over: all in_dims are None",
            f"vmap of {_name(func)}",
        )
    return leaves, dims, spec, size


def _is_dim(d: Any) -> bool:
    return d is None or d.__class__ is int


def _checked_dim(func: Any, in_dims: Any, leaf: Any, d: int) -> int:
    where = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(leaf, TensorBase):
        raise ValueError(
            f"{where}: Got in_dim={d} for an input but the input is of "
            f"type {type(leaf)}. We cannot vmap over non-Tensor arguments, please use None as the "
            "respective in_dim"
        )
    n = leaf.ndim  # type: ignore[attr-defined]
    if not -n <= d < n:
        raise ValueError(
            f"{where}: Got in_dim={d} for some input, but that input is "
            f"a Tensor of dimensionality {n} so expected in_dim to satisfy -{n} <= in_dim < {n}."
        )
    return d % n


def _run(
    func: Any, leaves: Any, dims: Any, spec: Any, size: int, kwargs: Any, out_dims: Any,
    randomness: str,
) -> Any:  # fmt: skip
    level = BatchLevel(size, randomness)
    with level:
        inner = [
            leaf if d is None else level.batched(leaf, d)
            for leaf, d in zip(leaves, dims, strict=True)
        ]
        result = func(*unflatten(inner, spec), **kwargs)
        return _unwrap(func, level, result, out_dims)


def _unwrap(func: Any, level: BatchLevel, result: Any, out_dims: Any) -> Any:
    outs, spec = flatten(result)
    _check_out_dims(func, out_dims)
    wanted = broadcast_prefix(out_dims, result, _is_dim)
    if wanted is None and isinstance(out_dims, tuple) and len(outs) == 1:
        only = several(out_dims)
        wanted = list(only) if len(only) == 1 else None
    if wanted is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible "
            f"with the structure of outputs: the function returned {len(outs)} output(s)."
        )
    made: list[Any] = []
    for out, d in zip(outs, wanted, strict=True):
        if not isinstance(out, TensorBase):
            raise refusal.value(
                f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type "
                f"{type(out)}"
            )
        made.append(_unwrap_one(func, level, out, d))
    return unflatten(made, spec)


def _check_out_dims(func: Any, out_dims: Any) -> None:
    for d in flatten(out_dims)[0]:
        if not _is_dim(d):
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None "
                "or a python collection of ints representing where in the outputs the vmapped "
                f"dimension should appear, got {d!r}."
            )


def _unwrap_one(func: Any, level: BatchLevel, out: Any, d: Any) -> Any:
    if d is None:
        if level.mine(out):
            raise ValueError(
                f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when "
                "out_dim is None"
            )
        return out
    value = level.lift(out) if not level.mine(out) else synced(out)
    value.__dict__["_returned"] = True
    value = to_front(value._a, value._bdim)
    n = value.ndim
    if not -n <= d < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})"
        )
    d = d % n
    return value if d == 0 else P.transpose(value, perm=(*range(1, d + 1), 0, *range(d + 1, n)))


def _chunked(
    func: Any, leaves: Any, dims: Any, spec: Any, size: int, kwargs: Any, out_dims: Any,
    randomness: str, chunk: int,
) -> Any:  # fmt: skip
    parts: list[Any] = []
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)
        piece = [
            leaf if d is None else P.slice_view(
                leaf, index=(*((slice(None),) * d), slice(start, stop)))
            for leaf, d in zip(leaves, dims, strict=True)
        ]  # fmt: skip
        parts.append(_run(func, piece, dims, spec, stop - start, kwargs, out_dims, randomness))
    flat = [flatten(p) for p in parts]
    columns = zip(*[leaves for leaves, _ in flat], strict=True)
    dims_out = broadcast_prefix(out_dims, parts[0], _is_dim)
    if dims_out is None:  # out_dims=(d,) for a single result
        dims_out = list(out_dims)
    if None in dims_out:
        raise refusal.wrong_type(
            "cat(): argument 'dim' must be int, not NoneType: with chunk_size, every result has a "
            "dimension to join the chunks in",
            f"vmap of {_name(func)}",
            fix="an int in out_dims, or no chunk_size.",
        )
    joined = [P.cat(*c, axis=d % c[0].ndim) for c, d in zip(columns, dims_out, strict=True)]
    return unflatten(joined, flat[0][1])


__all__ = ["stack", "vmap"]


explain_module(globals(), "vmap")
