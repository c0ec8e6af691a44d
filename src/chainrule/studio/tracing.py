"""`trace`, `show` and the rest of what users call; the errors about what they gave."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase
from ..autograd.watching import watching
from ..nn.modules.module import Module
from ..random import get_rng_state
from ..reading import Names, Tape, track_modules
from ..serialization.files import write_text
from .asked import Asked, settled
from .document import Builder
from .modes import Ran, modes
from .recording import Recorder
from .values import number

NOT_FINITE = ("nan", "inf", "-inf")


class Trace:
    """A run to look at: `document` is all of it as plain data.

    In a notebook it shows itself; `to_html("lesson.html")` writes one file that needs nothing else.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def __repr__(self) -> str:
        d = self.document
        return (
            f"<Trace of {d['title']}: {len(d['forward'])} ops forward, {len(d['backward'])} steps "
            "back; .to_html(path) writes it as a page>"
        )

    def to_json(self, **options: Any) -> str:
        """The document as JSON (no NaN or infinity: those are strings)."""
        return json.dumps(self.document, allow_nan=False, **options)

    def to_html(self, path: Any = None) -> str:
        """One page to step through, without any network; written to `path` if one is given."""
        from .page import page

        text = page(self.document)
        if path is not None:
            write_text(path, text)
        return text

    def show(self) -> Trace:
        """Open it: inside a notebook below the cell, else as a page in the browser."""
        from .showing import show_trace

        show_trace(self)
        return self

    def _repr_html_(self) -> str:
        from .page import frame

        return frame(self.document)


def trace(
    f: Callable[..., Any], at: Mapping[str, Any] | None = None, *, title: str = "",
    result: str = "",
) -> Trace:  # fmt: skip
    """Run a function at a point and keep every step of it, forward and backward.

    `at` gives its inputs: numbers, lists, arrays (taken as float64; as float32 where the function
    takes no other, as a model does), tensors (taken as they are, except that floating ones require
    grad) or dicts of these. Defaults fill what is left out. Of a
    function with several results `result` names the one to look at (`[1]`, `loss`).

    >>> import chainrule as torch
    >>> def cost(w, b):
    ...     error = 2 * w + b - 7
    ...     return error ** 2
    >>> t = torch.studio.trace(cost, {"w": 3, "b": 2})
    >>> [step["torch"] for step in t.document["backward"]][:2]
    ['PowBackward0', 'SubBackward0']
    >>> [(row["input"], row["automatic"]) for row in t.document["modes"]["rows"]]
    [('w', 4.0), ('b', 2.0)]
    """
    asked = Asked(f, at, result)
    return settled(asked, lambda: _traced(asked, title))


def _traced(f: Asked, title: str) -> Trace:
    draws = get_rng_state()
    inputs, fixed = bound_inputs(f, f.at)
    f.fixed |= fixed
    recorder, models = Recorder(), _models_of(f, f.fixed)
    for name, tensor in inputs.items():
        recorder.names.add(name, tensor)
    for name, model in models.items():
        recorder.names.add_module(name, model)
    began = perf_counter()
    with track_modules(**models) as calls, watching(recorder):
        y = f(**inputs)
    seconds = perf_counter() - began
    made = _built(y, recorder, calls if models else None, inputs, title or f.__name__)
    ran = Ran(len(recorder.ops), seconds, draws, _is_coarse(made))
    made["modes"] = modes(f, inputs, _gradients(made, inputs), ran)
    if f.single:
        made["notes"].append("The numbers are single precision here: the program took no double.")
    made["results"], made["result"] = f.results, f.result
    made["inputs"] = [
        {"name": n, "node": _id_of_input(made, n), "shape": list(t._a.shape),
         "value": listed(t._a)}
        for n, t in inputs.items() if t._a.dtype.kind == "f" and t._a.size <= 64
    ]  # fmt: skip
    return Trace(made)


def read(y: Any, *, module: Any = None, gradient: Any = None) -> Trace:
    """The same of a tensor that was computed already, as far as the tape still knows it.

    Values that nobody kept are missing; `trace` has them all.
    """
    tape = Tape.of(y).name(Names.here(module))
    seed = None if gradient is None else np.asarray(getattr(gradient, "_a", gradient))
    title = tape.root.title or tape.root.place.expression or "y"
    made = Builder(tape, None, None, {}).document(title, seed)
    return Trace(made)


def show(y: Any, *, module: Any = None, gradient: Any = None) -> Trace:
    """`read(y)`, and open it: below the cell of a notebook, else in the browser.

    >>> import chainrule as torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> torch.studio.show((3 * x).sin())  # doctest: +SKIP
    """
    return read(y, module=module, gradient=gradient).show()


