"""Programs as scripts: chunks of text that are run one after the other and say what they see.

A chunk calls `show(value)` or `show(lambda: ...)` for what has to be the same in every way of
running it; a chunk that raises has shown the type of its exception. A script is shrunk by leaving
out chunks and lines of chunks.
"""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

PRELUDE = """import numpy as np
import chainrule as torch
compiled = torch.compile
show = lambda value: print(value() if callable(value) else value)
"""


class Disagreement(AssertionError):
    """Two ways of running a program gave different results."""

    def __init__(self, way: str, got: Any, want: Any) -> None:
        super().__init__(f"{way}: got {_short(got)}, want {_short(want)}")
        self.way = way


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < 400 else text[:400] + "..."


@dataclass(frozen=True)
class Script:
    """A program of a family; `text()` is what a user would have written."""

    family: str
    seed: int
    chunks: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(self.chunks)

    def script(self) -> str:
        """A script that shows the disagreement by itself."""
        return f"{PRELUDE}\n{self.text()}"

    def smaller(self) -> Iterator[Script]:
        """This program with one chunk less, then with one line of a chunk less. What sets a seed
        stays: without it every two runs disagree."""
        for k in reversed(range(len(self.chunks))):
            if "manual_seed" in self.chunks[k]:
                continue
            yield replace(self, chunks=self.chunks[:k] + self.chunks[k + 1 :])
        for k, chunk in enumerate(self.chunks):
            lines = chunk.split("\n")
            if len(lines) < 3 or "manual_seed" in chunk:
                continue
            for j in range(1, len(lines)):
                fewer = "\n".join(lines[:j] + lines[j + 1 :])
                yield replace(self, chunks=(*self.chunks[:k], fewer, *self.chunks[k + 1 :]))


@dataclass
class Seen:
    """What can be seen of a tensor."""

    dtype: str
    shape: tuple[int, ...]
    values: np.ndarray
    flags: tuple[Any, ...]

    def __repr__(self) -> str:
        name = self.dtype.removeprefix("torch.")
        return f"{name}{list(self.shape)} {self.values.tolist()} {self.flags}"


@dataclass
class Raised:
    """That something raised; the words are each engine's own."""

    kind: str
    words: str = field(compare=False)

    def __repr__(self) -> str:
        return f"raises {self.kind}: {self.words.splitlines()[0] if self.words else ''}"


def array_of(tensor: Any) -> np.ndarray:
    """The values of a tensor of either engine as an array of its own."""
    plain = tensor.detach().resolve_conj().resolve_neg()
    if getattr(plain, "_is_zerotensor", bool)():  # PyTorch's zeros without memory
        plain = plain.clone()
    if str(plain.dtype).endswith("bfloat16"):
        plain = plain.float()
    return np.array(plain.numpy())


