"""The public surface as a table: every torch-style function, its method, in-place and out= forms.

Two sources fill it. Element-by-element ops of the op table are public as they are. Everything with
a signature of its own (dim/keepdim, defaults, overloads) is written once in `functions/` and
declared with `@public`. From a record come:

    chainrule.name(...)      the function, with `out=`
    Tensor.name(...)         the method
    Tensor.name_(...)        the in-place form, with history
    aliases                  of all three
    chainrule.linalg.name    by its namespace

Element-wise entries are specialised on their first call, not at import.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain
from ..autograd.entries import (
    can_specialise,
    check_numbers,
    function_entry,
    method_entry,
    operands_by_name,
)
from ..autograd.inplace import assign, begin_at_root, check_apart, inplace
from ..autograd.late import late, looking_once
from ..autograd.plain_write import ROWS_WRITTEN, rows_written_plainly
from ..autograd.state import STATE
from ..autograd.value import TensorBase
from ..ops.schema import TABLE, Op
from . import overriding
from .outputs import DRAWING, WRITES_BY_INDEX, check_before_drawing, write_out
from .signatures import guarded, is_guarded

API: dict[str, Public] = {}
_COMPUTED_IN_TYPE_OF_OUT = frozenset(("cumsum", "cumprod", "sum", "prod", "nansum"))


class Public:
    """One public function and the forms it has."""

    __slots__ = (
        "aliases", "autocast", "exact_out", "function", "inplace", "method", "name", "namespace",
        "numbers", "op", "out", "takes_type_of_out",
    )  # fmt: skip

    def __init__(self, name: str, function: Callable[..., Any], **forms: Any) -> None:
        self.name = name
        self.function = function
        self.method: bool = forms.get("method", True)
        self.inplace: bool = forms.get("inplace", False)
        self.out: bool = forms.get("out", True)
        self.exact_out: bool = forms.get("exact_out", False)
        self.aliases: tuple[str, ...] = tuple(forms.get("aliases", ()))
        self.namespace: str = forms.get("namespace", "")
        self.autocast: str = forms.get("autocast", "")
        self.op: Op | None = forms.get("op")
        self.numbers: str = forms.get("numbers", "all")
        self.takes_type_of_out: bool = name in _COMPUTED_IN_TYPE_OF_OUT

    @property
    def path(self) -> str:
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


def public(name: str | None = None, **forms: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a torch-style function.

    method     also a Tensor method (default True; False for functions of a namespace)
    inplace    also `name_` (default False)
    out        accepts `out=` (default True)
    exact_out  whose type must be the result's (default False: it is converted)
    aliases    other names; one with a dot ("special.expit") goes into that namespace
    namespace  "linalg", "fft", "special", "nn.functional"; default: the package itself
    autocast   what its arguments are cast to under autocast: "lower" (the lower precision),
               "float32", "widest" (of theirs), "contracted" or "mirrored" (by what is asked for);
               default: they stay, as does what in-place and `out=` forms take
    op         name of the op whose `inplace` machinery the in-place form uses directly
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        given = dict(forms)
        if given.get("namespace"):
            given.setdefault("method", False)
        if isinstance(given.get("op"), str):
            given["op"] = TABLE[given["op"]]
        record = Public(name or function.__name__, function, **given)
        if record.path in API:
            raise TypeError(f"{record.path} is declared twice in the public table")
        API[record.path] = record
        return function

    return register


def in_dims(*counts: int, **forms: Any) -> Callable[[Callable[[int], Any]], tuple[Any, ...]]:
    """Declare the functions `<name>1d`, `<name>2d`, ... that `name(1)`, `name(2)`, ... give.

    In aliases and in the docstring `{}` is the number of dimensions. `autocast` may be a dictionary
    by that number.
    """

    def register(family: Callable[[int], Any]) -> tuple[Any, ...]:
        made = []
        for nd in counts:
            function = family(nd)
            function.__name__ = function.__qualname__ = f"{family.__name__}{nd}d"
            function.__doc__ = function.__doc__.format(nd)
            own = {**forms, "aliases": tuple(a.format(nd) for a in forms.get("aliases", ()))}
            if isinstance(own.get("autocast"), dict):
                own["autocast"] = own["autocast"].get(nd, "")
            made.append(public(**own)(function))
        return tuple(made)

    return register


def expose(op: Op, function: Callable[..., Any] | None = None) -> None:
    """Make an op public as its column `public` says, under its own name, by an entry of its own.

    numbers   which operands may be Python numbers: "all", "some" (one of them is a tensor),
              "other" (all but the first) or "none"; of one operand: none
    """
    forms = dict(op.public or {})
    inside = forms.get("namespace") is not None
    forms.setdefault("inplace", not inside and function is None)
    forms.setdefault("method", not inside)
    forms.setdefault("numbers", "none" if len(op.inputs) == 1 else "all")
    if function is None:
        forms["op"], function = op, lazy_entry(op, forms["numbers"])
    record = Public(op.name, function, **forms)
    if record.path in API:
        raise TypeError(f"{record.path} is declared twice in the public table")
    API[record.path] = record


def lazy_entry(op: Op, numbers: str) -> Callable[..., Any]:
    """A function that makes the op's specialised entry when first called."""

    def call(*args: Any, **params: Any) -> Any:
        if params:
            args, params = operands_by_name(op, args, params)
        return public_entry(op, numbers)(*args, **params)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    call.op = op  # type: ignore[attr-defined]
    return call


