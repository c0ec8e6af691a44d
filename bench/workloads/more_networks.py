"""More networks: images in, images out; attention over patches and over padded texts; tables.

As in `models.py`, weights and batches depend on names and shapes only.
"""

from typing import Any

import numpy as np

from . import models
from .models import CLASSES, classes
from .networks import images

WORDS, FIELDS, ITEMS = 1000, 8, 5000


def unet(torch: Any, size: int, batch: int) -> Any:
    """Down twice, up twice, what was there on the way down joined in; a class for every pixel."""
    nn = torch.nn

    def double(inputs: int, outputs: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs),
            nn.ReLU(), nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs), nn.ReLU(),
        )  # fmt: skip

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two, self.three = double(3, 32), double(32, 64), double(64, 128)
            self.lower = nn.ConvTranspose2d(128, 64, 2, stride=2)
            self.upper = nn.ConvTranspose2d(64, 32, 2, stride=2)
            self.four, self.five = double(128, 64), double(64, 32)
            self.head, self.pool = nn.Conv2d(32, CLASSES, 1), nn.MaxPool2d(2)

        def forward(self, x: Any) -> Any:
            one = self.one(x)
            two = self.two(self.pool(one))
            h = self.lower(self.three(self.pool(two)))
            h = self.upper(self.four(torch.cat([two, h], 1)))
            h = self.head(self.five(torch.cat([one, h], 1)))
            return h.permute(0, 2, 3, 1).reshape(-1, CLASSES)

    return UNet()


