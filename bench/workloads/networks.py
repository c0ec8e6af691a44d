"""Networks of other families: convolutions with few or one channel a group, graphs, half precision.

As in `models.py`, weights and batches depend on names and shapes only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..case import sample
from . import models
from .models import CLASSES, classes

NODES, EDGES = 2000, 16000


def images(size: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    return sample(1, batch, 3, size, size), classes(2, CLASSES, batch)


def mobilenet(torch: Any, size: int, batch: int) -> Any:
    """Inverted residuals: widen by 1x1, one filter a channel, narrow by 1x1."""
    nn = torch.nn

    def layer(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> list:
        shape = {"padding": kernel // 2, "groups": groups, "bias": False}
        return [nn.Conv2d(inputs, outputs, kernel, stride, **shape), nn.BatchNorm2d(outputs)]

    class Inverted(nn.Module):
        def __init__(self, inputs: int, outputs: int, stride: int, wider: int = 6) -> None:
            super().__init__()
            inner = inputs * wider
            self.body = nn.Sequential(
                *layer(inputs, inner, 1), nn.ReLU6(),
                *layer(inner, inner, 3, stride, inner), nn.ReLU6(),
                *layer(inner, outputs, 1),
            )  # fmt: skip
            self.same = stride == 1 and inputs == outputs

        def forward(self, x: Any) -> Any:
            return x + self.body(x) if self.same else self.body(x)

    return nn.Sequential(
        *layer(3, 16, 3, 1), nn.ReLU6(),
        Inverted(16, 24, 2), Inverted(24, 24, 1), Inverted(24, 32, 2), Inverted(32, 32, 1),
        Inverted(32, 64, 2), Inverted(64, 64, 1),
        *layer(64, 256, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(256, CLASSES),
    )  # fmt: skip


def resnet18(torch: Any, size: int, batch: int) -> Any:
    """For small images: a first convolution of 3x3, no pooling before the blocks."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.norm1, self.norm2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
            self.beside = nn.Identity()
            if stride != 1 or inputs != outputs:
                self.beside = nn.Sequential(
                    nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
                )

        def forward(self, x: Any) -> Any:
            h = F.relu(self.norm1(self.conv1(x)))
            return F.relu(self.norm2(self.conv2(h)) + self.beside(x))

    blocks: list[Any] = []
    before = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        blocks += [Block(before, outputs, stride), Block(outputs, outputs, 1)]
        before = outputs
    return nn.Sequential(
        nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(), *blocks,
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, CLASSES),
    )  # fmt: skip


def graph_batch(width: int, heads: int) -> tuple[np.ndarray, np.ndarray]:
    return sample(1, NODES, width), classes(2, CLASSES, NODES)


def attention_over_edges(torch: Any, width: int, heads: int) -> Any:
    """Two layers in which nodes weigh their neighbours: gather, softmax of segments, scatter."""
    nn, F = torch.nn, torch.nn.functional
    ends = torch.tensor(classes(7, NODES, 2, EDGES))
    source, target = ends[0], ends[1]

    class Layer(nn.Module):
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.change = nn.Linear(inputs, heads * outputs, bias=False)
            self.from_source = nn.Parameter(torch.zeros(heads, outputs))
            self.from_target = nn.Parameter(torch.zeros(heads, outputs))

        def forward(self, x: Any) -> Any:
            h = self.change(x).view(x.shape[0], heads, -1)
            one, other = (h * self.from_source).sum(-1), (h * self.from_target).sum(-1)
            score = F.leaky_relu(one.index_select(0, source) + other.index_select(0, target), 0.2)
            weight = torch.exp(score - score.detach().max())
            total = torch.zeros_like(one).index_add(0, target, weight)
            share = weight / (total.index_select(0, target) + 1e-9)
            message = h.index_select(0, source) * share.unsqueeze(-1)
            return torch.zeros_like(h).index_add(0, target, message).flatten(1)

    return nn.Sequential(Layer(width, 16), nn.ELU(), Layer(heads * 16, CLASSES), nn.Flatten(),
                         nn.Linear(heads * CLASSES, CLASSES))  # fmt: skip


FAMILIES: dict[str, tuple[Callable[..., Any], Callable[..., tuple[np.ndarray, np.ndarray]]]] = {
    "mobilenet": (mobilenet, images),
    "resnet18": (resnet18, images),
    "graph": (attention_over_edges, graph_batch),
}
for _name, (_model, _batch) in FAMILIES.items():
    models.MODELS[_name], models.BATCHES[_name] = _model, _batch
