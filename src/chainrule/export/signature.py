"""The names of what goes into an exported graph and comes out of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from ..fx import GraphModule, Node
from ..utils._pytree import tree_leaves


class InputKind(enum.Enum):
    """What an input of a graph is."""

    USER_INPUT = enum.auto()
    PARAMETER = enum.auto()
    BUFFER = enum.auto()
    CONSTANT_TENSOR = enum.auto()
    CUSTOM_OBJ = enum.auto()
    TOKEN = enum.auto()


class OutputKind(enum.Enum):
    """What an output of a graph is."""

    USER_OUTPUT = enum.auto()
    LOSS_OUTPUT = enum.auto()
    BUFFER_MUTATION = enum.auto()
    PARAMETER_MUTATION = enum.auto()
    GRADIENT_TO_PARAMETER = enum.auto()
    GRADIENT_TO_USER_INPUT = enum.auto()
    USER_INPUT_MUTATION = enum.auto()
    TOKEN = enum.auto()


@dataclass
class TensorArgument:
    """A tensor, by the name of its node."""

    name: str


@dataclass
class TokenArgument:
    """What orders effects, by the name of its node."""

    name: str


@dataclass
class SymIntArgument:
    """A whole number, by the name of its node."""

    name: str


@dataclass
class SymFloatArgument:
    """A number, by the name of its node."""

    name: str


@dataclass
class SymBoolArgument:
    """A truth value, by the name of its node."""

    name: str


@dataclass
class CustomObjArgument:
    """An object of a class of TorchScript's."""

    name: str
    class_fqn: str
    fake_val: Any = None


@dataclass
class ConstantArgument:
    """A value that the graph always has."""

    name: str
    value: Any


@dataclass
class ExportBackwardSignature:
    """Which outputs of a graph are gradients, and of what."""

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@dataclass
class ModuleCallSignature:
    """What a call of a submodule takes and gives."""

    inputs: list[Any]
    outputs: list[Any]
    in_spec: Any
    out_spec: Any
    forward_arg_names: list[str] | None = None


@dataclass
class ModuleCallEntry:
    """A submodule that is called."""

    fqn: str
    signature: ModuleCallSignature | None = None


@dataclass
class InputSpec:
    """One input: what it is, its node, and the parameter or buffer that it stands for."""

    kind: InputKind
    arg: TensorArgument
    target: str | None
    persistent: bool | None = None


@dataclass
class OutputSpec:
    """One output: what it is and its node."""

    kind: OutputKind
    arg: Any
    target: str | None


@dataclass
class ExportGraphSignature:
    """What goes into a graph and comes out of it."""

    user_inputs: tuple[str, ...]
    user_outputs: tuple[Any, ...]
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]
    input_specs: list[InputSpec] = field(default_factory=list)
    output_specs: list[OutputSpec] = field(default_factory=list)

    @property
    def inputs_to_parameters(self) -> dict[str, str]:
        """The parameter that each input stands for."""
        return self._stands_for(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> dict[str, str]:
        """The buffer that each input stands for."""
        return self._stands_for(InputKind.BUFFER)

    def _stands_for(self, kind: InputKind) -> dict[str, str]:
        return {s.arg.name: s.target or "" for s in self.input_specs if s.kind is kind}

    @property
    def buffers_to_mutate(self) -> dict[str, str]:
        """Outputs that are new values of buffers: none, the graph writes into them."""
        return {}

    @property
    def user_inputs_to_mutate(self) -> dict[str, str]:
        """Outputs that are new values of inputs: none, the graph writes into them."""
        return {}


def placeholder_name(kind: str, target: str) -> str:
    """The name of the input for a parameter or buffer: `p_layer_weight`."""
    return f"{kind}_{target.replace('.', '_')}"


def signature_of(made: GraphModule) -> ExportGraphSignature:
    """The signature of a graph whose parameters and buffers are attributes of its module."""
    nodes = made.graph.nodes
    returned = tree_leaves(made.graph.output_node().args[0])
    users = tuple(n.name for n in nodes if n.op == "placeholder")
    outputs = tuple(r.name if isinstance(r, Node) else r for r in returned)
    parameters = tuple(name for name, _ in made.named_parameters())
    buffers = tuple(name for name, _ in made.named_buffers())
    specs = [
        InputSpec(kind, TensorArgument(placeholder_name(letter, name)), name, persistent)
        for kind, letter, names, persistent in (
            (InputKind.PARAMETER, "p", parameters, None),
            (InputKind.BUFFER, "b", buffers, True),
        )
        for name in names
    ]
    specs += [InputSpec(InputKind.USER_INPUT, TensorArgument(n), None) for n in users]
    results = [OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(str(o)), None) for o in outputs]
    return ExportGraphSignature(users, outputs, parameters, buffers, specs, results)
