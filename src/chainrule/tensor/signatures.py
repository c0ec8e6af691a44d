"""What the public functions accept: the types of arguments, checked where users call.

A function of the public table is written for arguments of the right types. What users call is a
generated function of the same signature in front of it, which

- tests the cheap part before the call: a number where a tensor must be, a fraction where an int
  must be, anything but a bool for a flag; these would be accepted silently;
- explains a failure afterwards: an AttributeError because None was given for a tensor says so.

The kinds come from the annotations (bool, int, float, str, where nothing else may be given) and,
for tensors, from the names of the parameters, which are PyTorch's. An argument of a class that is
not known to be wrong passes: numbers that a trace follows, and users' own types, are none of our
business here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from ..autograd import refusal, source
from ..autograd.accidents import PROBLEMS, clear_error, in_words
from ..autograd.late import COPIES, TARGET, is_looking
from ..autograd.late_signature import show_signature
from ..autograd.value import PLAIN, TensorBase
from ..ops.dtypes import dtype as DType
from . import refused_types, spellings
from .overriding import awaken, call_as_given

# Parameters that are tensors wherever they occur, but for the functions of `_NOT_TENSORS`.
_TENSORS = frozenset(
    "input other A B weight target index mask src source indices input1 input2 x1 x2 mat1 mat2 "
    "mat vec vec1 vec2 tensor1 tensor2 batch1 batch2 tau LU LU_data LU_pivots pivots LD L real "
    "imag abs angle anchor positive negative query key hx w_ih w_hh condition theta grid "
    "log_probs bias running_mean running_var end attn_mask exponent boundaries sorted_sequence "
    "values tensor linear_weight linear_bias var x y count prob fweights aweights sorter "
    "sample logits".split()
)
_MAY_BE_NONE = frozenset("weight bias running_mean running_var attn_mask in_proj_bias".split())
# function -> parameters that need not be tensors in it
_NOT_TENSORS = {
    "add": "input other x2", "sub": "input other x2", "div": "input other x2",
    "true_divide": "input other",
    "rsub": "other", "lerp": "weight", "select": "index", "select_copy": "index",
    "select_scatter": "index", "scatter": "src", "movedim": "source", "index_put": "indices",
    "where": "input other", "repeat_interleave": "input", "bucketize": "input",
    "searchsorted": "input", "float_power": "input exponent", "slice_scatter": "end",
    "slice_copy": "end", "tensor_split": "indices", "nn.functional.gaussian_nll_loss": "var",
    "diag_embed": "", "cat": "tensors", "result_type": "tensor1 tensor2", "normal": "input",
    "polygamma": "input", "cov": "", "trapezoid": "", "vander": "", "histogramdd": "",
    "nn.functional.one_hot": "", "broadcast_tensors": "input", "hinge": "", "lstm_cell": "hx",
    "embedding_bag": "", "native_group_norm": "", "unsafe_split": "", "tensordot": "",
    "isin": "", "cartesian_prod": "",
}  # fmt: skip
# Called so often that one more call in front of them is felt; they look at their arguments
# themselves.
_UNGUARDED = frozenset(
    "add sub div view reshape sum mean matmul mm bmm transpose permute t softmax log_softmax "
    "flatten squeeze unsqueeze expand contiguous clone detach to cat stack chunk split "
    "nn.functional.linear nn.functional.cross_entropy "
    "nn.functional.mse_loss nn.functional.layer_norm nn.functional.dropout "
    "nn.functional.embedding nn.functional.gelu nn.functional.relu nn.functional.silu "
    "nn.functional.softmax nn.functional.log_softmax "
    "nn.functional.batch_norm".split()
)
_PLAIN_KINDS = ("bool", "int", "float", "str")
# Flags of functions that PyTorch writes in Python, where anything true or false will do.
_LENIENT = frozenset("size_average reduce align_corners unbiased recompute_scale_factor".split())
_WRONG = (bool, int, float, complex, str, list, tuple, dict, set, type(None), DType, slice)
_LARGEST = 1 << 63


class Parameter:
    """One parameter of a public function: what it may be."""

    __slots__ = ("kind", "name", "optional", "position")

    def __init__(self, name: str, kind: str, optional: bool, position: int | None) -> None:
        self.name = name
        self.kind = kind
        self.optional = optional
        self.position = position


def parameters_of(path: str, function: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a public function whose kind is known."""
    found = []
    free = _NOT_TENSORS.get(path, "").split()
    for position, p in enumerate(spellings.signature_of(function).parameters.values()):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        words = str(p.annotation).split(" | ")
        plain = words in ([words[0]], [words[0], "None"]) and words[0] in _PLAIN_KINDS
        lenient = p.name in _LENIENT and words == ["bool", "None"]
        kind = words[0] if plain and not lenient else ""
        if not kind and p.name in _TENSORS and p.name not in free:
            kind = "Tensor"
        if not kind and p.name == "dtype":
            kind = "torch.dtype"
        if not kind and p.name in ("alpha", "beta", "value") and p.default.__class__ is int:
            kind = "Number"
        if kind:
            place = position + 1 if p.kind is not p.KEYWORD_ONLY else None
            optional = p.default is None or "None" in words or p.name in _MAY_BE_NONE
            found.append(Parameter(p.name, kind, optional, place))
    return found


