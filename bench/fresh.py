"""What only a new process can show: how long an import takes, how much memory training needs.

`python -m bench.fresh import|memory ENGINE [SPELLING]` prints one JSON line.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.driver import ROOT, Row, Settings, Unavailable, environment, in_turns, interpreter
from bench.engines import ENGINES

SIZES, BATCH, STEPS = (784, 512, 512, 10), 4096, 3
SPELLINGS = ("ops", "functional")


def rows() -> Iterator[Row]:
    """What can be measured, with nothing measured yet."""
    yield Row("import", "import")
    for spelling in SPELLINGS:
        name = f"memory/{'-'.join(map(str, SIZES))}/b{BATCH}/{spelling}"
        yield Row(name, "memory", unit="bytes", goal=1.0)


def measure(row: Row, names: list[str], settings: Settings) -> Row:
    rounds = settings.rounds if row.group == "import" else min(settings.rounds, 3)
    with tempfile.TemporaryDirectory() as bytecode:
        for name in names:  # not counted: leaves behind the bytecode that an installation has
            attempt(row, name, settings, bytecode)
        row.measured.clear()
        for name in in_turns(names, rounds):
            if name not in row.unavailable:
                attempt(row, name, settings, bytecode)
    return row


def attempt(row: Row, name: str, settings: Settings, bytecode: str) -> None:
    try:
        result = in_a_new_process(row, name, settings, bytecode)
    except Unavailable as reason:
        row.unavailable[name] = str(reason)
    else:
        row.measured.setdefault(name, []).append(result["measured"])
        row.values[name] = result["values"]


def in_a_new_process(row: Row, name: str, settings: Settings, bytecode: str) -> dict[str, Any]:
    engine = ENGINES[name]
    spelling = row.name.rsplit("/", 1)[1:]
    variables = environment(engine, settings.threads) | {"PYTHONPYCACHEPREFIX": bytecode}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    ran = subprocess.run(
        [interpreter(engine, settings), "-m", "bench.fresh", row.group, name, *spelling],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=variables,
        check=False,
    )
    if ran.returncode:
        raise Unavailable((ran.stderr.strip().splitlines() or ["failed"])[-1])
    return json.loads(ran.stdout.splitlines()[-1])


def import_seconds(module: str) -> float:
    """In yet another process: this one has imported NumPy already."""
    probe = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return float(ran.stdout)


def peak_bytes(name: str, spelling: str) -> tuple[int, list[float]]:
    """Peak resident memory over some steps, less what is resident once all is imported."""
    from bench.case import Workload
    from bench.workloads import mlp

    engine = ENGINES[name]
    module = engine.load()
    before = resident_bytes("VmRSS")
    workload = Workload(
        "memory",
        "mlp",
        lambda torch, compiled: mlp.step_case(torch, SIZES, BATCH, spelling, compiled),
        {"sizes": SIZES, "batch": BATCH, "spelling": spelling},
    )
    case = engine.build(module, workload)
    if case is None:
        raise SystemExit("no counterpart")
    forget_peak()  # the arrays from which the inputs were made do not count
    case.seconds(STEPS)
    return resident_bytes("VmHWM") - before, case.values()


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
    """Let the kernel start a new high-water mark (Linux; elsewhere the old one stands)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def main(kind: str, name: str, *arguments: str) -> None:
    if kind == "import":
        result = {"measured": import_seconds(ENGINES[name].module), "values": []}
    else:
        peak, values = peak_bytes(name, *arguments)
        result = {"measured": peak, "values": values}
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
