"""ONNX: not written here, and why."""

from __future__ import annotations

from typing import Any, NoReturn


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""


def export(model: Any, args: Any = (), f: Any = None, **kwargs: Any) -> NoReturn:
    """Always an error: there is no exporter."""
    raise OnnxExporterError(
        f"torch.onnx.export: chainrule writes no ONNX files, so {type(model).__name__} was not "
        f"exported{f' to {f!r}' if f is not None else ''}. An ONNX graph names PyTorch's operators "
        "one by one; chainrule's compiled plans are machine code for this computer.\n"
        "  Fix: save the parameters with torch.save(model.state_dict(), 'model.pt'), which "
        "PyTorch reads, and export there; or guard the call with torch.onnx.is_available()."
    )


dynamo_export = export


def is_available() -> bool:
    """Whether models can be exported: no."""
    return False


def is_in_onnx_export() -> bool:
    """Whether an export is going on: never."""
    return False


_symbolic: dict[tuple[str, int], Any] = {}


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Any, opset_version: int) -> None:
    """Note how an operator is written as ONNX; there is no exporter that would ask."""
    _symbolic[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forget what was noted."""
    _symbolic.pop((symbolic_name, opset_version), None)
