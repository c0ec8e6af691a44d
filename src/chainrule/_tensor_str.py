"""How tensors are shown, where PyTorch keeps it."""

from __future__ import annotations

from typing import Any

from .tensor import Tensor
from .tensor.printing import _options as PRINT_OPTS
from .tensor.printing import contents_text, get_printoptions, printoptions, set_printoptions
from .tensor.text import tensor_repr


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """The text of a tensor."""
    return tensor_repr(self)


_str_intern = _str


def _tensor_str(self: Tensor, indent: int) -> str:
    """The numbers of a tensor in brackets, indented."""
    return contents_text(self.detach().numpy(), indent)


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """The text with facts about the tensor after it, on a new line where they do not fit."""
    parts = [tensor_str]
    length = len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or length + len(suffix) + 2 > PRINT_OPTS.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            length = indent + len(suffix)
            force_newline = False
        else:
            parts.append(", " + suffix)
            length += len(suffix) + 2
    return "".join([*parts, ")"])


def get_summarized_data(self: Tensor) -> Tensor:
    """The corners of a large tensor, as they are shown."""
    edge, t = PRINT_OPTS.edgeitems, self
    for dim in range(t.ndim):
        if t.shape[dim] > 2 * edge:
            size = t.shape[dim]
            t = _joined(t.narrow(dim, 0, edge), t.narrow(dim, size - edge, edge), dim)
    return t


def _joined(first: Any, last: Any, dim: int) -> Any:
    from . import cat

    return cat((first, last), dim)


def tensor_totype(t: Tensor) -> Tensor:
    """In double precision, in which tensors are shown."""
    return t.double()


__all__ = [
    "PRINT_OPTS", "get_printoptions", "get_summarized_data", "printoptions", "set_printoptions",
    "tensor_totype",
]  # fmt: skip