def trace_model(model: Any, *data: Any, loss: Callable[[Any], Any] | None = None) -> Trace:
    """One pass of a model over data.

    Without a `loss` the gradients are those of the sum of what the model returns.
    """
    if not isinstance(model, Module):
        raise TypeError(f"expected a module and its data, got {type(model).__name__}")
    recorder = Recorder()
    recorder.names.add_module("model", model)
    with track_modules(model) as calls, watching(recorder):
        y = model(*data)
        if loss is not None:
            y = loss(y)
    return Trace(_built(y, recorder, calls, {}, type(model).__name__))


def _built(y: Any, recorder: Recorder, calls: Any, inputs: Mapping, title: str) -> dict[str, Any]:
    if not isinstance(y, TensorBase):
        raise TypeError(
            f"{title} returned {type(y).__name__}, not a tensor computed from its inputs. "
            "Fix: return the tensor itself, not float(result) or result.item(); math.* functions "
            "take plain numbers only, use the tensor's own (x.exp(), x.log())."
        )
    if not y._rg:
        raise RuntimeError(
            f"{title} returned a tensor that does not require grad: it was not computed from the "
            "inputs, or under no_grad or by detach(). There is nothing to step through. Fix: "
            "compute the result from the inputs."
        )
    recorder.hold_values()
    tape = Tape.of(y).name(recorder.names)
    if not tape.root.title and title.isidentifier():
        tape.root.title = title  # `return a + b` has no name but the function's
    return Builder(tape, recorder, calls, inputs).document(title)


def bound_inputs(f: Asked, at: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the tensors to differentiate by, everything else) as the function is called with them."""
    given = dict(at)
    inputs: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    parameters = inspect.signature(f).parameters
    for name, p in parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if name not in given and p.default is p.empty:
            raise TypeError(f"{f.__name__} needs a value for {name!r}: give it in at={{...}}")
        value = given.pop(name, p.default)
        if isinstance(value, str) and value in NOT_FINITE and not isinstance(p.default, str):
            value = float(value)  # as JSON has it
        tensor = as_input(value, p.default, f.single)
        if tensor is None:
            fixed[name] = value
        else:
            inputs[name] = tensor
    if given:
        known = ", ".join(parameters) or "none"
        raise TypeError(f"{f.__name__} has no input {', '.join(given)}; its inputs are: {known}")
    return inputs, fixed


def listed(a: np.ndarray) -> Any:
    """An array's numbers as nested lists; what JSON has no number for is a string."""
    return number(a) if a.ndim == 0 else [listed(row) for row in a]


def as_input(value: Any, like: Any = None, single: bool = False) -> Any:
    """A value as a tensor that requires grad; None where it is nothing to differentiate by.

    Numbers in the place of a tensor (`like`) have its type; others are double, or `single`.
    """
    from ..tensor.creation import tensor

    if isinstance(value, TensorBase):
        if value._a.dtype.kind == "f" and not value._rg:
            return value.detach().requires_grad_()  # type: ignore[attr-defined]
        return value if value._rg else None
    if isinstance(value, bool | str | bytes) or value is None:
        return None
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        return None
    known = like._a.dtype if isinstance(like, TensorBase) else getattr(like, "dtype", None)
    if known is not None and known.kind == "f":
        numbers = numbers.astype(known)
    elif single:
        numbers = numbers.astype(np.float32)
    return tensor(numbers, requires_grad=True)


def _models_of(f: Asked, fixed: Mapping[str, Any]) -> dict[str, Any]:
    """Modules that a function can reach: its arguments and its module's variables."""
    found = {n: v for n, v in fixed.items() if isinstance(v, Module)}
    for name, value in list(f.__globals__.items()):
        if isinstance(value, Module) and name.isidentifier() and not name.startswith("__"):
            found.setdefault(name, value)
    return found


def _gradients(made: dict[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The gradients of the inputs as the backward pass left them."""
    names = {n["id"]: n["name"] for n in made["nodes"] if n["kind"] == "input"}
    found = {}
    for step in made["backward"]:
        if step["kind"] == "leaf" and step["node"] in names and step["gradient"]:
            listed = step["gradient"].get("numbers")
            if listed is not None:
                found[names[step["node"]]] = np.asarray([float(x) for x in listed])
    return found


def _is_coarse(made: dict[str, Any]) -> bool:
    """Whether something was computed in less than double precision."""
    types = {o.get("dtype") for n in made["nodes"] if n["tracked"] for o in n["outputs"]}
    return bool(types & {"float32", "complex64", "float16", "bfloat16"})


def _id_of_input(made: dict[str, Any], name: str) -> int:
    return next((n["id"] for n in made["nodes"] if n["kind"] == "input" and n["name"] == name), -1)


explain_module(globals())

__all__ = ["Trace", "as_input", "bound_inputs", "read", "show", "trace", "trace_model"]
