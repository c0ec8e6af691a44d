"""Recurrent layers over whole sequences, and their single steps."""

from __future__ import annotations

import math
import numbers
from typing import Any, ClassVar

from ... import (
    Tensor,
    gru,
    gru_cell,
    lstm,
    lstm_cell,
    rnn_relu,
    rnn_relu_cell,
    rnn_tanh,
    rnn_tanh_cell,
    zeros,
)
from ...autograd import refusal
from ...autograd.source import warn_user
from ...tensor import Parameter
from .. import init
from ..utils.rnn import PackedSequence
from .layer_common import check_depth, new_parameter
from .module import Module
from .rnn_shapes import StateShapes

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_FUNCTIONS = {"GRU": gru, "LSTM": lstm, "RNN_TANH": rnn_tanh, "RNN_RELU": rnn_relu}


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The tensor with a dimension reordered; `tensor.index_select` is the name to use."""
    warn_user(
        "apply_permutation is deprecated, please use tensor.index_select(dim, permutation) instead",
        FutureWarning,
    )
    return tensor.index_select(dim, permutation)


class RNNBase(StateShapes, Module):
    """What RNN, LSTM and GRU share: their parameters and the shapes they accept."""

    __constants__: ClassVar[list[str]] = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout) if isinstance(dropout, numbers.Number) else dropout
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options(dropout)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                self._add_weights(layer, suffix, device, dtype)
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        if isinstance(dropout, bool) or not isinstance(dropout, numbers.Number) or not (
            0 <= dropout <= 1  # type: ignore[operator]
        ):  # fmt: skip
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                f"element being zeroed, not {dropout!r}"
            )
        if dropout > 0 and self.num_layers == 1:  # type: ignore[operator]
            warn_user(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={self.num_layers}",
            )
        for name in ("input_size", "hidden_size"):
            value = getattr(self, name)
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        for name in ("bias", "batch_first"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
        check_depth(self.num_layers, "num_layers")
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero, not {getattr(self, name)}")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections, not "
                f"{self.proj_size}"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError(
                f"proj_size has to be smaller than hidden_size ({self.hidden_size}), not "
                f"{self.proj_size}"
            )
        if self.mode not in _GATES:
            raise ValueError(f"Unrecognized RNN mode: {self.mode}; known: {', '.join(_GATES)}")

    def _add_weights(self, layer: int, suffix: str, device: Any, dtype: Any) -> None:
        rows = _GATES[self.mode] * self.hidden_size
        state = self.proj_size or self.hidden_size
        inner = self.input_size if layer == 0 else state * (2 if self.bidirectional else 1)
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, inner),
            "weight_hh": (rows, state),
        }
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = [f"{stem}_l{layer}{suffix}" for stem in shapes]
        for name, shape in zip(names, shapes.values(), strict=True):
            setattr(self, name, new_parameter(*shape, device=device, dtype=dtype))
        self._flat_weights_names += names
        self._all_weights.append(names)

    def reset_parameters(self) -> None:
        """Draw all parameters again, uniform within 1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing to do: parameters are used where they are."""

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the usual ones."""
        shown = [f"{self.input_size}, {self.hidden_size}"]
        usual = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
            "bidirectional": False,
        }  # fmt: skip
        shown += [f"{k}={getattr(self, k)}" for k, v in usual.items() if getattr(self, k) != v]
        return ", ".join(shown)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(output, last state) of a sequence, padded or packed, from a first state (zeros)."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            word = "" if self.mode in ("LSTM", "GRU") else " tensor"
            raise refusal.value(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D{word} "
                "instead"
            )
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
        hx = self._first_state(input, hx, None, batched)
        out, *last = _FUNCTIONS[self.mode](
            input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.batch_first,
        )  # fmt: skip
        if not batched:
            out, last = out.squeeze(batch_dim), [s.squeeze(1) for s in last]
        return out, (last[0] if len(last) == 1 else tuple(last))

    def _forward_packed(self, sequence: PackedSequence, hx: Any) -> Any:
        data, batch_sizes, sorted_indices, unsorted_indices = sequence
        hx = self.permute_hidden(hx, sorted_indices) if hx is not None else None
        hx = self._first_state(data, hx, batch_sizes, True)
        rows, *last = _FUNCTIONS[self.mode](
            data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout,
            self.training, self.bidirectional,
        )  # fmt: skip
        out = PackedSequence(rows, batch_sizes, sorted_indices, unsorted_indices)
        state = last[0] if len(last) == 1 else tuple(last)
        return out, self.permute_hidden(state, unsorted_indices)


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh) over a sequence, in one or several layers.

    >>> import chainrule as torch
    >>> rnn = torch.nn.RNN(10, 20, 2)
    >>> output, h = rnn(torch.randn(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, device: Any = None, dtype: Any = None, *, proj_size: int = 0,
    ) -> None:  # fmt: skip
        _refuse_projection(proj_size)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        self.nonlinearity = nonlinearity
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first,
            dropout, bidirectional, 0, device, dtype,
        )  # fmt: skip


