"""float16 and bfloat16 with Python numbers: computed in single precision and rounded once.

The reference is the same expression on the same values in float32, rounded at its end. Exactly
rounded ops must give its bits; others may differ in the last place, sums in a few.
"""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

import chainrule

from ..script import Disagreement, Script, code_generation

WEIGHT = 2
# What PyTorch refuses and we compute: bools as numbers, limits that are beyond the type.
MORE = "with a bool tensor is not supported|Boolean alpha|without overflow"
NUMBERS = ("0.1", "0.3", "2", "3", "-1.7", "1e-4", "1000", "2049", "0.5", "1/3", "1e-8", "70000.0",
           "True", "0", "-0.0", "1.0001", "float('inf')", "65504", "65519.0", "65520", "3e38",
           "1e-45", "7", "2047.9")  # fmt: skip
# The number itself is rounded first, as PyTorch does where it may be scaled by `alpha`.
ROUNDED = (
    "x + s", "s + x", "x - s", "s - x", "torch.add(x, s)", "torch.sub(x, s)", "torch.rsub(x, s)",
    "x.clone().add_(s)", "x.clone().sub_(s)", "x == s", "x > s", "x.clone().fill_(s)",
    "x.clamp(max=s)",
)  # fmt: skip
EXACT = (
    "x * s", "s * x", "x / s", "torch.mul(x, s)", "torch.div(x, s)", "x + y", "x * y", "x - y",
    "x / y", "x.clone().mul_(s)", "x.clone().div_(s)", "torch.maximum(x, y)", "x.abs()", "-x",
    "x.relu()", "x.sqrt()", "x.square()", "x.reciprocal()", "x.clamp(-1, 1)", "x.round()",
    "x.floor()", "torch.true_divide(x, s)", "x.clone().copy_(y)", "torch.where(x > y, x, y)",
    "x.trunc()", "x.neg()", "x.t()", "x.flip(0)", "torch.cat([x, y])", "x.float() * s",
    "x.fmod(1.5)", "x.copysign(y)", "x.sign()",
)  # fmt: skip
SCALED = (
    "torch.add(x, y, alpha=s)",
    "torch.sub(x, y, alpha=s)",
    "x.clone().add_(y, alpha=s)",
    "s ** x",
    "x ** s",
)
CLOSE = (
    "torch.lerp(x, y, s)",
    "torch.addcmul(x, x, y, value=s)", "torch.addcdiv(x, x, y, value=s)", "x.pow(2)", "x.exp()",
    "x.sin()", "x.tanh()", "x.sigmoid()", "torch.nn.functional.gelu(x)", "x.log1p()", "x.erf()",
    "torch.nn.functional.silu(x)", "torch.nn.functional.softplus(x)", "x.rsqrt()", "x.expm1()",
    "torch.nn.functional.leaky_relu(x, s)", "torch.nn.functional.elu(x, s)", "x.atan()",
    "torch.hypot(x, y)", "torch.atan2(x, y)", "x.remainder(1.5)", "x.pow(3)", "s / x",
    "torch.nn.functional.hardswish(x)", "torch.nn.functional.mish(x)", "x.cos()", "x.log()",
    "torch.logaddexp(x, y)", "x.lerp(y, 0.3)", "torch.nn.functional.softsign(x)",
)  # fmt: skip
SUMS = (
    "x.sum()", "x.sum(0)", "x.mean()", "x.mean(1)", "x.sum(1, keepdim=True)", "x @ y",
    "x.cumsum(0)",
    "torch.softmax(x, 1)", "torch.log_softmax(x, 0)", "x.logsumexp(1)", "x.norm()", "x.var()",
    "torch.nn.functional.layer_norm(x, (4,))", "x.std(1)", "torch.mm(x, y)", "x.prod(1)",
    "torch.nn.functional.linear(x, y)", "torch.nn.functional.mse_loss(x, y)", "x.cumprod(1)",
    "torch.addmm(x, x, y, beta=0.5, alpha=2)", "torch.nn.functional.linear(x, y, y[0])",
    "torch.nn.functional.cross_entropy(x, torch.arange(4))",
    "torch.baddbmm(x, x[None], y[None])[0]",
    "torch.nn.functional.scaled_dot_product_attention(x, y, x)", "x.norm(dim=1)",
    "torch.nn.functional.conv1d(x[None], y[:, :, None])[0]",
    "torch.nn.functional.avg_pool1d(x, 2)", "torch.einsum('ij,kj->ik', x, y)",
)  # fmt: skip


# Each with the units in the last place by which a result may differ.
MENUS = {
    "rounded": (ROUNDED, 0), "rounded, scaled": (SCALED, 1), "exact": (EXACT, 0),
    "close": (CLOSE, 1), "sums": (SUMS, 2),
}  # fmt: skip


