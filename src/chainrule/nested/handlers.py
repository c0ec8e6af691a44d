"""What functions of the library do with nested tensors: mostly, what they do with their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import chainrule as torch

from ..autograd import refusal
from ..tensor.overriding import DisableTorchFunctionSubclass
from .tensor import CALLS, NestedTensor

Handler = Callable[..., Any]
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Declare what functions of these names do; the function itself comes first."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


# One element of the result comes from one element of each operand.
ELEMENTWISE = frozenset("""
abs absolute acos acosh add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh
atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor ceil celu clamp clamp_max clamp_min clip conj conj_physical copysign cos cosh deg2rad
digamma div divide elu eq erf erfc erfinv exp exp2 expm1 fix float_power floor floor_divide fmax
fmin fmod frac gcd ge gelu greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh
heaviside hypot i0 imag invert isclose isfinite isinf isnan isneginf isposinf isreal lcm ldexp
le leaky_relu lerp less less_equal lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and
logical_not logical_or logical_xor logit logsigmoid lt masked_fill maximum minimum mish mul multiply
nan_to_num ne neg negative nextafter not_equal polygamma positive pow prelu rad2deg real reciprocal
reflected_div relu relu6 remainder round rrelu rsqrt rsub selu sgn sigmoid sign signbit silu sin
sinc sinh softplus softshrink softsign sqrt square sub subtract tan tanh tanhshrink threshold
true_divide trunc where xlogy dropout alpha_dropout feature_alpha_dropout addcmul addcdiv
__eq__ __ne__ __pow__ __rpow__ __rsub__ __floordiv__ __rfloordiv__ __rmod__ __and__ __or__ __xor__
__iadd__ __isub__ __imul__ __itruediv__ __idiv__ __ipow__ __rand__ __ror__ __rxor__ __lshift__
__rshift__ clone to float double half bfloat16 int long bool short char byte cpu type_as
ones_like zeros_like empty_like full_like rand_like randn_like randint_like copy fill zero normal
uniform bernoulli exponential random detach contiguous_values alias requires_grad nan_to_num
""".split())  # fmt: skip


def handle(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of the library that was given a nested tensor."""
    name = getattr(func, "__name__", "")
    if not args and "input" in kwargs:
        args, kwargs = (kwargs["input"],), {k: v for k, v in kwargs.items() if k != "input"}
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(func, *args, **kwargs)
    if name in ELEMENTWISE or (name.endswith("_") and name.rstrip("_") in ELEMENTWISE):
        return elementwise(func, args, kwargs)
    if name in ("__get__", "__set__", "__delete__") or name in _OF_THE_OBJECT:
        with DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    refuse(name)


CALLS.append(handle)

_OF_THE_OBJECT = frozenset(
    "is_floating_point is_complex is_signed element_size is_inference <lambda> type_ is_shared "
    "__hash__ share_memory_ get_device".split()
)


def refuse(name: str, why: str = "there is no such function of nested tensors") -> NoReturn:
    """Raise for what nested tensors cannot do."""
    raise refusal.not_implemented(
        f"{name}(): not supported for NestedTensor (layout torch.jagged): {why}",
        fix="compute with x.values(), with each of x.unbind(), or with "
        "x.to_padded_tensor(padding).",
    )


# ---- element by element --------------------------------------------------------------------------