class LSTM(RNNBase):
    """Long short-term memory over a sequence; its state is (h, c).

    With `proj_size`, h is projected to that many features.

    >>> import chainrule as torch
    >>> rnn = torch.nn.LSTM(10, 20, bidirectional=True)
    >>> output, (h, c) = rnn(torch.randn(5, 3, 10))
    >>> output.shape, c.shape
    (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            proj_size, device, dtype,
        )  # fmt: skip

    def _state_widths(self) -> tuple[int, ...]:
        return self.proj_size or self.hidden_size, self.hidden_size

    def get_expected_cell_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, int, int]:
        """The shape of the cell state for this input."""
        return self._state_shape(self._batch(input, batch_sizes), self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or state that does not fit."""
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected, "Expected hidden[0] size {}, got {}")
        expected = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], expected, "Expected hidden[1] size {}, got {}")


class GRU(RNNBase):
    """Gated recurrent units over a sequence.

    >>> import chainrule as torch
    >>> rnn = torch.nn.GRU(10, 20, batch_first=True)
    >>> output, h = rnn(torch.randn(3, 5, 10))
    >>> output.shape, h.shape
    (torch.Size([3, 5, 20]), torch.Size([1, 3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        device: Any = None, dtype: Any = None, *, proj_size: int = 0,
    ) -> None:  # fmt: skip
        _refuse_projection(proj_size)
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            0, device, dtype,
        )  # fmt: skip


def _refuse_projection(proj_size: int) -> None:
    if proj_size:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


# ---- one step ------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What the cells share: their parameters and shapes."""

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias"]

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = new_parameter(rows, input_size, device=device, dtype=dtype)
        self.weight_hh = new_parameter(rows, hidden_size, device=device, dtype=dtype)
        for name in ("bias_ih", "bias_hh"):
            made = new_parameter(rows, device=device, dtype=dtype) if bias else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters again, uniform within 1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the usual ones."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.__dict__['nonlinearity']}"
        return text

    def _check_rank(self, what: str, t: Tensor) -> None:
        if t.dim() not in (1, 2):
            raise refusal.value(
                f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {t.dim()}D instead"
            )

    def _weights(self) -> tuple[Any, Any, Any, Any]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _stepped(self, function: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        self._check_rank("input", input)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = zeros((input.shape[0], self.hidden_size), dtype=input.dtype)
        else:
            self._check_rank("hidden", hx)
            hx = hx if batched else hx.unsqueeze(0)
        out = function(input, hx, *self._weights())
        return out if batched else out.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an RNN: tanh(W_ih x + b_ih + W_hh h + b_hh), or relu.

    >>> import chainrule as torch
    >>> torch.nn.RNNCell(10, 20)(torch.randn(3, 10), torch.randn(3, 20)).shape
    torch.Size([3, 20])
    """

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state."""
        function = {"tanh": rnn_tanh_cell, "relu": rnn_relu_cell}.get(self.nonlinearity)
        if function is None:
            raise refusal.runtime(
                f"Unknown nonlinearity: {self.nonlinearity}", fix="'tanh' or 'relu'."
            )
        return self._stepped(function, input, hx)


class LSTMCell(RNNCellBase):
    """One step of long short-term memory: (h', c').

    >>> import chainrule as torch
    >>> h, c = torch.nn.LSTMCell(10, 20)(torch.randn(3, 10))
    >>> h.shape
    torch.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """The next (h, c)."""
        self._check_rank("input", input)
        if hx is not None:
            for k, state in enumerate(hx):
                self._check_rank(f"hx[{k}]", state)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            first = zeros((input.shape[0], self.hidden_size), dtype=input.dtype)
            hx = (first, first)
        else:
            hx = (hx[0], hx[1]) if batched else (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        h, c = lstm_cell(input, hx, *self._weights())
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit.

    >>> import chainrule as torch
    >>> torch.nn.GRUCell(10, 20)(torch.randn(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state."""
        return self._stepped(gru_cell, input, hx)
