"""The script of a run: what trains in the page, and what is exported."""

from __future__ import annotations

import math
from typing import Any

from ..programs import ProgramError
from . import datasets

ACTIVATIONS = {
    "tanh": "nn.Tanh()", "relu": "nn.ReLU()", "sigmoid": "nn.Sigmoid()", "gelu": "nn.GELU()",
    "leaky relu": "nn.LeakyReLU()", "silu": "nn.SiLU()", "none": "nn.Identity()",
}  # fmt: skip
OPTIMIZERS = {
    "sgd": "SGD(model.parameters(), lr={lr})",
    "momentum": "SGD(model.parameters(), lr={lr}, momentum=0.9)",
    "rmsprop": "RMSprop(model.parameters(), lr={lr})",
    "adam": "Adam(model.parameters(), lr={lr})",
    "adamw": "AdamW(model.parameters(), lr={lr})",
}
INITS = {
    "default": "", "xavier": "nn.init.xavier_normal_({w})",
    "kaiming": "nn.init.kaiming_normal_({w})",
    "zeros": "nn.init.zeros_({w})",
    "all equal": "nn.init.constant_({w}, 0.1)\n        nn.init.zeros_({b})",
    "tiny": "nn.init.normal_({w}, std=0.01)", "huge": "nn.init.normal_({w}, std=3.0)",
    "negative bias": "nn.init.constant_({b}, -6.0)",
}  # fmt: skip
NORMS = {"none": "", "batch": "nn.BatchNorm1d({n})", "layer": "nn.LayerNorm({n})"}
DEFAULT: dict[str, Any] = {
    "data": "circles", "points": 200, "noise": 0.08, "csv": "", "length": 20, "layers": [8, 8],
    "activation": "tanh", "init": "default", "norm": "none", "residual": False, "gain": 1.0,
    "optimizer": "sgd", "lr": 0.1, "batch": 16, "seed": 0, "epochs": 20, "own": "",
}  # fmt: skip