# ---- the generated function ----------------------------------------------------------------------


def guarded(path: str, name: str, function: Any, into: Any = None) -> Callable[..., Any]:
    """`function` behind its checks, with `out=` when `into` says how to write there.

    The code is made when it is first called: making all of them would cost the import.
    """
    space: dict[str, Any] = {}
    call: Any = FunctionType(_first_call.__code__, space, name)
    call.__dict__.update(function.__dict__)
    call.__wrapped__ = function
    show_signature(call, function)
    call.__qualname__, call.__doc__ = name, function.__doc__
    call.__module__ = function.__module__

    public = call

    def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = space[TARGET]
        parameters = parameters_of(path, function)
        refused = refused_types.TYPES.get(path, "")
        others = spellings.Others(path, name, spellings.signature_of(function))
        text = _text(function, parameters, others, into is not None, bool(refused))
        made: dict[str, Any] = {}
        exec(compile(text, f"<chainrule signature {name}>", "exec"), made)
        explain = _explainer(path, name, parameters)
        space.update(
            made, function=function, into=into, PLAIN=PLAIN, PROBLEMS=PROBLEMS, explain=explain,
            check=_checker(name, parameters), LARGEST=_LARGEST, again=call,
            redirect=partial(call_as_given, public), OVERRIDDEN=_OVERRIDDEN,
            REFUSED=refused_types.names_of(refused), refuse=partial(refused_types.refuse, name),
            respelled=others.respelled,
        )  # fmt: skip
        written = made["call"]
        named = {**(function.__kwdefaults__ or {}), **(written.__kwdefaults__ or {})}
        for own in spellings.signature_of(function).parameters.values():
            if own.kind is own.KEYWORD_ONLY and own.default is own.empty:
                named.pop(own.name, None)
            elif own.kind is own.KEYWORD_ONLY:
                named[own.name] = own.default
        for known in (call, *COPIES.get(call, ())):
            # What asks for overrides first (`overriding.wrap`) stands before the one to change.
            bearer = (known.__kwdefaults__ or {}).get("_original", known)
            if not is_looking(bearer):  # else it has to be called first, and comes here again
                bearer.__defaults__, bearer.__kwdefaults__ = others.defaults, dict(named)
                bearer.__code__ = written.__code__
        if awaken((*args, *kwargs.values())):
            return public(*args, **kwargs)
        return call(*args, **kwargs)

    space.update({"make": make, TARGET: call})
    return call  # type: ignore[no-any-return]


def respelled(function: Any) -> Any:
    """A function outside the public table that takes NumPy's keywords too."""
    return guarded(function.__name__, function.__name__, function)


def _first_call(*args: Any, **kwargs: Any) -> Any:
    return make(args, kwargs)  # type: ignore[name-defined] # noqa: F821 - see guarded


def is_guarded(path: str) -> bool:
    """Whether checks stand before a function even where they cost an extra call."""
    return path not in _UNGUARDED


