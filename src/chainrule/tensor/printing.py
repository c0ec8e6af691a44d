"""The text of a tensor: ``repr``, ``str`` and ``format``, character for character as PyTorch.

The work is done in three steps. `_visible` keeps only the entries that will be shown, so that a
huge tensor costs no more than its summary. `_cells` writes every visible entry in one common
style. `_brackets` folds the cells into rows, rows into matrices and so on, from the inside out.

Nothing here knows the Tensor class: the caller hands in the array and the facts to show after it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autograd.accidents import PROBLEMS, explain_here

__all__ = [
    "PrintOptions",
    "contents_text",
    "format_tensor",
    "get_printoptions",
    "printoptions",
    "set_printoptions",
    "tensor_text",
    "transform_text",
]

# Beyond these, in ratio of largest to smallest or in size, fixed point becomes unreadable.
_SCIENTIFIC_RATIO = 1000.0
_SCIENTIFIC_ABOVE = 1e8
_SCIENTIFIC_BELOW = 1e-4

# A mark inside a row keeps the extra blank that sets it apart from the numbers.
_ROW_ELLIPSIS = " ..."
_ELLIPSIS = "..."


# ----- Options ---------------------------------------------------------------------------------


class PrintOptions:
    """How tensors are shown; one instance holds the settings of the whole process."""

    # Not a dataclass: importing dataclasses would cost more than this whole module.
    __slots__ = ("edgeitems", "linewidth", "precision", "sci_mode", "threshold")

    def __init__(self) -> None:
        self.precision: int = 4
        self.threshold: float = 1000
        self.edgeitems: int = 3
        self.linewidth: int = 80
        self.sci_mode: bool | None = None


_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how every tensor prints from now on.

    Settings that are not given stay, except `sci_mode`: each call sets it, and None lets the values
    decide. `profile` ("default", "short" or "full") is applied first.

    >>> set_printoptions(precision=2)
    >>> print(contents_text(np.array([0.12345, 1.5])))
    [0.12, 1.50]
    >>> set_printoptions(profile="default")
    """
    try:
        chosen: dict[str, Any] = {}
        if profile is not None:
            # An unknown profile changes nothing, as in PyTorch.
            chosen.update(_PROFILES.get(profile, {}))
        given = {
            "precision": precision,
            "threshold": threshold,
            "edgeitems": edgeitems,
            "linewidth": linewidth,
        }
        chosen.update({name: value for name, value in given.items() if value is not None})
        for name, value in chosen.items():
            _check_option(name, value)
        if not isinstance(sci_mode, bool | None):
            raise _no_option("sci_mode", sci_mode, "True, False or None")
        for name, value in chosen.items():
            setattr(_options, name, value)
        _options.sci_mode = sci_mode
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _check_option(name: str, value: Any) -> None:
    """Refuse what could not be printed with: every error that shows a tensor would fail."""
    if name == "threshold":
        if not isinstance(value, int | float | np.number):
            raise _no_option(name, value, "a number")
        return
    least, most = (0, _MOST_DIGITS) if name == "precision" else (-_MOST, _MOST)
    kinds = (int, float, np.number) if name == "linewidth" else (int, np.integer)
    if not isinstance(value, kinds) or not least <= value <= most:
        words = f"a whole number from 0 to {most}" if name == "precision" else "a whole number"
        raise _no_option(name, value, words)


_MOST_DIGITS = 1000
_MOST = 1 << 62


def _no_option(name: str, value: Any, words: str) -> TypeError:
    from ..autograd import refusal

    shown = str(value) if isinstance(value, float) else type(value).__name__
    return refusal.wrong_type(
        f"set_printoptions(): argument '{name}' must be {words}, not {shown}",
        fix="leave it out to keep the present setting.",
    )


def get_printoptions() -> dict[str, Any]:
    """The current settings, in a form that `set_printoptions` takes back."""
    names = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    return {name: getattr(_options, name) for name in names}


@contextlib.contextmanager
def printoptions(**settings: Any) -> Iterator[None]:
    """Print with other settings inside a ``with`` block; takes what `set_printoptions` takes."""
    before = get_printoptions()
    try:
        set_printoptions(**settings)
        yield
    finally:
        set_printoptions(**before)


# ----- Cells: one text per entry -----------------------------------------------------------------


