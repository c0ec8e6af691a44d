"""Functions where they are not smooth or not finite: kinks, ties, constants, zeros, infinity, NaN.

Values, gradients of two orders and tangents; by batches and by machine code they must be the same,
and with PyTorch at hand its own.
"""

from __future__ import annotations

import random
import re
from typing import Any

import chainrule

from ..script import Raised, Script, Seen, code_generation, compare, shown

WEIGHT = 1
NUMBERS = ("0.0", "-0.0", "1.0", "-1.0", "0.5", "-0.5", "2.0", "-0.7", "3.0", "-3.0", "1e-3", "6.0")
WILD = ("float('inf')", "float('-inf')", "float('nan')", "1e300", "-1e300", "1e-300")
# Whatever the number.
EVERYWHERE = (
    "x.abs()", "x.sign()", "x.relu()", "x.sqrt()", "x.rsqrt()", "x.reciprocal()", "x.log()",
    "x.log2()", "x.log1p()", "x.exp()", "x.expm1()", "x.exp2()", "x.sigmoid()", "x.tanh()",
    "x.asin()", "x.acosh()", "x.atanh()", "x.frac()", "x.square()", "x.erfinv()", "x.logit()",
    "x.clamp(-1, 1)", "x.clamp(min=0.5)", "x ** 0.5", "x ** 2", "x ** 3", "x ** -1", "x ** 0",
    "x ** 1.5", "x * x.flip(0)", "x.sgn()", "x.trunc()", "F.leaky_relu(x, 0.2)",
    "F.threshold(x, 0.5, 2)", "F.softplus(x)", "F.logsigmoid(x)", "torch.where(x > 0, x, -x)",
    "x.nan_to_num(0.5)",
    "x.max(-1)[0]", "x.sort(-1)[0]", "x.cummax(-1)[0]", "x.median(-1)[0]", "x.cumsum(-1)",
    "x.nansum()", "F.l1_loss(x, x.flip(0))",
    "x.topk(2)[0]",
)  # fmt: skip
# For numbers that are not too large, nor NaN: PyTorch's loops of several lanes differ from those of
# one there, and its formulas overflow elsewhere than ours.
FINITE = (
    "x.maximum(x.flip(0))", "torch.logaddexp(x, x.flip(0))", "F.elu(x)", "F.celu(x, 1.3)",
    "F.selu(x)", "F.hardswish(x)", "F.hardtanh(x)", "F.relu6(x)", "F.softshrink(x)",
    "F.hardshrink(x)", "x.logsumexp(-1)", "F.huber_loss(x, x.flip(0))",
    "F.mse_loss(x, x.flip(0))", "F.smooth_l1_loss(x, x.flip(0))",
    "x.std()", "x.var()", "x.std(-1)", "x.var(-1)", "x.prod()", "x.prod(-1)", "x.cumprod(-1)",
    "x.amax(-1)", "x.amin()", "x.max()", "x.norm()", "x.norm(1)", "x.norm(3)",
    "torch.linalg.vector_norm(x, float('inf'), -1)", "torch.linalg.vector_norm(x, 1.5)",
    "x.softmax(-1)", "x.log_softmax(-1)", "F.normalize(x, dim=-1)", "F.layer_norm(x, x.shape[-1:])",
    "F.gelu(x)", "F.silu(x)", "F.mish(x)", "F.softsign(x)", "F.tanhshrink(x)",
    "x.renorm(2, 0, 0.5)", "F.cosine_similarity(x, x.flip(0), -1)", "x.quantile(0.5)",
    "torch.cdist(x, x.detach() * 1)",
    "F.pairwise_distance(x, x.flip(0))", "torch.complex(x, x.flip(0)).abs()", "x.logcumsumexp(-1)",
    "x.mode(-1)[0]", "x.aminmax()[0]", "torch.xlogy(x.abs(), x.abs())",
    "torch.atan2(x, x.flip(0) + 4)", "F.lp_pool1d(x[None], 2.0, 2)",
    "F.max_pool1d(x[None], 2)", "F.binary_cross_entropy(x.sigmoid(), x.detach().sigmoid())",
)  # fmt: skip


def generate(seed: int) -> Script:
    rng = random.Random(f"edges {seed}")
    wild = rng.random() < 0.4
    op = rng.choice(EVERYWHERE if wild else EVERYWHERE + FINITE)
    menu = (*NUMBERS, *NUMBERS, *WILD) if wild else NUMBERS
    if re.search("sum", op):  # of huge numbers that cancel only the rounding is left
        menu = tuple(number for number in menu if "e300" not in number)
    few = rng.sample(menu, 1 if rng.random() < 0.15 else rng.randint(2, 8))
    numbers = ", ".join(rng.choice(few) for _ in range(9))
    layout = rng.choice(["", "", ".t()", "[:, :2]", "[1:]"])
    return Script("edges", seed, (
        f"a = torch.tensor([{numbers}], dtype=torch.float64).reshape(3, 3){layout}",
        f"f = compiled(lambda x: {op})",
        "x = a.detach().requires_grad_()\ny = f(x)\nshow(y.detach())",
        "w = torch.arange(x.numel()).reshape(x.shape).double().cos()",
        "g, = torch.autograd.grad(y.sum(), x, create_graph=True)\nshow(g.detach() + 0)",
        "h = None\nif g.requires_grad:\n"
        "    h, = torch.autograd.grad((g * w).sum(), x, allow_unused=True)\n"
        "show(torch.zeros_like(a) if h is None else h.detach() + 0)",
        "show(torch.func.jvp(f, (a,), (w,))[1])",
        "if batched: show(torch.func.vmap(f)(torch.stack([a, a]))[0])",
    ))  # fmt: skip


def run(script: Script, torch: Any, compiled: Any = None, batched: bool = False) -> list[Any]:
    space = {
        "torch": torch, "F": torch.nn.functional, "compiled": compiled or (lambda f: f),
        "batched": batched,
    }  # fmt: skip
    return shown(script, space)


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    got = run(script, torch)
    if oracle is not None and not _is_constant(script, got):
        theirs = run(script, oracle)
        raised = [k for k, item in enumerate(theirs) if isinstance(item, Raised)]
        known = raised[0] if raised else len(theirs)  # it has no rule, or no second one
        compare("PyTorch", got[:known], theirs[:known], 1e-7, 1e-9)
    *rest, batch = run(script, torch, batched=True)
    compare("again", rest, got)
    compare("vmap", [batch], got[:1], 1e-12, 1e-12)
    if script.seed % 4 == 0 and not re.search("median|mode|kth|sort|topk", script.text()):
        with code_generation(script.seed % 8 == 0):
            compare("compiled", run(script, torch, _three_times(torch)), got, 1e-9, 1e-12)
    return "ok"


def _is_constant(script: Script, got: list[Any]) -> bool:
    """Whether it is the deviation of equal numbers: 0 here, of its rounding error in PyTorch."""
    return ".std(" in script.text() and isinstance(got[0], Seen) and not got[0].values.all()


def _three_times(torch: Any) -> Any:
    """A compiled function that has been captured when it is asked."""

    def compiled(f: Any) -> Any:
        made = torch.compile(f)

        def call(x: Any) -> Any:
            if x.__class__ is torch.Tensor:
                for _ in range(3):
                    made(x.detach())
            return made(x)

        return call

    return compiled
