"""`memory.estimate(model, input_shape)`: activation memory before anything runs.

The model's own code runs, and the tape is recorded as ever, but ops return arrays that have no
memory behind them: what the tape then holds is what it would hold. No formula per layer can be
wrong, because there is none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from .. import nn
from ..autograd.accidents import explain_module
from ..autograd.modes import enable_grad
from ..autograd.value import TensorBase, make
from ..autograd.watching import standing_in
from ..ops import dtypes
from ..ops.allocation import in_units
from ..reading import Tape
from ..reading.terminal import Block, Table
from ..tensor.random import fork_rng
from ..utils.checkpoint_measure import BlockMeasurement, memory_root, restored_buffers
from .calls import ModuleCalls
from .report import SavedReport
from .standing import StandIn, blank
from .storages import Saved, entry, held_arrays

Shape = Sequence[int]


class Estimate(SavedReport):
    """What a forward pass would keep, term by term, and what training needs beside it."""

    title = "one forward pass would keep"

    def __init__(self, entries: Sequence[Saved], model: Any) -> None:
        super().__init__(entries)
        own = list(model.parameters())
        self.model_bytes = sum(p.nbytes for p in own) + sum(b.nbytes for b in model.buffers())
        self.gradients = sum(p.nbytes for p in own if p.requires_grad)
        self.result = 0  # bytes of what the model returns, where no rule needs it
        self.ran: dict[str, int] = {}
        self.checkpointed: Checkpointed | None = None

    def tables(self) -> list[Table]:
        rows = [
            ("activations", in_units(self.activations)),
            ("result", in_units(self.result)),
            ("parameters and buffers", in_units(self.model_bytes)),
            ("gradients", in_units(self.gradients)),
            ("state of SGD with momentum", in_units(self.gradients)),
            ("state of Adam", in_units(2 * self.gradients)),
        ]
        notes = []
        c = self.checkpointed
        if c is not None:
            notes.append(
                f"checkpointing each of the {c.blocks} blocks of {c.where or 'the model'} keeps "
                f"{in_units(c.bytes)}: {c.share:.0%} less, for one more forward pass"
            )
        if self.ran:
            names = ", ".join(sorted(self.ran))
            notes.append(f"ran on zeros, their shapes are known by running them only: {names}")
        return [*super().tables(), Table("training needs", ("what", "bytes"), rows, notes)]

    def blocks(self) -> list[Block]:
        return [*self.tables(), *self.groups()]

    def facts(self) -> dict[str, Any]:
        c = self.checkpointed
        return {
            "model": self.model_bytes, "gradients": self.gradients, "result": self.result,
            "checkpointed": None if c is None else {"blocks": c.blocks, "bytes": c.bytes},
            **super().facts(),
        }  # fmt: skip


class Checkpointed:
    """What would be kept if every block of a model were checkpointed."""

    def __init__(self, where: str, blocks: int, kept: int, without: int) -> None:
        self.where = where  # path of the container
        self.blocks = blocks
        self.bytes = kept  # at the worst moment: block inputs, and one block computed again
        self.without = without

    @property
    def share(self) -> float:
        """The part of the activations that would go."""
        return 1 - self.bytes / self.without if self.without else 0.0


def estimate(
    model: Any,
    *inputs: Any,
    dtype: Any = None,
    train: bool | None = None,
    kwargs: dict[str, Any] | None = None,
) -> Estimate:
    """Predict what a forward pass keeps for backward, without computing it.

    `inputs` are shapes or tensors, as many as the model takes. Shapes become tensors of `dtype`:
    that of the model's parameters, or indices where the model begins with an embedding. Another
    floating type is taken for the parameters as well. `train` sets the mode for the estimate only.

    >>> import chainrule as torch
    >>> from chainrule import memory
    >>> layers = [torch.nn.Sequential(torch.nn.Linear(4096, 4096), torch.nn.ReLU())]
    >>> e = memory.estimate(torch.nn.Sequential(*layers * 96), (32, 4096))
    >>> e.by("op")["relu"] / 96  # a float32 layer of width 4096 at batch 32
    524288.0
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"memory.estimate takes a module, got {type(model).__name__}")
    if not inputs and not kwargs:
        raise TypeError("memory.estimate needs the shape of the model's input, e.g. (32, 784)")
    kwargs = kwargs or {}
    stand_in = StandIn()
    with _as_of(model, dtype, train), prepared_inputs(model, inputs, dtype, stand_in) as args:
        calls = ModuleCalls(model)
        with enable_grad(), calls:
            result = model(*args, **kwargs)
        made = Estimate(saved_by(result, calls, args), model)
        made.ran = stand_in.ran
        made.result = _result_bytes(result)
        del result
        if made.activations:
            made.checkpointed = _checkpointed(model, args, kwargs)
    return made


