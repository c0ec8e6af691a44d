"""Where results lie in memory, and how far one number that is none reaches.

A function of a tensor of any layout and type gives the same values as of its copy in C order, and
`view` of the result works where PyTorch's result lies in C order. With one NaN or infinity among
the elements, or in the gradient that arrives, the same elements of the results are not finite.
"""

from __future__ import annotations

import random
from typing import Any

import chainrule

from ..script import Disagreement, Raised, Script, compare, shown

WEIGHT = 2
SHAPES = ((3, 4, 5), (2, 4, 3, 5), (4, 6), (1, 4, 4, 6), (5,))
LAYOUTS = (
    "x", "x.transpose(0, -1)", "x.transpose(-1, -2) if x.ndim > 1 else x", "x.flip(0)",
    "x.movedim(0, -1)", "x[:1].expand(x.shape)", "x[..., :1].expand(x.shape)", "x[..., ::2]",
    "x[1:] if len(x) > 1 else x", "x.permute(*reversed(range(x.ndim)))",
    "x.contiguous(memory_format=torch.channels_last) if x.ndim == 4 else x",
)  # fmt: skip
OF_ANY = (
    "x.sum({d})", "x.mean({d})", "x.sum({d}, keepdim=True)", "x.amax({d})", "x.max({d})[0]",
    "x.max({d})[1]", "x.argmin({d})", "x.prod({d})", "x.std({d})", "x.var({d})", "x.norm(dim={d})",
    "x.cumsum({d})", "x.cumprod({d})", "x.logcumsumexp({d})", "x.cummax({d})[0]", "x.softmax({d})",
    "x.logsumexp({d})", "x.any({d})", "x.count_nonzero({d})", "x.nansum({d})", "x.roll(1, {d})",
    "x.topk(1, {d})[0]", "x.topk(1, {d})[1] * 0", "x.kthvalue(1, {d})[1] * 0",
    "x.sort({d})[0]", "x.argsort(dim={d}, stable=True)", "x.flip({d})", "x * 2", "x + x.flip(0)",
    "x.exp()", "x.clamp(0, 1)", "-x", "x > 0", "x.to(torch.int64)", "x.to(torch.float64)",
    "x.half()", "x.bool()", "x.clone()", "x.repeat((2,) + (1,) * (x.ndim - 1))", "x.tile(2)",
    "torch.cat([x, x], {d})", "torch.stack([x, x], {d})", "x.diff(dim={d})", "F.relu(x)",
    "F.gelu(x)", "x.index_select({d}, torch.tensor([0, 0]))", "x[[0]]", "x.masked_fill(x > 0, 0)",
    "torch.where(x > 0, x, 0)", "x.take_along_dim(x.argsort(dim={d}, stable=True), {d})",
    "F.normalize(x, dim={d})",
    "F.layer_norm(x, x.shape[-1:])", "x.gather({d}, torch.zeros(x.shape, dtype=torch.int64))",
    "x @ x.mT if x.ndim > 1 else x", "torch.tril(x) if x.ndim > 1 else x", "x.unfold({d}, 1, 1)",
    "F.one_hot(x.to(torch.int64).abs() % 3, 3)", "x.reshape(-1)", "x.rot90() if x.ndim > 1 else x",
)  # fmt: skip
OF_IMAGES = (
    "F.avg_pool2d(x, 2, ceil_mode=True)", "F.max_pool2d(x, 2)", "F.adaptive_avg_pool2d(x, 2)",
    "F.adaptive_avg_pool2d(x, (3, 2))", "F.interpolate(x, size=(2, 7), mode='area')",
    "F.conv2d(x, torch.ones(2, x.shape[1], 2, 2, dtype=x.dtype))",
    "F.interpolate(x, scale_factor=2)",
    "F.pad(x, (1, 1), mode='replicate')", "F.unfold(x, 2)", "F.group_norm(x, 1)",
    "F.batch_norm(x, None, None, training=True)", "F.instance_norm(x)",
)  # fmt: skip


def generate(seed: int) -> Script:
    rng = random.Random(f"layouts {seed}")
    shape = rng.choice(SHAPES)
    image = len(shape) == 4 and rng.random() < 0.5
    op = rng.choice(OF_IMAGES if image else OF_ANY).format(d=rng.choice([0, -1]))
    dtype = rng.choice(["float32", "float64", "float64", "bfloat16"])
    count = 1
    for n in shape:
        count *= n
    chunks = [
        f"x = (torch.arange({count}).double() * 1.7).sin().reshape({shape}).to(torch.{dtype})"
    ]
    poison = image and rng.random() < 0.5
    if poison:
        value = rng.choice(["nan", "inf", "-inf"])
        chunks.append(f"x.view(-1)[{rng.randrange(count)}] = float('{value}')")
    layout = rng.choice(LAYOUTS)
    if image and layout not in ("x", "x.flip(0)") and "channels_last" not in layout:
        layout = "x"
    chunks += [f"x = {layout}", f"f = lambda x: {op}", "y = f(x)\nshow(y)", "placed(y)"]
    chunks.append("show(f(x.contiguous()))")
    if image and rng.random() < 0.5:
        chunks.append(
            "z = x.detach().clone().requires_grad_()\nw = torch.ones_like(r := f(z))\n"
            f"w.view(-1)[r.numel() // 3] = float('{rng.choice(['nan', 'inf'])}')\n"
            "show(torch.autograd.grad(r, z, w)[0])"
            if rng.random() < 0.5 and "_norm" not in op
            else "z = x.detach().clone().requires_grad_()\nf(z).sum().backward()\nshow(z.grad)"
        )
    return Script("layouts", seed, tuple(chunks))


def run(script: Script, torch: Any) -> tuple[list[Any], list[Any]]:
    """What is shown, and for each result whether it lies in C order."""
    placed: list[bool] = []
    space = {
        "torch": torch, "F": torch.nn.functional,
        "placed": lambda t: placed.append(t.is_contiguous()),
    }  # fmt: skip
    return shown(script, space), placed


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    got, placed = run(script, torch)
    tolerance = 1e-2 if "bfloat16" in script.text() else 1e-5
    if len(got) > 1 and not isinstance(got[1], Raised):
        compare("in C order", [got[1]], [got[0]], tolerance, tolerance)
    if oracle is None:
        return "ok"
    theirs, there = run(script, oracle)
    compare("PyTorch", got, theirs, tolerance, tolerance)
    if there and there[0] and not placed[0]:
        raise Disagreement("PyTorch: C order", placed[0], there[0])
    return "ok"
