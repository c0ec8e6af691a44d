"""Recurrent networks over sequences: the functions behind `nn.RNN`, `nn.LSTM` and `nn.GRU`.

Each takes (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
or, for a packed sequence, (data, batch_sizes, hx, params, ..., bidirectional), as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.state import STATE
from ...autograd.value import PLAIN, TensorBase
from ...ops.dtypes import F32, F64
from ..api import public
from .common import P
from .nn_common import stand_in
from .nn_linear import linear

if TYPE_CHECKING:
    from ..annotations import Tensor


class _Run:
    """One call: where the sequence lies in memory, and the options that all layers share."""

    def __init__(
        self, sizes: tuple[int, ...], apart: int, biased: bool, layers: int, dropout: float,
        both: bool,
    ) -> None:  # fmt: skip
        self.sizes = sizes
        self.apart = apart  # rows from one example of a step to the next
        self.biased = biased
        self.layers = layers
        self.dropout = dropout
        self.directions = 2 if both else 1

    def through(self, x: Any, states: list[Any], params: Any, layer: Callable[..., Any]) -> Any:
        """(rows of the last layer, last states of every layer and direction)."""
        per = len(params) // (self.layers * self.directions)
        last: list[Any] = []
        for k in range(self.layers):
            outs = []
            for d in range(self.directions):
                place = k * self.directions + d
                own = params[place * per : (place + 1) * per]
                y, *end = layer(self, x, [s[place] for s in states], own, d == 1)
                outs.append(y)
                last.append(end)
            x = outs[0] if len(outs) == 1 else P.cat(*outs, axis=1)
            if self.dropout and k + 1 < self.layers:
                from .random_functions import dropout

                x = dropout(x, self.dropout, True)
        return x, last


def _weights(run: _Run, x: Any, own: Any) -> tuple[Any, ...]:
    """(w_ih, w_hh, b_ih, b_hh), with stand-ins for absent biases."""
    if run.biased:
        return tuple(own[:4])
    nothing = stand_in(x)
    return own[0], own[1], nothing, nothing


def _lstm_layer(run: _Run, x: Any, states: list[Any], own: Any, reverse: bool) -> Any:
    projected = len(own) == (5 if run.biased else 3)
    w_hr = own[-1] if projected else stand_in(x)
    return P.lstm_layer(
        x, states[0], states[1], *_weights(run, x, own), w_hr, sizes=run.sizes, apart=run.apart,
        reverse=reverse, biased=run.biased, projected=projected,
    )[:3]  # fmt: skip


def _gru_layer(run: _Run, x: Any, states: list[Any], own: Any, reverse: bool) -> Any:
    return P.gru_layer(
        x, states[0], *_weights(run, x, own), sizes=run.sizes, apart=run.apart, reverse=reverse,
        biased=run.biased,
    )[:2]  # fmt: skip


def _rnn_layer(relu: bool) -> Callable[..., Any]:
    def layer(run: _Run, x: Any, states: list[Any], own: Any, reverse: bool) -> Any:
        return P.rnn_layer(
            x, states[0], *_weights(run, x, own), sizes=run.sizes, apart=run.apart, reverse=reverse,
            biased=run.biased, relu=relu,
        )[:2]  # fmt: skip

    return layer


# ---- whole sequences -----------------------------------------------------------------------------


def _run(
    name: str, layer: Callable[..., Any], states: int, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """(output, last states...) of a rectangular or packed sequence."""
    packed = "batch_sizes" in named or "data" in named or (
        len(args) > 1 and isinstance(args[1], TensorBase) and isinstance(args[3 if len(args) > 3
        else -1], list | tuple))  # fmt: skip
    given = _arguments(name, _PACKED if packed else _PADDED, args, named)
    hx = given["hx"]
    first = [hx] if isinstance(hx, TensorBase) else list(hx)
    dropout = given["dropout"] if given["train"] else 0.0
    options = (given["has_biases"], given["num_layers"], dropout, given["bidirectional"])
    if packed:
        sizes = tuple(given["batch_sizes"].tolist())
        _check_packed(name, sizes, given["data"], first)
        run = _Run(sizes, 1, *options)
        rows, last = run.through(given["data"], _split(first), given["params"], layer)
        return (rows, *_joined(last, states))
    x, by_example = given["input"], given["batch_first"]
    # Dropout between layers draws in the order of the steps.
    turned = by_example and dropout and given["num_layers"] > 1
    if turned:
        x, by_example = x.transpose(0, 1), False
    lead, width = tuple(x.shape[:2]), x.shape[2]
    steps, batch = reversed(lead) if by_example else lead
    _check_rectangular(name, x, (steps, batch), first, given["params"])
    run = _Run((batch,) * steps, steps if by_example else 1, *options)
    rows, last = run.through(
        P.reshape(x, shape=(steps * batch, width)), _split(first), given["params"], layer
    )
    y = P.reshape(rows, shape=(*lead, rows.shape[1]))
    return (y.transpose(0, 1) if turned else y, *_joined(last, states))


def _check_packed(name: str, sizes: tuple[int, ...], data: Any, first: list[Any]) -> None:
    """Kernels walk the rows by these sizes: they must be what packing makes."""
    falling = all(a >= b for a, b in zip(sizes, (*sizes[1:], 0), strict=True))
    if not falling or sum(sizes) != data.shape[0] or max(sizes, default=0) != first[0].shape[1]:
        raise refusal.runtime(
            f"{name}: batch_sizes must be decreasing (they are {list(sizes)}), add up to the rows "
            f"of data ({data.shape[0]}) and begin with the batch of hx ({first[0].shape[1]}).",
            fix="make packed sequences with nn.utils.rnn.pack_padded_sequence.",
        )


_SHARED = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
_PADDED = ("input", *_SHARED, "batch_first")
_PACKED = ("data", "batch_sizes", *_SHARED)


def _arguments(
    name: str, names: tuple[str, ...], args: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any]:
    given = dict(zip(names, args, strict=False)) | named
    if len(args) > len(names) or set(given) != set(names):
        raise refusal.wrong_type(
            f"{name}() received an invalid combination of arguments - got {len(args)} by position "
            f"and {sorted(named)} by name, but expected ({', '.join(names)})"
        )
    return given


def _check_rectangular(
    name: str, x: Any, lead: tuple[int, int], first: list[Any], params: Any
) -> None:
    steps, batch = lead
    if steps == 0:
        raise refusal.runtime(
            "Expected sequence length to be larger than 0 in RNN",
            f"{name}() got an input with no steps",
        )
    for t in (*first, *params):
        if t.dtype is not x.dtype:
            raise refusal.runtime(
                "Input, hidden and parameter tensors are not at the same dtype: mat1 and mat2 "
                f"must have the same dtype, but got {x.dtype!r} (input) and {t.dtype!r}",
                fix="convert one of them with .to(dtype).",
            )
    for t in first:
        if t.shape[1] != batch:
            raise refusal.runtime(
                f"The size of tensor a ({t.shape[1]}) must match the size of tensor b ({batch}) at "
                f"non-singleton dimension 0: the first states of {name}() are for {t.shape[1]} "
                f"examples, the input has {batch}"
            )
    width = x.shape[2]
    if width != params[0].shape[1]:
        rows = x.shape[0] * x.shape[1]
        raise refusal.runtime(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{width} and "
            f"{params[0].shape[1]}x{params[0].shape[0]})",
            f"the input has {width} features, the weight wants {params[0].shape[1]}",
        )


def _split(first: list[Any]) -> list[Any]:
    """For h (and c): its state per layer and direction."""
    return [
        [P.reshape(s, shape=tuple(s.shape[1:]))] if s.shape[0] == 1 else list(s.unbind(0))
        for s in first
    ]


def _joined(last: list[Any], count: int) -> list[Any]:
    """Last states of all layers and directions, as h (and c)."""
    found = []
    for k in range(count):
        parts = [end[k] for end in last]
        if len(parts) == 1:
            found.append(P.reshape(parts[0], shape=(1, *parts[0].shape)))
        else:
            found.append(P.stack(*parts, axis=0))
    return found


@public(method=False, out=False)
def lstm(*args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
    """Long short-term memory over a sequence: (output, h_n, c_n); see the module's docstring."""
    return _run("lstm", _lstm_layer, 2, args, kwargs)  # type: ignore[return-value]


