"""What drives this figure? `sensitivity(f, at={...})` on any plain numeric Python function.

The package itself can be called:

>>> import chainrule
>>> def revenue(supply):
...     chips = 1000 - 50 * supply
...     phones = 0.1 * chips
...     return 800 * phones - 0.01 * phones ** 2
>>> s = chainrule.sensitivity(revenue, at={"supply": 5})
>>> round(s["supply"].derivative, 6)
-3992.5
>>> [round(link.multiplier, 6) for link in s["supply"].chain]
[-50.0, 0.1, 798.5]
>>> s["supply"].biggest_link.name
'phones -> revenue'
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, cast

from .cascade import Break, Cascade, from_changes
from .errors import SensitivityWarning, TraceError
from .links import Link, Path, Step
from .questions import Swing, Tornado, WhatIf
from .result import Driver, Sensitivity, analyse
from .sweeping import Point, Sweep


class CallablePackage(ModuleType):
    """This package: `chainrule.sensitivity(...)` and `chainrule.sensitivity.from_changes(...)`."""

    # For type checkers, which do not see what a module's class does with its globals.
    from_changes = staticmethod(from_changes)
    SensitivityWarning, TraceError = SensitivityWarning, TraceError

    def __call__(
        self,
        f: Callable[..., Any],
        at: Mapping[str, Any],
        *,
        wrt: str | Iterable[str] | None = None,
        output: str | int | None = None,
    ) -> Sensitivity:
        """How `f` answers to its inputs at a point: derivatives, elasticities, chains of steps.

        `at` gives every input its value: numbers (integers are taken as floats), or lists, dicts,
        dataclasses and arrays of numbers. Inputs left out keep their defaults. `wrt` names the
        inputs to look at; the others may then be anything. `output` picks one of several results.

        >>> import chainrule, math
        >>> s = chainrule.sensitivity(lambda q: 100 * math.log(10 * q ** 2 + 1), at={"q": 8})
        >>> round(s["q"].derivative, 4)
        24.961
        """
        return analyse(f, at, wrt, output)


sys.modules[__name__].__class__ = CallablePackage
sensitivity = cast(CallablePackage, sys.modules[__name__])  # itself: for whoever imports it

__all__ = [
    "Break", "Cascade", "Driver", "Link", "Path", "Point", "Sensitivity", "SensitivityWarning",
    "Step", "Sweep", "Swing", "Tornado", "TraceError", "WhatIf", "from_changes", "sensitivity",
]  # fmt: skip
