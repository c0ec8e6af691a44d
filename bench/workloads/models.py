"""The networks that are trained and run, written for any module with PyTorch's API.

Each function gives a model, a batch of inputs and the classes to predict, as arrays.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from bench.case import sample

VOCABULARY = 65


def classes(seed: int, count: int, *shape: int) -> np.ndarray:
    """The same class numbers for every engine."""
    return np.random.RandomState(seed).randint(0, count, shape)


def mlp(torch: Any, sizes: tuple[int, ...], batch: int) -> tuple[Any, np.ndarray, np.ndarray]:
    nn = torch.nn
    layers: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1]), sample(1, batch, sizes[0]), classes(2, sizes[-1], batch)


def cnn(torch: Any, batch: int = 64) -> tuple[Any, np.ndarray, np.ndarray]:
    """The network of the well-known MNIST example, without dropout."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip
    return model, sample(1, batch, 1, 28, 28), classes(2, 10, batch)


def lstm(
    torch: Any, inputs: int = 32, hidden: int = 128, length: int = 50, batch: int = 32
) -> tuple[Any, np.ndarray, np.ndarray]:
    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = torch.nn.LSTM(inputs, hidden, batch_first=True)
            self.head = torch.nn.Linear(hidden, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.lstm(x)[0])

    return Tagger(), sample(1, batch, length, inputs), classes(2, 10, batch * length)


def gpt(
    torch: Any, layers: int = 4, width: int = 128, heads: int = 4, length: int = 64, batch: int = 12
) -> tuple[Any, np.ndarray, np.ndarray]:
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            b, t, _ = x.shape
            q, k, v = self.attend(self.norm1(x)).split(width, dim=2)
            q, k, v = (a.view(b, t, heads, width // heads).transpose(1, 2) for a in (q, k, v))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.project(mixed.transpose(1, 2).contiguous().view(b, t, width))
            return x + self.narrow(F.gelu(self.widen(self.norm2(x))))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = (
                nn.Embedding(VOCABULARY, width),
                nn.Embedding(length, width),
            )
            self.blocks = nn.ModuleList([Block() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCABULARY, bias=False)

        def forward(self, x: Any) -> Any:
            h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
            for block in self.blocks:
                h = block(h)
            return self.head(self.norm(h))

    tokens = classes(1, VOCABULARY, batch, length)
    return GPT(), tokens, classes(2, VOCABULARY, batch * length)
