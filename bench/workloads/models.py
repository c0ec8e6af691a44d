"""The networks that are trained and run, written for any module with PyTorch's API.

Weights and batches are arrays that depend on names and shapes only, so that engines with another
API start from the same numbers.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np

from ..case import sample

VOCABULARY = 65
CLASSES = 10


def initial(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The parameter of that name, in every engine."""
    if "norm" in name:
        return np.full(shape, float(name.endswith("weight")), np.float32)
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else shape[0]
    return sample(crc32(name.encode()), *shape, scale=fan_in**-0.5)


def set_weights(torch: Any, model: Any) -> None:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.tensor(initial(name, tuple(parameter.shape))))


def classes(seed: int, count: int, *shape: int) -> np.ndarray:
    """The same class numbers for every engine."""
    return np.random.RandomState(seed).randint(0, count, shape)


# ---- batches: inputs, and the classes to predict -------------------------------------------------


def mlp_batch(sizes: tuple[int, ...], batch: int) -> tuple[np.ndarray, np.ndarray]:
    return sample(1, batch, sizes[0]), classes(2, sizes[-1], batch)


def cnn_batch(batch: int) -> tuple[np.ndarray, np.ndarray]:
    return sample(1, batch, 1, 28, 28), classes(2, CLASSES, batch)


def lstm_batch(inputs: int, hidden: int, length: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    return sample(1, batch, length, inputs), classes(2, CLASSES, batch * length)


def gpt_batch(
    layers: int, width: int, heads: int, length: int, batch: int
) -> tuple[np.ndarray, np.ndarray]:
    return classes(1, VOCABULARY, batch, length), classes(2, VOCABULARY, batch * length)


BATCHES: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "mlp": mlp_batch, "cnn": cnn_batch, "lstm": lstm_batch, "gpt": gpt_batch,
}  # fmt: skip


# ---- models --------------------------------------------------------------------------------------


def mlp(torch: Any, sizes: tuple[int, ...], batch: int) -> Any:
    nn = torch.nn
    layers: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def cnn(torch: Any, batch: int) -> Any:
    """The network of the well-known MNIST example, without dropout."""
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, CLASSES),
    )  # fmt: skip


def lstm(torch: Any, inputs: int, hidden: int, length: int, batch: int) -> Any:
    class Tagger(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = torch.nn.LSTM(inputs, hidden, batch_first=True)
            self.head = torch.nn.Linear(hidden, CLASSES)

        def forward(self, x: Any) -> Any:
            return self.head(self.lstm(x)[0])

    return Tagger()


def gpt(torch: Any, layers: int, width: int, heads: int, length: int, batch: int) -> Any:
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

    return GPT()


MODELS: dict[str, Callable[..., Any]] = {"mlp": mlp, "cnn": cnn, "lstm": lstm, "gpt": gpt}


def model_of(torch: Any, family: str, **sizes: Any) -> Any:
    """The network, with the weights that all engines start from."""
    model = MODELS[family](torch, **sizes)
    set_weights(torch, model)
    return model
