"""From a model and example inputs to a file.

The model runs twice: on the inputs as given and on changed ones (other values, and other lengths of
the axes that may vary). Both runs must write the same graph with the same constants: whatever
differs depends on the inputs in a way the graph does not say, and is an error instead of a file
that is right for the example alone.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrule as torch

from ..utils import _pytree as pytree
from . import convert_elementwise, convert_layers, convert_shapes
from .graph import Graph, OnnxExporterError
from .messages import Model, Value
from .rewrites import REWRITES, attention_forward
from .symbolic import custom_converters
from .tracing import Recorder

CONVERTERS = convert_elementwise.CONVERTERS
FIRST_OPSET, LAST_OPSET, DEFAULT_OPSET = 13, 23, 18
_USED = (convert_layers, convert_shapes)  # their converters are entered by importing them


@dataclass
class Example:
    """The arguments of a call, its tensors apart."""

    leaves: list[Any]
    spec: Any
    names: list[str]
    dynamic: list[dict[int, str]]  # of each tensor: axis -> name of its length

    def tensors(self) -> list[Any]:
        return [t for t in self.leaves if isinstance(t, torch.Tensor)]

    def call(self, model: Any, tensors: list[Any]) -> Any:
        """The model on these arguments with other tensors in place of theirs."""
        rest = iter(tensors)
        leaves = [next(rest) if isinstance(t, torch.Tensor) else t for t in self.leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return model(*args, **kwargs)


@dataclass
class Run:
    """What one run wrote."""

    graph: Graph
    inputs: list[Any]
    outputs: list[Any]
    names: list[str]  # of the outputs' values


def exported(
    model: Any, args: Any, kwargs: Any, input_names: Any, output_names: Any, dynamic_axes: Any,
    dynamic_shapes: Any, opset: int | None, training: Any,
) -> Model:  # fmt: skip
    """The model as a graph, or an error that says which line of it has no place in one."""
    opset = _checked_opset(opset)
    example = _example(model, args, kwargs, input_names, dynamic_axes, dynamic_shapes)
    with _prepared(model, training):
        first = _run(model, example, example.tensors(), opset)
        second = _second_run(model, example, opset)
    _compare(first, second)
    return _assembled(model, example, first, second, output_names, dynamic_axes, opset)


def _checked_opset(opset: int | None) -> int:
    if opset is None:
        return DEFAULT_OPSET
    if not FIRST_OPSET <= opset <= LAST_OPSET:
        raise OnnxExporterError(
            f"torch.onnx.export: opset_version={opset} is not written here; "
            f"{FIRST_OPSET} to {LAST_OPSET} are"
        )
    return opset


# ---- arguments -----------------------------------------------------------------------------------


def _example(model: Any, args: Any, kwargs: Any, input_names: Any, dynamic_axes: Any,
             dynamic_shapes: Any) -> Example:  # fmt: skip
    args = args if isinstance(args, tuple) else (args,)
    kwargs = dict(kwargs or {})
    if args and isinstance(args[-1], dict) and not kwargs and _takes(model, args[-1]):
        args, kwargs = args[:-1], args[-1]
    leaves, spec = pytree.tree_flatten((args, kwargs))
    tensors = [t for t in leaves if isinstance(t, torch.Tensor)]
    if not tensors:
        raise OnnxExporterError(
            "torch.onnx.export: args hold no tensor; give example inputs, e.g. "
            "(torch.randn(1, 3, 224, 224),)"
        )
    defaults = _default_names(model, args, kwargs)
    names = [*(input_names or [])][: len(tensors)]
    names += [n for n in defaults[len(names) :] if n not in names]
    if len(names) != len(tensors) or len(set(names)) != len(names):
        names = [*(input_names or []), *[f"input_{k}" for k in range(len(tensors))]][: len(tensors)]
    dynamic = _dynamic_axes(names, defaults, dynamic_axes, dynamic_shapes, args, kwargs)
    return Example(leaves, spec, names, dynamic)


def _takes(model: Any, given: dict[Any, Any]) -> bool:
    """Whether a dictionary at the end of args holds keyword arguments, as old scripts do."""
    try:
        parameters = inspect.signature(_forward(model)).parameters
    except (TypeError, ValueError):
        return False
    return all(isinstance(key, str) and key in parameters for key in given)


def _forward(model: Any) -> Any:
    return model.forward if isinstance(model, torch.nn.Module) else model


def _default_names(model: Any, args: Any, kwargs: Any) -> list[str]:
    """The parameters' names; of containers numbered."""
    try:
        parameters = list(inspect.signature(_forward(model)).parameters)
    except (TypeError, ValueError):
        parameters = []
    given = [*zip([*parameters, *[f"input_{k}" for k in range(len(args))]], args, strict=False)]
    names: list[str] = []
    for name, value in [*given, *kwargs.items()]:
        tensors = [t for t in pytree.tree_leaves(value) if isinstance(t, torch.Tensor)]
        alone = isinstance(value, torch.Tensor)
        names += [name if alone else f"{name}_{k}" for k in range(len(tensors))]
    return names


