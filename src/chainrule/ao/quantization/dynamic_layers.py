"""Layers with int8 weights whose inputs are quantized as they come.

Sums of products of integers are exact, so the numbers are those of PyTorch's integer kernels. They
are computed in floating point here: what is saved is memory, three quarters of the weights.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule import nn

from ...autograd import refusal
from .formats import per_tensor_affine, qint8
from .observer import default_weight_observer
from .tensors import QuantizedTensor, choose_scale, quantize_per_channel, quantize_per_tensor

_LARGEST = 127  # seven bits: PyTorch's kernels may not overflow 16 bits


def quantized_weight(module: Any, weight: Any) -> Any:
    """A weight in the format that a module's configuration asks for."""
    config = getattr(module, "qconfig", None)
    observer = config.weight() if config is not None else default_weight_observer()
    if getattr(observer, "dtype", None) is torch.float16:
        return weight.detach().half()
    observer(weight.detach())
    scale, zero = observer.calculate_qparams()
    if observer.qscheme in (per_tensor_affine, torch.per_tensor_symmetric):
        return quantize_per_tensor(weight, float(scale), int(zero), observer.dtype)
    return quantize_per_channel(weight, scale, zero, observer.ch_axis, observer.dtype)


def dynamic_linear(x: Any, weight: Any, bias: Any) -> Any:
    """`linear` of an input that is rounded to seven bits and a quantized weight."""
    if not isinstance(weight, QuantizedTensor):
        return nn.functional.linear(x, weight.float(), bias)
    x = x.detach()
    scale, zero = choose_scale(x, 0, _LARGEST)
    scale = float(torch.tensor(scale, dtype=torch.float32))
    counted = torch.round(x.float() * (1.0 / scale) + zero).clamp(0, _LARGEST) - zero
    integers = weight._integers.double() - _zero(weight)
    steps = weight._scale * scale
    found = (nn.functional.linear(counted.double(), integers) * steps).float()
    return found if bias is None else found + bias.detach()


def _zero(weight: QuantizedTensor) -> Any:
    zero = weight._zero_point
    return zero if weight._axis is None else zero.double().reshape(-1, *[1] * (weight.ndim - 1))


class Linear(nn.Module):
    """A linear layer with an int8 (or float16) weight; inference only."""

    _FLOAT_MODULE = nn.Linear

    def __init__(
        self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = qint8
    ) -> None:
        super().__init__()
        self.in_features, self.out_features, self.dtype = in_features, out_features, dtype
        blank = torch.zeros(out_features, in_features)
        self._weight = (
            blank.half() if dtype is torch.float16 else quantize_per_tensor(blank, 1.0, 0, dtype)
        )
        self._bias = torch.zeros(out_features) if bias_ else None

    def weight(self) -> Any:
        """The quantized weight."""
        return self._weight

    def bias(self) -> Any:
        """The bias, in floating point."""
        return self._bias

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Other weights."""
        self._weight, self._bias = w, b

    def forward(self, x: Any) -> Any:
        """The product, in float32."""
        return dynamic_linear(x, self._weight, self._bias)

    def _get_name(self) -> str:
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        text = f"in_features={self.in_features}, out_features={self.out_features}, "
        text += f"dtype={self.dtype}"
        if isinstance(self._weight, QuantizedTensor):
            text += f", qscheme={self._weight.qscheme()}"
        return text

    def get_extra_state(self) -> Any:
        """Weights are no parameters: nothing trains them."""
        return {"weight": self._weight, "bias": self._bias}

    def set_extra_state(self, state: Any) -> None:
        """What `get_extra_state` gave."""
        self._weight, self._bias = state["weight"], state["bias"]

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer for a trained one."""
        weight = quantized_weight(mod, mod.weight)
        form = weight.dtype
        made = cls(mod.in_features, mod.out_features, mod.bias is not None, form)
        made.set_weight_bias(weight, None if mod.bias is None else mod.bias.detach().clone())
        return made