def _float_cells(values: np.ndarray, options: PrintOptions) -> tuple[list[str], int]:
    """Texts of float64 values in one common style, and the width they are aligned to."""
    telling = values[np.isfinite(values) & (values != 0)]
    if telling.size == 0:
        # Zeros, infinities and NaN say nothing about a style; PyTorch gives them no alignment.
        return [_whole_number(value) for value in values.tolist()], 1
    magnitudes = np.abs(telling)
    largest, smallest = float(magnitudes.max()), float(magnitudes.min())
    whole = bool(np.all(telling == np.trunc(telling)))
    scientific = options.sci_mode
    if scientific is None:
        scientific = (
            largest / smallest > _SCIENTIFIC_RATIO
            or largest > _SCIENTIFIC_ABOVE
            or (not whole and smallest < _SCIENTIFIC_BELOW)
        )
    if whole and not scientific:
        write: Callable[[float], str] = _whole_number
    else:
        spec = f".{options.precision}{'e' if scientific else 'f'}"
        write = lambda value: format(value, spec)  # noqa: E731 - a named inner function says no more
    cells = [write(value) for value in values.tolist()]
    # Only the telling values set the width, so a lone -inf or -0. may stick out by one character.
    width = max(len(write(value)) for value in telling.tolist())
    return cells, width


def _whole_number(value: float) -> str:
    """A float without fraction: the bare point says that it is a float."""
    return f"{value:.0f}." if math.isfinite(value) else f"{value}"


def _complex_cells(values: np.ndarray, options: PrintOptions) -> tuple[list[str], int]:
    """Both parts have a style of their own; the imaginary one follows its sign without padding."""
    real_cells, real_width = _float_cells(np.real(values).astype(np.float64), options)
    imag_cells, imag_width = _float_cells(np.imag(values).astype(np.float64), options)
    cells = [
        f"{real:>{real_width}}{'' if imag.startswith('-') else '+'}{imag}j"
        for real, imag in zip(real_cells, imag_cells, strict=True)
    ]
    return cells, real_width + imag_width + 1


def _cells(values: np.ndarray, options: PrintOptions) -> tuple[list[str], int]:
    """Aligned texts of a flat array, and their width."""
    kind = values.dtype.kind
    if kind in "biu":
        cells = [str(value) for value in values.tolist()]
        width = max(map(len, cells))
    elif kind == "c":
        return _complex_cells(values, options)
    elif kind == "W":  # complex32, which NumPy does not know
        return _complex_cells(values.astype(np.complex64), options)
    else:
        # bfloat16 and its like have no NumPy formatting of their own; float64 holds them exactly.
        cells, width = _float_cells(values.astype(np.float64), options)
    return [cell.rjust(width) for cell in cells], width


# ----- Brackets: cells to text -------------------------------------------------------------------


def _visible(array: np.ndarray, edge: int) -> np.ndarray:
    """The first and last `edge` entries along every axis that is longer than both together."""
    # All axes at once: a tensor that repeats one element has rows that no memory can hold.
    shown = [
        np.r_[0:edge, n - edge : n] if n > 2 * edge else np.arange(n)
        for n in (int(n) for n in array.shape)
    ]
    return array[np.ix_(*shown)] if shown else array


def _with_gap(items: Sequence[str], edge: int, gap: str) -> list[str]:
    return [*items[:edge], gap, *items[edge:]]