def _text(
    function: Any,
    parameters: list[Parameter],
    others: spellings.Others,
    out: bool,
    refuses: bool,
) -> str:
    """The source of the function in front of `function`."""
    given, passed, seen = [], [], []
    own = list(spellings.signature_of(function).parameters.values())
    for k, p in enumerate(own):
        if k == others.place:
            given += [f"{name}=..." for name in others.positional]
        default = "" if p.default is p.empty and p.name not in others.required else "=None"
        if p.kind is p.VAR_POSITIONAL:
            given.append(f"*{p.name}")
            passed.append(f"*{p.name}")
            seen.append(f"{p.name!r}: {p.name}")
        elif p.kind is p.VAR_KEYWORD:
            given.append(f"**{p.name}")
            passed.append(f"**{p.name}")
        else:
            if p.kind is p.KEYWORD_ONLY and not any(g.startswith("*") for g in given):
                given.append("*")
            given.append(p.name + default)
            passed.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name)
            seen.append(f"{p.name!r}: {p.name}")
    if others.place == len(own):
        given += [f"{name}=..." for name in others.positional]
    further = [f"{name}=..." for name in others.by_keyword] + (["out=None"] if out else [])
    if further:
        rest = [given.pop()] if given and given[-1].startswith("**") else []
        given += ([] if any(g.startswith("*") for g in given) else ["*"]) + [*further, *rest]
    lines = [f"def call({', '.join(given)}):", *others.lines(out)]
    tests = " or ".join(t for t in map(_test, parameters) if t)
    shown = f"{{{', '.join(seen)}}}"
    if tests:
        lines.append(f"    if {tests}:")
        lines.append(f"        numbers = check({shown})")
        lines.append(f"        if numbers is None: return redirect({shown})")
        lines += [
            f"        {p.name} = numbers[{p.name!r}]" for p in parameters if p.kind in _NUMBERS
        ]
    first = next(iter(spellings.signature_of(function).parameters.values()))
    if refuses and first.kind is first.VAR_POSITIONAL:  # autocast stands before it
        x = f"{first.name}[0]"
        known = f"{first.name} and {x}.__class__ in PLAIN"
        refusal = f"if {known} and {x}.dtype.name in REFUSED: refuse({x})"
    elif refuses:
        refusal = f"if {first.name}.dtype.name in REFUSED: refuse({first.name})"
    else:
        refusal = ""
    lines.append("    try:")
    if refusal:
        lines.append(f"        {refusal}")
    if out:
        lines.append("        if out is not None:")
        lines.append(f"            return into(out, ({_positional(passed)}), {_named(passed)})")
    lines.append(f"        return function({', '.join(passed)})")
    lines.append("    except PROBLEMS as problem:")
    lines.append(f"        numbers = explain({shown}, problem)")
    lines.append("        if numbers is None: raise")
    lines.append(f"        if numbers is OVERRIDDEN: return redirect({shown})")
    lines += [f"    {name} = numbers[{name!r}]" for name in _names(seen)]
    lines.append(f"    return again({', '.join([*passed, 'out=out'] if out else passed)})")
    return "\n".join(lines)


def _names(seen: list[str]) -> list[str]:
    return [pair.rsplit(": ", 1)[1] for pair in seen]


def _positional(passed: list[str]) -> str:
    return "".join(f"{p}, " for p in passed if "=" not in p and not p.startswith("**"))


def _named(passed: list[str]) -> str:
    pairs = (p.split("=", 1) for p in passed if "=" in p)
    rest = "".join(f", {p}" for p in passed if p.startswith("**"))
    return "{" + (", ".join(f"{k!r}: {v}" for k, v in pairs) + rest).removeprefix(", ") + "}"


def _test(p: Parameter) -> str:
    """A cheap condition that holds when an argument has to be looked at."""
    n, maybe = p.name, f"{p.name} is not None and " if p.optional else ""
    if p.kind == "Tensor":
        return f"({maybe}{n}.__class__ not in PLAIN)"
    if p.kind == "bool":
        return f"({n} is not False and {n} is not True)"
    if p.kind == "int":
        return f"({maybe}({n}.__class__ is not int or not -LARGEST <= {n} < LARGEST))"
    if p.kind == "float":
        return f"({maybe}{n}.__class__ is not float)"
    if p.kind == "Number":
        return f"({n}.__class__ is not int and {n}.__class__ is not float)"
    return ""


# ---- what is wrong -------------------------------------------------------------------------------


