"""From a model in floating point to one of quantized integers, module by module.

After training: mark where values become quantized (`QuantStub`), give the model a `qconfig`,
`prepare` it, show it data, `convert` it. In training: `prepare_qat`, train, `convert`. Without
data: `quantize_dynamic`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import chainrule as torch
from chainrule import nn

from ...autograd.accidents import explain_module
from ...standins import add_to as _add_stand_ins
from . import dynamic_layers, static_layers, training_layers
from .formats import qint8
from .fuse_modules import ConvReLU2d, LinearReLU
from .qconfig import default_dynamic_qconfig, float16_dynamic_qconfig
from .stubs import DeQuantStub, QuantStub, QuantWrapper

DYNAMIC: dict[type, Any] = {
    nn.Linear: dynamic_layers.Linear,
    nn.LSTM: dynamic_layers.LSTM,
    nn.GRU: dynamic_layers.GRU,
}
STATIC: dict[type, Any] = {
    QuantStub: static_layers.Quantize,
    DeQuantStub: static_layers.DeQuantize,
    nn.Linear: static_layers.Linear,
    nn.Conv2d: static_layers.Conv2d,
    LinearReLU: static_layers.Linear,
    ConvReLU2d: static_layers.Conv2d,
    training_layers.Linear: static_layers.Linear,
    training_layers.Conv2d: static_layers.Conv2d,
    static_layers.FloatFunctional: static_layers.QFunctional,
}
QAT: dict[type, Any] = {nn.Linear: training_layers.Linear, nn.Conv2d: training_layers.Conv2d}


def propagate_qconfig_(
    module: Any, qconfig_dict: Any = None, prepare_custom_config_dict: Any = None
) -> None:
    """Give every module the configuration of its name, its type, or the module around it."""
    _propagate(module, qconfig_dict or {}, "", None)


def _propagate(module: Any, told: dict[Any, Any], path: str, around: Any) -> None:
    config = told.get(path, told.get(type(module), getattr(module, "qconfig", around)))
    module.qconfig = config
    for name, child in module.named_children():
        _propagate(child, told, f"{path}.{name}" if path else name, config)


def swap_module(
    mod: Any, mapping: dict[type, Any], custom_module_class_mapping: Any = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:  # fmt: skip
    """What replaces a module, or the module itself."""
    target = mapping.get(type(mod))
    if target is None or getattr(mod, "qconfig", None) is None:
        return mod
    made = target.from_float(mod)
    made.training = mod.training
    for name in ("_forward_pre_hooks", "_forward_hooks"):
        for key, hook in getattr(mod, name).items():
            if hook is not _observe:
                getattr(made, name)[key] = hook
    return made


def _swap_all(module: Any, mapping: dict[type, Any]) -> None:
    for name, child in list(module.named_children()):
        if type(child) not in mapping:
            _swap_all(child, mapping)
        module._modules[name] = swap_module(child, mapping)


# ---- without data --------------------------------------------------------------------------------


def quantize_dynamic(
    model: Any, qconfig_spec: Any = None, dtype: Any = qint8, mapping: Any = None,
    inplace: bool = False,
) -> Any:  # fmt: skip
    """A model whose linear and recurrent layers have int8 (or float16) weights, for inference.

    >>> import chainrule as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    >>> small = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear})
    >>> small[0].weight().dtype, small(torch.ones(1, 2)).shape
    (torch.qint8, torch.Size([1, 3]))
    """
    config = float16_dynamic_qconfig if dtype is torch.float16 else default_dynamic_qconfig
    if dtype not in (qint8, torch.float16):
        raise ValueError(
            f"Don't know how to quantize with default settings for {dtype}. Provide full qconfig "
            "please"
        )
    if qconfig_spec is None:
        qconfig_spec = set(DYNAMIC)
    if not isinstance(qconfig_spec, dict):
        qconfig_spec = dict.fromkeys(qconfig_spec, config)
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    propagate_qconfig_(model, qconfig_spec)
    _swap_all(model, DYNAMIC if mapping is None else mapping)
    _forget(model)
    return model


# ---- with data -----------------------------------------------------------------------------------


def _observe(module: Any, args: Any, output: Any) -> Any:
    return module.activation_post_process(output)


def _add_observers(module: Any) -> None:
    for child in module.children():
        config = getattr(child, "qconfig", None)
        if isinstance(child, static_layers.FloatFunctional):
            if config is not None:
                child.activation_post_process = config.activation()
        elif type(child) in STATIC:
            if config is not None and not isinstance(child, DeQuantStub):
                child.activation_post_process = config.activation()
                child.register_forward_hook(_observe)
        else:
            _add_observers(child)


def prepare(
    model: Any, inplace: bool = False, allow_list: Any = None,
    observer_non_leaf_module_list: Any = None, prepare_custom_config_dict: Any = None,
) -> Any:  # fmt: skip
    """A model that watches the range of its values, for `convert`."""
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model)
    _add_observers(model)
    return model


def prepare_qat(model: Any, mapping: Any = None, inplace: bool = False) -> Any:
    """A model that trains with weights and values rounded as they will be after `convert`."""
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model)
    _swap_all(model, QAT if mapping is None else mapping)
    for module in model.modules():  # the layer inside a fused pair rounds its weight, too
        if isinstance(module, LinearReLU | ConvReLU2d):
            module[0].qconfig = module.qconfig
    _add_observers(model)
    return model


def convert(
    module: Any, mapping: Any = None, inplace: bool = False, remove_qconfig: bool = True,
    is_reference: bool = False, convert_custom_config_dict: Any = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:  # fmt: skip
    """A model of quantized layers, for inference, from one that was prepared and has seen data."""
    if is_reference:
        raise NotImplementedError("convert(is_reference=True): reference layers are not here")
    if not inplace:
        module = copy.deepcopy(module)
    _swap_all(module, STATIC if mapping is None else mapping)
    if remove_qconfig:
        _forget(module)
    return module


def _forget(model: Any) -> None:
    for module in model.modules():
        module.__dict__.pop("qconfig", None)


def quantize(
    model: Any, run_fn: Callable[..., Any], run_args: Any, mapping: Any = None,
    inplace: bool = False,
) -> Any:  # fmt: skip
    """`prepare`, a run over data, `convert`."""
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    prepare(model, inplace=True)
    run_fn(model, *run_args)
    return convert(model, mapping, inplace=True)


def quantize_qat(
    model: Any, run_fn: Callable[..., Any], run_args: Any, inplace: bool = False
) -> Any:
    """`prepare_qat`, training, `convert`."""
    if not inplace:
        model = copy.deepcopy(model)
    model.train()
    prepare_qat(model, inplace=True)
    run_fn(model, *run_args)
    return convert(model, inplace=True)


def add_quant_dequant(module: Any) -> Any:
    """Put the marks around every leaf that has a configuration."""
    if not list(module.children()) and getattr(module, "qconfig", None):
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


__all__ = [
    "add_quant_dequant", "convert", "prepare", "prepare_qat", "propagate_qconfig_", "quantize",
    "quantize_dynamic", "quantize_qat", "swap_module",
]  # fmt: skip
_add_stand_ins(globals())

explain_module(globals())
