"""Record what PyTorch's nn classes do in the cases of tests/nn: record_layers.py [family ...]

The family "init" is the functions of `nn.init`, "signatures" those of all classes.

Runs in an interpreter with torch and NumPy; chainrule is not imported. Writes
tests/recorded/layers_<family>.json and .npz, which tests/nn/test_layers_recorded.py compares with.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from nn import layer_signatures
from nn.init_cases import FILLS, run_fill
from nn.layer_cases import cases_of, family_names
from nn.layer_runs import key_of, run, write


def record(family: str) -> None:
    """Run all cases of a family and write what they did."""
    runs = {}
    for path, cases in cases_of(family).items():
        for number, case in enumerate(cases):
            try:
                runs[key_of(path, number)] = run(torch, path, case)
            except Exception as problem:
                raise RuntimeError(f"{path}, case {number}: {case}") from problem
    write(family, runs)
    print(f"{family}: {len(runs)} cases")


def record_initialisations() -> None:
    """Run all calls of `nn.init` and write what they drew."""
    write("init", {repr(fill): run_fill(torch, fill) for fill in FILLS})
    print(f"init: {len(FILLS)} cases")


def record_signatures() -> None:
    """Write the signatures of all classes."""
    found = vars(torch.nn.modules).copy()
    found["NonDynamicallyQuantizableLinear"] = (
        torch.nn.modules.linear.NonDynamicallyQuantizableLinear
    )
    classes = {name: value for name, value in sorted(found.items()) if isinstance(value, type)}
    layer_signatures.write(classes)
    print(f"signatures: {len(classes)} classes")


OTHERS = {"init": record_initialisations, "signatures": record_signatures}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or [*family_names(), *OTHERS]:
        OTHERS[name]() if name in OTHERS else record(name)