def elementwise(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function on the values; dense operands are laid out as they are."""
    like = first_nested((*args, *kwargs.values()))
    name = func.__name__
    found = func(
        *(_operand(a, like, name) for a in args),
        **{k: _operand(v, like, name) for k, v in kwargs.items()},
    )
    if isinstance(found, torch.Tensor):
        for given in args[:1]:
            if isinstance(given, NestedTensor) and found is given._values:
                return given  # written in place, or nothing to do
        return like._like(found)
    return found


def first_nested(values: Any) -> NestedTensor:
    """The nested tensor that the others have to fit."""
    for value in values:
        if isinstance(value, NestedTensor):
            return value
        if isinstance(value, list | tuple):
            for each in value:
                if isinstance(each, NestedTensor):
                    return each
    raise TypeError("no nested tensor among the arguments")


def _operand(value: Any, like: NestedTensor, name: str) -> Any:
    if isinstance(value, NestedTensor):
        fits = value.ndim == like.ndim and value._ragged_idx == like._ragged_idx
        if not fits or value._ragged_length != like._ragged_length:
            raise _mismatch(name, like.shape, value.shape)
        return value._values
    if isinstance(value, torch.Tensor) and value.ndim:
        return laid_out(value, like, name)
    return value


def _mismatch(name: str, one: Any, other: Any) -> RuntimeError:
    return refusal.runtime(
        f"cannot call binary pointwise function {name} with inputs of shapes {tuple(one)} and "
        f"{tuple(other)}",
        why="Nested tensors fit if they have the same offsets: make the second with "
        "nested_tensor_from_jagged(values, x.offsets()).",
    )


def laid_out(dense: Any, like: NestedTensor, name: str) -> Any:
    """A dense operand as it broadcasts against the values of a nested tensor."""
    ragged = like._ragged_idx
    missing = like.ndim - dense.ndim
    if missing < 0 or (ragged >= missing and dense.shape[ragged - missing] != 1):
        raise _mismatch(name, like.shape, dense.shape)
    if missing:
        return dense  # no batch dimension, and the ragged one is broadcast
    if dense.shape[0] not in (1, len(like)):
        raise _mismatch(name, like.shape, dense.shape)
    if dense.shape[0] == 1:
        return dense.squeeze(0)
    rows = dense.squeeze(ragged)  # one for each component: repeated for each of its elements
    index = component_numbers(like)
    return rows.movedim(0, ragged - 1).index_select(ragged - 1, index)


def component_numbers(like: NestedTensor) -> Any:
    """For each place along the ragged dimension of the values, which component it belongs to."""
    starts = like._offsets[1:-1]
    places = torch.arange(like._values.shape[like._ragged_idx - 1])
    return torch.searchsorted(starts.contiguous(), places, right=True)


# ---- gradients -----------------------------------------------------------------------------------


@handles("grad")
def _grad(func: Any, outputs: Any, inputs: Any, grad_outputs: Any = None, **options: Any) -> Any:
    wanted = inputs if isinstance(inputs, list | tuple) else (inputs,)
    found = func(_values(outputs), [_values(t) for t in wanted], _values(grad_outputs), **options)
    return tuple(
        g if g is None or not isinstance(t, NestedTensor) else t._like(g)
        for t, g in zip(wanted, found, strict=True)
    )


@handles("backward")
def _backward(func: Any, tensors: Any, grad_tensors: Any = None, **options: Any) -> Any:
    return func(_values(tensors), _values(grad_tensors), **options)


def _values(t: Any) -> Any:
    if isinstance(t, list | tuple):
        return [_values(each) for each in t]
    return t._values if isinstance(t, NestedTensor) else t


@handles("register_hook")
def _register_hook(func: Any, nt: NestedTensor, hook: Any) -> Any:
    def on_values(gradient: Any) -> Any:
        return _values(hook(nt._like(gradient)))

    return nt._values.register_hook(on_values)


@handles("retain_grad")
def _retain_grad(func: Any, nt: NestedTensor) -> None:
    nt._values.retain_grad()


@handles("tolist", "numpy")
def _no_array(func: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise refusal.runtime(
        f".{func.__name__}() is not supported for tensor subclasses, got NestedTensor",
        fix=f"[t.{func.__name__}() for t in x.unbind()].",
    )


@handles("item")
def _item(func: Any, nt: NestedTensor) -> Any:
    return nt._values.item()


@handles("is_same_size")
def _is_same_size(func: Any, nt: Any, other: Any) -> bool:
    return tuple(nt.shape) == tuple(other.shape)


@handles("equal")
def _equal(func: Any, nt: Any, other: Any) -> bool:
    """Whether all components are the same."""
    if not isinstance(nt, NestedTensor) or not isinstance(other, NestedTensor):
        return False
    ours, theirs = nt._components(), other._components()
    return len(ours) == len(theirs) and all(map(func, ours, theirs))
