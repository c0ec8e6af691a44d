"""The ears of the doctor: which functions of the library are listened to while it watches."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any, Self

import numpy as np

from ..nn.modules.module import Module
from ..ops.weak import WeakTable
from ..reading.terminal import Block, Report
from .finding import Finding
from .positions import LinePosition, Position, here, is_users, stack
from .report import Diagnosis
from .run import LOOKED_FIRST, Run
from .taps import Taps
from .tensor_ears import TensorEars


class Ears:
    """Connects a run with the library; nothing of it is left when it is taken off."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._taps = Taps()
        self._handles: list[Any] = []
        self.on = False
        self._compiled = WeakTable()  # compiled functions: how often each was called
        self._loaders = WeakTable()  # iterators: the loader of each
        self._busy = False  # a pass is under way: what it calls is part of it

    def put_on(self) -> None:
        """Listen from now on."""
        self.on = True
        self._connect()
        self.run.tell("listening_began")

    def _connect(self) -> None:
        from .. import autograd
        from ..optim import optimizer
        from ..tensor import Tensor

        taps = self._taps
        taps.replace(Tensor, "backward", self._tensor_backward)
        taps.replace(autograd, "backward", self._function_backward)
        taps.after(optimizer.Optimizer, "__init__", self._optimizer_made)
        taps.before(optimizer.Optimizer, "zero_grad", self._zeroed)
        taps.after(Module, "__init__", self._module_made)
        taps.before(Module, "train", self._mode_set)
        taps.before(Module, "zero_grad", self._zeroed)
        self._handles = [
            optimizer.register_optimizer_step_pre_hook(self._step_begins),
            optimizer.register_optimizer_step_post_hook(self._step_ends),
        ]
        TensorEars(self.run, taps).put_on()
        self._listen_to_modes()
        self._listen_to_training_tools()
        self._listen_to_compiled()
        if self.run.hears("permuted"):
            self._listen_to_data()

    def take_off(self) -> None:
        """Listen no longer."""
        self.on = False
        self.run.tell("listening_ended")
        self._disconnect()

    def _disconnect(self) -> None:
        self._taps.remove()
        for handle in self._handles:
            handle.remove()
        self._handles = []

    # ---- passes ----------------------------------------------------------------------------------

    def _tensor_backward(self, original: Any) -> Any:
        def backward(
            self_: Any,
            gradient: Any = None,
            retain_graph: Any = None,
            create_graph: bool = False,
            inputs: Any = None,
        ) -> None:
            def call(retain: Any) -> None:
                original(self_, gradient, retain, create_graph, inputs)

            if self._busy:
                return call(retain_graph)
            return self._pass((self_,), retain_graph, create_graph, gradient is not None, call)

        return backward

    def _function_backward(self, original: Any) -> Any:
        def backward(
            tensors: Any,
            grad_tensors: Any = None,
            retain_graph: Any = None,
            create_graph: bool = False,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            def call(retain: Any) -> None:
                original(tensors, grad_tensors, retain, create_graph, *args, **kwargs)

            if self._busy:
                return call(retain_graph)
            roots = tuple(tensors) if isinstance(tensors, list | tuple) else (tensors,)
            return self._pass(roots, retain_graph, create_graph, grad_tensors is not None, call)

        return backward

    def _pass(self, roots: Any, retain: Any, create: bool, seeded: bool, call: Any) -> None:
        this = self.run.pass_begins(roots, retain, create, seeded)
        self._busy = True
        try:
            call(True if this.keep else retain)
        except Exception as problem:
            self.run.pass_failed(this, problem)
            raise
        finally:
            self._busy = False
        nodes = [] if this.tape is None or this.retain else list(this.nodes)
        self.run.pass_ends(this)
        if this.keep:
            for vertex in nodes:
                vertex.node.release()

    # ---- optimizers and modules ------------------------------------------------------------------

    def _optimizer_made(self, _result: None, optimizer: Any, *_args: Any, **_kwargs: Any) -> None:
        self.run.optimizer_made(optimizer, here(2))

    def _step_begins(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        self._steps().append(self.run.step_begins(optimizer))

    def _step_ends(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        stack = self._steps()
        if stack and stack[-1].optimizer.ref() is optimizer:
            self.run.step_ends(stack.pop())

    def _steps(self) -> list[Any]:
        found = self.__dict__.get("_under_way")
        if found is None:
            found = self.__dict__["_under_way"] = []
        return found

    def _zeroed(self, owner: Any, *_args: Any, **_kwargs: Any) -> None:
        if self.run.looking and self.run.hears("zeroed"):
            self.run.tell("zeroed", owner, here(2))

    def _module_made(self, _result: None, module: Any, *_args: Any, **_kwargs: Any) -> None:
        self.run.module_made(module, _construction(module))

    def _mode_set(self, module: Any, mode: bool = True) -> None:
        self.run.tell("mode_set", module, mode, here(2))

    # ---- the rest --------------------------------------------------------------------------------

    def _listen_to_modes(self) -> None:
        from ..autograd import modes

        taps = self._taps
        if not self.run.hears("grad_switched"):
            return
        for switch in (modes.no_grad, modes.inference_mode):
            taps.before(switch, "__enter__", partial(self._switched, switch.__name__))
        taps.before(
            modes.set_grad_enabled,
            "__init__",
            lambda _self, mode: None if mode else self._switched("set"),
        )

    def _switched(self, name: str, *_args: Any) -> None:
        """Recording is switched off: by the user's own block or decorator, or it does not count."""
        frame: Any = sys._getframe(2)
        if frame.f_code.co_name == "<lambda>":
            frame = frame.f_back
        if frame.f_code.co_name == "tapped":
            frame = frame.f_back
        decorated = frame.f_locals.get("func") if frame.f_code.co_name == "wrapped" else None
        code = getattr(decorated, "__code__", None)
        if code is not None and is_users(code.co_filename):
            self.run.tell("grad_switched", name, _decorator(code))
        elif is_users(frame.f_code.co_filename):
            self.run.tell("grad_switched", name, Position(frame.f_code, frame.f_lasti))

    def _dropped_out(self, *args: Any, **options: Any) -> None:
        """Dropout that nobody told the mode, inside a module in eval mode."""
        frame = sys._getframe(2)
        owner = frame.f_locals.get("self")
        if len(args) > 2 or "training" in options or not is_users(frame.f_code.co_filename):
            return
        if isinstance(owner, Module) and not owner.training:
            self.run.tell("dropped_out", Position(frame.f_code, frame.f_lasti))

    def _hear_clipping(self, name: str, original: Any) -> Any:
        def clip(parameters: Any, *args: Any, **options: Any) -> Any:
            # Generators can be read once only.
            known = [parameters] if hasattr(parameters, "grad") else list(parameters)
            self.run.tell("gradients_clipped", name, known, args, here(2))
            return original(known, *args, **options)

        return clip

    def _listen_to_compiled(self) -> None:
        """The first calls of a compiled function run eagerly: what a plan does is not seen."""
        from ..compiler.compiled_function import CompiledFunction

        run, calls = self.run, self._compiled

        def make(original: Any) -> Any:
            def call(function: Any, *args: Any, **kwargs: Any) -> Any:
                count = calls.get(function, 0)
                if count < LOOKED_FIRST:
                    calls[function] = count + 1
                    return function.function(*args, **kwargs)
                run.compiled += 1
                self._disconnect()  # a plan must not depend on who listens
                try:
                    return original(function, *args, **kwargs)
                finally:
                    if self.on:
                        self._connect()

            return call

        self._taps.replace(CompiledFunction, "__call__", make)

    def _listen_to_data(self) -> None:
        from ..tensor import Tensor
        from ..utils.data import TensorDataset

        run = self.run

        def taken(result: Any, tensor: Any, index: Any) -> None:
            if type(index) is slice:
                if run.looking and tensor.ndim == 1:
                    run.tell("indexed", result, here(3))
            elif hasattr(index, "dtype") and tensor.ndim:
                found = is_permutation(index, tensor.shape[0])
                if found is not None:
                    run.tell("permuted", result, found, here(3))

        self._taps.after(Tensor, "__getitem__", taken)
        self._listen_to_batches()
        self._taps.before(
            TensorDataset, "__init__", lambda _self, *tensors: run.tell("rows_taken", tensors)
        )

    def _listen_to_batches(self) -> None:
        from ..utils.data.dataloader import DataLoader, _BaseDataLoaderIter

        run, loaders = self.run, self._loaders

        def began(iterator: Any, loader: Any) -> None:
            loaders[iterator] = loader

        def taken(batch: Any, iterator: Any) -> None:
            loader = loaders.get(iterator)
            if loader is not None:
                run.tell("batch_taken", loader, batch)

        if run.hears("batch_taken"):
            self._taps.after(DataLoader, "_get_iterator", began)
            self._taps.after(_BaseDataLoaderIter, "__next__", taken)

    def _listen_to_training_tools(self) -> None:
        from ..amp.grad_scaler import GradScaler
        from ..nn import functional, utils
        from ..optim.lr_scheduler import LRScheduler
        from ..utils.data import DataLoader

        run, taps = self.run, self._taps
        for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"):
            taps.before(functional, name, self._dropped_out)
        taps.after(
            LRScheduler, "__init__", lambda _r, s, *_a, **_k: run.tell("scheduler_made", s, here(2))
        )
        taps.before(
            LRScheduler, "step", lambda s, *_a, **_k: run.tell("scheduler_stepped", s, here(2))
        )
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            taps.replace(utils, name, partial(self._hear_clipping, name))
        for name in ("scale", "unscale_", "step", "update"):
            taps.before(
                GradScaler,
                name,
                lambda s, *a, name=name, **_k: run.tell("scaler_used", s, name, a, here(2)),
            )
        taps.after(
            DataLoader,
            "__init__",
            lambda _r, made, *_a, **_k: run.tell("loader_made", made, here(2)),
        )


def _decorator(code: Any) -> Position:
    """The line above a function that switches recording off for it."""
    first = code.co_firstlineno
    for line in range(first, first + 12):
        text = linecache.getline(code.co_filename, line).strip()
        if any(name in text for name in ("no_grad", "inference_mode", "set_grad_enabled")):
            found = LinePosition(code.co_filename, line)
            found.code = code  # rules compare functions by it
            return found
        if not text.startswith("@"):
            break
    return Position(code, 0)


def is_permutation(index: Any, rows: int) -> np.ndarray | None:
    """The index as an array if it names each of the rows once, and not in their order."""
    found = getattr(index, "_a", index)
    if not isinstance(found, np.ndarray) or found.ndim != 1 or found.dtype.kind not in "iu":
        return None
    if found.size != rows or rows < 8:
        return None
    seen = np.zeros(rows, bool)
    try:
        seen[found] = True
    except IndexError:
        return None
    return found if seen.all() and not (found[:-1] < found[1:]).all() else None


def _construction(module: Any) -> tuple[Position, ...]:
    """The lines that make a module, the innermost first.

    For a class of the user's own they begin outside of its `__init__`, which is still running.
    """
    frame: Any = sys._getframe(2)
    depth = 2
    while frame is not None and (
        not is_users(frame.f_code.co_filename) or frame.f_locals.get("self") is module
    ):
        frame, depth = frame.f_back, depth + 1
    return () if frame is None else stack(depth + 1)


class Watch(Report):
    """A run that is watched, as a block; made by `doctor.watch`."""

    def __init__(
        self, rules: Iterable[type[Any]], models: Any, every: int | None, ignored: Any = ()
    ) -> None:
        self.run = Run(rules, every=every)
        self.run.ignored = frozenset(ignored)
        self._ears = Ears(self.run)
        for model in models:
            for part in model.modules():
                self.run.module_made(part, ())
        self._diagnosis: Diagnosis | None = None

    def __enter__(self) -> Self:
        self._ears.put_on()
        return self

    def __exit__(self, _kind: Any, problem: BaseException | None, _trace: Any) -> None:
        self._ears.take_off()
        self.run.problem = problem
        self._diagnosis = None

    def start(self) -> Self:
        """Watch until `stop()`; for notebooks, where a block is in the way."""
        return self.__enter__()

    def stop(self) -> Self:
        self.__exit__(None, None, None)
        return self

    @property
    def diagnosis(self) -> Diagnosis:
        """What the doctor says; asked inside the block, about what was seen so far."""
        if self._diagnosis is None:
            made = Diagnosis(self.run)
            if not self._ears.on:
                self._diagnosis = made
            return made
        return self._diagnosis

    @property
    def findings(self) -> list[Finding]:
        return self.diagnosis.findings

    def blocks(self) -> list[Block]:
        return self.diagnosis.blocks()

    def to_json(self) -> str:
        return self.diagnosis.to_json()

    def to_html(self) -> str:
        return self.diagnosis.to_html()

    def _repr_html_(self) -> str:
        return self.to_html()


__all__ = ["Ears", "Watch"]