def public_entry(op: Op, numbers: str) -> Callable[..., Any]:
    """The op's entry for users, who may not give numbers everywhere."""
    key = "public " + numbers
    made = op.cache.get(key)
    if made is None:
        made = op.cache[key] = method_entry(op, numbers)
    return made


# ---- derived forms -------------------------------------------------------------------------------


def with_out(record: Public) -> Callable[..., Any]:
    """The function form: computes, then writes into `out` when one is given."""

    def into(out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        exact = record.exact_out or kwargs.get("dtype") is not None
        if record.takes_type_of_out and isinstance(out, TensorBase) and not kwargs.get("dtype"):
            kind = out.dtype  # type: ignore[attr-defined]
            if record.name != "nansum" or kind.is_floating_point:  # nowhere else is there a NaN
                kwargs["dtype"] = kind
        if record.path in DRAWING:
            check_before_drawing(record.path, out, (*args, *kwargs.values()))
        result = _to_be_written(record, args, kwargs)
        return write_out(record.path, result, out, (*args, *kwargs.values()), exact)

    return guarded(record.path, record.name, record.function, into)


def _to_be_written(
    record: Public, args: tuple[Any, ...], kwargs: dict[str, Any], function: Any = None
) -> Any:
    """What an in-place or out= form writes. Autocast leaves most of these forms alone."""
    function = function or record.function
    settings = STATE.autocast
    if settings is None:
        return function(*args, **kwargs)
    # `tensordot` computes as ever and then copies.
    casts = "" if record.path == "tensordot" else record.autocast
    STATE.autocast = settings.of_written_forms(casts)
    try:
        return function(*args, **kwargs)
    finally:
        STATE.autocast = settings


def in_place_form(record: Public) -> Callable[..., Any]:
    """`x.name_(...)`: by the op's own in-place run where there is one, else compute and assign."""
    name = record.name + "_"
    op, numbers = record.op, record.numbers
    if op is not None and record.function.__dict__.get("op") is op:

        def own_run(self: Any, *args: Any, **params: Any) -> Any:
            try:
                if params:
                    args, params = operands_by_name(op, (self, *args), params)
                    args = args[1:]
                if numbers == "none":
                    check_numbers(op, args, numbers)
                return inplace(op, self, args, params, name)
            except PROBLEMS as problem:
                explain(record.function, name, (self, *args), params, problem)
                raise

        call = own_run
    else:
        by_index = record.path in WRITES_BY_INDEX
        rows = record.path in ROWS_WRITTEN
        checked = record.function if op else guarded(record.path, name, record.function)

        def compute_and_assign(self: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                if rows and not kwargs and rows_written_plainly(self, args, name):
                    return self
                # Rules may save self, whose memory is about to change: compute from a copy then.
                check_apart(self, (*args, *kwargs.values()), name, touching=by_index)
                begin_at_root(self)
                source_value = self
                if STATE.grad_enabled and (self._rg or _any_requires_grad(args)):
                    source_value = self.clone()
                result = _to_be_written(record, (source_value, *args), kwargs, checked)
                if kwargs.get("dtype") is not None and record.takes_type_of_out:
                    _same_type(name, self, result)
                elif name == "float_power_" and result.dtype is not self.dtype:
                    raise refusal.runtime(
                        f"the base given to float_power_ has dtype {self.dtype!r} but the "
                        f"operation's result requires dtype {result.dtype!r}",
                        fix="x.pow_(exponent), which keeps the type.",
                    )
                return assign(self, result, name)
            except PROBLEMS as problem:
                explain(record.function, name, (self, *args), kwargs, problem)
                raise

        call = compute_and_assign
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"In-place form of :func:`{record.name}`."
    return call


def _same_type(name: str, x: Any, result: Any) -> None:
    if result.dtype is not x.dtype:
        raise refusal.runtime(
            f"Bad in-place call: input tensor dtype {x.dtype!r} and output tensor dtype "
            f"{result.dtype!r} should match",
            f"{name}",
        )


def _any_requires_grad(args: tuple[Any, ...]) -> bool:
    return any(isinstance(a, TensorBase) and a._rg for a in args)


# ---- installation --------------------------------------------------------------------------------


def install_methods(tensor_class: type) -> None:
    """Give the Tensor class the methods of every record, unless it defines its own."""
    own = set(vars(tensor_class))
    for record in API.values():
        local = [a for a in record.aliases if "." not in a]
        for name in (record.name, *local):
            if record.method and name not in own:
                setattr(tensor_class, name, _method(name, record))
            if record.inplace and name + "_" not in own:
                setattr(tensor_class, name + "_", in_place_form(record))


def _method(name: str, record: Public) -> Callable[..., Any]:
    op = record.function.__dict__.get("op")
    if op is None:
        if not is_guarded(record.path):
            return _public_copy(record)
        return guarded(record.path, name, record.function)
    return late(name, op.doc, lambda: public_entry(op, record.numbers))


def functions_of(namespace: str) -> dict[str, Callable[..., Any]]:
    """The functions of a namespace, aliases included."""
    return {
        name: function_form(record, namespace, name)
        for name, record in records_of(namespace).items()
    }


def records_of(namespace: str) -> dict[str, Public]:
    """The records of a namespace by the names users know them by, aliases included."""
    found: dict[str, Public] = {}
    for record in API.values():
        if record.namespace == namespace:
            found[record.name] = record
        for alias in record.aliases:
            space, _, last = _alias_path(record, alias).rpartition(".")
            if space == namespace:
                found[last] = record
    return found


_FORMS: dict[str, Callable[..., Any]] = {}
# Functions that torch and torch.nn.functional have in common, as one object.
_SHARED = frozenset(
    "adaptive_avg_pool1d avg_pool1d bilinear channel_shuffle conv1d conv2d conv3d conv_tbc "
    "conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity hardshrink "
    "native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu".split()
)


def function_form(
    record: Public, namespace: str | None = None, name: str = ""
) -> Callable[..., Any]:
    """The function of a record as users call it, made when first asked for.

    Each namespace that has it gets a function of its own, as in PyTorch: programs tell `softmax` of
    torch from that of `torch.nn.functional`. So does each name, which pickles find it by.
    """
    space = record.namespace if namespace is None or record.name in _SHARED else namespace
    name = name or record.name
    elsewhere = (space, name) != (record.namespace, record.name)
    key = f"{record.path} as {space}.{name}" if elsewhere else record.path
    made: Any = _FORMS.get(key)
    if made is None:
        made = _function_form(record)
        plain = not record.out and record.function.__dict__.get("op") is None
        if space != record.namespace and plain and not is_guarded(record.path):
            # The package takes NumPy's keywords, for which something must stand before it.
            made = guarded(record.path, record.name, record.function)
        _FORMS[key] = made
        if isinstance(made, FunctionType):
            name_as_found(made, space, name)
            if overriding.ACTIVE:
                overriding.wrap(made, made)
    return made


# Namespaces whose functions PyTorch names after them: `torch.fft.rfft.__name__` is "fft_rfft".
_IN_NAMES = ("fft", "linalg", "special")


NAMED: list[FunctionType | type] = []


def name_as_found(function: FunctionType, namespace: str, name: str) -> None:
    """Let a function say where users find it, which is what pickles write."""
    NAMED.append(function)
    package = sys.modules[__name__.partition(".")[0]].__name__  # "torch" under the import hook
    function.__module__ = f"{package}.{namespace}" if namespace else package
    function.__name__ = f"{namespace}_{name}" if namespace in _IN_NAMES else name
    function.__qualname__ = name


def made_forms() -> list[Callable[..., Any]]:
    """The functions that were asked for."""
    return list(_FORMS.values())


def _function_form(record: Public) -> Callable[..., Any]:
    op = record.function.__dict__.get("op")
    if op is not None and record.out and can_specialise(op) and len(op.inputs) <= 2:
        return function_entry(op, write_out, record.numbers)
    if record.out:
        return with_out(record)
    if op is not None or (record.namespace and not is_guarded(record.path)):
        return _public_copy(record)
    return guarded(record.path, record.name, record.function)


def _public_copy(record: Public) -> Any:
    """What users call is never what the library calls: `overriding` changes the users'."""
    function: Any = record.function
    return looking_once(function) if isinstance(function, FunctionType) else function


def _alias_path(record: Public, alias: str) -> str:
    if alias.startswith("."):  # ".name": the package itself, for records of a namespace
        return alias[1:]
    if "." in alias:
        return alias
    return f"{record.namespace}.{alias}" if record.namespace else alias
