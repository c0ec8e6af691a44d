"""What is said when something is refused, in one form.

The phrase people search for comes first, with the values that were given; then what was called and
the user's line, why it cannot be done, and the fix:

>>> raise value("expected p in [0, 1], got 2.0", "dropout", fix="pass p=0.5")
Traceback (most recent call last):
ValueError: expected p in [0, 1], got 2.0
  dropout at <doctest chainrule.autograd.refusal[0]>:1 in <module>: ...
  Fix: pass p=0.5
"""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from . import source
from .printable import printable

E = TypeVar("E", bound=Exception)


def of_kind(kind: type[E], phrase: str, what: str = "", *, why: str = "", fix: str = "") -> E:
    """The error to raise; `what` was called or given at the user's line."""
    lines = [phrase, f"  {what} at {source.here()}" if what else f"  at {source.here()}"]
    if why:
        lines.append(f"  {why}")
    if fix:
        lines.append(f"  Fix: {fix}")
    return kind(printable("\n".join(lines)))


runtime = partial(of_kind, RuntimeError)
value = partial(of_kind, ValueError)
wrong_type = partial(of_kind, TypeError)
index = partial(of_kind, IndexError)
not_implemented = partial(of_kind, NotImplementedError)
assertion = partial(of_kind, AssertionError)
