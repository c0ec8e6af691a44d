"""PowerSGD: matrices of gradients as products of two thin ones, which are averaged instead.

T. Vogels, S. P. Karimireddy, M. Jaggi: PowerSGD: Practical low-rank gradient compression for
distributed optimization, 2019. What a step leaves out is added to the next one's gradients.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ....standins import add_to as _add_stand_ins
from ...collectives import all_reduce
from ...group import current
from .default_hooks import _average


class PowerSGDState:
    """Settings of the hook and what it keeps between steps."""

    def __init__(
        self, process_group: Any, matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1000, min_compression_rate: float = 2,
        use_error_feedback: bool = True, warm_start: bool = True,
        orthogonalization_epsilon: float = 0, random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ) -> None:  # fmt: skip
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is "
                "enabled, because PowerSGD can only be applied after the first two iterations."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.random_seed = random_seed
        self.error_dict: dict[int, Any] = {}  # by bucket: what was left out
        self.q_memory_dict: dict[int, list[Any]] = {}
        self.iter = 0
        self.total_numel_before_compression = 0
        self.total_numel_after_compression = 0

    def compression_stats(self) -> tuple[float, int, int]:
        """(how many times fewer numbers, numbers before, numbers after)."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after else 0.0), before, after

    def _compresses(self, tensor: Any) -> bool:
        if tensor.ndim < 2:
            return False
        rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
        rank = min(rows, columns, self.matrix_approximation_rank)
        return (rows + columns) * rank * self.min_compression_rate < rows * columns


def powerSGD_hook(state: PowerSGDState, bucket: Any) -> Any:
    """The average, approximated by matrices of low rank from `start_powerSGD_iter` on."""
    buffer = bucket.buffer()
    if state.iter < state.start_powerSGD_iter:
        state.iter += bucket.is_last()
        return _average(state.process_group, buffer)
    group = current(state.process_group)
    index, before = bucket.index(), None
    if state.use_error_feedback:
        if index in state.error_dict and state.error_dict[index].shape == buffer.shape:
            buffer += state.error_dict[index]
        before = buffer.clone()
    tensors = bucket.gradients()
    plain = [t for t in tensors if not state._compresses(t)]
    matrices = [t.reshape(t.shape[0], -1) for t in tensors if state._compresses(t)]
    _count(state, plain, matrices)
    qs = _start(state, index, matrices)
    ps = [torch.mm(m, q) for m, q in zip(matrices, qs, strict=True)]
    works = [all_reduce(t, group=group, async_op=True) for t in (*plain, *ps)]
    for work in works:
        work.wait()  # type: ignore[union-attr]
    for p, q, m in zip(ps, qs, matrices, strict=True):
        p.copy_(torch.linalg.qr(p).Q)
        torch.mm(m.t(), p, out=q)
    works = [all_reduce(q, group=group, async_op=True) for q in qs]
    for work in works:
        work.wait()  # type: ignore[union-attr]
    for t in plain:
        t.div_(group.size())
    for p, q, m in zip(ps, qs, matrices, strict=True):
        q.div_(group.size())
        torch.mm(p, q.t(), out=m)
    if before is not None:
        state.error_dict[index] = before.sub_(buffer)
    state.q_memory_dict[index] = qs
    state.iter += bucket.is_last()
    return _done(buffer)


def _count(state: PowerSGDState, plain: list[Any], matrices: list[Any]) -> None:
    rest = sum(t.numel() for t in plain)
    rank = state.matrix_approximation_rank
    state.total_numel_before_compression += rest + sum(m.numel() for m in matrices)
    state.total_numel_after_compression += rest + sum(sum(m.shape) * rank for m in matrices)


def _start(state: PowerSGDState, index: int, matrices: list[Any]) -> list[Any]:
    """Thin matrices to begin with: those of the last step, or random ones, equal on all ranks."""
    known = state.q_memory_dict.get(index)
    if state.warm_start and known is not None and len(known) == len(matrices):
        return [torch.linalg.qr(q).Q.contiguous() for q in known]
    generator = torch.Generator().manual_seed(state.random_seed + 7919 * state.iter + index)
    made = []
    for m in matrices:
        rank = min(*m.shape, state.matrix_approximation_rank)
        q = torch.randn(m.shape[1], rank, generator=generator, dtype=m.dtype)
        made.append(torch.linalg.qr(q).Q.contiguous())
    return made


def _done(value: Any) -> Any:
    from ....futures import Future

    future: Future[Any] = Future()
    future.set_result(value)
    return future


__all__ = ["PowerSGDState", "powerSGD_hook"]

_add_stand_ins(globals())
