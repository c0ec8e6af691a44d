"""Ten lessons, in order, from one multiplication to a transformer block's backward pass.

A task checks itself against the run: `number` asks for a figure of it, `reach` wants numbers (or
code) changed until a figure is as asked, `uses` wants an op in the code, `step` a place in the run.
Figures are named as the page reads them: `output`, `grad:w`, `grad:w[1]`, `value:z`, `arriving:z`,
`paths:x`, `kept`, `residual`, `forward`, `backward`.
"""

from __future__ import annotations

from typing import Any


def _number(ask: str, of: str) -> dict[str, Any]:
    return {"kind": "number", "ask": ask, "of": of}


def _reach(ask: str, of: str, **bounds: float) -> dict[str, Any]:
    return {"kind": "reach", "ask": ask, "of": of, **bounds}


def _step(ask: str, node: str, way: str = "backward") -> dict[str, Any]:
    return {"kind": "step", "ask": ask, "node": node, "way": way}


def _uses(ask: str, *ops: str) -> dict[str, Any]:
    return {"kind": "uses", "ask": ask, "ops": list(ops)}


LESSONS: list[dict[str, Any]] = [
    {
        "title": "One multiplication",
        "about": "One box, one rule: the derivative of a product is the other factor.",
        "text": [
            "y = x * w. Step forward once: the box y gets its value. Step again: backward begins, "
            "with a gradient of 1 at y.",
            "The local derivative of a product is the other factor: d y / d w = x. The gradient of "
            "w is what arrives at y times that.",
        ],
        "program": "def product(x=2.0, w=3.0):\n    y = x * w\n    return y\n",
        "tasks": [
            _step("Step until the gradient of w is complete.", "w"),
            _number("How large is d y / d w?", "grad:w"),
            _reach("Move a number so that d y / d w is 5.", "grad:w", low=4.99, high=5.01),
        ],
    },
    {
        "title": "Several paths add up",
        "about": "A number that is used twice gets a gradient along each way.",
        "text": [
            "x is used three times: twice in x * x and once in 3 * x. Backward, a gradient comes "
            "back along each path, and where they meet they are added.",
            "At x the panel lists the paths with their shares. Shares of opposite sign cancel.",
        ],
        "program": (
            "def f(x=1.0):\n    square = x * x\n    line = 3 * x\n    return square + line\n"
        ),
        "tasks": [
            _number("How many gradients meet at x?", "paths:x"),
            _number("What is their sum?", "grad:x"),
            _reach("Move x to where they cancel.", "grad:x", low=-0.02, high=0.02),
        ],
    },
    {
        "title": "The chain rule",
        "about": "Each node multiplies what arrives by its own derivative and hands it on.",
        "text": [
            "The cost is (x * w + b) ** 2. Backward, each node multiplies what arrives by its own "
            "derivative, and hands the product on: 2 z at the square, 1 at the sum, x at w.",
        ],
        "program": "def cost(x=2.0, w=3.0, b=1.0):\n    z = x * w + b\n    return z ** 2\n",
        "tasks": [
            _number("Which gradient arrives at z?", "arriving:z"),
            _number("d cost / d w is that times x. How much?", "grad:w"),
            _reach("Choose b so that the cost is at its minimum.", "output", low=0, high=0.001),
        ],
    },
    {
        "title": "Three ways to a derivative",
        "about": "Numeric, symbolic, automatic: the same slope, three times.",
        "text": [
            "A numeric difference moves x a little and looks; a formula is worked out by rules; "
            "automatic differentiation runs the rules on numbers. The table shows all three.",
            "The plot has the tangent: drag along it and watch the slope change sign.",
        ],
        "program": (
            "import torch\n\ndef wave(x=1.0):\n    return torch.sin(3 * x) * torch.exp(-x)\n"
        ),
        "tasks": [
            _number("How large is the slope at x = 1?", "grad:x"),
            _reach("Drag to a place where the curve is level.", "grad:x", low=-0.03, high=0.03),
            _uses("Write cos in place of sin.", "cos"),
        ],
    },
    {
        "title": "How far a straight line can be trusted",
        "about": "A gradient predicts; the function answers.",
        "text": [
            "A gradient foretells what a small change does: old value plus slope times change. "
            "The function then says what is true. The further you go, the more it bends away.",
        ],
        "program": (
            "def revenue(price=10.0, cost=4.0):\n    sold = 100 - 5 * price\n"
            "    return (price - cost) * sold\n"
        ),
        "tasks": [
            _number("What does one more unit of price bring, to first order?", "grad:price"),
            _reach("Move the price until the prediction misses by more than 100.", "residual",
                   outside=100),
            _reach("Find the price at which revenue no longer answers to it.", "grad:price",
                   low=-0.5, high=0.5),
        ],
    },
    {
        "title": "A unit that is switched off",
        "about": "Below zero a ReLU hands nothing back.",
        "text": [
            "relu(z) is z above zero and 0 below. Below, its derivative is 0: whatever arrives, "
            "nothing is handed on. A unit that is below zero for every example is dead.",
        ],
        "program": (
            "import torch\n\ndef unit(x=2.0, w=1.5, b=-1.0):\n    z = x * w + b\n"
            "    a = torch.relu(z)\n    return (a - 5) ** 2\n"
        ),
        "tasks": [
            _number("How large is the gradient of w?", "grad:w"),
            _reach("Move b until the unit is dead.", "grad:w", low=0, high=0),
            _uses("Use an activation in place of relu that keeps a slope below zero.",
                  "leaky_relu", "elu", "gelu", "silu", "tanh", "sigmoid", "softplus"),
        ],
    },
    {
        "title": "Softmax and cross-entropy: p\u00a0\u2212\u00a0t",
        "about": "The gradient of the loss is the error of the probabilities.",
        "text": [
            "Scores become probabilities p by softmax; the loss is minus the logarithm of the "
            "right one's. Its derivative is p - t, with t = 1 for the right class and 0 elsewhere.",
        ],
        "program": (
            "import torch\nfrom torch.nn import functional as F\n\n"
            "def loss(scores=[2.0, 1.0, 0.0]):\n    right = torch.tensor(0)\n"
            "    return F.cross_entropy(scores, right)\n"
        ),
        "tasks": [
            _number("The gradient of the right class's score?", "grad:scores[0]"),
            _number("And of the second?", "grad:scores[1]"),
            _reach("Move scores until the right one's gradient is closer to 0 than -0.05.",
                   "grad:scores[0]", low=-0.05, high=0),
        ],
    },
    {
        "title": "What is kept, what is freed",
        "about": "Where the memory of training goes, and when it comes back.",
        "text": [
            "Backward needs values of the forward pass: exp its own result, a product both factors."
            " They are kept until their node has run backward: most of the memory that training "
            "needs.",
        ],
        "program": (
            "import torch\n\ndef f(x=[0.1, 0.2, 0.3, 0.4]):\n    a = torch.exp(x)\n    b = a * x\n"
            "    c = torch.sin(b)\n    return c.sum()\n"
        ),
        "tasks": [
            _step("Step to where b is computed, and read what is saved.", "b", "forward"),
            _number("How many bytes are kept at the end of the forward pass?", "kept"),
            _reach("Change the code so that nothing needs to be kept (sums and constant factors).",
                   "kept", low=0, high=0),
        ],
    },
    {
        "title": "A layer, and a batch",
        "about": "Every example is one more path to the same weights.",
        "text": [
            "Four examples go through one layer. Each is a path to the same weight and bias, so "
            "their gradients add up over the batch; a mean divides by its size.",
        ],
        "program": (
            "import torch\n\nDATA = torch.tensor([0.0, 1.0, 2.0, 3.0], dtype=torch.float64)\n"
            "TARGET = 2 * DATA + 1\n\ndef loss(w=0.5, b=0.0):\n    out = w * DATA + b\n"
            "    error = out - TARGET\n    return (error ** 2).mean()\n"
        ),
        "tasks": [
            _number("The gradient of b?", "grad:b"),
            _reach("Follow the gradients by hand: bring the loss under 0.01.", "output", low=0,
                   high=0.01),
            _uses("Use sum in place of mean; the gradients grow fourfold.", "sum"),
        ],
    },
    {
        "title": "A transformer block, backward",
        "about": "Attention, two residuals, and where their gradients meet.",
        "text": [
            "x + attend(x), then that + mlp(that). Two residuals: where each begins two gradients "
            "meet, one straight from above, one through the branch.",
            "Look at it under Model too: the attention weights are there, a row per query.",
        ],
        "program": '''\
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
norm1, norm2 = nn.LayerNorm(4), nn.LayerNorm(4)
qkv, out = nn.Linear(4, 12), nn.Linear(4, 4)
up, down = nn.Linear(4, 8), nn.Linear(8, 4)
x = torch.randn(3, 4, requires_grad=True)

q, k, v = qkv(norm1(x)).unsqueeze(0).chunk(3, -1)
weights = torch.softmax(q @ k.transpose(-1, -2) / 2, -1)
attended = out((weights @ v).squeeze(0))
middle = x + attended
branch = down(F.gelu(up(norm2(middle))))
y = middle + branch
loss = y.square().mean()
loss.backward()
''',
        "tasks": [
            _step("Step back to where the two gradients of the second residual meet.", "middle"),
            _step("Step on to the softmax of the attention.", "weights"),
            _number("How many gradients meet at x?", "paths:x"),
        ],
    },
]  # fmt: skip


def add_lesson(document: dict[str, Any], number: int) -> None:
    """Let a recorded page have a lesson's text and tasks; number 0 is none."""
    if 1 <= number <= len(LESSONS):
        lesson = {k: v for k, v in LESSONS[number - 1].items() if k != "program"}
        document["lesson"] = {"number": number, **lesson}


__all__ = ["LESSONS", "add_lesson"]
