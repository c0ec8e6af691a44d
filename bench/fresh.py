"""What only a new process can show: import and compile time, peak memory, attention's memory.

`start.py fresh KIND ENGINE ARGUMENTS...` prints one JSON line.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ddp, probes
from .case import Goal, eager_goal
from .driver import Progress, Row, Settings, command, environment, in_turns
from .engines import ENGINES, Engine, Unavailable
from .workloads.train import PROGRAMS

SIZES, BATCH = "784-512-512-10", 4096
SPELLINGS = ("ops", "functional")
SEQUENCES = (512, 1024, 2048, 4096, 8192)
GPT = next(program for program in PROGRAMS if program.family == "gpt").name
CODE = "code"  # the folder in which compilers keep what they made
COMPILE_SECONDS = {"cold": 2.0, "cached": 0.3}
LARGE = "large/gpt2/T512/b1"
CHECKPOINT_SECONDS = 0.2


@dataclass
class Measurement:
    """A row, or rows if one process measures several things, and how they are measured."""

    rows: list[Row]
    arguments: tuple[str, ...]
    engines: tuple[str, ...]
    rounds: int
    # The second row is another run of the first, which left its compiled code in a cache.
    cached: bool = False

    @property
    def group(self) -> str:
        return self.rows[0].group

    @property
    def name(self) -> str:
        return self.rows[0].name


def measurements() -> Iterator[Measurement]:
    """What can be measured, with nothing measured yet."""
    modules = ("chainrule", "torch", "jax", "autograd", "tinygrad", "control")
    yield Measurement([Row("import", "import")], ("import",), modules, 3)
    yield from memory()
    yield from compile_time()
    yield from attention()
    yield from large()
    yield from several_processes()


def large() -> Iterator[Measurement]:
    """The memory of a large model's training, and a file of a gigabyte read by mapping it."""
    row = Row(f"{LARGE}/memory", "large", "bytes", goals=(Goal(1.0), eager_goal(1.0)))
    yield Measurement([row], ("memory", LARGE), ("chainrule", "compiled", "torch"), 1)
    row = Row("large/checkpoint", "large", limit=("chainrule", CHECKPOINT_SECONDS))
    yield Measurement([row], ("checkpoint",), ("chainrule", "torch"), 1)


def several_processes() -> Iterator[Measurement]:
    """Steps of DistributedDataParallel: two processes, one thread each."""
    for model in ddp.MODELS:
        row = Row(f"ddp/{model}", "ddp", goals=(Goal(1.3, "compiled", ("torch",)),))
        yield Measurement([row], ("ddp", model), ("chainrule", "compiled", "torch"), 3)


def memory() -> Iterator[Measurement]:
    engines = ("chainrule", "torch", "control")
    for spelling in SPELLINGS:
        name = f"memory/{SIZES}/b{BATCH}/{spelling}"
        row = Row(name, "memory", "bytes", goals=(eager_goal(1.0),))
        arguments = ("memory", f"mlp/{SIZES}/b{BATCH}/{spelling}")
        yield Measurement([row], arguments, engines, 1)
    # A compiled step is to need less than the eager one.
    less_than_eager = Goal(1.0, "compiled", ("chainrule",))
    row = Row(f"memory/{GPT}", "memory", "bytes", goals=(less_than_eager,))
    engines = ("chainrule", "compiled", "torch", "jax")
    yield Measurement([row], ("memory", f"train/{GPT}"), engines, 1)


def compile_time() -> Iterator[Measurement]:
    """Of a whole GPT step, in two processes one after the other."""
    rows = [
        Row(f"compile/{GPT}/{caches}", "compile", limit=("compiled", seconds))
        for caches, seconds in COMPILE_SECONDS.items()
    ]
    engines = ("compiled", "torch.compile", "jax")
    yield Measurement(rows, ("compile", f"train/{GPT}"), engines, 1, cached=True)


def attention() -> Iterator[Measurement]:
    for length in SEQUENCES:
        for form in ("blockwise", "materialised", "blockwise unmasked", "materialised unmasked"):
            rows = [
                Row(f"attention/{length}/{form}/memory", "attention", "bytes"),
                Row(f"attention/{length}/{form}/time", "attention"),
            ]
            ours = form.startswith("blockwise")
            engines = ("chainrule", "torch") if ours else ("chainrule",)
            yield Measurement(rows, ("attention", form, str(length)), engines, 1)


# ---- the driver's side ---------------------------------------------------------------------------


def measure(
    measurement: Measurement, names: list[str], settings: Settings, progress: Progress
) -> list[Row]:
    """In turns; what fails once is not tried again."""
    names = [name for name in measurement.engines if name in names]
    rounds = min(settings.rounds, measurement.rounds)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if keeps_bytecode(measurement, ENGINES[name]):
                attempt(measurement, name, settings, folder)
        for row in measurement.rows:
            row.measured.clear()
        shutil.rmtree(Path(folder, CODE), ignore_errors=True)
        for done, name in enumerate(in_turns(names, rounds)):
            if name not in measurement.rows[0].unavailable:
                progress(done, rounds * len(names), f"{measurement.name}: {name}")
                attempt(measurement, name, settings, folder)
    return measurement.rows


def keeps_bytecode(measurement: Measurement, engine: Engine) -> bool:
    """Whether an unmeasured run leaves behind the bytecode that an installation has.

    Compilers are run from where they are installed, except for the one that is developed here.
    """
    return measurement.group == "import" or (measurement.cached and not engine.peer)


def attempt(measurement: Measurement, name: str, settings: Settings, folder: str) -> None:
    runs = 2 if measurement.cached else 1
    try:
        results = [in_a_new_process(measurement, name, settings, folder) for _ in range(runs)]
    except Unavailable as reason:
        measurement.rows[0].unavailable[name] = str(reason)
        return
    figures = [figure for result in results for figure in result["measured"]]
    for row, figure in zip(measurement.rows, figures, strict=True):
        row.measured.setdefault(name, []).append(figure)
        if results[0]["values"]:
            row.values[name] = results[0]["values"]


def in_a_new_process(
    measurement: Measurement, name: str, settings: Settings, folder: str
) -> dict[str, Any]:
    engine = ENGINES[name]
    kind, *arguments = measurement.arguments
    variables = environment(engine, settings)
    if keeps_bytecode(measurement, engine):
        variables["PYTHONPYCACHEPREFIX"] = str(Path(folder, "bytecode"))
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
    if measurement.cached:
        code = str(Path(folder, CODE))
        variables |= {"CHAINRULE_CACHE_DIR": code, "TORCHINDUCTOR_CACHE_DIR": code}
    try:
        ran = subprocess.run(
            command(engine, settings, "fresh", kind, name, *arguments),
            capture_output=True,
            text=True,
            env=variables,
            check=False,
        )
    except OSError as error:  # no such interpreter
        raise Unavailable(str(error)) from None
    if ran.returncode:
        raise Unavailable((ran.stderr.strip().splitlines() or ["failed"])[-1])
    return json.loads(ran.stdout.splitlines()[-1])


# ---- the new process -----------------------------------------------------------------------------


def main(kind: str, name: str, *arguments: str) -> None:
    figures, values = probes.PROBES[kind](ENGINES[name], *arguments)
    print(json.dumps({"measured": figures, "values": values}))


if __name__ == "__main__":
    main(*sys.argv[1:])
