"""The networks of `workloads/models.py` as functions of a dictionary of parameters, for JAX.

The names are those of the PyTorch modules, so that `initial` gives the same numbers.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from ..workloads.models import CLASSES, VOCABULARY, initial

Shapes = Iterator[tuple[str, tuple[int, ...]]]


def linear(name: str, inputs: int, outputs: int, bias: bool = True) -> Shapes:
    yield f"{name}.weight", (outputs, inputs)
    if bias:
        yield f"{name}.bias", (outputs,)


def mlp_shapes(sizes: tuple[int, ...], batch: int) -> Shapes:
    for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
        yield from linear(str(2 * layer), inputs, outputs)


def cnn_shapes(batch: int) -> Shapes:
    for name, outputs, inputs in (("0", 32, 1), ("2", 64, 32)):
        yield f"{name}.weight", (outputs, inputs, 3, 3)
        yield f"{name}.bias", (outputs,)
    yield from linear("6", 9216, 128)
    yield from linear("8", 128, CLASSES)


def lstm_shapes(inputs: int, hidden: int, length: int, batch: int) -> Shapes:
    yield "lstm.weight_ih_l0", (4 * hidden, inputs)
    yield "lstm.weight_hh_l0", (4 * hidden, hidden)
    yield "lstm.bias_ih_l0", (4 * hidden,)
    yield "lstm.bias_hh_l0", (4 * hidden,)
    yield from linear("head", hidden, CLASSES)


def gpt_shapes(layers: int, width: int, heads: int, length: int, batch: int) -> Shapes:
    yield "tokens.weight", (VOCABULARY, width)
    yield "places.weight", (length, width)
    for layer in range(layers):
        block = f"blocks.{layer}"
        for norm in ("norm1", "norm2"):
            yield f"{block}.{norm}.weight", (width,)
            yield f"{block}.{norm}.bias", (width,)
        yield from linear(f"{block}.attend", width, 3 * width)
        yield from linear(f"{block}.project", width, width)
        yield from linear(f"{block}.widen", width, 4 * width)
        yield from linear(f"{block}.narrow", 4 * width, width)
    yield "norm.weight", (width,)
    yield "norm.bias", (width,)
    yield from linear("head", width, VOCABULARY, bias=False)


SHAPES: dict[str, Callable[..., Shapes]] = {
    "mlp": mlp_shapes, "cnn": cnn_shapes, "lstm": lstm_shapes, "gpt": gpt_shapes,
}  # fmt: skip


def parameters(family: str, **sizes: Any) -> dict[str, Any]:
    """As arrays."""
    return {name: initial(name, shape) for name, shape in SHAPES[family](**sizes)}


# ---- forward passes ------------------------------------------------------------------------------


def apply_linear(p: dict[str, Any], name: str, x: Any) -> Any:
    y = x @ p[f"{name}.weight"].T
    return y + p[f"{name}.bias"] if f"{name}.bias" in p else y


def mlp(p: dict[str, Any], x: Any, sizes: tuple[int, ...], batch: int) -> Any:
    import jax

    last = 2 * (len(sizes) - 2)
    for layer in range(0, last, 2):
        x = jax.nn.relu(apply_linear(p, str(layer), x))
    return apply_linear(p, str(last), x)


def cnn(p: dict[str, Any], x: Any, batch: int) -> Any:
    import jax
    import jax.numpy as jnp

    for name in ("0", "2"):
        x = jax.lax.conv_general_dilated(x, p[f"{name}.weight"], (1, 1), "VALID")
        x = jax.nn.relu(x + p[f"{name}.bias"][:, None, None])
    window = (1, 1, 2, 2)
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
    x = jax.nn.relu(apply_linear(p, "6", x.reshape(batch, -1)))
    return apply_linear(p, "8", x)


def lstm(p: dict[str, Any], x: Any, inputs: int, hidden: int, length: int, batch: int) -> Any:
    import jax
    import jax.numpy as jnp

    projected = x @ p["lstm.weight_ih_l0"].T + p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]

    def cell(state: tuple[Any, Any], gates: Any) -> tuple[tuple[Any, Any], Any]:
        h, c = state
        i, f, g, o = jnp.split(gates + h @ p["lstm.weight_hh_l0"].T, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((batch, hidden), x.dtype)
    _, outputs = jax.lax.scan(cell, (zeros, zeros), jnp.swapaxes(projected, 0, 1))
    return apply_linear(p, "head", jnp.swapaxes(outputs, 0, 1))


def layer_norm(p: dict[str, Any], name: str, x: Any) -> Any:
    import jax

    centred = x - x.mean(-1, keepdims=True)
    scale = jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    return centred * scale * p[f"{name}.weight"] + p[f"{name}.bias"]


def gpt(
    p: dict[str, Any], x: Any, layers: int, width: int, heads: int, length: int, batch: int
) -> Any:
    import jax
    import jax.numpy as jnp

    h = p["tokens.weight"][x] + p["places.weight"]
    for layer in range(layers):
        block = f"blocks.{layer}"
        qkv = apply_linear(p, f"{block}.attend", layer_norm(p, f"{block}.norm1", h))
        q, k, v = (
            a.reshape(batch, length, heads, width // heads) for a in jnp.split(qkv, 3, axis=2)
        )
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        h = h + apply_linear(p, f"{block}.project", mixed.reshape(batch, length, width))
        wide = apply_linear(p, f"{block}.widen", layer_norm(p, f"{block}.norm2", h))
        h = h + apply_linear(p, f"{block}.narrow", jax.nn.gelu(wide, approximate=False))
    return apply_linear(p, "head", layer_norm(p, "norm", h))


FORWARD: dict[str, Callable[..., Any]] = {"mlp": mlp, "cnn": cnn, "lstm": lstm, "gpt": gpt}


def cross_entropy(logits: Any, targets: Any) -> Any:
    import jax
    import jax.numpy as jnp

    flat = logits.reshape(-1, logits.shape[-1])
    chosen = jnp.take_along_axis(jax.nn.log_softmax(flat), targets[:, None], axis=1)
    return -chosen.mean()
