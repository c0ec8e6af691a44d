"""Neighbouring layers as one, so that nothing is rounded between them."""

from __future__ import annotations

import copy
from typing import Any

from chainrule import nn
from chainrule.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

from ...autograd.accidents import explain_module
from ...standins import add_to as _add_stand_ins


class LinearReLU(nn.Sequential):
    """A linear layer and its ReLU."""

    def __init__(self, linear: Any, relu: Any) -> None:
        super().__init__(linear, relu)


class ConvReLU2d(nn.Sequential):
    """A convolution and its ReLU."""

    def __init__(self, conv: Any, relu: Any) -> None:
        super().__init__(conv, relu)


def _fused(layers: list[Any]) -> Any:
    """What a row of layers becomes."""
    kinds = tuple(type(layer) for layer in layers)
    first = layers[0]
    if any(isinstance(layer, nn.BatchNorm2d | nn.BatchNorm1d) for layer in layers):
        if first.training:
            raise NotImplementedError(
                "fuse_modules of a batch norm in training mode is not here\n  Fix: model.eval() "
                "first, which fuses it for inference."
            )
        fold = fuse_conv_bn_eval if isinstance(first, nn.Conv2d) else fuse_linear_bn_eval
        return _fused([fold(first, layers[1]), *layers[2:]])
    if len(layers) == 1:
        return first
    if kinds == (nn.Linear, nn.ReLU):
        return LinearReLU(*layers)
    if kinds == (nn.Conv2d, nn.ReLU):
        return ConvReLU2d(*layers)
    raise NotImplementedError(f"Cannot fuse modules: {kinds}")


def fuse_known_modules(
    mod_list: Any, is_qat: bool = False, additional_fuser_method_mapping: Any = None
) -> list[Any]:
    """The fused layer, and nothing in the place of those behind it."""
    made = _fused(list(mod_list))
    made.training = mod_list[0].training
    return [made, *(nn.Identity() for _ in mod_list[1:])]


def fuse_modules(
    model: Any, modules_to_fuse: Any, inplace: bool = False, fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:  # fmt: skip
    """A model whose named neighbours (`[["conv", "bn", "relu"], ...]`) are fused."""
    if not inplace:
        model = copy.deepcopy(model)
    groups = modules_to_fuse
    if all(isinstance(name, str) for name in groups):
        groups = [groups]
    for group in groups:
        made = fuser_func([model.get_submodule(name) for name in group])
        for name, module in zip(group, made, strict=True):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, module)
    return model


def fuse_modules_qat(
    model: Any, modules_to_fuse: Any, inplace: bool = False, fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:  # fmt: skip
    """The same for a model that will be trained."""
    return fuse_modules(model, modules_to_fuse, inplace, fuser_func, fuse_custom_config_dict)


__all__ = ["ConvReLU2d", "LinearReLU", "fuse_known_modules", "fuse_modules", "fuse_modules_qat"]
_add_stand_ins(globals())


explain_module(globals())
