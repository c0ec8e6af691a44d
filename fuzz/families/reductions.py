"""Reductions of a thousand to a million elements in single precision, against double precision.

The elements are what makes sums go wrong: constants that are no binary fractions, a large offset,
wide ranges, cancelling signs; in rows, columns, slices, of every layout. Each op states the error
it may make as a multiple of the rounding of one operation.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import chainrule

from ..script import Disagreement, Script, code_generation

WEIGHT = 2
EPS = float(np.finfo(np.float32).eps)
DATA = {
    "normal": "rng.normal(size=n)", "uniform": "rng.uniform(size=n)", "constant": "np.full(n, 0.1)",
    "offset": "1e4 + rng.normal(size=n)", "wide": "np.exp(rng.normal(size=n) * 5)",
    "cancelling": "np.where(np.arange(n) % 2, -1.0, 1.0) * 1e3 + rng.normal(size=n)",
    "decaying": "1.0 / (1 + np.arange(n))", "small": "rng.normal(size=n) * 1e-20",
}  # fmt: skip
LAYOUTS = (
    "x", "x", "x.t()", "x[:, ::2]", "x[1:]", "x[:, 1:-1]", "x.t().contiguous()", "x.reshape(-1)",
    "x.unsqueeze(1)", "x.reshape(x.shape[0], -1, 2).transpose(0, 1)", "x.flip(1)", "x[::3].t()",
    "x.expand(2, *x.shape)", "x.reshape(-1)[::3]", "x.reshape(x.shape[0], 2, -1).permute(2, 0, 1)",
)  # fmt: skip
VAR = "y.abs() + 1e-7 * x.square().amax()"
STD = "y.abs() + 1e-7 * x.abs().amax()"
# Expression, what its error is measured by (None: the result itself), how many roundings it may be.
OPS: tuple[tuple[str, str | None, float], ...] = (
    ("x.sum({d})", "x.abs().sum({d})", 8), ("x.mean({d})", "x.abs().mean({d})", 8),
    ("x.sum()", "x.abs().sum()", 8), ("x.mean()", "x.abs().mean()", 8),
    ("x.sum({d}, keepdim=True)", "x.abs().sum({d}, keepdim=True)", 8),
    ("x.nansum({d})", "x.abs().sum({d})", 8), ("x.nanmean({d})", "x.abs().mean({d})", 8),
    ("x.var({d})", VAR, 64), ("x.std({d})", STD, 64), ("x.var()", VAR, 64),
    ("x.std(unbiased=False)", STD, 64), ("torch.var_mean(x, {d})[0]", VAR, 64),
    ("x.var({d}, correction=0)", VAR, 64), ("x.norm()", None, 16), ("x.norm(dim={d})", None, 16),
    ("torch.linalg.vector_norm(x, 3, {d})", None, 64), ("x.norm(1, {d})", None, 16),
    ("torch.logsumexp(x * 0.01, {d})", "1 + (x * 0.01).logsumexp({d}).abs()", 32),
    ("torch.softmax(x * 0.001, {d})", "y.abs() * (1 + 0.001 * x.abs().amax())", 256),
    ("torch.log_softmax(x * 0.001, {d})", "20 + x.abs().amax() * 0.001 + 0 * x", 32),
    ("x.cumsum({d})", "x.abs().cumsum({d})", 8),
    ("torch.nn.functional.layer_norm(x, x.shape[-1:])", "8 + x.abs().amax() / x.std() + 0 * x", 64),
    ("(x * x).sum({d})", None, 16), ("(x * x).mean()", None, 16), ("x.square().sum()", None, 16),
    ("torch.dot(x.reshape(-1), x.reshape(-1))", None, 64),
    ("torch.nn.functional.mse_loss(x, x * 0.5)", None, 32), ("torch.trapz(x, dim={d})",
                                                           "x.abs().sum({d})", 16),
    ("torch.nn.functional.l1_loss(x, -x)", None, 32), ("x.abs().mean({d})", None, 16),
    ("torch.special.logsumexp(x * 0.01, {d})", "1 + (x * 0.01).logsumexp({d}).abs()", 32),
    ("x.sum_to_size(x.shape[-1:])", "x.abs().sum_to_size(x.shape[-1:])", 16),
    ("torch.einsum('...i->...', x)", "x.abs().sum(-1)", 16), ("x.diff(dim={d}).sum({d})",
                                                           "x.abs().sum({d})", 16),
    ("torch.nn.functional.normalize(x, dim={d})", None, 32), ("torch.cov(x.reshape(2, -1))",
        "y.abs().amax() + 1e-7 * x.square().amax() + 0 * y", 256),
)  # fmt: skip


def generate(seed: int) -> Script:
    rng = random.Random(f"reductions {seed}")
    size = rng.choices([1_000, 10_000, 100_000, 1_000_000], [0.63, 0.31, 0.057, 0.003])[0]
    columns = rng.choice([2, 10, 40, 100, 500])
    op, scale, factor = rng.choice(OPS)
    axis = rng.choice([0, -1, -1, "(0, 1)" if "dim=" not in op and "cumsum" not in op else 0])
    if any(name in op for name in ("softmax", "diff", "cum", "trapz")):
        axis = rng.choice([0, -1])
    layout = rng.choice(LAYOUTS if "(0, 1)" != axis else ("x", "x.t()", "x[:, ::2]", "x[1:]"))
    if columns == 2 and layout == "x[:, 1:-1]":
        layout = "x[1:-1]"
    data = DATA[rng.choice(list(DATA))]
    if "norm(x, 3" in op:
        data = DATA["normal"]  # cubes of the others leave the range, in PyTorch too
    wants = rng.random() < 0.25
    chunks = [
        f"rng = np.random.default_rng({seed})\nn = {size // columns // 2 * 2 * columns}",
        f"x = torch.tensor(({data}).astype('float32').reshape(-1, {columns})).to(dtype)",
        f"x = {layout}" if layout != "x" else "",
        "x = x.detach().requires_grad_()" if wants else "",
        f"f = compiled(lambda x: {op.format(d=axis)})",
        "y = f(x)",
    ]
    if wants:
        chunks.append("(y * torch.arange(y.numel()).cos().reshape(y.shape)).sum().backward()")
    chunks.append(f"bound = {factor} * ({(scale or 'y.abs()').format(d=axis)})")
    return Script("reductions", seed, tuple(c for c in chunks if c))


def run(script: Script, torch: Any, dtype: str, compiled: Any = None) -> dict[str, Any]:
    space: dict[str, Any] = {
        "torch": torch, "np": np, "dtype": getattr(torch, dtype),
        "compiled": compiled or (lambda f: f), "text": script.text(),
    }  # fmt: skip
    with np.errstate(all="ignore"):
        exec(compile(script.text(), f"<reductions {script.seed}>", "exec"), space)
    return space


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    try:
        exact = run(script, torch, "float64")
    except (RuntimeError, IndexError):
        if oracle is None:
            return "invalid"
        return _both_raise(script, oracle)
    if oracle is not None:
        theirs = run(script, oracle, "float64")
        _same("PyTorch in double precision", _value(exact, "y"), _value(theirs, "y"), exact, 1e-3)
        exact["bound"] = exact["bound"] + torch.tensor(_error(script, oracle, exact) * 2 / EPS)
    got = run(script, torch, "float32")
    compare("eager", got, exact)
    if script.seed % 5 == 0:
        with code_generation(script.seed % 10 == 0):
            compare("compiled", run(script, torch, "float32", _three_times(torch)), exact, 4.0)
    return "ok"


def _error(script: Script, oracle: Any, exact: dict[str, Any]) -> np.ndarray:
    """How far PyTorch's result in single precision is away: we need not be much better."""
    error = np.abs(
        _value(run(script, oracle, "float32"), "y").astype(np.float64) - _value(exact, "y")
    )
    return np.where(np.isfinite(error), error, 0.0)


