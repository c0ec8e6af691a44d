"""The models that estimates are compared on."""

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1)
        )

    def forward(self, x):
        n, s, width = x.shape
        parts = self.qkv(self.norm1(x)).split(width, 2)
        q, k, v = (t.view(n, s, self.heads, -1).transpose(1, 2) for t in parts)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(n, s, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, words=50, width=32, heads=2, layers=3, length=64):
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def mlp():
    return nn.Sequential(
        nn.Linear(100, 200), nn.ReLU(), nn.Dropout(), nn.Linear(200, 300), nn.Tanh(),
        nn.Linear(300, 50),
    )  # fmt: skip


def cnn():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3), nn.GroupNorm(2, 32), nn.GELU(), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(32 * 9, 10),
    )  # fmt: skip


def transformer():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


MODELS = {
    "mlp": (mlp, (64, 100)),
    "cnn": (cnn, (8, 3, 16, 16)),
    "lstm": (lambda: nn.LSTM(16, 32, 2), (20, 8, 16)),
    "gru": (lambda: nn.GRU(16, 32, bidirectional=True), (20, 8, 16)),
    "transformer": (transformer, (8, 16, 32)),
    "gpt": (GPT, (4, 64)),
    "gpt, long": (lambda: GPT(length=512), (1, 512)),
}


def example(name, shape, dtype):
    """A batch for a model."""
    if name.startswith("gpt"):
        return torch.randint(0, 50, shape)
    return torch.randn(*shape, dtype=dtype)