class _Recurrent(nn.Module):
    """A recurrent layer whose products are those of int8 weights."""

    _FLOAT_MODULE: Any = None
    gates = 1

    def __init__(self, mod: Any) -> None:
        super().__init__()
        for name in ("input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                     "bidirectional"):  # fmt: skip
            setattr(self, name, getattr(mod, name))
        if mod.proj_size:
            raise NotImplementedError("a quantized LSTM with proj_size is not here")
        self.mode, self.proj_size = mod.mode, 0
        self._weights: list[list[list[Any]]] = []
        for layer in range(mod.num_layers):
            row = []
            for suffix in ("", "_reverse")[: 2 if mod.bidirectional else 1]:
                found = [getattr(mod, f"{n}_l{layer}{suffix}") for n in ("weight_ih", "weight_hh")]
                parts = [quantized_weight(mod, w) for w in found]
                for n in ("bias_ih", "bias_hh"):
                    bias = getattr(mod, f"{n}_l{layer}{suffix}", None) if mod.bias else None
                    parts.append(None if bias is None else bias.detach().clone())
                row.append(parts)
            self._weights.append(row)
        self.training = mod.training

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer for a trained one."""
        return cls(mod)

    def _get_name(self) -> str:
        return f"DynamicQuantized{self.mode}"

    def extra_repr(self) -> str:
        return self._FLOAT_MODULE.extra_repr(self)

    def get_extra_state(self) -> Any:
        """Weights are no parameters: nothing trains them."""
        return self._weights

    def set_extra_state(self, state: Any) -> None:
        """What `get_extra_state` gave."""
        self._weights = state

    def _step(self, at_input: Any, weights: list[Any], state: Any) -> Any:
        raise NotImplementedError

    def _direction(self, x: Any, weights: list[Any], state: Any, reverse: bool) -> Any:
        """All steps of one layer in one direction; x is (steps, batch, features)."""
        at_input = dynamic_linear(x, weights[0], weights[2])
        outs = []
        order = range(x.shape[0] - 1, -1, -1) if reverse else range(x.shape[0])
        for t in order:
            state = self._step(at_input[t], weights, state)
            outs.append(state[0])
        return torch.stack(outs[::-1] if reverse else outs), state

    def _run(self, x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        finals = []
        for layer, row in enumerate(self._weights):
            if layer and self.dropout and self.training:
                x = nn.functional.dropout(x, self.dropout)
            outs = []
            for d, weights in enumerate(row):
                out, state = self._direction(x, weights, states[layer * len(row) + d], bool(d))
                outs.append(out)
                finals.append(state)
            x = torch.cat(outs, -1)
        return x, finals

    def forward(self, input: Any, hx: Any = None) -> Any:  # noqa: A002
        """(outputs, final state), as of the layer in floating point."""
        if isinstance(input, nn.utils.rnn.PackedSequence):
            raise refusal.not_implemented(
                f"{self._get_name()} of a PackedSequence is not here",
                fix="pass the padded tensor, or run the layer in floating point.",
            )
        flat = input.ndim == 2
        x = input.unsqueeze(1) if flat else input.transpose(0, 1) if self.batch_first else input
        several = self.mode == "LSTM"
        given = None if hx is None else hx if several else (hx,)
        if given is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            given = (torch.zeros(count, x.shape[1], self.hidden_size),) * (2 if several else 1)
        elif flat:
            given = tuple(h.unsqueeze(1) for h in given)
        out, finals = self._run(x, list(zip(*given, strict=True)))
        state = tuple(torch.stack(parts) for parts in zip(*finals, strict=True))
        if flat:
            out, state = out.squeeze(1), tuple(h.squeeze(1) for h in state)
        elif self.batch_first:
            out = out.transpose(0, 1)
        return out, state if several else state[0]


class LSTM(_Recurrent):
    """A long short-term memory with int8 weights; inference only."""

    _FLOAT_MODULE = nn.LSTM

    def _step(self, at_input: Any, weights: list[Any], state: Any) -> Any:
        h, c = state
        i, f, g, o = (at_input + dynamic_linear(h, weights[1], weights[3])).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class GRU(_Recurrent):
    """A gated recurrent unit with int8 weights; inference only."""

    _FLOAT_MODULE = nn.GRU

    def _step(self, at_input: Any, weights: list[Any], state: Any) -> Any:
        (h,) = state
        r, z, n = at_input.chunk(3, -1)
        hr, hz, hn = dynamic_linear(h, weights[1], weights[3]).chunk(3, -1)
        r, z = (r + hr).sigmoid(), (z + hz).sigmoid()
        n = (n + r * hn).tanh()
        return ((h - n) * z + n,)


__all__ = ["GRU", "LSTM", "Linear", "dynamic_linear", "quantized_weight"]