def _checker(
    name: str, parameters: list[Parameter]
) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    def check(given: dict[str, Any]) -> dict[str, Any] | None:
        """Refuse what is wrong; the arguments, with NumPy's numbers as Python's.

        None where one of them overrides the function, which was not noticed until now.
        """
        if awaken(given.values()):
            return None
        for p in parameters:
            if p.kind in _NUMBERS:
                given[p.name] = _plain(given[p.name])
            value: Any = given[p.name]
            if (value is None and p.optional) or p.kind not in _CHECKED_BEFORE:
                continue
            if _is_wrong(p, value):
                raise wrong_type(name, p.name, p.position, p.kind, value)
            if p.kind == "int" and isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
                raise too_large(name, p.name, value)
        return given

    return check


def _plain(value: Any) -> Any:
    """NumPy's number, alone or in a list, as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if value.__class__ in (list, tuple) and any(isinstance(v, np.generic) for v in value):
        return value.__class__(map(_plain, value))
    return value


_OVERRIDDEN: dict[str, Any] = {}  # says that an argument overrides the function
_NUMBERS = ("bool", "int", "float", "Number")
_CHECKED_BEFORE = ("Tensor", "bool", "int", "float", "Number")


def _is_wrong(p: Parameter, value: Any) -> bool:
    cls = value.__class__
    if cls is np.ndarray and p.kind in ("Number", "float"):
        return True  # it would make tensors of its own type
    if p.kind == "Number":
        return cls in _WRONG and cls not in (float, int, bool, complex)
    if p.kind == "Tensor":
        return cls in _WRONG
    if p.kind == "bool":
        return cls in _WRONG and cls is not bool
    if p.kind == "int":
        if isinstance(value, TensorBase):
            return _no_index(value)
        return (cls in _WRONG and cls is not int) or isinstance(value, np.floating)
    if p.kind == "float":
        return cls in _WRONG and cls not in (float, int, bool)
    if p.kind == "str":
        return cls in _WRONG and cls is not str
    return cls in _WRONG and cls is not DType


def _no_index(value: Any) -> bool:
    """Whether a tensor cannot be an int: not of one element, or no integer."""
    return value._level is None and (value.numel() != 1 or value.dtype.category > 1)


def _explainer(
    path: str, name: str, parameters: list[Parameter]
) -> Callable[..., dict[str, Any] | None]:
    def explain(given: dict[str, Any], problem: Exception) -> dict[str, Any] | None:
        """Raise a better error than `problem`, if it comes from a wrong argument.

        Arguments to try instead: NumPy's numbers as Python's, where there are some.
        """
        if awaken(given.values()):
            return _OVERRIDDEN
        plain = {key: _plain(value) for key, value in given.items()}
        if any(plain[key] is not value for key, value in given.items()):
            return plain
        if problem.__class__ in (RuntimeError, NotImplementedError):
            return None
        for p in parameters:
            value = given[p.name]
            if not (value is None and p.optional) and _is_wrong(p, value):
                raise wrong_type(name, p.name, p.position, p.kind, value) from None
        lacking = getattr(problem, "obj", _explainer)
        for position, (key, value) in enumerate(given.items(), 1):
            if value.__class__ is int and not -_LARGEST <= value < _LARGEST:
                raise too_large(name, key, value) from None
            if isinstance(problem, AttributeError):
                for part in value if isinstance(value, list | tuple) else (value,):
                    # Small numbers and None are one object wherever they occur.
                    if part is lacking and part.__class__ in (str, list, tuple, dict, float):
                        raise wrong_type(name, key, position, "Tensor", part) from None
        clear = clear_error(name, given, problem, f"help(torch.{path}) says what it takes.")
        if clear is not None:
            raise clear from problem
        return None

    return explain


def wrong_type(name: str, parameter: str, position: int | None, kind: str, value: Any) -> TypeError:
    """The error for an argument of a wrong type."""
    place = f" (position {position})" if position else ""
    got = "Tensor" if isinstance(value, TensorBase) else type(value).__name__
    shown = f"of shape {list(value.shape)}" if got == "Tensor" else in_words(value)
    fix = ""
    if kind == "Tensor" and isinstance(value, bool | int | float | complex | list | tuple):
        fix = f"\n  Fix: {parameter}=torch.tensor({parameter})"
    return TypeError(
        f"{name}(): argument '{parameter}'{place} must be {kind}, not {got}\n"
        f"  It is {shown}, at {source.here()}{fix}"
    )


def too_large(name: str, parameter: str, value: int) -> ValueError:
    return refusal.value(
        f"Overflow when unpacking long long: {parameter}={in_words(value)} is beyond 64 bits",
        f"{name}()",
    )
