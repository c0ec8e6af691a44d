"""The data sets, as lines of the script: each makes `inputs` and `targets` from a generator `g`."""

from __future__ import annotations

from typing import Any

from .tables import read_csv

# Per data set: (kind, number of input columns, lines of the function that makes it).
CLASSES: dict[str, str] = {
    "circles": """\
    labels = torch.arange(POINTS) % 2
    angle = 2 * math.pi * torch.rand(POINTS, generator=g)
    radius = 0.35 + 0.55 * labels
    points = torch.stack([radius * angle.cos(), radius * angle.sin()], 1)""",
    "xor": """\
    points = 2 * torch.rand(POINTS, 2, generator=g) - 1
    labels = (points[:, 0] * points[:, 1] > 0).long()""",
    "moons": """\
    labels = torch.arange(POINTS) % 2
    angle = math.pi * torch.rand(POINTS, generator=g)
    flip = 1 - 2 * labels
    points = torch.stack([flip * angle.cos() * 0.6 + 0.6 * labels - 0.3,
                          flip * (angle.sin() * 0.6 - 0.15)], 1)""",
    "spiral": """\
    labels = torch.arange(POINTS) % 3
    along = torch.rand(POINTS, generator=g)
    angle = 4.5 * along + labels * 2 * math.pi / 3
    points = torch.stack([along * angle.cos(), along * angle.sin()], 1)""",
    "blobs": """\
    labels = torch.arange(POINTS) % 3
    angle = labels * 2 * math.pi / 3
    spread = 0.18 * torch.randn(POINTS, 2, generator=g)
    points = torch.stack([0.6 * angle.cos(), 0.6 * angle.sin()], 1) + spread""",
}
FIGURES: dict[str, str] = {
    "line": """\
    points = 2 * torch.rand(POINTS, 1, generator=g) - 1
    figures = 0.8 * points - 0.2""",
    "sine": """\
    points = 2 * torch.rand(POINTS, 1, generator=g) - 1
    figures = (math.pi * points).sin()""",
    "hills": """\
    points = 2 * torch.rand(POINTS, 2, generator=g) - 1
    left = (-8 * ((points + 0.4) ** 2).sum(1, keepdim=True)).exp()
    right = (-8 * ((points - 0.4) ** 2).sum(1, keepdim=True)).exp()
    figures = left - right""",
}
NAMES = [*CLASSES, *FIGURES, "first of a sequence", "saddle", "csv"]


def maker(config: dict[str, Any]) -> str:
    """The function of the script that makes the data."""
    name = config["data"]
    if name in CLASSES:
        body = (
            CLASSES[name] + "\n    points = points + NOISE * torch.randn(points.shape, generator=g)"
        )
        body += "\n    return points, labels"
    elif name in FIGURES:
        body = FIGURES[name]
        body += "\n    figures = figures + NOISE * torch.randn(figures.shape, generator=g)"
        body += "\n    return points, figures"
    elif name == "first of a sequence":
        body = f"""\
    sequences = torch.randn(POINTS, {config["length"]}, 1, generator=g)
    figures = sequences[:, 0] + NOISE * torch.randn(POINTS, 1, generator=g)
    return sequences, figures"""
    elif name == "saddle":
        return "def make_data():\n    return torch.zeros(1, 2), torch.zeros(1, 1)\n"
    else:
        return _from_csv(config["csv"])
    return f"def make_data():\n    g = torch.Generator().manual_seed(SEED)\n{body}\n"


def shape(config: dict[str, Any]) -> tuple[int, int, bool]:
    """(columns of an input, outputs of the network, whether the targets are classes)."""
    name = config["data"]
    if name in CLASSES:
        return 2, 3 if name in ("spiral", "blobs") else 2, True
    if name == "csv":
        made = read_csv(config["csv"])
        return len(made.rows[0]), len(made.names) or 1, bool(made.names)
    return {"line": 1, "sine": 1, "first of a sequence": 1}.get(name, 2), 1, False


def _from_csv(text: str) -> str:
    made = read_csv(text)
    values = [int(t) for t in made.targets] if made.names else [[t] for t in made.targets]
    names = f"CLASSES = {made.names!a}\n\n\n" if made.names else ""
    data = f"torch.tensor({made.rows}), torch.tensor({values})"
    return f"{names}def make_data():\n    return {data}\n"


__all__ = ["NAMES", "maker", "shape"]