def _dynamic_axes(names: list[str], defaults: list[str], axes: Any, shapes: Any, args: Any,
                  kwargs: Any) -> list[dict[int, str]]:  # fmt: skip
    found: list[dict[int, str]] = [{} for _ in names]
    for name, given in (axes or {}).items():
        if name in names:
            numbered = given if isinstance(given, dict) else {
                k: f"{name}_dim_{k}" for k in given}  # fmt: skip
            found[names.index(name)] = {int(k): str(v) for k, v in numbered.items()}
    if shapes is None:
        return found
    given = (
        dict(zip(defaults, shapes, strict=False)) if isinstance(shapes, tuple | list) else shapes
    )
    for name, per_axis in given.items():
        known = names if name in names else defaults
        if name in known and per_axis is not None:
            items = per_axis.items() if isinstance(per_axis, dict) else enumerate(per_axis)
            found[known.index(name)] = {
                int(k): _dim_name(d, name, int(k)) for k, d in items if d is not None
            }
    return found


def _dim_name(dim: Any, name: str, axis: int) -> str:
    if isinstance(dim, str):
        return dim
    return str(getattr(dim, "__name__", "") or f"{name}_dim_{axis}")


# ---- running -------------------------------------------------------------------------------------


@contextlib.contextmanager
def _prepared(model: Any, training: Any) -> Iterator[None]:
    """The model in the mode that is asked for, attention in simpler functions, all put back."""
    modules = list(model.modules()) if isinstance(model, torch.nn.Module) else []
    modes = [m.training for m in modules]
    state = {k: t.detach().clone() for k, t in model.state_dict().items()
             if isinstance(t, torch.Tensor)} if modules else {}  # fmt: skip
    random = torch.get_rng_state()
    heads = [m for m in modules if isinstance(m, torch.nn.MultiheadAttention)]
    wanted = getattr(training, "name", "EVAL")
    if wanted != "PRESERVE":
        for m in modules:
            m.training = wanted == "TRAINING"
    for m in heads:
        m.__dict__["forward"] = attention_forward.__get__(m)
    try:
        with torch.no_grad():
            yield
    finally:
        for m in heads:
            m.__dict__.pop("forward", None)
        for m, mode in zip(modules, modes, strict=True):
            m.training = mode
        if state:
            model.load_state_dict(state, strict=False)
        torch.set_rng_state(random)


