"""Small graphs as text: a few leaves and what is computed of them, for families about backward."""

from __future__ import annotations

import random

HEADER = """seen = []
def log(name, *grads):
    seen.append((name, *(None if g is None else g.detach().clone() for g in grads)))"""
UNARY = ("{a} * 2", "{a}.sin()", "{a} * {a}", "-{a}", "{a}.clone()", "{a}.exp()", "{a} + 1",
         "{a}.tanh()", "{a} ** 2", "{a}.flip(0)", "{a}.sigmoid()", "{a}.view(-1)",
         "{a}[...]")  # fmt: skip
BINARY = ("{a} * {b}", "{a} + {b}", "{a} - {b}", "(torch.stack([{a}, {b}]) * 2).sum(0)",
          "torch.where({a} > 0.1, {a}, {b})", "{a} / ({b} * {b} + 1)",
          "torch.hypot({a}, {b})", "torch.cat([{a}, {b}])[1:3]")  # fmt: skip
SEVERAL = ("{t}, {u} = {a}.unbind(0)", "{t}, {u} = {a}.split(1)", "{t}, {u} = {a}.sort()",
           "{t}, {u} = {a}.max(0)")  # fmt: skip


class Graph:
    """Leaves `a`, `b`, `c` of two elements and variables `v0`, `v1`... of two, one or none."""

    def __init__(self, rng: random.Random, views: bool = True, every_leaf: bool = False) -> None:
        self.rng = rng
        self.unary = UNARY if views else UNARY[:-2]
        self.binary = BINARY if views else BINARY[:-1]
        self.leaves = list("abc"[: rng.randint(1, 3)])
        self.pairs = list(self.leaves)  # variables of shape [2]
        self.others: list[str] = []  # of other shapes
        self.made: list[str] = []
        self.count = 0
        self.chunks = [HEADER]
        for k, name in enumerate(self.leaves):
            wants = "True" if k == 0 or every_leaf or rng.random() < 0.92 else "False"
            values = [round(rng.uniform(-2, 2), 2) for _ in range(2)]
            self.chunks.append(
                f"{name} = torch.tensor({values}, dtype=torch.float64, requires_grad={wants})"
            )

    def name(self) -> str:
        self.count += 1
        return f"v{self.count - 1}"

    def pick(self) -> str:
        """Any of the variables with two elements, later ones more often."""
        return self.rng.choices(self.pairs, range(1, len(self.pairs) + 1))[0]

    def any(self) -> str:
        return self.rng.choice(self.pairs + self.others)

    def step(self) -> str:
        """One more variable."""
        a, rng = self.pick(), self.rng
        if rng.random() < 0.08:
            t, u = self.name(), self.name()
            self.chunks.append(rng.choice(SEVERAL).format(a=a, t=t, u=u))
            self.others += [t]
            return t
        t = self.name()
        if rng.random() < 0.1:
            self.chunks.append(f"{t} = {a}.sum()")
            self.others.append(t)
        elif rng.random() < 0.1 and self.others:
            self.chunks.append(f"{t} = {a} * {rng.choice(self.others)}.sum()")
            self.pairs.append(t)
        else:
            text = rng.choice(self.unary if rng.random() < 0.5 else self.binary)
            self.chunks.append(f"{t} = {text.format(a=a, b=self.pick())}")
            self.pairs.append(t)
        self.made.append(t)
        return t

    def write(self) -> None:
        """A write into something that was computed."""
        names = [n for n in self.pairs if n not in self.leaves]
        if names:
            text = self.rng.choice(["{a}.mul_(2)", "{a}.add_({b})", "{a}[0] = 3", "{a}[0].mul_(2)",
                                    "{a}.sin_()", "{a}[1:].copy_({b}[:1])"])  # fmt: skip
            self.chunks.append(text.format(a=self.rng.choice(names), b=self.pick()))

    def total(self) -> None:
        """`out`, a scalar of a few variables."""
        names = self.rng.sample(self.pairs, min(len(self.pairs), self.rng.randint(1, 3)))
        names = list(dict.fromkeys([self.pairs[-1], *names]))
        terms = " + ".join(f"({k + 1} * {n}).sum()" for k, n in enumerate(names))
        self.chunks.append(f"out = {terms}")
