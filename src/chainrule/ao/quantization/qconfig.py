"""Which observers activations and weights get."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import chainrule as torch

from ...standins import add_to as _add_stand_ins
from .fake_quantize import (
    default_fake_quant,
    default_per_channel_weight_fake_quant,
    default_weight_fake_quant,
)
from .formats import qint8
from .observer import (
    PlaceholderObserver,
    default_debug_observer,
    default_observer,
    default_per_channel_weight_observer,
    default_placeholder_observer,
    default_weight_observer,
)


class QConfig(NamedTuple):
    """What to make for activations and for weights."""

    activation: Any
    weight: Any


class QConfigDynamic(NamedTuple):
    """The same, with activations quantized as they come."""

    activation: Any = torch.nn.Identity
    weight: Any = torch.nn.Identity


QConfigAny = Optional[QConfig]  # noqa: UP045 - used at run time
default_qconfig = QConfig(default_observer, default_weight_observer)
default_debug_qconfig = QConfig(default_debug_observer, default_weight_observer)
default_per_channel_qconfig = QConfig(default_observer, default_per_channel_weight_observer)
default_qat_qconfig = QConfig(default_fake_quant, default_weight_fake_quant)
default_weight_only_qconfig = QConfig(torch.nn.Identity, default_weight_fake_quant)
default_activation_only_qconfig = QConfig(default_fake_quant, torch.nn.Identity)
float16_dynamic_qconfig = float16_static_qconfig = QConfig(
    PlaceholderObserver.with_args(dtype=torch.float16),
    PlaceholderObserver.with_args(dtype=torch.float16),
)
default_dynamic_qconfig = QConfig(
    PlaceholderObserver.with_args(dtype=qint8, is_dynamic=True), default_weight_observer
)
_BACKENDS = ("fbgemm", "qnnpack", "onednn", "x86")


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """Observers for quantizing after training."""
    _check(backend)
    per_channel = backend != "qnnpack"
    return default_per_channel_qconfig if per_channel else default_qconfig


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """Fake quantization for training with it."""
    _check(backend)
    weights = default_weight_fake_quant
    if backend != "qnnpack":
        weights = default_per_channel_weight_fake_quant
    return QConfig(default_fake_quant, weights)


def _check(backend: str) -> None:
    if backend not in _BACKENDS:
        raise AssertionError(
            f"backend: {backend} not supported. backend must be one of {list(_BACKENDS)}"
        )


_placeholder = default_placeholder_observer
_add_stand_ins(globals())