def _run(model: Any, example: Example, tensors: list[Any], opset: int) -> Run:
    weights: dict[int, tuple[str, Any]] = {}
    if isinstance(model, torch.nn.Module):
        for name, t in [*model.named_parameters(), *model.named_buffers()]:
            weights.setdefault(id(t), (name, t))
    dynamic = any(example.dynamic)
    graph = Graph(opset, weights, dynamic)
    tensors = [t.detach().clone() for t in tensors]  # a model may write into its inputs
    for name, t in zip(example.names, tensors, strict=True):
        graph.name_input(t, name)
    with Recorder(graph, {**CONVERTERS, **custom_converters()}, REWRITES):
        found = example.call(model, tensors)
    outputs = tensors_in(found)
    if not outputs:
        raise OnnxExporterError(
            f"torch.onnx.export: {type(model).__name__} returned {type(found).__name__} without "
            "tensors"
        )
    graph.line = ""
    return Run(graph, tensors, outputs, [graph.of(t) for t in outputs])


def tensors_in(found: Any) -> list[Any]:
    """The tensors of a result, in order; results with named parts are tuples."""
    if isinstance(found, torch.Tensor):
        return [found]
    if isinstance(found, tuple | list):
        return [t for part in found for t in tensors_in(part)]
    leaves = pytree.tree_leaves(found)
    return [] if leaves == [found] else [t for part in leaves for t in tensors_in(part)]


def _second_run(model: Any, example: Example, opset: int) -> Run:
    if not any(example.dynamic):
        return _run(model, example, _changed(example, 0), opset)
    problem: Exception | None = None
    for by in (-1, 1):
        try:
            return _run(model, example, _changed(example, by), opset)
        except OnnxExporterError:
            raise
        except Exception as failure:
            problem = failure
    names = sorted({n for axes in example.dynamic for n in axes.values()})
    raise OnnxExporterError(
        f"torch.onnx.export: the model does not run when {', '.join(names)} has another length "
        f"than in the example: {str(problem).splitlines()[0]}\n"
        "  Fix: leave that axis out of dynamic_axes, or write the model for any length "
        "(x.size(0) instead of a number)."
    ) from problem


def _changed(example: Example, by: int) -> list[Any]:
    """Other values of the same kind, in which the axes that may vary have another length."""
    made = []
    for t, axes in zip(example.tensors(), example.dynamic, strict=True):
        for axis in axes:
            n = t.shape[axis]
            if by > 0 or n < 2:
                t = torch.cat([t, t.narrow(axis, 0, 1)], axis)
            else:
                t = t.narrow(axis, 0, n - 1)
        made.append(_other_values(t))
    return made


def _other_values(t: Any) -> Any:
    t = t.detach()
    moved = torch.roll(t.reshape(-1), 1).reshape(t.shape)
    if t.is_floating_point() or t.is_complex():
        return moved * 0.75 + 0.125
    if t.dtype == torch.bool or t.numel() == 0:
        return moved
    return moved.max() + moved.min() - moved


# ---- comparing -----------------------------------------------------------------------------------


def _compare(first: Run, second: Run) -> None:
    """Both runs must have written the same."""
    for one, other in zip(first.graph.nodes, second.graph.nodes, strict=False):
        if (one.op, one.inputs, one.attributes) != (other.op, other.inputs, other.attributes):
            _differ(first, second, one, other)
    if len(first.graph.nodes) != len(second.graph.nodes) or first.names != second.names:
        raise _depends("other operations run", "", "")
    for name, array in first.graph.constants.items():
        twin = second.graph.constants.get(name)
        equal = twin is not None and array.dtype == twin.dtype and array.shape == twin.shape and (
            np.array_equal(array, twin, equal_nan=array.dtype.kind in "fc"))  # fmt: skip
        if not equal:
            shown = [str(a.tolist() if a is not None and a.size < 9 else getattr(a, "shape", a))
                     for a in (array, twin)]  # fmt: skip
            line = first.graph.baked.get(name) or _line_using(first.graph, name)
            raise _depends(f"a constant is {shown[0]}, then {shown[1]}", line, name)


