"""Record what PyTorch's CPU generator draws, for tests/test_rng_streams.py.

    python tools/record/record_rng.py        # needs torch, NumPy and ml_dtypes

Writes tests/recorded/rng.json: sequences of draws, each step with its arguments, the digest of
the drawn bytes and of the generator's state after it, and the first values for human eyes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

OUTPUT = Path(__file__).resolve().parents[2] / "tests" / "recorded" / "rng.json"

FLOATS = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
SIGNIFICAND = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 40, 623, 625, 1000)

INF = float("inf")

Step = dict[str, Any]


def step(op: str, **arguments: Any) -> Step:
    return {"op": op, "args": arguments}


ARRAYS: list[list[Any]] = []


def array(values: list[Any], dtype: str) -> dict[str, Any]:
    """An array argument: the same numbers serve many draws, so they are written once."""
    if values not in ARRAYS:
        ARRAYS.append(values)
    return {"array": ARRAYS.index(values), "dtype": dtype}


def ramp(count: int, scale: float = 1.0, offset: float = 0.0) -> list[float]:
    """Scattered but reproducible values in [offset, offset + scale), short when printed."""
    return [round(offset + scale * (i * 0.6180339887 % 1), 4) for i in range(count)]


# --- what PyTorch does for each step ---


def empty(args: dict[str, Any]) -> torch.Tensor:
    return torch.empty(args["shape"], dtype=getattr(torch, args["dtype"]))


def tensor(value: Any) -> Any:
    if isinstance(value, dict):
        exact = torch.tensor(ARRAYS[value["array"]], dtype=torch.float64)
        return exact.to(getattr(torch, value["dtype"]))
    return value


def normal(a: dict[str, Any]) -> torch.Tensor:
    if a.get("contiguous", True):
        return empty(a).normal_(a["mean"], a["std"])
    (count,) = a["shape"]
    return torch.empty(2 * count, dtype=getattr(torch, a["dtype"]))[::2].normal_(
        a["mean"], a["std"]
    )


def rrelu_noise(a: dict[str, Any]) -> torch.Tensor:
    x = tensor(a["x"])
    noise = torch.empty_like(x)
    torch.ops.aten.rrelu_with_noise(x, noise, a["lower"], a["upper"], True)
    return noise


def dropout_mask(a: dict[str, Any]) -> torch.Tensor:
    kept = torch.nn.functional.dropout(torch.ones(a["shape"]), a["p"], training=True) != 0
    return kept.to(getattr(torch, a["dtype"]))


TORCH: dict[str, Callable[[dict[str, Any]], torch.Tensor]] = {
    "uniform": lambda a: empty(a).uniform_(a["low"], a["high"]),
    "normal": normal,
    "normal_like": lambda a: torch.normal(tensor(a["mean"]), tensor(a["std"])),
    "randint": lambda a: empty(a).random_(a["low"], a["high"]),
    "random_full": lambda a: empty(a).random_(),
    "randperm": lambda a: torch.randperm(a["n"], dtype=getattr(torch, a["dtype"])),
    "bernoulli": lambda a: empty(a).bernoulli_(a["p"]),
    "bernoulli_array": lambda a: torch.empty_like(
        tensor(a["probabilities"]), dtype=getattr(torch, a["dtype"])
    ).bernoulli_(tensor(a["probabilities"])),
    "exponential": lambda a: empty(a).exponential_(a["rate"]),
    "geometric": lambda a: empty(a).geometric_(a["p"]),
    "cauchy": lambda a: empty(a).cauchy_(a["median"], a["sigma"]),
    "log_normal": lambda a: empty(a).log_normal_(a["mean"], a["std"]),
    "multinomial": lambda a: torch.multinomial(
        tensor(a["weights"]), a["num_samples"], a["replacement"]
    ),
    "poisson": lambda a: torch.poisson(tensor(a["rates"])),
    "binomial": lambda a: torch.binomial(tensor(a["count"]), tensor(a["probability"])),
    "standard_gamma": lambda a: torch._standard_gamma(tensor(a["shape_parameter"])),
    "dirichlet": lambda a: torch._sample_dirichlet(tensor(a["concentration"])),
    "dropout_mask": dropout_mask,
    "rrelu_noise": rrelu_noise,
}


# --- the sequences ---


def by_size() -> Iterator[tuple[str, list[Step]]]:
    for dtype in (*FLOATS, *COMPLEX):
        yield (
            f"uniform {dtype}",
            [step("uniform", shape=[n], dtype=dtype, low=0.0, high=1.0) for n in SIZES],
        )
        yield (
            f"normal {dtype}",
            [step("normal", shape=[n], dtype=dtype, mean=0.0, std=1.0) for n in range(41)]
            + [step("normal", shape=[n], dtype=dtype, mean=0.25, std=1.75) for n in SIZES],
        )
        yield (
            f"strided normal {dtype}",
            [
                step("normal", shape=[n], dtype=dtype, mean=-0.3, std=0.7, contiguous=n < 2)
                for n in SIZES
            ],
        )
    bounds = ((-0.05, 0.05), (0.1, 0.9), (-1.37, 2.71), (1.0, 1.0), (5.0, 5.000001), (1e30, 3e30))
    for dtype in ("float32", "float64", "bfloat16"):
        yield (
            f"uniform bounds {dtype}",
            [step("uniform", shape=[200], dtype=dtype, low=low, high=high) for low, high in bounds],
        )
    yield (
        "huge",
        [
            step("uniform", shape=[1_000_001], dtype="float32", low=0.0, high=1.0),
            step("normal", shape=[1_000_001], dtype="float32", mean=0.0, std=1.0),
            step("normal", shape=[100_003], dtype="float64", mean=0.1, std=3.7),
            step("randperm", n=200_000, dtype="int64"),
            step("dropout_mask", shape=[200_001], dtype="float32", p=0.1),
        ],
    )


def integers() -> Iterator[tuple[str, list[Step]]]:
    widths = (1, 2, 5, 1000, 2**28 - 1, 2**28, 2**32, 2**32 + 1, 2**62, 2**63 - 1)
    yield (
        "randint widths",
        [
            step("randint", low=low, high=low + width, shape=[9], dtype="int64")
            for width in widths
            for low in (0, -3, -(2**62))
            if low + width < 2**63
        ],
    )
    for dtype in INTEGERS:
        info = torch.iinfo(getattr(torch, dtype))
        yield (
            f"randint {dtype}",
            [
                step("randint", low=info.min, high=info.max, shape=[21], dtype=dtype),
                step("randint", low=3, high=None, shape=[21], dtype=dtype),
                step("randint", low=0, high=100, shape=[21], dtype=dtype),
                step("random_full", shape=[21], dtype=dtype),
            ],
        )
    for dtype in FLOATS:
        last = 2 ** SIGNIFICAND[dtype]
        yield (
            f"randint {dtype}",
            [
                step("randint", low=-last, high=last, shape=[21], dtype=dtype),
                step("randint", low=3, high=None, shape=[21], dtype=dtype),
                step("random_full", shape=[21], dtype=dtype),
            ],
        )
    yield (
        "randint others",
        [
            step("randint", low=0, high=2, shape=[21], dtype="bool"),
            step("random_full", shape=[21], dtype="bool"),
            step("randint", low=7, high=2**16, shape=[21], dtype="uint16"),
            step("randint", low=7, high=2**32, shape=[21], dtype="uint32"),
            step("randint", low=7, high=2**63 - 1, shape=[21], dtype="uint64"),
            step("randint", low=-(2**63), high=None, shape=[9], dtype="int64"),
            step("randint", low=-(2**63), high=None, shape=[9], dtype="float64"),
            step("randint", low=-(2**63), high=None, shape=[9], dtype="float32"),
            step("randint", low=-(2**63), high=None, shape=[9], dtype="bfloat16"),
        ],
    )
    sizes = (0, 1, 2, 3, 10, 300, 499, 500, 501, 5000)
    yield (
        "randperm",
        [step("randperm", n=n, dtype="int64") for n in sizes]
        + [step("randperm", n=100, dtype=dtype) for dtype in (*INTEGERS, *FLOATS)],
    )


def choices() -> Iterator[tuple[str, list[Step]]]:
    yield (
        "bernoulli",
        [
            step("bernoulli", shape=[33], dtype=dtype, p=p)
            for dtype in (*FLOATS, *INTEGERS, "bool")
            for p in (0.0, 0.3, 1.0)
        ],
    )
    yield (
        "bernoulli of arrays",
        [
            step("bernoulli_array", probabilities=array(ramp(30), source), dtype=dtype)
            for source in FLOATS
            for dtype in ("float32", "float64", "bool", "int64")
        ],
    )
    yield (
        "dropout",
        [step("dropout_mask", shape=[40], dtype="float32", p=p) for p in (0.0, 0.1, 0.5, 0.9, 1.0)]
        + [step("dropout_mask", shape=[4, 5, 1, 1], dtype="float64", p=0.25)],
    )
    yield (
        "geometric",
        [
            step("geometric", shape=[40], dtype=dtype, p=p)
            for dtype in (*FLOATS, *INTEGERS)
            for p in (0.1, 0.7)
        ],
    )
    weights = {"flat": ramp(25, 1.0, 0.001), "rows": [ramp(9, k + 1.0, 0.01) for k in range(4)]}
    yield (
        "multinomial",
        [
            step(
                "multinomial",
                weights=array(values, dtype),
                num_samples=count,
                replacement=replacement,
            )
            for values in weights.values()
            for dtype in ("float32", "float64")
            for count in (1, 5, 9)
            for replacement in (False, True)
        ]
        + [
            step("multinomial", weights=array(ramp(25), dtype), num_samples=50, replacement=True)
            for dtype in ("float16", "bfloat16")
        ],
    )


def continuous() -> Iterator[tuple[str, list[Step]]]:
    for dtype in FLOATS:
        yield (
            f"transformed {dtype}",
            [
                made
                for n in (1, 5, 64, 1000)
                for made in (
                    step("exponential", shape=[n], dtype=dtype, rate=1.0),
                    step("exponential", shape=[n], dtype=dtype, rate=2.3),
                    step("cauchy", shape=[n], dtype=dtype, median=0.7, sigma=1.3),
                    step("log_normal", shape=[n], dtype=dtype, mean=0.7, std=0.9),
                )
            ],
        )
        mean, std = array(ramp(20, 4.0, -2.0), dtype), array(ramp(20, 3.0), dtype)
        short = array(ramp(5), dtype)
        yield (
            f"normal of arrays {dtype}",
            [
                step("normal_like", mean=mean, std=std),
                step("normal_like", mean=mean, std=1.7),
                step("normal_like", mean=0.3, std=std),
                step("normal_like", mean=short, std=short),
                step("normal_like", mean=short, std=0.5),
            ],
        )
    for dtype in ("float32", "float64", "bfloat16"):
        x = array([0.0, *ramp(30, 6.0, -3.0)], dtype)
        yield (
            f"rrelu {dtype}",
            [
                step("rrelu_noise", x=x, lower=1 / 8, upper=1 / 3),
                step("rrelu_noise", x=x, lower=0.1, upper=0.45),
            ],
        )


def rejection() -> Iterator[tuple[str, list[Step]]]:
    for dtype in FLOATS:
        yield (
            f"poisson {dtype}",
            [step("poisson", rates=array(ramp(40, scale), dtype)) for scale in (1, 9, 25, 1000)],
        )
    for dtype in ("float32", "float64"):
        yield (
            f"binomial {dtype}",
            [
                step(
                    "binomial",
                    count=array([float(round(v)) for v in ramp(40, scale)], dtype),
                    probability=array(ramp(40, width), dtype),
                )
                for scale in (5, 40, 400)
                for width in (1.0, 0.3)
            ],
        )
        yield (
            f"gamma {dtype}",
            [
                step("standard_gamma", shape_parameter=array(ramp(count, scale, 0.001), dtype))
                for scale in (0.1, 1, 10)
                for count in (1, 40)
            ],
        )
    concentration = [ramp(6, k + 1.0, 0.05) for k in range(5)]
    yield "dirichlet", [step("dirichlet", concentration=array(concentration, "float32"))]


def extremes() -> Iterator[tuple[str, list[Step]]]:
    """Parameters at which something overflows, vanishes or is certain."""
    scales = ((0.0, 0.0), (2.0, 0.0), (1e300, 1e10), (1e-310, 1e-300), (5.0, 1e308), (INF, 1.0))
    bounds = ((-8e307, 9e307), (1e300, 1.5e300), (-1e-300, 1e300))
    yield (
        "extremes",
        [
            *(
                step("normal", shape=[count], dtype=dtype, mean=mean, std=std)
                for mean, std in scales
                for count in (5, 40)
                for dtype in FLOATS
            ),
            *(step("uniform", shape=[50], dtype="float64", low=a, high=b) for a, b in bounds),
            step("log_normal", shape=[100], dtype="float64", mean=700.0, std=30.0),
            step("log_normal", shape=[100], dtype="float32", mean=80.0, std=30.0),
            step("exponential", shape=[9], dtype="float32", rate=INF),
            step("exponential", shape=[9], dtype="float16", rate=1e-6),
            step("cauchy", shape=[99], dtype="float16", median=0.0, sigma=1e5),
            step("geometric", shape=[99], dtype="float16", p=1e-5),
            step("randint", low=-(2**62), high=2**63 - 1, shape=[9], dtype="float32"),
            step("randint", low=2**25 + 1, high=2**26, shape=[9], dtype="float32"),
            step("randint", low=0, high=65504, shape=[99], dtype="float16"),
            step("randint", low=-(2**53) - 9, high=2**60 + 1, shape=[9], dtype="float64"),
            step("standard_gamma", shape_parameter=array([0.0, 1e-5, 1e-30, 1e6], "float32")),
            step("standard_gamma", shape_parameter=array([0.0, 1e-5, 1e-310, 1e6], "float64")),
            step("poisson", rates=array([0.0, 1e-9, 1e6, 1e12], "float64")),
            step(
                "binomial",
                count=array([-1.0, 0.0, 5.0, 5.0, 5.0, 5.0, 1e6], "float32"),
                probability=array([0.5, 0.5, 0.0, 1.0, 1.5, -0.5, 1e-7], "float32"),
            ),
        ],
    )


def mixed(rng: random.Random) -> Iterator[tuple[str, list[Step]]]:
    """Draws in random order: what one leaves behind is what the next one finds."""
    pool = [
        made
        for family in (integers, choices, continuous, rejection)
        for _, steps in family()
        for made in steps
    ]
    for index in range(30):
        steps = []
        for _ in range(12):
            if rng.random() < 0.5:
                dtype = rng.choice((*FLOATS, *COMPLEX))
                op = rng.choice(("uniform", "normal"))
                names = ("low", "high") if op == "uniform" else ("mean", "std")
                count = rng.choice((rng.randint(0, 40), rng.randint(1, 19), 1000))
                extra = dict(zip(names, (0.0, 1.0), strict=True))
                steps.append(step(op, shape=[count], dtype=dtype, **extra))
            else:
                steps.append(rng.choice(pool))
        yield f"mixed {index}", steps


# --- recording ---


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def drawn_bytes(value: torch.Tensor) -> bytes:
    value = value.contiguous()
    if value.dtype == torch.bfloat16:
        value = value.view(torch.int16)
    return value.numpy().tobytes()


def head(value: torch.Tensor) -> list[str]:
    return [str(v) for v in value.flatten()[:2].tolist()]


def run(seed: int, steps: list[Step]) -> list[Step]:
    torch.manual_seed(seed)
    done = []
    for made in steps:
        value = TORCH[made["op"]](made["args"])
        done.append(
            made
            | {
                "head": head(value),
                "shape": list(value.shape),
                "digest": digest(drawn_bytes(value)),
                "state": digest(torch.get_rng_state().numpy().tobytes()),
            }
        )
    return done


def saved_state() -> dict[str, Any]:
    """A state in mid-stream with half a pair waiting, and what PyTorch draws from it."""
    torch.manual_seed(20)
    torch.rand(700)
    torch.randn(3)
    state = base64.b64encode(torch.get_rng_state().numpy().tobytes()).decode()
    values = [torch.randn(2, dtype=torch.float64), torch.rand(3, dtype=torch.float64)]
    return {"state": state, "values": [v.tolist() for v in values]}


def main() -> None:
    families = (by_size, integers, choices, continuous, rejection, extremes)
    sequences = [entry for family in families for entry in family()]
    sequences += mixed(random.Random(0))
    seeds = (0, 1, 42, 2**32 - 1, 2**40 + 7, -5)
    recorded = {
        name: {"seed": seeds[index % len(seeds)], "steps": run(seeds[index % len(seeds)], steps)}
        for index, (name, steps) in enumerate(sequences)
    }
    result = {
        "torch": torch.__version__,
        "arrays": ARRAYS,
        "saved": saved_state(),
        "sequences": recorded,
    }
    # One draw per line, so that a change shows as a change of that draw.
    text = json.dumps(result, separators=(",", ":")).replace('{"op"', '\n{"op"')
    OUTPUT.write_text(text + "\n")
    print(f"{sum(len(s['steps']) for s in recorded.values())} draws in {OUTPUT.name}")


if __name__ == "__main__":
    main()