def pixel_classes(size: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    return images(size, batch)[0], classes(2, CLASSES, batch * size * size)


def efficientnet(torch: Any, size: int, batch: int) -> Any:
    """Inverted residuals with kernels of 5x5, SiLU, and channels weighed by what they hold."""
    nn = torch.nn

    class Weighed(nn.Module):
        def __init__(self, channels: int) -> None:
            super().__init__()
            self.narrow = nn.Conv2d(channels, channels // 4, 1)
            self.widen = nn.Conv2d(channels // 4, channels, 1)

        def forward(self, x: Any) -> Any:
            level = torch.nn.functional.silu(self.narrow(x.mean((2, 3), keepdim=True)))
            return x * torch.sigmoid(self.widen(level))

    def block(inputs: int, outputs: int, kernel: int, stride: int) -> Any:
        inner, half = inputs * 4, kernel // 2
        return nn.Sequential(
            nn.Conv2d(inputs, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.SiLU(),
            nn.Conv2d(inner, inner, kernel, stride, half, groups=inner, bias=False),
            nn.BatchNorm2d(inner), nn.SiLU(), Weighed(inner),
            nn.Conv2d(inner, outputs, 1, bias=False), nn.BatchNorm2d(outputs),
        )  # fmt: skip

    return nn.Sequential(
        nn.Conv2d(3, 24, 3, 1, 1, bias=False), nn.BatchNorm2d(24), nn.SiLU(),
        block(24, 32, 3, 2), block(32, 48, 5, 2), block(48, 64, 5, 1),
        nn.Conv2d(64, 256, 1, bias=False), nn.BatchNorm2d(256), nn.SiLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, CLASSES),
    )  # fmt: skip


def resnet50(torch: Any, size: int, batch: int) -> Any:
    """One block of each width of a ResNet-50: narrow by 1x1, 3x3, widen by 1x1."""
    nn, F = torch.nn, torch.nn.functional

    def layer(inputs: int, outputs: int, kernel: int, stride: int = 1) -> Any:
        conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        return nn.Sequential(conv, nn.BatchNorm2d(outputs))

    class Block(nn.Module):
        def __init__(self, inputs: int, inner: int, stride: int) -> None:
            super().__init__()
            self.one, self.two = layer(inputs, inner, 1), layer(inner, inner, 3, stride)
            self.three, self.beside = layer(inner, 4 * inner, 1), nn.Identity()
            if stride != 1 or inputs != 4 * inner:
                self.beside = layer(inputs, 4 * inner, 1, stride)

        def forward(self, x: Any) -> Any:
            h = F.relu(self.two(F.relu(self.one(x))))
            return F.relu(self.three(h) + self.beside(x))

    return nn.Sequential(
        layer(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Block(64, 64, 1), Block(256, 64, 1), Block(256, 128, 2), Block(512, 128, 1),
        Block(512, 256, 2), Block(1024, 256, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, CLASSES),
    )  # fmt: skip


def generator(torch: Any, size: int, batch: int) -> Any:
    """Pixels out of a code, by transposed convolutions; a class for every pixel."""
    nn = torch.nn

    class Pixels(nn.Module):
        def forward(self, x: Any) -> Any:
            return x.permute(0, 2, 3, 1).reshape(-1, CLASSES)

    def up(inputs: int, outputs: int) -> list[Any]:
        conv = nn.ConvTranspose2d(inputs, outputs, 4, 2, 1, bias=False)
        return [conv, nn.BatchNorm2d(outputs), nn.ReLU()]

    return nn.Sequential(
        nn.Linear(64, 128 * 16), nn.Unflatten(1, (128, 4, 4)), *up(128, 64), *up(64, 32),
        nn.ConvTranspose2d(32, CLASSES, 4, 2, 1), Pixels(),
    )  # fmt: skip


def codes(size: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    return models.sample(1, batch, 64), classes(2, CLASSES, batch * size * size)


def vit(torch: Any, size: int, batch: int) -> Any:
    """Patches of 4x4 as a sequence."""
    nn, width = torch.nn, 128

    class Vit(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, width, 4, 4)
            self.places = nn.Parameter(torch.zeros(1, (size // 4) ** 2, width))
            layer = nn.TransformerEncoderLayer(
                width, 4, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
            self.head = nn.Linear(width, CLASSES)

        def forward(self, x: Any) -> Any:
            h = self.patches(x).flatten(2).transpose(1, 2) + self.places
            return self.head(self.layers(h).mean(1))

    return Vit()


def encoder(torch: Any, length: int, batch: int) -> Any:
    """A text in which zeros are padding that nobody attends to."""
    nn, width = torch.nn, 128

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, width)
            layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, batch_first=True)
            self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
            self.head = nn.Linear(width, CLASSES)

        def forward(self, x: Any) -> Any:
            h = self.layers(self.words(x), src_key_padding_mask=x == 0)
            return self.head(h[:, 0])

    return Encoder()


def padded_texts(length: int, batch: int) -> tuple[np.ndarray, np.ndarray]:
    words = 1 + classes(1, WORDS - 1, batch, length)
    ends = np.linspace(length // 3, length, batch).astype(int)
    return np.where(np.arange(length) < ends[:, None], words, 0), classes(2, CLASSES, batch)


def recommender(torch: Any, batch: int) -> Any:
    """Bags of items and single features, joined in a perceptron."""
    nn, width = torch.nn, 32

    class Recommender(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bag = nn.EmbeddingBag(ITEMS, width, mode="mean")
            self.single = nn.Embedding(ITEMS, width)
            self.body = nn.Sequential(nn.Linear(2 * width, 128), nn.ReLU(), nn.Linear(128, CLASSES))

        def forward(self, x: Any) -> Any:
            joined = torch.cat([self.bag(x), self.single(x[:, 0])], 1)
            return self.body(joined)

    return Recommender()


def visits(batch: int) -> tuple[np.ndarray, np.ndarray]:
    return classes(1, ITEMS, batch, FIELDS), classes(2, CLASSES, batch)


models.MODELS |= {
    "unet": unet, "efficientnet": efficientnet, "resnet50": resnet50, "generator": generator,
    "vit": vit, "encoder": encoder, "recommender": recommender,
}  # fmt: skip
models.BATCHES |= {
    "unet": pixel_classes, "efficientnet": images, "resnet50": images, "generator": codes,
    "vit": images, "encoder": padded_texts, "recommender": visits,
}  # fmt: skip
