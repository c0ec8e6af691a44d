"""What a new process measures about itself; each probe gives figures and values to compare."""

import contextlib
import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from . import ddp
from .case import Case, Workload, best_seconds, digest, sample
from .engines import Engine
from .workloads import WORKLOADS, mlp, models

Figures = tuple[list[float], list[float]]

STEPS = 3
STEPS_UNTIL_COMPILED = 6
HEADS, HEAD_SIZE = 2, 64


def import_time(engine: Engine) -> Figures:
    """In yet another process: this one has imported NumPy already."""
    module = engine.module
    probe = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(ran.stderr.strip().splitlines()[-1])
    return [float(ran.stdout)], []


def workload_of(name: str) -> Workload:
    """A workload by name, or the perceptron of a size that only memory is measured at."""
    if name in WORKLOADS:
        return WORKLOADS[name]
    _, layers, batch, spelling = name.split("/")
    params = {
        "sizes": tuple(map(int, layers.split("-"))),
        "batch": int(batch[1:]),
        "spelling": spelling,
    }
    return Workload(name, "mlp", lambda torch, style: mlp.step_case(torch, **params), "mlp", params)


def small_like(name: str) -> str:
    kind, *_, spelling = name.split("/")
    return f"{kind}/2-16-16-2/b32/{spelling}" if kind == "mlp" else "train/mlp/2-16-16-2/b32"


def opened(engine: Engine, module: Any, name: str) -> Case:
    case = engine.build(module, workload_of(name))
    if case is None:
        raise SystemExit("no counterpart")
    return case


def peak_memory(engine: Engine, name: str) -> Figures:
    """Peak resident memory of some steps, less what was resident before.

    Perceptrons count everything after the import. For models that are compiled too, a small network
    has run before, because libraries (a compiler) are loaded when first used, and the first steps,
    in which engines compile, do not count.
    """
    module = engine.load()
    if name.startswith("mlp/"):
        before = resident_bytes("VmRSS")
        case = opened(engine, module, name)
        values = case.values()
        case.seconds(STEPS)
        return [resident_bytes("VmHWM") - before], values
    opened(engine, module, small_like(name)).seconds(STEPS_UNTIL_COMPILED)
    forget_peak()
    before = resident_bytes("VmRSS")
    case = opened(engine, module, name)
    values = case.values()
    case.seconds(STEPS_UNTIL_COMPILED)
    forget_peak()
    case.seconds(STEPS)
    return [resident_bytes("VmHWM") - before], values


def compile_time(engine: Engine, name: str) -> Figures:
    """How much longer the first steps take than as many later ones.

    The model is made in that time too, which is not compiling: it was made before, is made once
    more, and the shorter of these times does not count.
    """
    module = engine.load()
    style: dict[str, Any] = {**engine.style}
    if "optimizers" in style:
        style["optimizers"] = style["optimizers"][-1:]  # one is enough to be compiled
    single = type(engine)(**{**vars(engine), "style": style})
    building = seconds_of_building(module, name)  # which also loads what building needs
    start = perf_counter()
    case = opened(single, module, name)
    values = case.values()
    case.seconds(STEPS_UNTIL_COMPILED)
    first = perf_counter() - start
    later = (len(values) + STEPS_UNTIL_COMPILED) * best_seconds(lambda: case.seconds(1))
    building = min(building, seconds_of_building(module, name))
    return [max(first - later - building, 1e-9)], values


def seconds_of_building(module: Any, name: str) -> float:
    """What a training program in PyTorch's words takes before its first step."""
    if not hasattr(module, "nn"):
        return 0.0
    start = perf_counter()
    sizes = dict(workload_of(name).params)
    models.set_weights(module, models.model_of(module, sizes.pop("family"), **sizes))
    return perf_counter() - start


def attention(engine: Engine, form: str, length: str) -> Figures:
    """Memory and time of attention, forward and backward, at one sequence length."""
    torch = engine.load()
    attend = torch.nn.functional.scaled_dot_product_attention
    if form.startswith("materialised"):
        attend = materialised(torch)
    causal = not form.endswith("unmasked")
    shape = (1, HEADS, int(length), HEAD_SIZE)
    inputs = [torch.tensor(sample(k, *shape), requires_grad=True) for k in range(3)]

    def step() -> Any:
        for x in inputs:
            x.grad = None
        out = attend(*inputs, is_causal=causal)
        out.sum().backward()
        return out

    small = [torch.tensor(sample(k, 1, 2, 512, 64), requires_grad=True) for k in range(3)]
    attend(*small, is_causal=causal).sum().backward()  # loads what is loaded when first used
    del small
    forget_peak()
    before = resident_bytes("VmRSS")
    step()
    peak = resident_bytes("VmHWM") - before
    seconds = best_seconds(step, limit=0.3)
    out = step()
    values = digest([a.detach().numpy() for a in (out, *(x.grad for x in inputs))])
    return [peak, seconds], values


def materialised(torch: Any) -> Any:
    """The formula as it is written in textbooks."""

    def attend(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
        length = q.shape[-2]
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if is_causal:
            mask = torch.ones(length, length, dtype=torch.bool).tril()
            scores = scores.masked_fill(~mask, -float("inf"))
        return scores.softmax(-1) @ v

    return attend


def checkpoint_time(engine: Engine) -> Figures:
    """How long a file with a gigabyte of weights takes to load, mapped into memory."""
    torch = engine.load()
    with tempfile.TemporaryDirectory() as folder:
        small, large = str(Path(folder, "small.pt")), str(Path(folder, "large.pt"))
        torch.save({"weight": torch.ones(3)}, small)
        torch.load(small, mmap=True)  # loads what is loaded when first used
        torch.save({f"layer{k}.weight": torch.ones(1024, 2560) * k for k in range(100)}, large)
        start = perf_counter()
        state = torch.load(large, mmap=True)
        seconds = perf_counter() - start
        return [seconds], [float(state["layer7.weight"][5, 5])]


def resident_bytes(field: str) -> int:
    """A field of /proc/self/status; elsewhere the peak so far, the only figure there is."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def forget_peak() -> None:
    """Give back what is free, and let the kernel start a new high-water mark (on Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


PROBES = {
    "import": import_time,
    "memory": peak_memory,
    "compile": compile_time,
    "attention": attention,
    "ddp": ddp.step_time,
    "checkpoint": checkpoint_time,
}