def _row(items: Sequence[str], width: int, indent: int, options: PrintOptions) -> str:
    """One innermost row, broken over lines when it is too long for the line width."""
    per_line = max(1, (options.linewidth - indent) // (width + 2))
    lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
    return "[" + f",\n{' ' * (indent + 1)}".join(lines) + "]"


def _brackets(array: np.ndarray, indent: int, options: PrintOptions) -> str:
    """The nested lists of a non-empty array whose first bracket stands at column `indent`."""
    summarise = array.size > options.threshold
    edge = options.edgeitems
    if summarise and edge == 0:
        return f"[{_ELLIPSIS}]"
    shown = _visible(array, edge) if summarise else array
    texts, width = _cells(shown.reshape(-1), options)
    for axis in reversed(range(array.ndim)):
        innermost = axis == array.ndim - 1
        has_gap = summarise and array.shape[axis] > 2 * edge
        count = shown.shape[axis]
        separator = "," + "\n" * (array.ndim - 1 - axis) + " " * (indent + axis + 1)
        folded = []
        for start in range(0, len(texts), count):
            items = texts[start : start + count]
            if has_gap:
                items = _with_gap(items, edge, _ROW_ELLIPSIS if innermost else _ELLIPSIS)
            if innermost:
                folded.append(_row(items, width, indent + axis, options))
            else:
                folded.append("[" + separator.join(items) + "]")
        texts = folded
    return texts[0]


def contents_text(array: np.ndarray, indent: int = 0, options: PrintOptions | None = None) -> str:
    """The numbers of an array as nested lists; ``indent`` is the column of the first character."""
    if array.size == 0:
        return "[]"
    return _brackets(array, indent, options or _options)


# ----- The whole text ----------------------------------------------------------------------------


def _dtype_is_evident(dtype_name: str, default_dtype_name: str, numbers_shown: bool) -> bool:
    if dtype_name == default_dtype_name:
        return True
    # With no number to look at, True/False, the missing point and the j cannot be seen either.
    default_complex = "complex128" if default_dtype_name == "float64" else "complex64"
    return numbers_shown and dtype_name in ("int64", "bool", default_complex)


def _facts(
    array: np.ndarray, dtype_name: str, default_dtype_name: str, device: str, options: PrintOptions
) -> list[str]:
    """What stands after the numbers because they do not show it."""
    facts = []
    is_meta = device == "meta"
    empty = array.size == 0
    if device != "cpu":
        facts.append(f"device='{device}'")
    if is_meta or (empty and array.ndim != 1) or (not empty and options.edgeitems == 0):
        facts.append(f"size={array.shape}")
    if not _dtype_is_evident(dtype_name, default_dtype_name, not (empty or is_meta)):
        facts.append(f"dtype=torch.{dtype_name}")
    return facts


def _append_facts(opening: str, contents: str, facts: Sequence[str], linewidth: int) -> str:
    """Add the facts, each on a new line where it would pass the line width."""
    text = opening + contents
    # Room is kept for a comma and the closing bracket.
    column = len(text) - (text.rfind("\n") + 1) + 2
    for fact in facts:
        if column + len(fact) + 2 > linewidth:
            text += ",\n" + " " * len(opening) + fact
            column = len(opening) + len(fact)
        else:
            text += ", " + fact
            column += len(fact) + 2
    return text + ")"


def tensor_text(
    array: np.ndarray,
    *,
    dtype_name: str | None = None,
    default_dtype_name: str = "float32",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    device: str = "cpu",
    class_name: str = "tensor",
    is_parameter: bool = False,
    tangent: str | None = None,
    contents: str | None = None,
) -> str:
    """What ``repr(tensor)`` and ``str(tensor)`` give.

    `dtype_name` and `default_dtype_name` are bare names ("bfloat16"). With ``device="meta"`` only
    the shape of `array` is read. `class_name` is "tensor" unless the object is of a subclass.
    `tangent` is ``f"{tangent}"`` of a dual tensor's tangent. `contents` replaces the numbers.

    >>> print(tensor_text(np.array([1.5, 2.0], dtype=np.float32), grad_fn_name="AddBackward0"))
    tensor([1.5000, 2.0000], grad_fn=<AddBackward0>)
    """
    options = _options
    opening = f"{class_name}("
    facts = _facts(array, dtype_name or array.dtype.name, default_dtype_name, device, options)
    if grad_fn_name is not None:
        facts.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        facts.append("requires_grad=True")
    if tangent is not None:
        facts.append(f"tangent={tangent}")
    if contents is None:
        if device == "meta":
            contents = _ELLIPSIS
        else:
            contents = contents_text(array, len(opening), options)
    text = _append_facts(opening, contents, facts, options.linewidth)
    if not is_parameter:
        return text
    if class_name != "tensor":
        text = f"Parameter({text})"
    return f"Parameter containing:\n{text}"


def transform_text(kind: str, level: int, inner: str, batch_dim: int | None = None) -> str:
    """The text of a tensor inside ``vmap`` ("BatchedTensor") or ``grad`` ("GradTrackingTensor").

    >>> print(transform_text("BatchedTensor", 1, "tensor([1., 2.])", batch_dim=0))
    BatchedTensor(lvl=1, bdim=0, value=
        tensor([1., 2.])
    )
    """
    where = "" if batch_dim is None else f"bdim={batch_dim}, "
    indented = inner.replace("\n", "\n    ")
    return f"{kind}(lvl={level}, {where}value=\n    {indented}\n)"


def format_tensor(
    array: np.ndarray,
    spec: str,
    *,
    as_number: bool,
    text: Callable[[], str],
    class_name: str = "Tensor",
) -> str:
    """What ``format(tensor, spec)`` gives.

    A plain tensor of no dimensions (`as_number`) formats as its Python number. Everything else is
    its `text`, which takes no format spec.
    """
    if as_number and array.ndim == 0:
        number = array.item()
        if not isinstance(number, bool | int | float | complex):
            number = float(number)
        return format(number, spec)
    if not spec:
        return text()
    shape = tuple(array.shape)
    if shape == ():
        fix = "x.item()"
    else:
        fix = "one element, such as x[" + ", ".join("0" * len(shape)) + "].item(), or x.tolist()"
    raise TypeError(
        f"unsupported format string passed to {class_name}.__format__: {spec!r} formats one "
        f"number, and this is a {class_name} of shape {shape}; format {fix}."
    )
