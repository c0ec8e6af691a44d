"""Names of quantized number formats and of ways to choose their scale."""

from __future__ import annotations


class QuantizedFormat:
    """A format of integers that stand for numbers (`tensors.py`)."""

    def __init__(self, name: str, low: int, high: int) -> None:
        self.name, self.low, self.high = name, low, high

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class qscheme:
    """How scale and zero point are chosen."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


qint8 = QuantizedFormat("qint8", -128, 127)
quint8 = QuantizedFormat("quint8", 0, 255)
qint32 = QuantizedFormat("qint32", -(2**31), 2**31 - 1)
quint4x2 = QuantizedFormat("quint4x2", 0, 15)
quint2x4 = QuantizedFormat("quint2x4", 0, 3)
per_tensor_affine = qscheme("per_tensor_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")
per_channel_affine = qscheme("per_channel_affine")
per_channel_symmetric = qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")
