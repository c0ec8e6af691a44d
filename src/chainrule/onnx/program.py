"""An exported model: it can be saved, looked at, and run by onnxruntime."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ..serialization.files import write_bytes
from ..utils import _pytree as pytree
from .exporting import tensors_in
from .graph import OnnxExporterError
from .messages import Model, Value, encoded

_LARGEST = 2**31 - 1  # a protocol buffer message holds no more bytes


class ONNXProgram:
    """What `torch.onnx.export` made."""

    def __init__(self, model: Model, weights_as_inputs: bool = False) -> None:
        self._model, self._session = model, None
        self.exported_program = None
        if weights_as_inputs:
            model.inputs += [
                Value(name, array.dtype.name, [int(n) for n in array.shape])
                for name, array in model.weights.items()
            ]

    def __repr__(self) -> str:
        ops = [node.op for node in self._model.nodes]
        shown = ops if len(ops) <= 12 else [*ops[:10], f"… {len(ops)} nodes"]
        return f"ONNXProgram({', '.join(shown)}; opset {self._model.opset})"

    def to_bytes(self) -> bytes:
        """The file."""
        size = sum(array.nbytes for array in self._model.weights.values())
        if size > _LARGEST:
            raise OnnxExporterError(
                f"torch.onnx.export: the weights take {size:,} bytes; a file without external data "
                "holds 2 GB\n  Fix: export parts of the model, or in half precision."
            )
        return encoded(self._model)

    def save(self, destination: Any, **options: Any) -> None:
        """Write the file: to a path, or into a binary file."""
        data = self.to_bytes()
        if hasattr(destination, "write"):
            destination.write(data)
            return
        write_bytes(destination, data)

    @property
    def model_proto(self) -> Any:
        """The model as the package `onnx` reads it."""
        return _needed("onnx").load_from_string(self.to_bytes())

    @property
    def model(self) -> Any:
        """The same as `model_proto`."""
        return self.model_proto

    def initialize_inference_session(self, *args: Any, **kwargs: Any) -> None:
        """Make the session of onnxruntime that calls use."""
        runtime = _needed("onnxruntime")
        self._session = runtime.InferenceSession(
            self.to_bytes(), providers=["CPUExecutionProvider"]
        )

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The outputs that onnxruntime computes, as tensors."""
        if self._session is None:
            self.initialize_inference_session()
        session: Any = self._session
        given = [t for t in pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        names = [value.name for value in self._model.inputs]
        feed = {n: t.detach().numpy() for n, t in zip(names, given, strict=False)}
        return [torch.from_numpy(array) for array in session.run(None, feed)]

    def verify(self, args: Any, kwargs: Any, model: Any) -> None:
        """Compare onnxruntime's outputs with the model's."""
        args = args if isinstance(args, tuple) else (args,)
        training = getattr(model, "training", False)
        if training:
            model.eval()
        with torch.no_grad():
            wanted = tensors_in(model(*args, **(kwargs or {})))
        if training:
            model.train()
        for one, other in zip(self(*args, **(kwargs or {})), wanted, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def _needed(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as problem:
        raise ImportError(
            f"this needs the package {package}: pip install 'chainrule[onnx]'"
        ) from problem
