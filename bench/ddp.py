"""The group `ddp`: steps of DistributedDataParallel in two processes with one thread each.

Ours run under mpiexec, PyTorch's under torchrun with gloo; both run `ddp_rank.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import ddp_rank

RANKS, STEPS = 2, 30
MODELS = ("mlp", "gpt")
PROGRAM = str(Path(__file__).with_name("ddp_rank.py"))
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def launched(
    engine: str, model: str, ranks: int = RANKS, steps: int = STEPS, strategy: str = "ddp"
) -> dict[str, Any]:
    """What rank 0 reports."""
    variables = {**os.environ, **ONE_THREAD}
    how = ["eager" if engine == "chainrule" else "compiled", strategy]
    if engine == "torch":
        start = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        words = [*start, "--nproc-per-node", str(ranks), PROGRAM, "torch", model, str(steps), *how]
    else:
        from chainrule.distributed import mpiexec

        variables = {**mpiexec.environment(), **ONE_THREAD}
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


def predicted(model: str, ranks: int, strategy: str, compute: float, found: Any) -> Any:
    """What the model of communication says, given a step without any and this network."""
    import chainrule as torch
    from chainrule.distributed import planning

    module, x, loss = ddp_rank.build(torch, model, 0)
    network = found["bandwidth"], found["latency"]
    every = planning.estimate(module, x, ranks, *network, loss=loss, compute=compute)
    return next(one for one in every if one.strategy == strategy)


# How each strategy is run at its best: sharded modules are not compiled.
STRATEGIES = {"ddp": "compiled", "zero": "compiled", "sharded": "chainrule"}


def compare(model: str) -> None:
    """Print predicted and measured times of all strategies for 2 and 4 ranks.

    The step without communication is measured with as many ranks: here they share cores and caches,
    on a cluster they would not.
    """
    for ranks in (2, 4):
        for strategy, engine in STRATEGIES.items():
            alone = launched(engine, model, ranks, strategy="alone")
            found = launched(engine, model, ranks, strategy=strategy)
            guess = predicted(model, ranks, strategy, alone["step"], found)
            print(
                f"{model}, {ranks} ranks, {strategy:8} alone {1e3 * alone['step']:7.2f} ms, "
                f"predicted {1e3 * guess.step:7.2f} ms, measured {1e3 * found['step']:7.2f} ms "
                f"({found['bandwidth'] / 1e9:.2f} GB/s, {1e6 * found['latency']:.0f} us)"
            )
            if strategy == "ddp":
                print(timeline(found["timeline"]))


def compare_memory(ranks: int = 4) -> None:
    """Print predicted and measured memory of a rank: parameters, gradients, buckets, state."""
    for strategy in STRATEGIES:
        found = launched("chainrule", "wide", ranks, 3, strategy)
        guess = predicted("wide", ranks, strategy, 1.0, {"bandwidth": 1e9, "latency": 1e-6})
        print(
            f"wide, {ranks} ranks, {strategy:8} predicted {guess.memory / 2**20:6.0f} MiB, "
            f"measured {found['memory'] / 2**20:6.0f} MiB"
        )


def main() -> None:
    """Print timelines, and predictions beside measurements."""
    for model in MODELS:
        compare(model)
    compare_memory()


if __name__ == "__main__":
    main()
