"""Batch norm: statistics of a batch, or those that have been collected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.inplace import bump
from ...autograd.modes import no_grad
from ...autograd.state import NO_GRAD, STATE
from ...autograd.value import PLAIN, TensorBase
from ...ops.dtypes import float32
from ...ops.later import Later
from ...ops.layout import has_channels_last
from ..api import public
from .common import P
from .half_types import half_type, rounded, single
from .nn_common import named
from .nn_norm import elements, need_real, normalised, verify_batch

if TYPE_CHECKING:
    from ..annotations import Tensor

level_writes = Later("...autograd.level_writes", __package__)


def _update(running: Any, new: Any, momentum: float) -> None:
    """running += momentum * (new - running), in place and off the tape."""
    with no_grad():
        running.mul_(1 - momentum).add_(new.to(running.dtype) * momentum)


def _batch_norm_train(
    x: Any, running_mean: Any, running_var: Any, weight: Any, bias: Any, momentum: float, eps: float
) -> Any:
    if x.__class__ not in PLAIN:  # of arrays the op finds it out itself
        need_real(x, "batch_norm")
    if STATE.saved_hooks and STATE.grad_enabled and not (running_mean is running_var is None):
        # What packs the last tensor that a checkpoint needs ends its repetition there.
        with no_grad():
            _batch_norm_train(x, running_mean, running_var, weight, bias, momentum, eps)
        running_mean = running_var = None
    n, c = x.shape[0], x.shape[1]
    inner = elements(x.shape[2:])
    out, mean, var = normalised(
        P.batch_norm, x, weight, bias, view=(n, c, inner), axes=(0, 2), channel=(1, c, 1), eps=eps
    )
    count = n * inner
    if not count:  # a batch without elements has no statistics: the running ones stay
        return out, mean, var
    if STATE.levels:
        _check_mapped(mean, running_mean, running_var)
    for running, new, factor in (
        (running_mean, mean, 1.0),
        (running_var, var, count / max(1, count - 1)),  # the running variance is unbiased
    ):
        if running is not None and not _update_array(running, new, factor, momentum):
            with _observed(new, running) as value:
                _update(running, value.reshape(c) * factor, momentum)
    return out, mean, var


def _check_mapped(new: Any, *statistics: Any) -> None:
    """Refuse, before anything is written, statistics of one batch into those that many share."""
    wanted = _batch_levels(new)
    for running in statistics:
        if running is not None and not wanted <= _batch_levels(running):
            raise refusal.runtime(
                "Batch norm got a batched tensor as input while the running_mean or running_var, "
                "which will be updated in place, were not batched: all examples of vmap share "
                f"running statistics of shape {list(running.shape)}",
                fix="set track_running_stats=False, or call "
                "torch.func.replace_all_batch_norm_modules_(model) before vmap.",
            )


def _batch_levels(t: Any) -> set[int]:
    """The levels of `vmap` over which a tensor has one value per example."""
    found = set()
    while isinstance(t, TensorBase) and t._level is not None:
        if t._level.kind == "vmap":
            found.add(t._level.index)
        t = t._a
    return found


@contextmanager
def _observed(new: Any, running: Any) -> Iterator[Any]:
    """A statistic as a value, outside of transforms that differentiate: no gradient goes through
    running statistics, which are updated in such functions too."""
    own = -1 if running._level is None else running._level.index
    outermost = None
    while new._level is not None and new._level.kind in ("grad", "dual") and new._level.index > own:
        outermost, new = new._level, new._a
    if new._level is None and STATE.levels:  # transforms that this value has no part in
        kinds = ("grad", "dual")
        others = [level for level in STATE.levels if level.index > own]
        if others and all(level.kind in kinds for level in others):
            outermost = others[0]
    with nullcontext() if outermost is None else level_writes.below(outermost):
        yield new.detach()


def count_batch(counter: Any, *statistics: Any) -> None:
    """counter += 1 in place: what a batch norm does in every step, without `add_`'s checks.
    Where that is refused, inside a transform, the statistics are what they were."""
    if STATE.levels:
        for running in statistics:
            if running is not None:
                level_writes.note_write(running)
    plain = STATE.w <= NO_GRAD and not STATE.levels
    if not plain or counter.__class__ not in PLAIN or counter._v is None:
        counter.add_(1)
    else:
        counter._a += 1
        bump(counter, "batch_norm")


def _update_array(running: Any, new: Any, factor: float, momentum: float) -> bool:
    """`_update` on arrays, in a few microseconds; False when something is unusual."""
    if STATE.w > NO_GRAD or running.__class__ not in PLAIN or new.__class__ not in PLAIN:
        return False
    target, values = running._a, new._a
    if running._rg or running._v is None or target.dtype is not values.dtype:
        return False
    if target.dtype.kind != "f" or target.itemsize < 4 or not target.flags.c_contiguous:
        return False
    if not target.flags.writeable:
        return False
    target *= 1 - momentum
    target += values.reshape(target.shape) * (momentum * factor)
    bump(running, "batch_norm")
    return True


def _as_image(x: Any) -> Any:
    """x in C order, or with channels last: no other order passes through a batch norm."""
    if x.__class__ not in PLAIN or x._a.flags.c_contiguous or has_channels_last(x._a):
        return x
    return x.contiguous()


def _batch_norm_eval(x: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float) -> Any:
    """With known statistics the norm is one multiplication and one addition per element."""
    need_real(x, "batch_norm")
    half = half_type(x)
    x, mean, var = single(_as_image(x)), single(mean.detach()), single(var.detach())
    scale = (var + eps).rsqrt()
    if weight is not None:
        scale = scale * single(weight)
    shift = -mean * scale if bias is None else single(bias) - mean * scale
    shape = (1, -1) + (1,) * (x.ndim - 2)
    out = x * scale.reshape(shape).to(x.dtype) + shift.reshape(shape).to(x.dtype)
    flat = weight is None  # the gradient is a constant then
    return named(rounded(out, half), "NativeBatchNormBackward0", flat=flat, dead=True)


@public(namespace="nn.functional", out=False)
def batch_norm(
    input: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel to mean 0 and variance 1 over the batch (or by the running statistics)."""
    try:
        if eps <= 0:
            _check_eps(eps, training)
        _check_channels(input, running_mean, running_var, weight, bias)
        if training:
            verify_batch(input.shape)
            return _batch_norm_train(
                input, running_mean, running_var, weight, bias, momentum, eps
            )[0]  # fmt: skip
        if running_mean is None or running_var is None:
            raise refusal.runtime(
                "Expected running_mean and running_var to be defined when training=False",
                fix="pass training=True to use the batch's statistics.",
            )
        return _batch_norm_eval(input, running_mean, running_var, weight, bias, eps)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _check_channels(x: Any, *parameters: Any) -> None:
    names = ("running_mean", "running_var", "weight", "bias")
    if x.ndim < 2:
        raise refusal.runtime(
            f"batch_norm expects at least 2 dimensions (batch, channels), got {list(x.shape)}"
        )
    channels = x.shape[1]
    own = x._a.dtype
    if any(t is not None and t._a.dtype is not own for t in parameters):
        _check_norm_types(x, [t for t in parameters if t is not None])
    for name, t in zip(names, parameters, strict=True):
        if t is not None and (t._a.size if t.__class__ in PLAIN else t.numel()) != channels:
            raise refusal.runtime(
                f"{name} should contain {channels} elements not {t.numel()}",
                f"input {list(x.shape)}",
            )


