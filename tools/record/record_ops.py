"""Record PyTorch's results and gradients for the op samples: record_ops.py [family ...]

Runs in an interpreter with torch and NumPy; chainrule is not imported. Writes
tests/recorded/ops/<family>.json and .npz, which the tests compare with.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from ops.recorded import Recorder  # noqa: E402
from ops.sample import Sample, called, converted, cotangent, flat  # noqa: E402


def tensor(array: np.ndarray, name: str | None = None) -> Any:
    """An array as a tensor, converted to the named type when it is a differentiable input."""
    if name is None or array.dtype.char not in "dD":
        return torch.tensor(array)
    made = torch.tensor(converted(array, name))
    return made.to(torch.bfloat16) if name == "bfloat16" else made


def run(path: str, sample: Sample, tensors: list[Any]) -> list[Any]:
    """The flat results of one call."""
    result = called(torch, path, sample, tensors)
    return flat(sample.view(result) if sample.view else result)


def pieces(recorder: Recorder, outs: list[Any]) -> list[Any]:
    """Results in recorded form."""
    made = []
    for out in outs:
        if not isinstance(out, torch.Tensor):
            made.append({"python": repr(out)})
            continue
        name = str(out.dtype).removeprefix("torch.")
        wide = out.detach().resolve_conj().resolve_neg()
        if out.is_floating_point():
            wide = wide.to(torch.float64)
        elif out.is_complex():
            wide = wide.to(torch.complex128)
        made.append(recorder.piece(wide.numpy(force=True), name))
    return made


def gradients(recorder: Recorder, path: str, sample: Sample) -> list[Any] | None:
    """Per differentiable input its gradient, None where PyTorch has none; None if nothing has."""
    arrays = sample.arrays()
    positions = sample.differentiable()
    if not positions:
        return None
    found = [_gradient(path, sample, arrays, i) for i in positions]
    if all(g is None for g in found):
        return None
    return [None if g is None else pieces(recorder, [g])[0] for g in found]


def _gradient(path: str, sample: Sample, arrays: list[np.ndarray], i: int) -> Any:
    """The gradient of one input (each alone: some ops differentiate in one of their inputs)."""
    tensors = [tensor(a) for a in arrays]
    tensors[i].requires_grad_()
    try:
        outs = [o for o in run(path, sample, tensors) if isinstance(o, torch.Tensor)]
        weights = [
            torch.tensor(cotangent(tuple(o.shape), k, o.is_complex())).to(o.dtype)
            for k, o in enumerate(outs)
        ]
        tracked = [(o, w) for o, w in zip(outs, weights, strict=True) if o.requires_grad]
        if not tracked:
            return None
        return torch.autograd.grad(
            [o for o, _ in tracked], tensors[i], [w for _, w in tracked], allow_unused=True
        )[0]
    except (RuntimeError, NotImplementedError) as problem:
        print(f"  {path}{sample}: no gradient of array {i}: {str(problem).splitlines()[0]}")
        return None


def other_types(recorder: Recorder, path: str, sample: Sample) -> dict[str, Any]:
    """Results with the differentiable inputs in other types, where PyTorch supports them."""
    found: dict[str, Any] = {}
    if not sample.differentiable() or "dtypes" in sample.excluded:
        return found
    for name in sample.other_dtypes:
        try:
            outs = run(path, sample, [tensor(a, name) for a in sample.arrays()])
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
            continue
        found[name] = pieces(recorder, outs)
    return found


def forms(path: str, sample: Sample) -> list[str]:
    """Which of `x.op(...)`, `x.op_(...)` and `op(..., out=...)` PyTorch has for a call."""
    found = []
    tensors = [tensor(a) for a in sample.arrays()]
    args, kwargs = sample.fill(tensors, lambda name: getattr(torch, name))
    if sample.feed is not None:
        args = sample.feed(*args)
    if "." not in path and args and isinstance(args[0], torch.Tensor):
        for form, name in (("method", path), ("inplace", path + "_")):
            if _works(
                lambda name=name: getattr(torch.Tensor, name)(args[0].clone(), *args[1:], **kwargs)
            ):
                found.append(form)
    if not path.startswith("__") and _works(lambda: _with_out(path, sample, tensors)):
        found.append("out")
    return found


def _works(call: Any) -> bool:
    try:
        call()
    except (RuntimeError, TypeError, AttributeError, ValueError, NotImplementedError, IndexError):
        return False
    return True


def _with_out(path: str, sample: Sample, tensors: list[Any]) -> None:
    result = called(torch, path, sample, tensors)
    empty = [torch.empty(0, dtype=r.dtype) for r in flat(result)]
    marked = Sample(*sample.args, **sample.kwargs, out=None)
    marked.feed = sample.feed
    marked.kwargs["out"] = empty[0] if isinstance(result, torch.Tensor) else tuple(empty)
    called(torch, path, marked, tensors)


def check_errors(errors: dict[str, Any]) -> None:
    """Say where an expected phrase is not PyTorch's, so that the author may think again."""
    for path, cases in errors.items():
        for sample, _, phrase in cases:
            try:
                run(path, sample, [tensor(a) for a in sample.arrays()])
            except Exception as problem:
                if phrase not in str(problem):
                    print(f"  {path}{sample}: PyTorch says {str(problem).splitlines()[0]!r}")
            else:
                print(f"  {path}{sample}: PyTorch raises nothing")


def record(family: str) -> None:
    """Record all samples of a family."""
    module = importlib.import_module(f"ops.samples.{family}")
    recorder = Recorder()
    for path, samples in module.SAMPLES.items():
        for i, sample in enumerate(samples):
            try:
                outs = run(path, sample, [tensor(a) for a in sample.arrays()])
            except Exception as problem:
                raise SystemExit(f"{path}-{i} {sample}: {problem}") from problem
            recorder.index[f"{path}-{i}"] = {
                "digest": sample.digest(),
                "out": pieces(recorder, outs),
                "grads": gradients(recorder, path, sample),
                "forms": forms(path, sample),
                "dtypes": other_types(recorder, path, sample) if i < 3 else {},
            }
    recorder.write(family)
    check_errors(getattr(module, "ERRORS", {}))
    print(f"{family}: {len(recorder.index)} samples of {len(module.SAMPLES)} ops")


def main() -> None:
    """Record the named families, or all of them."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    folder = ROOT / "tests" / "ops" / "samples"
    names = sys.argv[1:] or sorted(p.stem for p in folder.glob("[!_]*.py"))
    for family in names:
        record(family)


if __name__ == "__main__":
    main()
