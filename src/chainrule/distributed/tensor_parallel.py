"""Tensor parallelism: layers whose parameters are cut between processes, each computing its part.

A style lays out the parameters of a module (`distributed.tensor`), says how the inputs that the
module is given lie and how it wants them, and likewise for its results.
"""

from __future__ import annotations

import contextlib
import fnmatch
from collections.abc import Iterator
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..nn.modules.linear import Linear
from ..nn.modules.module import Module
from ..nn.modules.sparse import Embedding
from .placement_types import Replicate, Shard
from .tensor import distribute_module, distribute_tensor
from .tensor.dtensor import DTensor


class ParallelStyle:
    """How a module is cut."""

    src_data_rank: int | None = 0

    def _apply(self, module: Module, device_mesh: Any) -> Module:
        """Cut it."""
        raise NotImplementedError


def _laid_out(value: Any, mesh: Any, given: Any, wanted: Any) -> Any:
    """A value as a tensor of the mesh that lies as it is wanted."""
    if given is None or not isinstance(value, torch.Tensor):
        return value
    found = value if isinstance(value, DTensor) else DTensor.from_local(value, mesh, [given])
    return found if wanted is None else found.redistribute(placements=[wanted])


def _part(value: Any, local: bool) -> Any:
    return value.to_local() if local and isinstance(value, DTensor) else value


class _OfLayers(ParallelStyle):
    """Styles of single layers with a weight."""

    def __init__(
        self, *, input_layouts: Any = None, output_layouts: Any = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layouts, self.output_layouts = input_layouts, output_layouts
        self.use_local_output = use_local_output

    def _cuts(self, module: Module) -> tuple[dict[str, Any], Any]:
        """The placements of the parameters, and the one the input is wanted in."""
        raise NotImplementedError

    def _apply(self, module: Module, device_mesh: Any) -> Module:
        if not isinstance(module, Linear | Embedding):
            name = type(self).__name__
            raise NotImplementedError(f"{name} currently only support nn.Linear and nn.Embedding!")
        cuts, wanted = self._cuts(module)

        def partition(name: str, inner: Any, mesh: Any) -> None:
            for key, placement in cuts.items():
                p = inner._parameters.get(key)
                if p is not None:
                    inner.register_parameter(key, torch.nn.Parameter(
                        distribute_tensor(
                            p.detach(), mesh, [placement], src_data_rank=self.src_data_rank
                        ),
                        p.requires_grad,
                    ))  # fmt: skip

        def inputs(inner: Any, args: Any, mesh: Any) -> Any:
            return (_laid_out(args[0], mesh, self.input_layouts, wanted), *args[1:])

        def outputs(inner: Any, out: Any, mesh: Any) -> Any:
            made = out.redistribute(placements=[self.output_layouts])
            return _part(made, self.use_local_output)

        return distribute_module(module, device_mesh, partition, inputs, outputs)


class ColwiseParallel(_OfLayers):
    """Each process computes some of the outputs of a Linear, or columns of an Embedding."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.input_layouts = self.input_layouts or Replicate()
        self.output_layouts = self.output_layouts or Shard(-1)

    def _cuts(self, module: Module) -> tuple[dict[str, Any], Any]:
        embeds = isinstance(module, Embedding)
        return {"weight": Shard(1 if embeds else 0), "bias": Shard(0)}, Replicate()


class RowwiseParallel(_OfLayers):
    """Each process multiplies some of the inputs of a Linear, or has rows of an Embedding."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.input_layouts = self.input_layouts or Shard(-1)
        self.output_layouts = self.output_layouts or Replicate()

    def _cuts(self, module: Module) -> tuple[dict[str, Any], Any]:
        if isinstance(module, Embedding):
            return {"weight": Shard(0)}, Replicate()
        return {"weight": Shard(1), "bias": Replicate()}, Shard(-1)


class SequenceParallel(ParallelStyle):
    """Norms and dropout on parts of the sequence, with all parameters on every process."""

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_dim, self.use_local_output = sequence_dim, use_local_output

    def _apply(self, module: Module, device_mesh: Any) -> Module:
        cut = Shard(self.sequence_dim)

        def inputs(inner: Any, args: Any, mesh: Any) -> Any:
            return (_laid_out(args[0], mesh, cut, cut), *args[1:])

        def outputs(inner: Any, out: Any, mesh: Any) -> Any:
            return _part(out, self.use_local_output)

        return distribute_module(module, device_mesh, None, inputs, outputs)


def _each(layouts: Any) -> tuple[Any, ...]:
    return layouts if isinstance(layouts, tuple) else (layouts,)


class PrepareModuleInput(ParallelStyle):
    """The inputs of a module, laid out as it wants them."""

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None,
        input_kwarg_layouts: Any = None, desired_input_kwarg_layouts: Any = None,
        use_local_output: bool = False,
    ) -> None:  # fmt: skip
        self.given = () if input_layouts is None else _each(input_layouts)
        self.wanted = () if desired_input_layouts is None else _each(desired_input_layouts)
        if len(self.given) != len(self.wanted):
            raise ValueError(
                "input_layouts and desired_input_layouts should have same length: "
                f"{len(self.given)} and {len(self.wanted)}"
            )
        self.given_names = input_kwarg_layouts or {}
        self.wanted_names = desired_input_kwarg_layouts or {}
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: Any) -> Module:
        def prepare(inner: Any, args: Any, kwargs: Any) -> Any:
            if self.given and len(args) != len(self.given):
                raise refusal.value(
                    f"module inputs and input_layouts should have same length: {len(args)} and "
                    f"{len(self.given)}"
                )
            made = [
                self._one(value, device_mesh, given, wanted)
                for value, given, wanted in zip(args, self.given, self.wanted, strict=True)
            ] if self.given else list(args)  # fmt: skip
            named = {
                key: self._one(
                    value, device_mesh, self.given_names.get(key), self.wanted_names.get(key)
                )
                for key, value in kwargs.items()
            }
            return tuple(made), named

        module.register_forward_pre_hook(prepare, with_kwargs=True)
        return module

    def _one(self, value: Any, mesh: Any, given: Any, wanted: Any) -> Any:
        found = _laid_out(value, mesh, given, wanted)
        return found if given is None else _part(found, self.use_local_output)