def generate(seed: int) -> Script:
    rng = random.Random(f"half {seed}")
    dtype = rng.choice(["float16", "bfloat16"])
    kind = rng.choices(list(MENUS), [0.2, 0.05, 0.3, 0.25, 0.2])[0]
    scale = rng.choice(["1.0", "1.0", "1.0", "0.01", "30.0", "1e-3"])
    op = rng.choice(MENUS[kind][0])
    layout = rng.choice(["", "", ".t()", ".flip(0)", ".contiguous()"])
    chunks = (
        f"s = number({rng.choice(NUMBERS)}, '{kind}')", f"rng = np.random.default_rng({seed})",
        f"x = torch.tensor((rng.normal(size=(4, 4)) * {scale}).tolist(), dtype=torch.{dtype})"
        f"{layout}.to(wide)",
        f"y = torch.tensor(rng.normal(size=(4, 4)).tolist(), dtype=torch.{dtype}).to(wide)",
        f"f = compiled(lambda x, y: {op})", "out = f(x, y)",
    )  # fmt: skip
    return Script("half", seed, chunks)


def run(script: Script, torch: Any, wide: bool, compiled: Any = None) -> tuple[np.ndarray, str]:
    """The result as float64 values; of the wide run, rounded to the narrow type."""
    narrow = torch.bfloat16 if "bfloat16" in script.text() else torch.float16

    def number(value: Any, kind: str) -> Any:
        if wide and kind.startswith("rounded"):
            return torch.tensor(float(value), dtype=narrow).item()
        return value

    space: dict[str, Any] = {
        "torch": torch, "np": np, "wide": torch.float32 if wide else narrow, "number": number,
        "compiled": compiled or (lambda f: f),
    }  # fmt: skip
    with np.errstate(all="ignore"):
        exec(compile(script.text(), f"<half {script.seed}>", "exec"), space)
    out = space["out"]
    if wide and out.dtype is torch.float32 and ".float()" not in script.text():
        out = out.to(narrow)
    kind = str(out.dtype).removeprefix("torch.")
    return np.array(out.double().numpy()), kind


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    try:
        got = run(script, torch, False)
    except (RuntimeError, TypeError, OverflowError) as problem:
        return _raised(script, oracle, problem)
    places = next(n for kind, (_, n) in MENUS.items() if f"'{kind}')" in script.text())
    theirs = None if oracle is None else _theirs(script, oracle)
    if theirs is not None:
        try:
            same("PyTorch", got, theirs, places and places + 2)
        except Disagreement:  # it may be less exact in half precision, and by the layout
            same("PyTorch", got, run(script, oracle, True), places)
    if "s / x" not in script.text():  # the reciprocal times s, as in PyTorch: it may overflow
        same("float32 rounded once", got, run(script, torch, True), places)
    if script.seed % 6 == 0:
        with code_generation(script.seed % 12 == 0):
            same("compiled", run(script, torch, False, _three_times(torch)), got, places)
    return "ok"


def _theirs(script: Script, oracle: Any) -> tuple[np.ndarray, str] | None:
    try:
        return run(script, oracle, False)
    except (RuntimeError, TypeError, OverflowError) as problem:
        if re.search(MORE, str(problem)):
            return None
        raise Disagreement("PyTorch raises", "a result", problem) from None


def _raised(script: Script, oracle: Any, problem: Exception) -> str:
    if oracle is None:
        return "invalid"
    try:
        run(script, oracle, False)
    except Exception:
        return "ok"
    raise Disagreement("PyTorch", f"raises {problem}", "a result")


def _three_times(torch: Any) -> Any:
    def compiled(f: Any) -> Any:
        made = torch.compile(f)

        def call(x: Any, y: Any) -> Any:
            for _ in range(3):
                made(x, y)
            return made(x, y)

        return call

    return compiled


def same(way: str, got: Any, want: Any, places: int) -> None:
    """Equal up to so many units in the last place."""
    (a, kind), (b, wanted) = got, want
    if kind != wanted or a.shape != b.shape:
        raise Disagreement(f"{way} type", (kind, a.shape), (wanted, b.shape))
    if kind not in ("float16", "bfloat16"):
        places = max(places, 1)
    unit = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(kind, 2.0**-22)
    least = {"float16": 2.0**-24, "bfloat16": 2.0**-133}.get(kind, 2.0**-149)
    with np.errstate(all="ignore"):
        step = np.maximum(2.0 ** np.floor(np.log2(np.maximum(np.abs(b), 1e-300))) * unit, least)
        largest = np.abs(b).max(initial=0.0, where=np.isfinite(b))
        near = np.abs(a - b) <= places * np.maximum(step, 1e-5 * unit * largest)
    equal = (a == b) | (np.isnan(a) & np.isnan(b)) | near
    if not equal.all():
        k = int(np.argmin(equal))
        raise Disagreement(way, a.ravel()[k], b.ravel()[k])
