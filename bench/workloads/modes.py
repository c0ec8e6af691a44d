"""What recording costs: the same small program recorded, without gradients, and in inference.

`inside` enters the mode once and runs many ops in it; `entered` enters it for every repetition.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

from ..case import Case, Repeated, Within, Workload, as_arrays, digest
from .ops import leaf

ELEMENTS = (1, 10, 100)
MODES = ("recording", "no_grad", "inference_mode")


def context_of(torch: Any, mode: str) -> Callable[[], Any]:
    return nullcontext if mode == "recording" else getattr(torch, mode)


def program(torch: Any, n: int) -> Callable[[], Any]:
    a, b = leaf(torch, 1, n), leaf(torch, 2, n)
    return lambda: (a * b + a).tanh()


def inside_case(torch: Any, mode: str, n: int) -> Case:
    run = program(torch, n)
    return Within(context_of(torch, mode), Repeated(run, lambda: digest(as_arrays([run()]))))


def entered_case(torch: Any, mode: str, n: int) -> Case:
    run, context = program(torch, n), context_of(torch, mode)

    def step() -> Any:
        with context():
            return run()

    return Repeated(step, lambda: digest(as_arrays([step()])))


def workloads() -> Iterator[Workload]:
    for form, case in (("inside", inside_case), ("entered", entered_case)):
        for n in ELEMENTS:
            for mode in MODES:
                yield Workload(
                    f"mode/{form}/{n}/{mode}",
                    "mode",
                    lambda torch, style, case=case, mode=mode, n=n: case(torch, mode, n),
                    "mode",
                    {"form": form, "elements": n, "mode": mode},
                )
