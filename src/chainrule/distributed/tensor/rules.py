"""Which parts of tensors belong together in an op.

A rule names the dimensions of the tensors of a call by letters, as in an index notation: what
bears the same letter is cut alike. A letter that no result has is combined over the processes;
dimensions that must be whole have no letter (None).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Letters = list[Any]


@dataclass
class Call:
    """An op and its arguments, and the tensors of a mesh among them."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shapes: list[tuple[int, ...]]  # of the tensors, in the order of the arguments

    def argument(self, position: int, otherwise: Any = None) -> Any:
        """An argument by its place."""
        return self.args[position] if len(self.args) > position else otherwise


@dataclass
class Pattern:
    """The letters of an op's tensors and results."""

    inputs: list[Letters]
    outputs: list[Letters]  # one for all results where there are more
    combined: dict[Any, str] = field(default_factory=dict)  # how what a letter cuts is combined
    # Inputs that may be terms of a sum together, so that the result is one.
    linear: list[set[int]] = field(default_factory=list)
    even: dict[Any, int] = field(default_factory=dict)  # lengths that must divide evenly
    shape: tuple[int, ...] | None = None  # of the result, where letters do not tell its lengths
    local_shape_at: int | None = None  # the argument that is the shape of the result


Rule = Callable[[Call], Pattern | None]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for ops."""

    def add(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return add


def _dim(dim: int, ndim: int) -> int:
    return dim + ndim if dim < 0 else dim


# ---- element by element --------------------------------------------------------------------------

_LINEAR_ONE = {"clone", "detach", "alias", "neg", "_to_copy", "to", "contiguous", "mul_", "div_",
               "neg_", "lift_fresh"}  # fmt: skip
_ALIKE = """
abs acos acosh add alias asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor
ceil celu clamp clamp_max clamp_min clone conj_physical contiguous copysign cos cosh detach digamma
div elu elu_backward empty_like eq erf erfc erfinv exp exp2 expm1 fill floor floor_divide fmax fmin
fmod frac full_like ge gelu gelu_backward gt hardsigmoid hardswish hardtanh heaviside hypot isfinite
isinf isnan isneginf isposinf ldexp le leaky_relu leaky_relu_backward lerp lgamma lift_fresh log
log10 log1p log2 log_sigmoid_forward logaddexp logical_and logical_not logical_or logical_xor logit
lt masked_fill maximum minimum mish mul nan_to_num ne neg ones_like positive pow reciprocal relu
remainder round rsqrt rsub sgn sigmoid sigmoid_backward sign silu silu_backward sin sinc sinh
softplus softplus_backward sqrt square sub tan tanh tanh_backward threshold threshold_backward
true_divide trunc where xlogy zeros_like addcmul addcdiv _to_copy to
""".split()
_WRITING = """
abs_ add_ addcdiv_ addcmul_ ceil_ clamp_ clamp_max_ clamp_min_ copy_ div_ exp_ fill_ floor_ lerp_
log_ masked_fill_ mul_ neg_ pow_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sign_ sqrt_ sub_ tanh_
trunc_ zero_
""".split()


@rule(*_ALIKE, *_WRITING)
def alike(call: Call) -> Pattern:
    """Every element of the result from those at the same place."""
    ndim = max(map(len, call.shapes))
    out = [1] * ndim
    for shape in call.shapes:
        for d, length in enumerate(shape, ndim - len(shape)):
            out[d] = length if out[d] == 1 else out[d]
    letters = [
        [d if shape[d - ndim + len(shape)] != 1 else None for d in range(ndim - len(shape), ndim)]
        for shape in call.shapes
    ]
    result = [d if length != 1 else None for d, length in enumerate(out)]
    return Pattern(letters, [result], linear=_linear_sets(call))


def _linear_sets(call: Call) -> list[set[int]]:
    """Which inputs may be terms of a sum."""
    count = len(call.shapes)
    plain = call.name.rstrip("_")
    if call.name in _LINEAR_ONE and count == 1:
        return [{0}]
    if plain in ("add", "sub"):  # a number would be added by every process
        return [{0, 1}] if count == 2 else []
    if plain == "mul":
        return [{k} for k in range(count)]
    return [{0}] if plain == "div" and not call.kwargs.get("rounding_mode") else []


# ---- products ------------------------------------------------------------------------------------

_PRODUCTS = {"mm": ("ik", "kj", "ij"), "bmm": ("bik", "bkj", "bij"), "mv": ("ik", "k", "i"),
             "dot": ("k", "k", ""), "outer": ("i", "j", "ij")}  # fmt: skip


@rule(*_PRODUCTS)
def product(call: Call) -> Pattern:
    """Sums of products: what is summed over is added up between processes."""
    a, b, out = (list(letters) for letters in _PRODUCTS[call.name])
    return Pattern([a, b], [out], {"k": "sum"}, [{0}, {1}])


@rule("_scaled_dot_product_flash_attention_for_cpu")
def attention(call: Call) -> Pattern | None:
    """Batches and heads are on their own."""
    if len(call.shapes) != 3:  # a mask
        return None
    each = ["b", "h", None, None]
    return Pattern([each] * 3, [each, each[:3]])


@rule("_scaled_dot_product_flash_attention_for_cpu_backward")
def attention_backward(call: Call) -> Pattern | None:
    """Batches and heads are on their own."""
    if len(call.shapes) != 6:
        return None
    each = ["b", "h", None, None]
    return Pattern([*[each] * 5, each[:3]], [each])


# ---- sums ----------------------------------------------------------------------------------------

_COMBINED = {"sum": "sum", "mean": "avg", "amax": "max", "amin": "min", "max": "max", "min": "min",
             "any": None, "all": None, "prod": "product", "var": None, "std": None,
             "linalg_vector_norm": None, "argmax": None, "argmin": None, "logsumexp": None,
             "nansum": "sum"}  # fmt: skip


@rule(*_COMBINED)
def reduction(call: Call) -> Pattern | None:
    """Some dimensions vanish, or have length 1."""
    at = 2 if call.name == "linalg_vector_norm" else 1
    ndim, dims, keeps = len(call.shapes[0]), call.argument(at), bool(call.argument(at + 1, False))
    if call.name in ("var", "std") or len(call.shapes) != 1 or isinstance(dims, bool):
        return None
    if dims is None or dims == []:
        gone = set(range(ndim))
    else:
        gone = {_dim(d, ndim) for d in ([dims] if isinstance(dims, int) else dims)}
    how = _COMBINED[call.name]
    letters: Letters = [d if d not in gone or how is not None else None for d in range(ndim)]
    out = [None if d in gone else d for d in range(ndim) if keeps or d not in gone]
    even = {d: call.shapes[0][d] for d in gone} if how == "avg" else {}
    pairs = call.name in ("max", "min") and dims is not None  # values and where they are
    if pairs:
        letters = [d if d not in gone else None for d in range(ndim)]
    linear = [{0}] if call.name in ("sum", "mean") else []
    combined = {d: how for d in gone if how is not None}
    return Pattern([letters], [out], combined, linear, even)  # type: ignore[arg-type]


# ---- along one dimension -------------------------------------------------------------------------

_ALONG = {"_softmax": 1, "_log_softmax": 1, "cumsum": 1, "cumprod": 1, "flip": 1,
          "_softmax_backward_data": 2, "_log_softmax_backward_data": 2}  # fmt: skip


@rule(*_ALONG)
def along(call: Call) -> Pattern:
    """One dimension must be whole, the others are on their own."""
    ndim = len(call.shapes[0])
    given = call.argument(_ALONG[call.name])
    dims = {_dim(d, ndim) for d in ([given] if isinstance(given, int) else given)}
    letters = [None if d in dims else d for d in range(ndim)]
    return Pattern([letters] * len(call.shapes), [letters])


@rule("native_layer_norm")
def layer_norm(call: Call) -> Pattern:
    """What is normalised must be whole."""
    x = call.shapes[0]
    rows = len(x) - len(call.args[1])
    letters = [*range(rows), *[None] * (len(x) - rows)]
    others = [[None] * len(shape) for shape in call.shapes[1:]]
    return Pattern([letters, *others], [letters, letters, letters])


@rule("native_layer_norm_backward")
def layer_norm_backward(call: Call) -> Pattern:
    """Gradients of weight and bias add up."""
    x = call.shapes[1]
    width = len(call.args[2])
    rows = len(x) - width
    letters = [*range(rows), *[None] * width]
    others = [[None] * len(shape) for shape in call.shapes[4:]]
    result = [letters, [None] * width, [None] * width]
    return Pattern([letters] * 4 + others, result, dict.fromkeys(range(rows), "sum"))


@rule("embedding")
def embedding(call: Call) -> Pattern:
    """Rows by their numbers; columns are on their own."""
    batch = [f"b{d}" for d in range(len(call.shapes[1]))]
    return Pattern([[None, "c"], list(batch)], [[*batch, "c"]])


@rule("embedding_dense_backward")
def embedding_backward(call: Call) -> Pattern:
    """The gradients of rows add up."""
    batch = [f"b{d}" for d in range(len(call.shapes[1]))]
    return Pattern([[*batch, "c"], list(batch)], [[None, "c"]], dict.fromkeys(batch, "sum"))


# ---- shapes --------------------------------------------------------------------------------------


def _linear(letters: Letters, out: Letters, **more: Any) -> Pattern:
    return Pattern([letters], [out], linear=[{0}], **more)


@rule("t", "transpose", "permute")
def permuted(call: Call) -> Pattern:
    """Dimensions in another order."""
    letters: Letters = list(range(len(call.shapes[0])))
    out = list(letters)
    if call.name == "permute":
        out = [letters[d] for d in call.args[1]]
    elif len(out) > 1:
        a, b = (0, 1) if call.name == "t" else (_dim(d, len(out)) for d in call.args[1:3])
        out[a], out[b] = out[b], out[a]
    return _linear(letters, out)


@rule("unsqueeze")
def unsqueezed(call: Call) -> Pattern:
    """One dimension more."""
    letters: Letters = list(range(len(call.shapes[0])))
    at = _dim(call.args[1], len(letters) + 1)
    return _linear(letters, [*letters[:at], None, *letters[at:]])


@rule("squeeze")
def squeezed(call: Call) -> Pattern:
    """Dimensions of length 1 left out."""
    shape = call.shapes[0]
    given = call.argument(1, list(range(len(shape))))
    dims = {_dim(d, len(shape)) for d in ([given] if isinstance(given, int) else given)}
    letters: Letters = [d if length != 1 else None for d, length in enumerate(shape)]
    out = [letters[d] for d in range(len(shape)) if d not in dims or shape[d] != 1]
    return _linear(letters, out)


@rule("expand")
def expanded(call: Call) -> Pattern:
    """Dimensions of length 1 repeated."""
    shape = call.shapes[0]
    size = list(call.args[1])
    new = len(size) - len(shape)
    whole = [shape[d - new] if n == -1 else n for d, n in enumerate(size)]
    letters: Letters = [d if whole[d + new] == n and n != 1 else None for d, n in enumerate(shape)]
    out = [*[None] * new, *letters]
    return _linear(letters, out, shape=tuple(whole), local_shape_at=1)


@rule("view", "_unsafe_view", "reshape")
def viewed(call: Call) -> Pattern:
    """Dimensions joined or split: the outermost of each may be cut, if it divides evenly."""
    shape = call.shapes[0]
    whole = _sizes(shape, call.args[1])
    letters: Letters = [None] * len(shape)
    out: Letters = [None] * len(whole)
    even: dict[Any, int] = {}
    for a, b in _pairs(shape, whole):
        letters[a], out[b] = a, a
        if shape[a] != whole[b]:
            even[a] = _common(shape[a], whole[b])
    return _linear(letters, out, even=even, shape=whole, local_shape_at=1)


def _common(a: int, b: int) -> int:
    import math

    return math.gcd(a, b)


def _sizes(shape: Sequence[int], given: Sequence[int]) -> tuple[int, ...]:
    """Lengths, with that of -1 worked out."""
    import math

    known = math.prod(n for n in given if n != -1)
    return tuple(math.prod(shape) // max(known, 1) if n == -1 else n for n in given)


def _pairs(shape: Sequence[int], whole: Sequence[int]) -> list[tuple[int, int]]:
    """The outermost dimensions that begin at the same element in both shapes."""
    found, a, b = [], 0, 0
    while a < len(shape) and b < len(whole):
        if shape[a] == 1 and whole[b] != 1:
            a += 1
            continue
        if whole[b] == 1 and shape[a] != 1:
            b += 1
            continue
        found.append((a, b))
        left, right = shape[a], whole[b]
        a, b = a + 1, b + 1
        while left != right:
            if left < right and a < len(shape):
                left, a = left * shape[a], a + 1
            elif right < left and b < len(whole):
                right, b = right * whole[b], b + 1
            else:
                break
    return [(a, b) for a, b in found if shape[a] > 1]


@rule("select", "slice", "narrow", "split", "split_with_sizes", "unbind", "chunk")
def parts(call: Call) -> Pattern:
    """Parts along one dimension, which must be whole."""
    last = {"split": 2, "split_with_sizes": 2, "chunk": 2}.get(call.name, 1)
    ndim = len(call.shapes[0])
    dim = _dim(call.argument(last, 0), ndim)
    if call.name == "slice" and _is_all(call, dim):
        letters: Letters = list(range(ndim))
        return _linear(letters, list(letters))
    letters = [None if d == dim else d for d in range(ndim)]
    gone = call.name in ("select", "unbind")
    return _linear(letters, [x for d, x in enumerate(letters) if not (gone and d == dim)])


def _is_all(call: Call, dim: int) -> bool:
    start, end, step = call.argument(2) or 0, call.argument(3), call.argument(4, 1)
    return start == 0 and step == 1 and (end is None or end >= call.shapes[0][dim])


@rule("cat", "stack")
def joined(call: Call) -> Pattern | None:
    """Tensors one after the other along one dimension, which must be whole."""
    ndim = len(call.shapes[0])
    if any(len(shape) != ndim for shape in call.shapes):
        return None
    stacks = call.name == "stack"
    dim = _dim(call.argument(1, 0), ndim + stacks)
    letters: Letters = [d if stacks or d != dim else None for d in range(ndim)]
    out = [*letters[:dim], None, *letters[dim:]] if stacks else list(letters)
    every = [list(letters) for _ in call.shapes]
    return Pattern(every, [out], linear=[set(range(len(every)))])


VIEWS = frozenset(
    "t transpose permute unsqueeze squeeze expand view select slice narrow split split_with_sizes "
    "unbind chunk detach alias diagonal as_strided unfold".split()
)


def lengths(pattern: Pattern, shapes: Sequence[Sequence[int]]) -> dict[Any, int]:
    """How long what a letter stands for is, as a whole."""
    pairs = itertools.chain.from_iterable(
        zip(letters, shape, strict=True)
        for letters, shape in zip(pattern.inputs, shapes, strict=True)
    )
    return {letter: length for letter, length in pairs if letter is not None}
