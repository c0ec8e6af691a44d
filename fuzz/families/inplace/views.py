"""Every way to take a view, with the shape that it has."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

Shape = tuple[int, ...]
# (expression after the tensor's name, shape, whether elements may share memory)
View = tuple[str, Shape, bool]


def _dim(rng: random.Random, n: int) -> tuple[int, int]:
    """A dimension, and how the program writes it."""
    d = rng.randrange(n)
    return d, d if rng.random() < 0.7 else d - n


def transpose(rng: random.Random, s: Shape) -> View | None:
    if len(s) < 2:
        return None
    d, e = rng.randrange(len(s)), rng.randrange(len(s))
    new = list(s)
    new[d], new[e] = new[e], new[d]
    name = rng.choice(["transpose", "swapaxes", "swapdims"])
    return f".{name}({d}, {e})", tuple(new), False


def t(rng: random.Random, s: Shape) -> View | None:
    if len(s) != 2:
        return None
    return rng.choice([".t()", ".T", ".mT"]), s[::-1], False


def permute(rng: random.Random, s: Shape) -> View | None:
    order = rng.sample(range(len(s)), len(s))
    if not order:
        return None
    return f".permute({', '.join(map(str, order))})", tuple(s[k] for k in order), False


def movedim(rng: random.Random, s: Shape) -> View | None:
    if len(s) < 2:
        return None
    d, e = rng.randrange(len(s)), rng.randrange(len(s))
    new = list(s)
    new.insert(e, new.pop(d))
    return f".{rng.choice(['movedim', 'moveaxis'])}({d}, {e})", tuple(new), False


def squeeze(rng: random.Random, s: Shape) -> View | None:
    if rng.random() < 0.3 or not s:
        return ".squeeze()", tuple(n for n in s if n != 1), False
    d, text = _dim(rng, len(s))
    return f".squeeze({text})", s[:d] + s[d + 1 :] if s[d] == 1 else s, False


def unsqueeze(rng: random.Random, s: Shape) -> View | None:
    d = rng.randrange(len(s) + 1)
    return f".unsqueeze({d})", (*s[:d], 1, *s[d:]), False


def view(rng: random.Random, s: Shape) -> View | None:
    n = math.prod(s)
    new = rng.choice([(n,), (1, n), (n, 1), *[(k, n // k) for k in (2, 3) if n % k == 0]])
    return f".{rng.choice(['view', 'reshape'])}({', '.join(map(str, new))})", new, False


def flatten(rng: random.Random, s: Shape) -> View | None:
    if rng.random() < 0.3:
        return rng.choice([".flatten()", ".ravel()"]), (math.prod(s),), False
    if len(s) < 2:
        return None
    d = rng.randrange(len(s) - 1)
    return f".flatten({d}, {d + 1})", (*s[:d], s[d] * s[d + 1], *s[d + 2 :]), False


def unflatten(rng: random.Random, s: Shape) -> View | None:
    if not s:
        return None
    d, text = _dim(rng, len(s))
    parts = rng.choice([(1, s[d]), (s[d], 1), *([(2, s[d] // 2)] if s[d] % 2 == 0 else [])])
    return f".unflatten({text}, {parts})", (*s[:d], *parts, *s[d + 1 :]), False


def expand(rng: random.Random, s: Shape) -> View | None:
    if 1 in s and rng.random() < 0.6:
        new = tuple(2 if n == 1 else n for n in s)
        how = rng.choice([f".expand({', '.join(map(str, new))})", f".broadcast_to({new})"])
        return how, new, True
    sizes = ", ".join(["2", *["-1"] * len(s)])
    return f".expand({sizes})", (2, *s), True


def narrow(rng: random.Random, s: Shape) -> View | None:
    if not s:
        return None
    d, text = _dim(rng, len(s))
    start = rng.randrange(s[d]) if s[d] else 0
    size = rng.randint(min(1, s[d]), s[d] - start) if s[d] else 0
    return f".narrow({text}, {start}, {size})", (*s[:d], size, *s[d + 1 :]), False


def select(rng: random.Random, s: Shape) -> View | None:
    if not s or 0 in s:
        return None
    d, text = _dim(rng, len(s))
    k = rng.randrange(-s[d], s[d])
    place = f".select({text}, {k})"
    if d == 0 and rng.random() < 0.5:
        place = f"[{k}]"
    if d == len(s) - 1 and rng.random() < 0.5:
        place = f"[..., {k}]"
    return place, s[:d] + s[d + 1 :], False


def slices(rng: random.Random, s: Shape) -> View | None:
    if not s:
        return None
    d = rng.randrange(len(s))
    step, start = rng.randint(1, 3), rng.randrange(max(1, s[d]))
    size = len(range(start, s[d], step))
    place = ":, " * d + f"{start or ''}::{step if step > 1 else ''}"
    return f"[{place}]", (*s[:d], size, *s[d + 1 :]), False


def mixed_index(rng: random.Random, s: Shape) -> View | None:
    if len(s) < 2 or 0 in s:
        return None
    k = rng.randrange(s[0])
    return rng.choice([
        (f"[{k}, None]", (1, *s[1:]), False), (f"[None, {k}]", (1, *s[1:]), False),
        (f"[{k}, 1:]", (s[1] - 1, *s[2:]), False), (f"[..., None, :, {k % s[-1]}]",
                                                   (*s[:-2], 1, s[-2]), False),
    ])  # fmt: skip


def diagonal(rng: random.Random, s: Shape) -> View | None:
    if len(s) < 2:
        return None
    offset = rng.choice([-1, 0, 0, 1])
    d, e = rng.sample(range(len(s)), 2)
    size = max(0, min(s[d], s[e] - offset) if offset >= 0 else min(s[d] + offset, s[e]))
    rest = tuple(n for k, n in enumerate(s) if k not in (d, e))
    return f".diagonal({offset}, {d}, {e})", (*rest, size), False


def unfold(rng: random.Random, s: Shape) -> View | None:
    if not s or 0 in s:
        return None
    d, text = _dim(rng, len(s))
    size, step = rng.randint(1, s[d]), rng.randint(1, 2)
    count = (s[d] - size) // step + 1
    return f".unfold({text}, {size}, {step})", (*s[:d], count, *s[d + 1 :], size), size > step


def as_strided(rng: random.Random, s: Shape) -> View | None:
    n = math.prod(s)
    if n < 2:
        return None
    choices: list[View] = [
        (f".as_strided(({n // 2},), (2,))", (n // 2,), False),
        (f".as_strided(({n // 2},), (1,), {n - n // 2})", (n // 2,), False),
        (f".as_strided(({n - 1}, 2), (1, 1))", (n - 1, 2), True),
    ]
    return rng.choice(choices)


def split(rng: random.Random, s: Shape) -> View | None:
    if not s or 0 in s:
        return None
    d = rng.randrange(len(s))
    rest = s[d + 1 :]
    first = -(-s[d] // 2)
    return rng.choice([
        (f".chunk(2, {d})[0]", (*s[:d], first, *rest), False),
        (f".split(1, {d})[-1]", (*s[:d], 1, *rest), False),
        (f".split([1, {s[d] - 1}], {d})[0]", (*s[:d], 1, *rest), False),
        (f".tensor_split(2, {d})[0]", (*s[:d], first, *rest), False),
        (f".unbind({d})[0]", (*s[:d], *rest), False),
    ])  # fmt: skip


def same(rng: random.Random, s: Shape) -> View | None:
    name = rng.choice([f".view_as(torch.zeros({s}))", f".expand_as(torch.zeros({s}))",
                       f".view({s})", "[...]", "[:]", ".alias()"])  # fmt: skip
    if name == ".alias()" or (name == "[:]" and not s):
        return "[...]", s, False
    return name, s, False


PLAIN: tuple[Callable[[random.Random, Shape], View | None], ...] = (
    transpose, t, permute, movedim, squeeze, unsqueeze, view, view, flatten, unflatten, expand,
    narrow, select, slices, slices, mixed_index, diagonal, unfold, as_strided, same,
)  # fmt: skip
SEVERAL = (split,)
