"""ONNX: models as files that other runtimes read."""

from __future__ import annotations

import enum
from typing import Any

from ..autograd.accidents import explain_module
from .symbolic import register_custom_op_symbolic, unregister_custom_op_symbolic

_exporting = False


class TrainingMode(enum.Enum):
    """In which mode a model is exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.Enum):
    """What becomes of operators without an ONNX form: here always an error."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


def export(
    model: Any, args: Any = (), f: Any = None, *, kwargs: Any = None, verbose: Any = None,
    input_names: Any = None, output_names: Any = None, opset_version: int | None = None,
    dynamo: bool = True, external_data: bool = True, dynamic_shapes: Any = None,
    custom_translation_table: Any = None, report: bool = False, optimize: bool = True,
    verify: bool = False, profile: bool = False, dump_exported_program: bool = False,
    artifacts_dir: Any = ".", fallback: bool = False, export_params: bool = True,
    keep_initializers_as_inputs: bool = False, dynamic_axes: Any = None,
    training: Any = TrainingMode.EVAL, operator_export_type: Any = OperatorExportTypes.ONNX,
    do_constant_folding: bool = True, custom_opsets: Any = None,
    export_modules_as_functions: Any = False, autograd_inlining: bool = True,
) -> Any:  # fmt: skip
    """Write a model as an ONNX file, from a run on example inputs.

    model           a module or function of tensors; modules are run in eval mode (`training`)
    args, kwargs    example inputs
    f               a path or a binary file; None only returns the program
    input_names, output_names   names of the graph's inputs and outputs, in order
    dynamic_axes    lengths that may vary: {"x": {0: "batch"}} or {"x": [0]}
    dynamic_shapes  the same as `torch.export` writes it: {"x": {0: Dim("batch")}}
    opset_version   13 to 23 (18)
    verify          run the file with onnxruntime and compare

    The package `onnx` is not needed. Returns an `ONNXProgram` (None with `dynamo=False`). The
    model runs twice, the second time on other values and lengths: a graph that would be right for
    the example alone is an error. So is a function without an ONNX form, with its line.

    >>> import io
    >>> import chainrule as torch
    >>> file = io.BytesIO()
    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    >>> program = torch.onnx.export(model, torch.ones(2, 3), file, dynamic_axes={"input": [0]})
    >>> program
    ONNXProgram(Gemm, Relu, Identity; opset 18)
    """
    from .exporting import exported
    from .graph import OnnxExporterError
    from .program import ONNXProgram

    global _exporting
    if custom_translation_table or export_modules_as_functions or not export_params:
        raise OnnxExporterError(
            "torch.onnx.export: custom_translation_table, export_modules_as_functions and "
            "export_params=False are not written here\n"
            "  Fix: torch.onnx.register_custom_op_symbolic says how an operator is written."
        )
    _exporting = True
    try:
        made = exported(
            _callable(model), args, kwargs, input_names, output_names, dynamic_axes,
            dynamic_shapes, opset_version, training,
        )  # fmt: skip
    finally:
        _exporting = False
    program = ONNXProgram(made, keep_initializers_as_inputs)
    if verify:
        program.verify(args, kwargs, model)
    if f is not None:
        program.save(f)
    return program if dynamo else None


def _callable(model: Any) -> Any:
    """An exported program as the module it holds."""
    return model.module() if type(model).__name__ == "ExportedProgram" else model


def is_available() -> bool:
    """Whether models can be exported: yes."""
    return True


def is_in_onnx_export() -> bool:
    """Whether an export is going on."""
    return _exporting


def __getattr__(name: str) -> Any:
    if name == "OnnxExporterError":
        from .graph import OnnxExporterError

        return OnnxExporterError
    if name == "ONNXProgram":
        from .program import ONNXProgram

        return ONNXProgram
    if name == "TensorProtoDataType":
        from .messages import TensorProtoDataType

        return TensorProtoDataType
    from ..standins.finder import member

    return member("onnx", name)


dynamo_export = export

__all__ = [
    "ONNXProgram",
    "OnnxExporterError",
    "OperatorExportTypes",
    "TrainingMode",
    "dynamo_export",
    "export",
    "is_available",
    "is_in_onnx_export",
    "register_custom_op_symbolic",
    "unregister_custom_op_symbolic",
]

explain_module(globals(), "export")