def _differ(first: Run, second: Run, one: Any, other: Any) -> None:
    """Two nodes differ: in what they do, or in a constant, which says more."""
    if one.op == other.op and one.attributes != other.attributes:
        raise _depends(f"{one.op} has {one.attributes}, then {other.attributes}", one.line, "")
    for a, b in zip(one.inputs, other.inputs, strict=False):
        if a != b and a in first.graph.constants and b in second.graph.constants:
            values = [run.graph.constants[n] for run, n in ((first, a), (second, b))]
            shown = [str(v.tolist() if v.size < 9 else v.shape) for v in values]
            raise _depends(f"a constant is {shown[0]}, then {shown[1]}", one.line, a)
    raise _depends(f"{one.op} runs, then {other.op}", one.line, "")


def _line_using(graph: Graph, name: str) -> str:
    return next((node.line for node in graph.nodes if name in node.inputs), "")


def _depends(what: str, line: str, name: str) -> OnnxExporterError:
    return OnnxExporterError(
        "torch.onnx.export: the graph would be right for the example alone: on inputs with other "
        f"values or lengths {what}" + (f"\n  at {line}" if line else "") + "\n"
        "  What is computed from the inputs must be computed by tensor functions of them, lengths "
        "by x.shape; random numbers and values that Python read (item(), numpy) cannot be exported."
    )


# ---- the file ------------------------------------------------------------------------------------


def _assembled(model: Any, example: Example, first: Run, second: Run, output_names: Any,
               dynamic_axes: Any, opset: int) -> Model:  # fmt: skip
    names = [*(output_names or [])]
    if len(names) > len(first.outputs):
        raise OnnxExporterError(
            f"torch.onnx.export: {len(names)} output_names for {len(first.outputs)} outputs"
        )
    default = ["output"] if len(first.outputs) == 1 else [
        f"output_{k}" for k in range(len(first.outputs))]  # fmt: skip
    names += default[len(names) :]
    taken = set(example.names) & set(names)
    if taken:
        raise OnnxExporterError(f"torch.onnx.export: {sorted(taken)} name inputs and outputs both")
    for name, value in zip(names, first.names, strict=True):
        first.graph.add("Identity", value)
        first.graph.nodes[-1].outputs[0] = name
    lengths = _names_of_lengths(example, first, second)
    inputs = [
        Value(n, t.dtype.name, [axes.get(k) or axes.get(k - t.ndim) or int(d)
                                for k, d in enumerate(t.shape)])
        for n, t, axes in zip(example.names, first.inputs, example.dynamic, strict=True)
    ]  # fmt: skip
    outputs = [
        Value(n, a.dtype.name, _output_shape(n, a, b, lengths, (dynamic_axes or {}).get(n)))
        for n, a, b in zip(names, first.outputs, second.outputs, strict=True)
    ]
    used = {n for node in first.graph.nodes for n in node.inputs}
    weights = {n: a for n, a in first.graph.constants.items() if n in used}
    return Model(first.graph.nodes, inputs, outputs, weights, opset, type(model).__name__)


def _names_of_lengths(example: Example, first: Run, second: Run) -> dict[tuple[int, int], str]:
    found = {}
    for one, other, axes in zip(first.inputs, second.inputs, example.dynamic, strict=True):
        for axis, name in axes.items():
            found[one.shape[axis], other.shape[axis]] = name
    return found


def _output_shape(name: str, one: Any, other: Any, lengths: Any, asked: Any) -> list[int | str]:
    asked = asked if isinstance(asked, dict) else {k: f"{name}_dim_{k}" for k in asked or ()}
    shape: list[int | str] = []
    for k, (n, m) in enumerate(zip(one.shape, other.shape, strict=True)):
        if k in asked or k - one.ndim in asked:
            shape.append(str(asked.get(k) or asked[k - one.ndim]))
        else:
            shape.append(int(n) if n == m else lengths.get((n, m), f"{name}_dim_{k}"))
    return shape
