"""Passes in an order, run until nothing changes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...graph_module import GraphModule
from .pass_base import PassResult


def pass_result_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A pass that returns nothing, or a module, as one that returns a PassResult."""

    @functools.wraps(fn)
    def wrapped(gm: Any) -> PassResult:
        found = fn(gm)
        if isinstance(found, PassResult):
            return found
        return PassResult(found if isinstance(found, GraphModule) else gm, True)

    return wrapped


def this_before_that_pass_constraint(this: Any, that: Any) -> Callable[[Any, Any], bool]:
    """A constraint of order between two passes."""

    def holds(a: Any, b: Any) -> bool:
        return not (a == that and b == this)

    return holds


class PassManager:
    """Runs passes in an order that fulfils constraints.

    >>> from chainrule.fx.passes.infra.pass_base import PassResult
    >>> import chainrule as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: x + 1)
    >>> PassManager([lambda gm: PassResult(gm, False)])(gm).modified
    False
    """

    def __init__(
        self, passes: Any = None, constraints: Any = None, steps: int | None = None,
        run_checks_after_each_pass: bool = False, suppress_check_failures: bool = False,
    ) -> None:  # fmt: skip
        self.passes: list[Any] = list(passes or [])
        self.constraints: list[Any] = list(constraints or [])
        self.steps = 1 if steps is None else steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass: Callable[..., Any]) -> None:
        """One more pass at the end."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[..., bool]) -> None:
        """One more constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raise where the order breaks a constraint."""
        for constraint in self.constraints:
            for k, first in enumerate(self.passes):
                for later in self.passes[k + 1 :]:
                    if not constraint(first, later):
                        raise RuntimeError(
                            f"pass schedule constraint violated. Expected {later} before {first}"
                        )
        self._validated = True

    def solve_constraints(self) -> None:
        """Sort the passes so that the constraints hold."""
        ordered: list[Any] = []
        rest = list(self.passes)
        while rest:
            for one in rest:
                others = [p for p in rest if p is not one]
                if all(c(one, p) for c in self.constraints for p in others):
                    ordered.append(one)
                    rest.remove(one)
                    break
            else:
                raise RuntimeError("Circular dependency detected within the passes")
        self.passes = ordered
        self._validated = True

    def add_checks(self, check: Callable[..., Any]) -> None:
        """A check of the module, run after each pass if that is wanted."""
        self.check = check  # type: ignore[method-assign]

    def check(self, module: Any) -> None:
        """Nothing unless `add_checks` was called."""

    def __call__(self, module: Any) -> PassResult:
        if not self._validated:
            self.solve_constraints() if self.constraints else self.validate_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            again = False
            for one in self.passes:
                found = one(module)
                if not isinstance(found, PassResult):
                    raise TypeError(
                        f"The result of the pass {one} should be type PassResult. Please wrap it "
                        "with pass_result_wrapper()"
                    )
                module, again = found.graph_module, again or found.modified
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed = changed or again
            if not again:
                break
        return PassResult(module, changed)


__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]