def _three_times(torch: Any) -> Any:
    """A compiled function that has been captured when it is asked."""

    def compiled(f: Any) -> Any:
        made = torch.compile(f)

        def call(x: Any) -> Any:
            for _ in range(3):
                made(x)
            return made(x)

        return call

    return compiled


def _both_raise(script: Script, oracle: Any) -> str:
    try:
        run(script, oracle, "float64")
    except (RuntimeError, IndexError):
        return "invalid"
    raise Disagreement("PyTorch", "an error", "a result")


def _value(space: dict[str, Any], name: str) -> np.ndarray:
    return np.asarray(space[name].detach().numpy())


def compare(way: str, got: dict[str, Any], exact: dict[str, Any], share: float = 1.0) -> None:
    _same(way, _value(got, "y"), _value(exact, "y"), exact, share)
    if exact["x"].requires_grad:
        a, b = (np.asarray(space["x"].grad.numpy(), np.float64) for space in (got, exact))
        peak = np.abs(b).max(initial=0.0)
        worst = np.abs(a - b).max(initial=0.0)
        if "softmax(" in exact["text"]:  # differences of values near 1
            peak = max(peak, 1e-3)
        if "layer_norm(" in exact["text"]:  # of rows of two nothing is left but their rounding
            variances = np.var(_value(exact, "x"), -1)
            peak = max(peak, 1e-3 / np.sqrt(variances.min(initial=np.inf) + 1e-5))
        if not worst <= 2e-3 * peak and 0 < peak < 1e30:
            raise Disagreement(
                f"{way} gradient", f"error {worst:.3g}", f"at most {2e-3 * peak:.3g}"
            )


def _same(way: str, got: np.ndarray, want: np.ndarray, exact: dict[str, Any], share: float) -> None:
    if got.shape != want.shape:
        raise Disagreement(f"{way} shape", got.shape, want.shape)
    bound = np.broadcast_to(_value(exact, "bound"), want.shape) * EPS * share + 1e-37
    finite = np.isfinite(want) & (np.abs(want) < 1e38) & np.isfinite(bound)
    error = np.abs(got.astype(np.float64) - want)
    if not np.all(error[finite] <= bound[finite]):
        k = int(np.nanargmax(np.where(finite, error / bound, 0)))
        raise Disagreement(
            way, f"{got.ravel()[k]!r}", f"{want.ravel()[k]!r} within {bound.ravel()[k]:.3g}"
        )