def _check_norm_types(x: Any, parameters: list[Any]) -> None:
    """Input, parameters and running statistics have one type, or all but a half input float32."""
    found = {t.dtype for t in parameters}
    if found not in ({x.dtype}, {float32} if x.dtype.itemsize == 2 else {x.dtype}):
        wanted = "all inputs must share same datatype"
        if x.dtype is float32:
            wanted = "expect parameter to have scalar type of Float"
        raise refusal.runtime(
            f"mixed dtype (CPU): {wanted}.",
            f"batch_norm of an input of {x.dtype!r} with parameters and statistics of "
            f"{', '.join(sorted(map(repr, found)))}",
            fix=f"module.to({x.dtype!r}), or convert the input.",
        )


def _check_eps(eps: float, training: bool) -> None:
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise refusal.value(f"batch_norm eps must be {wanted}, but got {eps}")


@public(method=False)
def native_batch_norm(
    input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor,
    training: bool, momentum: float, eps: float,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """(batch_norm, mean, 1 / standard deviation of the batch)."""
    if not training:
        empty = input.detach().reshape(-1)[:0]
        return _batch_norm_eval(input, running_mean, running_var, weight, bias, eps), empty, empty
    c = input.shape[1]
    out, mean, var = _batch_norm_train(
        input, running_mean, running_var, weight, bias, momentum, eps
    )
    deviation = (var + eps).rsqrt()
    of = input.dtype if weight is None else weight.dtype  # the statistics' type is the parameters'
    return out, mean.reshape(c).to(of), deviation.reshape(c).to(of)


@public(namespace="nn.functional", out=False)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each example to mean 0 and variance 1."""
    if use_input_stats and elements(input.shape[2:]) == 1:
        raise refusal.value(
            "Expected more than 1 spatial element when training, got input size "
            f"{list(input.shape)}"
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise refusal.runtime(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )
    _check_channels(input, None, None, weight, bias)  # the statistics may have another type
    n, c = input.shape[0], input.shape[1]

    def per_example(t: Any) -> Any:
        return None if t is None else t.repeat(n)

    means, variances = per_example(running_mean), per_example(running_var)
    flat = input.reshape(1, n * c, *input.shape[2:])
    scale, shift = per_example(weight), per_example(bias)
    if use_input_stats:
        out = _batch_norm_train(flat, means, variances, scale, shift, momentum, eps)[0]
        with no_grad():
            for running, each in ((running_mean, means), (running_var, variances)):
                if running is not None:
                    with _observed(input, running):
                        running.copy_(each.reshape(n, c).mean(0))
    else:
        out = _batch_norm_eval(flat, means, variances, scale, shift, eps)
    return out.view(input.shape)