@contextlib.contextmanager
def prepared_inputs(
    model: Any, inputs: Sequence[Any], dtype: Any, stand_in: StandIn
) -> Iterator[tuple[Any, ...]]:
    """Inside the block nothing is computed; gives the inputs, shapes as tensors."""
    with fork_rng(), restored_buffers(model), standing_in(stand_in):
        yield tuple(_argument(model, x, dtype) for x in inputs)


def _argument(model: Any, given: Any, dtype: Any) -> Any:
    if isinstance(given, TensorBase):
        return given
    shape = tuple(given) if isinstance(given, Sequence) else (int(given),)
    if any(not isinstance(n, int) or n < 0 for n in shape):
        raise TypeError(f"memory.estimate: {given!r} is no shape (a tuple of sizes) and no tensor")
    found = dtype or _input_dtype(model)
    if found.category == dtypes.FLOAT and _begins_with_embedding(model):
        found = dtypes.int64
    return make(blank(shape, found.np))


def _begins_with_embedding(model: Any) -> bool:
    for module in model.modules():
        if next(module.parameters(recurse=False), None) is not None:
            return isinstance(module, nn.Embedding | nn.EmbeddingBag)
    return False


def _input_dtype(model: Any) -> Any:
    for p in model.parameters():
        if p.dtype.category >= dtypes.FLOAT:
            return p.dtype
    return dtypes.get_default_dtype()


@contextlib.contextmanager
def _as_of(model: Any, dtype: Any, train: bool | None) -> Iterator[None]:
    """The model in a mode, with parameters of a type; both as before afterwards."""
    modes = [(m, m.training) for m in model.modules()]
    arrays: list[tuple[Any, Any]] = []
    if dtype is not None and dtype.category == dtypes.FLOAT:
        for t in (*model.parameters(), *model.buffers()):
            if t.dtype.category == dtypes.FLOAT and t.dtype is not dtype:
                arrays.append((t, t._a))
                t._a = blank(tuple(t.shape), dtype.np)
    try:
        if train is not None:
            model.train(train)
        yield
    finally:
        for module, mode in modes:
            module.training = mode
        for t, array in arrays:
            t._a = array


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, TensorBase):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in _tensors(v)] if isinstance(value, tuple | list) else []


def saved_by(result: Any, calls: ModuleCalls, args: tuple[Any, ...]) -> list[Saved]:
    """What the graph behind a result holds, without the model's own inputs."""
    given = {id(memory_root(t._a)) for t in _tensors(args)}
    nodes = {}
    for y in _tensors(result):
        if y._rg:
            nodes.update({v.key: v for v in Tape.of(y).nodes})
    found: dict[int, Saved] = {}
    for _, v in sorted(nodes.items(), reverse=True):
        for name, array, kind in held_arrays(v.node):
            root = memory_root(array)
            if id(root) in found:
                found[id(root)].nodes += 1
            elif id(root) not in given:
                path = calls.path_of(v.node)
                found[id(root)] = entry(v.op, name, v.place, path, array, kind, root.nbytes)
    return list(found.values())


def _result_bytes(result: Any) -> int:
    """Bytes of the results that no node keeps."""
    kept: set[int] = set()
    for y in _tensors(result):
        if y._rg:
            for v in Tape.of(y).nodes:
                kept.update(id(memory_root(a)) for _, a, _ in held_arrays(v.node))
    roots = {id(memory_root(y._a)): memory_root(y._a).nbytes for y in _tensors(result)}
    return sum(n for key, n in roots.items() if key not in kept)


def _checkpointed(model: Any, args: Any, kwargs: Any) -> Checkpointed | None:
    """What checkpointing the largest row of equal blocks would leave."""
    where, blocks = _row_of_blocks(model)
    if len(blocks) < 2:
        return None
    measured = BlockMeasurement(model, blocks)
    costs = measured.run(args, kwargs)
    if not costs:
        return None
    inputs = measured.outside + sum(c.input for c in costs)
    without = inputs + sum(c.inside for c in costs)
    kept = inputs + max(c.inside + c.output for c in costs)
    return Checkpointed(where, len(costs), kept, without) if kept < without else None


def _row_of_blocks(model: Any) -> tuple[str, list[Any]]:
    """The longest Sequential or ModuleList, by the parameters in it."""
    best: tuple[int, str, list[Any]] = (0, "", [])
    for path, module in model.named_modules():
        if isinstance(module, nn.Sequential | nn.ModuleList) and len(module) > 1:
            blocks = list(module)
            weight = sum(p.numel() for p in module.parameters())
            if weight > best[0] and len({id(b) for b in blocks}) == len(blocks):
                best = (weight, path, blocks)
    return best[1], best[2]


explain_module(globals())