class PrepareModuleOutput(ParallelStyle):
    """The results of a module, laid out as those who follow want them."""

    def __init__(
        self, *, output_layouts: Any, desired_output_layouts: Any, use_local_output: bool = True
    ) -> None:
        self.given, self.wanted = _each(output_layouts), _each(desired_output_layouts)
        if len(self.given) != len(self.wanted):
            raise ValueError(
                "output_layouts and desired_output_layouts should have same length: "
                f"{len(self.given)} and {len(self.wanted)}"
            )
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: Any) -> Module:
        def prepare(inner: Any, args: Any, out: Any) -> Any:
            several = out if isinstance(out, tuple) else (out,)
            made = tuple(
                _part(_laid_out(value, device_mesh, given, wanted), self.use_local_output)
                for value, given, wanted in zip(several, self.given, self.wanted, strict=True)
            )
            return made if isinstance(out, tuple) else made[0]

        module.register_forward_hook(prepare)
        return module


class PrepareModuleInputOutput(ParallelStyle):
    """Both the inputs and the results of a module."""

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None,
        input_kwarg_layouts: Any = None, desired_input_kwarg_layouts: Any = None,
        use_local_input: bool = False, output_layouts: Any, desired_output_layouts: Any,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.inputs = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input,
        )  # fmt: skip
        self.outputs = PrepareModuleOutput(
            output_layouts=output_layouts, desired_output_layouts=desired_output_layouts,
            use_local_output=use_local_output,
        )  # fmt: skip

    def _apply(self, module: Module, device_mesh: Any) -> Module:
        self.inputs._apply(module, device_mesh)
        return self.outputs._apply(module, device_mesh)


def parallelize_module(
    module: Any, device_mesh: Any = None, parallelize_plan: Any = None, *,
    src_data_rank: int | None = 0,
) -> Any:  # fmt: skip
    """Cut the layers that a plan names: `{"mlp.0": ColwiseParallel(), "*.out": ...}`."""
    from .device_mesh import DeviceMesh

    mesh = device_mesh if device_mesh is not None else DeviceMesh("cpu")
    if mesh.ndim != 1:
        raise refusal.value(
            f"Tensor Parallel only accepts a 1D DeviceMesh, but got {mesh.ndim}D!",
            fix="mesh['tp'], the dimension that cuts the layers.",
        )
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    for pattern, style in (parallelize_plan or {}).items():
        found = [
            inner for name, inner in module.named_modules() if fnmatch.fnmatchcase(name, pattern)
        ]
        if not found:
            names = [name for name, _ in module.named_modules() if name]
            raise ValueError(
                f"parallelize_module: no module is named {pattern!r}; there are {names}"
            )
        for inner in found:
            style.src_data_rank = src_data_rank
            style._apply(inner, mesh)
    return module


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """A block in which losses take logits that lie cut, and plain targets."""
    with implicit_replication():
        yield


@contextlib.contextmanager
def implicit_replication() -> Iterator[None]:
    """A block in which plain tensors count as the same on all processes."""
    from .tensor.dispatching import Mixing

    before, Mixing.allowed = Mixing.allowed, True
    try:
        yield
    finally:
        Mixing.allowed = before


__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput",
    "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel", "implicit_replication",
    "loss_parallel", "parallelize_module",
]  # fmt: skip