@public(method=False, out=False)
def gru(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Gated recurrent units over a sequence: (output, h_n); see the module's docstring."""
    return _run("gru", _gru_layer, 1, args, kwargs)  # type: ignore[return-value]


@public(method=False, out=False)
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """A recurrence with tanh over a sequence: (output, h_n); see the module's docstring."""
    return _run("rnn_tanh", _rnn_layer(False), 1, args, kwargs)  # type: ignore[return-value]


@public(method=False, out=False)
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """A recurrence with relu over a sequence: (output, h_n); see the module's docstring."""
    return _run("rnn_relu", _rnn_layer(True), 1, args, kwargs)  # type: ignore[return-value]


# ---- one step ------------------------------------------------------------------------------------


# A step is too small for the jobs of a layer: behind its products it is an op or two of
# `ops/cells.py`. Traces and transforms take ops like the user's own, so that a compiled loop
# becomes one plan.


def _in_one_op(*operands: Any) -> bool:
    """Whether a step may be done by the ops of cells: nobody listens, and floats are plain."""
    if STATE.w > 2 or STATE.levels:
        return False
    for t in operands:
        if t.__class__ not in PLAIN or (t._a.dtype is not F32 and t._a.dtype is not F64):
            return False
    return len({t._a.dtype for t in operands}) == 1 and operands[-1].ndim == 2


def _columns(x: Any, start: int, stop: int) -> Any:
    return P.slice_axis(x, axis=1, start=start, stop=stop, step=1)


def _gates(count: int, x: Any, h: Any, weights: tuple[Any, ...]) -> tuple[Any, Any]:
    """What the inputs and the state give to the gates of one step, of which there are `count`."""
    w_ih, w_hh, b_ih, b_hh = weights
    if x.shape[1] != w_ih.shape[1]:
        raise refusal.runtime(
            f"input has inconsistent input_size: got {x.shape[1]} expected {w_ih.shape[1]}"
        )
    if x.shape[0] != h.shape[0]:
        raise refusal.runtime(
            f"Input batch size {x.shape[0]} doesn't match hidden0 batch size {h.shape[0]}"
        )
    if h.shape[1] != w_hh.shape[1]:
        raise refusal.runtime(
            f"hidden0 has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}"
        )
    for name, w in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if w.shape[0] != count * h.shape[1]:
            raise refusal.runtime(
                f"{name} first dim must be {count} * hidden_size = {count * h.shape[1]}, but got "
                f"{w.shape[0]}"
            )
    return linear(x, w_ih, b_ih), linear(h, w_hh, b_hh)


@public(method=False, out=False)
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Any, Any]:
    """One step of long short-term memory: (h', c') for hx = (h, c)."""
    h, c = hx[0], hx[1]
    from_x, from_h = _gates(4, input, h, (w_ih, w_hh, b_ih, b_hh))
    z, width = from_x + from_h, h.shape[1]
    if c.shape == h.shape and _in_one_op(z, c):
        c = P.lstm_cell_step(z, c)
        return P.lstm_state(z, c), c
    i, f, _, o = P.split_with_sizes(P.sigmoid(z), sizes=(width,) * 4, axis=1)
    c = f * c + i * P.tanh(_columns(z, 2 * width, 3 * width))
    return o * P.tanh(c), c


@public(method=False, out=False)
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """One step of a gated recurrent unit."""
    from_x, from_h = _gates(3, input, hx, (w_ih, w_hh, b_ih, b_hh))
    if _in_one_op(from_x, from_h, hx):
        return P.gru_step(from_x, from_h, hx)
    width = hx.shape[1]
    both = P.sigmoid(_columns(from_x, 0, 2 * width) + _columns(from_h, 0, 2 * width))
    reset, keep = P.split_with_sizes(both, sizes=(width,) * 2, axis=1)
    new = P.tanh(
        _columns(from_x, 2 * width, 3 * width) + reset * _columns(from_h, 2 * width, 3 * width)
    )
    return (hx - new) * keep + new


@public(method=False, out=False)
def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """tanh(input w_ih^T + b_ih + hx w_hh^T + b_hh)."""
    from_x, from_h = _gates(1, input, hx, (w_ih, w_hh, b_ih, b_hh))
    return P.tanh(from_x + from_h)


@public(method=False, out=False)
def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """relu(input w_ih^T + b_ih + hx w_hh^T + b_hh)."""
    from_x, from_h = _gates(1, input, hx, (w_ih, w_hh, b_ih, b_hh))
    return P.relu(from_x + from_h)
