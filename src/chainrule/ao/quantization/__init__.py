"""Quantization in floating point: observers, fake quantization, and what models are marked with."""

from __future__ import annotations

from ...autograd.packages import keep_functions as _keep_functions
from ...standins import add_to as _add_stand_ins
from .fake_quantize import (
    FakeQuantize,
    FakeQuantizeBase,
    FixedQParamsFakeQuantize,
    FusedMovingAvgObsFakeQuantize,
    default_fake_quant,
    default_fixed_qparams_range_0to1_fake_quant,
    default_fixed_qparams_range_neg1to1_fake_quant,
    default_per_channel_weight_fake_quant,
    default_weight_fake_quant,
    disable_fake_quant,
    disable_observer,
    enable_fake_quant,
    enable_observer,
)
from .fuse_modules import fuse_modules, fuse_modules_qat
from .observer import (
    FixedQParamsObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    NoopObserver,
    ObserverBase,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    RecordingObserver,
    UniformQuantizationObserverBase,
    default_debug_observer,
    default_observer,
    default_per_channel_weight_observer,
    default_placeholder_observer,
    default_weight_observer,
    per_channel_weight_observer_range_neg_127_to_127,
    weight_observer_range_neg_127_to_127,
)
from .qconfig import (
    QConfig,
    QConfigAny,
    QConfigDynamic,
    default_activation_only_qconfig,
    default_debug_qconfig,
    default_dynamic_qconfig,
    default_per_channel_qconfig,
    default_qat_qconfig,
    default_qconfig,
    default_weight_only_qconfig,
    float16_dynamic_qconfig,
    float16_static_qconfig,
    get_default_qat_qconfig,
    get_default_qconfig,
)
from .quantize import (
    add_quant_dequant,
    convert,
    prepare,
    prepare_qat,
    propagate_qconfig_,
    quantize,
    quantize_dynamic,
    quantize_qat,
    swap_module,
)
from .stubs import (
    DeQuantStub,
    QuantStub,
    QuantWrapper,
)

__all__ = [
    "DeQuantStub", "FakeQuantize", "FakeQuantizeBase", "FixedQParamsFakeQuantize",
    "FixedQParamsObserver", "FusedMovingAvgObsFakeQuantize", "MinMaxObserver",
    "MovingAverageMinMaxObserver", "MovingAveragePerChannelMinMaxObserver", "NoopObserver",
    "ObserverBase", "PerChannelMinMaxObserver", "PlaceholderObserver", "QConfig", "QConfigAny",
    "QConfigDynamic", "QuantStub", "QuantWrapper", "RecordingObserver",
    "UniformQuantizationObserverBase", "add_quant_dequant", "convert",
    "default_activation_only_qconfig", "default_debug_observer", "default_debug_qconfig",
    "default_dynamic_qconfig", "default_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_fixed_qparams_range_neg1to1_fake_quant", "default_observer",
    "default_per_channel_qconfig", "default_per_channel_weight_fake_quant",
    "default_per_channel_weight_observer", "default_placeholder_observer", "default_qat_qconfig",
    "default_qconfig", "default_weight_fake_quant", "default_weight_observer",
    "default_weight_only_qconfig", "disable_fake_quant", "disable_observer", "enable_fake_quant",
    "enable_observer", "float16_dynamic_qconfig", "float16_static_qconfig", "fuse_modules",
    "fuse_modules_qat", "get_default_qat_qconfig", "get_default_qconfig",
    "per_channel_weight_observer_range_neg_127_to_127", "prepare", "prepare_qat",
    "propagate_qconfig_", "quantize", "quantize_dynamic", "quantize_qat", "swap_module",
    "weight_observer_range_neg_127_to_127",
]  # fmt: skip

_add_stand_ins(globals())
_keep_functions(__name__)