def frozen(value: Any, flags: Callable[[Any], tuple[Any, ...]]) -> Any:
    """A value as plain data that later writes do not change."""
    if hasattr(value, "requires_grad") and hasattr(value, "dtype"):
        array = array_of(value)
        return Seen(str(value.dtype), tuple(value.shape), array, flags(value))
    if isinstance(value, (list, tuple)):
        return [frozen(v, flags) for v in value]
    if isinstance(value, dict):
        return {k: frozen(v, flags) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return Seen(str(value.dtype), value.shape, value.copy(), ())
    return f"{type(value).__name__} {value!r}"


def no_flags(tensor: Any) -> tuple[Any, ...]:
    return ()


def shown(
    script: Script,
    space: dict[str, Any],
    flags: Callable[[Any], tuple[Any, ...]] = no_flags,
) -> list[Any]:
    """Run the chunks in a namespace; returns what they showed."""
    seen: list[Any] = []

    def show(value: Any) -> None:
        try:
            if callable(value) and not hasattr(value, "requires_grad"):
                value = value()
            seen.append(frozen(value, flags))
        except Exception as problem:
            seen.append(Raised(kind_of(problem), str(problem)))

    space |= {"show": show, "np": np, "__name__": "program"}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for chunk in script.chunks:
            code = _code(chunk, f"<{script.family} {script.seed}>")
            try:
                exec(code, space)
            except Exception as problem:
                seen.append(Raised(kind_of(problem), str(problem)))
    return seen


@functools.lru_cache(64)  # each way of running a program needs it once more
def _code(chunk: str, name: str) -> Any:
    return compile(chunk, name, "exec", dont_inherit=True)


def to_first_error(seen: list[Any]) -> list[Any]:
    """What was shown until something raised: what a failed pass leaves behind is not promised."""
    for k, item in enumerate(seen):
        if isinstance(item, Raised):
            return seen[: k + 1]
    return seen


def kind_of(problem: Exception) -> str:
    """The type of an exception as PyTorch's users catch it: the nearest built-in class."""
    for kind in type(problem).__mro__:
        if kind.__module__ == "builtins":
            return kind.__name__
    return type(problem).__name__


def difference(
    got: Any,
    want: Any,
    rtol: float = 0.0,
    atol: float = 0.0,
    signed_zeros: bool = True,
    place: str = "",
) -> str | None:
    """Where two frozen values differ, or None."""
    if isinstance(want, Seen) and isinstance(got, Seen):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            return f"{place}: type or shape"
        if got.flags != want.flags:
            return f"{place}: flags"
        same = same_array(got.values, want.values, rtol, atol, signed_zeros)
        return None if same else f"{place}: values"
    if type(got) is not type(want):
        return f"{place}: kind"
    if isinstance(want, list):
        if len(got) != len(want):
            return f"{place}: length"
        pairs: Any = enumerate(zip(got, want, strict=True))
    elif isinstance(want, dict):
        if list(got) != list(want):
            return f"{place}: keys"
        pairs = ((k, (got[k], want[k])) for k in want)
    else:
        return None if got == want else f"{place}: value"
    for k, (a, b) in pairs:
        found = difference(a, b, rtol, atol, signed_zeros, f"{place}[{k}]")
        if found:
            return found
    return None


def same_array(
    got: np.ndarray, want: np.ndarray, rtol: float, atol: float, signed_zeros: bool
) -> bool:
    """Equal within the tolerance, and zeros of one sign if that counts."""
    if want.dtype.kind not in "fc":
        return bool(np.array_equal(got, want))
    equal = np.array_equal(got, want, equal_nan=True)
    if not equal and (rtol or atol):
        scale = float(np.max(np.abs(want), initial=0.0, where=np.isfinite(want)))
        if not np.allclose(got, want, rtol, atol * max(1.0, scale), equal_nan=True):
            return False
    elif not equal:
        return False
    if not signed_zeros or want.dtype.kind == "c":
        return True
    zero = (got == 0) & (want == 0)
    return bool(np.all(np.signbit(got) == np.signbit(want), where=zero))


def compare(
    way: str,
    got: list[Any],
    want: list[Any],
    rtol: float = 0.0,
    atol: float = 0.0,
    signed_zeros: bool = False,
) -> None:
    """Raise Disagreement at the first thing that was shown differently."""
    for k, (a, b) in enumerate(zip(got, want, strict=False)):
        found = difference(a, b, rtol, atol, signed_zeros)
        if found:
            raise Disagreement(f"{way}{re.sub(r'^.*: ', ': ', found)}", f"[{k}] {a}", b)
    if len(got) != len(want):
        raise Disagreement(f"{way}: number of things shown", len(got), len(want))


@contextmanager
def code_generation(on: bool) -> Iterator[None]:
    """With machine code, or with the interpreter of graphs."""
    before = os.environ.get("CHAINRULE_LLVM")
    os.environ["CHAINRULE_LLVM"] = "1" if on else "0"
    try:
        yield
    finally:
        os.environ.pop("CHAINRULE_LLVM")
        if before is not None:
            os.environ["CHAINRULE_LLVM"] = before
