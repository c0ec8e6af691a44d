"""What `torch.ops` does: calls of operators, their schemas, libraries of compiled operators."""

from __future__ import annotations

import importlib
from typing import Any

from ..autograd.state import STATE
from ..autograd.value import FACTORY
from ..ops.overloads import OpOverload, OpOverloadPacket
from . import aten
from .registry import OPERATORS, overloads_of
from .schema import FunctionSchema

loaded_libraries: set[str] = set()
# Libraries whose compiled operators are written again here, and where.
_OURS = {"torchvision": ".vision", "torchaudio": ".sounds"}


def _operator(overload: OpOverload) -> Any:
    return OPERATORS.get(overload.name())


def call_overload(overload: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.ops.ns.name.overload(...)`."""
    own = _operator(overload)
    if own is not None:
        return own(*args, **kwargs)
    if overload.namespace == "aten":
        asked = FACTORY.dispatcher
        if asked is not None and STATE.below_autograd and asked.wants(args, kwargs):
            if not aten.is_composite(overload):
                return asked.send(overload, args, kwargs)
        return aten.call(overload, args, kwargs)
    raise NotImplementedError(
        f"{overload} is a name to compare with and cannot be called: PyTorch's operators of "
        f"{overload.namespace} are not part of chainrule."
    )


def call_packet(packet: OpOverloadPacket, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.ops.ns.name(...)`: the first overload that takes the arguments."""
    names = overloads_of(packet.namespace, packet.__name__)
    problems: list[Exception] = []
    for name in names:
        operator = OPERATORS[getattr(packet, name).name()]
        try:
            operator.schema.bind(args, kwargs)
        except RuntimeError as problem:
            problems.append(problem)
            continue
        return operator(*args, **kwargs)
    if problems:
        raise problems[0]
    return aten.call_any(packet, args, kwargs)


def schema_of(overload: OpOverload) -> FunctionSchema:
    """The signature of an operator."""
    own = _operator(overload)
    return own.schema if own is not None else aten.schema_of(overload)


def tags_of(overload: OpOverload) -> list[Any]:
    """What an operator was registered with."""
    own = _operator(overload)
    return list(own.tags) if own is not None else []


def overload_names(packet: OpOverloadPacket) -> list[str]:
    """The names of an operator's signatures."""
    own = overloads_of(packet.namespace, packet.__name__)
    if packet.namespace == "aten":
        own += [n for n in aten.overloads_of(packet.__name__) if n not in own]
    return own


def load_library(path: Any) -> None:
    """Never loads compiled code; where the operators of a known library are ours, registers them.

    Those of torchvision and torchaudio are; of other libraries this is an error.
    """
    text = str(path)
    file_and_folder = "/".join(text.replace("\\", "/").split("/")[-2:])
    for library, ours in _OURS.items():
        if library in file_and_folder:
            importlib.import_module(ours, __package__)
            loaded_libraries.add(text)
            return
    raise OSError(
        f"torch.ops.load_library: {text} is compiled against PyTorch's C++ library, and chainrule "
        "loads no such code.\n  Fix: write its operators in Python with torch.library.custom_op."
    )


def import_module(name: str) -> None:
    """Import a module that registers operators."""
    importlib.import_module(name)
