"""The group `ddp`: steps of DistributedDataParallel in two processes with one thread each.

Ours run under mpiexec, PyTorch's under torchrun with gloo; both run `ddp_rank.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

RANKS, STEPS = 2, 30
MODELS = ("mlp", "gpt")
PROGRAM = str(Path(__file__).with_name("ddp_rank.py"))
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def launched(engine: str, model: str, ranks: int = RANKS, steps: int = STEPS) -> dict[str, Any]:
    """What rank 0 reports."""
    variables = {**os.environ, **ONE_THREAD}
    if engine == "torch":
        start = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        words = [*start, "--nproc-per-node", str(ranks), PROGRAM, "torch", model, str(steps)]
    else:
        from chainrule.distributed import mpiexec

        variables = {**mpiexec.environment(), **ONE_THREAD}
        how = ["eager"] if engine == "chainrule" else []
        python = [sys.executable, "-W", "ignore", PROGRAM, "chainrule", model, str(steps), *how]
        words = [*mpiexec.command(ranks), *python]
    ran = subprocess.run(words, capture_output=True, text=True, env=variables, check=False)
    if ran.returncode:
        raise SystemExit((ran.stderr.strip().splitlines() or ["failed"])[-1])
    return json.loads(next(line for line in ran.stdout.splitlines() if line.startswith("{")))


def step_time(engine: Any, model: str) -> tuple[list[float], list[float]]:
    """Seconds of a step, and no values: ranks have batches of their own."""
    return [launched(engine.name, model)["step"]], []


def timeline(events: list[Any], width: int = 60) -> str:
    """When each bucket's reduction started and was done, against the end of backward."""
    done = {bucket: (at, ended) for kind, bucket, at, ended in events if kind == "done"}
    started = {bucket: at for kind, bucket, at, _ in events if kind == "start"}
    last = max((at for at, _ in done.values()), default=1e-9)
    ended = max((end for _, end in done.values()), default=0.0)
    place = round(ended / last * width)
    lines = [f"backward  {'#' * place}{' ' * (width - place)} {1e3 * ended:8.2f} ms"]
    for bucket, (at, _) in sorted(done.items()):
        first, end = (round(t / last * width) for t in (started[bucket], at))
        bar = " " * first + "=" * max(1, end - first)
        lines.append(f"bucket {bucket:2} {bar.ljust(width + 1)}{1e3 * at:8.2f} ms")
    return "\n".join(lines)


def main() -> None:
    """Print the timeline of a step, and predicted and measured times for 2 and 4 ranks."""
    for model in MODELS:
        for ranks in (2, 4):
            found = launched("compiled", model, ranks)
            shown = {k: round(1e3 * found[k], 3) for k in ("step", "predicted", "compute")}
            print(f"{model}, {ranks} ranks: {shown} ms")
            print(timeline(found["timeline"]))


if __name__ == "__main__":
    main()
