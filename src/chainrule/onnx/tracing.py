"""One run of a model, written down as a graph.

A mode sees every public function the model calls. What it computes from the inputs becomes nodes
(`convert.py` and its neighbours say which); what it computes from weights and constants alone is
computed now. Sizes of inputs whose axes vary are followed as `Dim`s.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..autograd import source
from ..overrides import TorchFunctionMode, resolve_name
from .dims import Dim
from .graph import Graph, OnnxExporterError
from .rewrites import FORMULAS

_ASKED = {  # questions about a tensor whose answers the graph need not follow
    "dtype", "device", "ndim", "requires_grad", "is_leaf", "layout", "grad_fn", "is_meta", "grad",
    "dim", "is_floating_point", "is_complex", "is_contiguous", "element_size", "stride", "_version",
    "is_sparse", "is_cuda", "itemsize", "is_quantized", "is_nested", "names", "output_nr",
    "is_inference", "data_ptr", "storage_offset", "_is_view", "is_signed", "get_device", "is_cpu",
    "is_tensor", "is_same_size", "__hash__", "result_type", "is_conj", "is_neg", "__repr__",
    "__format__", "register_hook", "is_nonzero_",
}  # fmt: skip
_READ = {"item", "tolist", "__bool__", "__float__", "__int__", "__index__", "__complex__", "numpy",
         "__array__", "is_nonzero", "equal", "allclose", "__contains__"}  # fmt: skip
_SIZES = {"shape", "size", "__len__", "numel", "nelement"}


class Recorder(TorchFunctionMode):
    """Writes a graph while a model runs."""

    def __init__(self, graph: Graph, converters: dict[str, Any], rewrites: dict[str, Any]) -> None:
        super().__init__()
        self.graph, self.converters, self.rewrites = graph, converters, rewrites

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        full = resolve_name(func) or getattr(func, "__qualname__", repr(func))
        name = full.removesuffix(".__get__").rpartition(".")[2]
        graph = self.graph
        if not graph.is_live((args, kwargs)):
            return func(*args, **kwargs)
        if name in _SIZES:
            return self._sizes(name, func, args, kwargs)
        if name in _ASKED:
            return func(*args, **kwargs)
        graph.line = user_line()
        if name in _READ:
            raise _value_needed(name, full, args[0], graph.line)
        if name in self.rewrites:
            with self:
                return self.rewrites[name](*args, **kwargs)
        return self._record(name, full, func, args, kwargs)

    def _record(self, name: str, full: str, func: Any, args: Any, kwargs: Any) -> Any:
        graph = self.graph
        writes = name.endswith("_") and not name.endswith("__")
        in_place = writes and (name[:-1] in self.converters or name[:-1] in FORMULAS)
        written = in_place or (name.startswith("__i") and name not in ("__invert__", "__init__"))
        key = name.rstrip("_") if in_place else _FROM_IN_PLACE.get(name, name)
        converter = self.converters.get(full, self.converters.get(key))
        if converter is None and key in FORMULAS:
            converter = self._by_formula(FORMULAS[key])
        if converter is None:
            raise unsupported(full, args, graph.line)
        arguments = list(args)
        if written:  # the operand as it is before it is overwritten
            old = arguments[0].detach().clone()
            graph.bind(old, graph.of(arguments[0]))
            arguments[0] = old
        first = args[0] if args and isinstance(args[0], torch.Tensor) else None
        version = first._version if first is not None else 0
        result = graph.result = func(*args, **kwargs)
        try:
            made = converter(graph, *arguments, **kwargs)
        except (TypeError, KeyError, NotImplementedError) as problem:
            raise unsupported(full, args, graph.line, problem) from problem
        if first is not None and first._version != version:
            graph.overwrite(first)
        _bind(graph, result, made, full)
        return result

    def _by_formula(self, formula: Any) -> Any:
        def convert(g: Graph, input: Any, *args: Any, **kwargs: Any) -> str:
            kind = g.result.dtype
            with self:
                return g.of(formula(input.to(kind), *args, **kwargs), kind)

        return convert

    def _sizes(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        found, tensor = func(*args, **kwargs), args[0]
        if not self.graph.dynamic or not isinstance(tensor, torch.Tensor):
            return found
        dims = [Dim(n, ("axis", tensor, k)) for k, n in enumerate(tensor.shape)]
        if name in ("numel", "nelement"):
            total: Any = 1
            for n in dims:
                total = n * total
            return total
        if name == "__len__":
            return dims[0]
        if isinstance(found, tuple):
            return tuple.__new__(type(found), dims)
        axis = args[1] if len(args) > 1 else next(iter(kwargs.values()))
        return dims[axis]


_FROM_IN_PLACE = {
    "__iadd__": "add", "__isub__": "sub", "__imul__": "mul", "__itruediv__": "div",
    "__ipow__": "pow", "__ifloordiv__": "__floordiv__", "__imod__": "remainder",
}  # fmt: skip


def _bind(graph: Graph, result: Any, made: Any, full: str) -> None:
    if isinstance(result, torch.Tensor):
        graph.bind(result, made)
        return
    parts = list(result)
    if len(parts) != len(made):
        raise OnnxExporterError(f"{full}: {len(parts)} results, {len(made)} values")
    for part, name in zip(parts, made, strict=True):
        if isinstance(part, torch.Tensor) and name is not None:
            graph.bind(part, name)


def user_line() -> str:
    """The line of the model that is running: the innermost one outside of this package."""
    return source.here()


def unsupported(full: str, args: Any, line: str, why: Any = None) -> OnnxExporterError:
    kinds = ", ".join(f"{a.dtype} {list(a.shape)}" for a in args if isinstance(a, torch.Tensor))
    reason = f" with these arguments ({str(why).splitlines()[0]})" if why else ""
    return OnnxExporterError(
        f"torch.onnx.export: {full} on ({kinds}) has no ONNX form here{reason}\n  at {line}\n"
        "  Fix: write that line in supported functions (docs/interop.md lists them), or say how "
        f"it is written: torch.onnx.register_custom_op_symbolic('aten::{full.rpartition('.')[2]}', "
        "lambda g, *args: g.op('OnnxOperator', *args), opset_version)."
    )


def _value_needed(name: str, full: str, tensor: Any, line: str) -> OnnxExporterError:
    return OnnxExporterError(
        f"torch.onnx.export: {full} reads values of a tensor that depends on the inputs (shape "
        f"{list(tensor.shape)}); the exported graph would keep this run's answer for ever\n"
        f"  at {line}\n"
        "  Fix: torch.where(condition, a, b) instead of `if`, tensors instead of item()."
    )