def checked(given: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run; what cannot be one is refused."""
    if not isinstance(given, dict):
        raise ProgramError(f"the settings of a run are named, not a {type(given).__name__}")
    unknown = set(given) - set(DEFAULT)
    if unknown:
        raise ProgramError(f"no setting is called {', '.join(sorted(unknown))}")
    config = {**DEFAULT, **given}
    for name, known in (("data", datasets.NAMES), ("activation", ACTIVATIONS), ("init", INITS),
                        ("optimizer", OPTIMIZERS), ("norm", NORMS)):  # fmt: skip
        if config[name] not in known:
            raise ProgramError(f"{name} is one of {', '.join(known)}, not {config[name]!r}")
    for name, low, high in (("points", 4, 5000), ("batch", 1, 5000), ("seed", 0, 2**31),
                            ("epochs", 1, 100_000), ("length", 2, 200)):  # fmt: skip
        config[name] = int(_between(config, name, low, high))
    for name, low, high in (("noise", 0.0, 10.0), ("lr", 0.0, 1e6), ("gain", -100.0, 100.0)):
        config[name] = float(_between(config, name, low, high))
    for name in ("csv", "own"):
        if not isinstance(config[name], str):
            raise ProgramError(f"{name} is a text, not a {type(config[name]).__name__}")
    widths = config["layers"]
    if (
        not isinstance(widths, list)
        or len(widths) > 60
        or any(type(n) is not int or not 1 <= n <= 512 for n in widths)
    ):
        raise ProgramError("a network has at most 60 hidden layers of 1 to 512 units")
    return {**config, "residual": bool(config["residual"])}


def _between(config: dict[str, Any], name: str, low: float, high: float) -> float:
    value = config[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ProgramError(f"{name} is a number from {low:g} to {high:g}, not {value!r}")
    if not math.isfinite(value):
        raise ProgramError(f"{name} must be finite")
    return value


def script(config: dict[str, Any]) -> str:
    """The whole text; it runs by itself, with PyTorch or with chainrule."""
    model = config["own"].rstrip() + "\n" if config["own"].strip() else model_text(config)
    _, _, classes = datasets.shape(config)
    surface = config["data"] == "saddle"
    loss = "nn.CrossEntropyLoss()" if classes else "nn.MSELoss()"
    loss = "lambda height, _: height.sum()" if surface else loss
    optimizer = OPTIMIZERS[config["optimizer"]].format(lr=config["lr"])
    return HEAD.format(**{k: config[k] for k in ("seed", "points", "noise", "batch", "epochs")}) + (
        f"\n\n{datasets.maker(config)}\n\ninputs, targets = make_data()\ntorch.manual_seed(SEED)\n"
        f"{model}\nloss_function = {loss}\noptimizer = torch.optim.{optimizer}\n"
        "order = torch.Generator().manual_seed(SEED)\n" + LOOP
    )


def model_text(config: dict[str, Any]) -> str:
    """The lines that make `model`."""
    columns, outputs, _ = datasets.shape(config)
    if config["data"] == "saddle":
        return SADDLE
    if config["data"] == "first of a sequence":
        width = (config["layers"] or [8])[0]
        return RNN.format(width=width, gain=config["gain"])
    act, norm = ACTIVATIONS[config["activation"]], NORMS[config["norm"]]
    parts, before = [], columns
    for width in config["layers"]:
        inner = [f"nn.Linear({before}, {width})", *([norm.format(n=width)] if norm else []), act]
        if config["residual"] and width == before:
            parts.append(f"Residual({', '.join(inner)})")
        else:
            parts += inner
        before = width
    parts.append(f"nn.Linear({before}, {outputs})")
    text = RESIDUAL if config["residual"] else ""
    text += "model = nn.Sequential(\n" + "".join(f"    {p},\n" for p in parts) + ")\n"
    how = INITS[config["init"]].format(w="layer.weight", b="layer.bias")
    if how:
        text += "for layer in list(model.modules()):\n    if isinstance(layer, nn.Linear):\n"
        text += f"        {how}\n"
    return text


HEAD = '''\
"""A training run of chainrule's studio, as a PyTorch script with the same numbers.

The last digits are each machine's own; a run that swings or explodes magnifies them.
"""

import math

import torch
from torch import nn

SEED, POINTS, NOISE = {seed}, {points}, {noise}
BATCH, EPOCHS = {batch}, {epochs}
'''
LOOP = """

def train_step(x, y):
    loss = loss_function(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


if __name__ == "__main__":
    step = 0
    for epoch in range(EPOCHS):
        for rows in torch.randperm(len(inputs), generator=order).split(BATCH):
            loss = train_step(inputs[rows], targets[rows])
            step += 1
        print(f"epoch {epoch + 1}, step {step}: loss {loss.item():.7g}")
"""
RESIDUAL = """

class Residual(nn.Sequential):
    def forward(self, x):
        return x + super().forward(x)


"""
SADDLE = '''

class Point(nn.Module):
    """A point on the surface x**2 - y**2 + y**4 / 4; training lets it roll down."""

    def __init__(self):
        super().__init__()
        self.at = nn.Parameter(torch.tensor([0.9, 0.001]))

    def forward(self, _):
        x, y = self.at
        return x**2 - y**2 + y**4 / 4


model = Point()
'''
RNN = '''

class Recurrent(nn.Module):
    """Reads a sequence and says its first number at the end."""

    def __init__(self):
        super().__init__()
        self.cell = nn.RNNCell(1, {width}, nonlinearity="relu")
        self.head = nn.Linear({width}, 1)
        nn.init.orthogonal_(self.cell.weight_hh, gain={gain})

    def forward(self, x):
        state = None
        for number in x.unbind(1):
            state = self.cell(number, state)
        return self.head(state)


model = Recurrent()
'''

__all__ = [
    "ACTIVATIONS",
    "DEFAULT",
    "INITS",
    "NORMS",
    "OPTIMIZERS",
    "checked",
    "model_text",
    "script",
]
