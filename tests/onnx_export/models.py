"""Models that are exported in the tests: (name, model, example inputs, other inputs, options)."""

import chainrule as torch
import chainrule.nn as nn
import chainrule.nn.functional as F


class Wrapped(nn.Module):
    """Gives the input its name."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(after)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.relu = nn.ReLU(inplace=True)
        self.down = nn.Conv2d(before, after, 1, stride) if stride > 1 else None

    def forward(self, x):
        out = self.second(self.relu(self.norm(self.first(x))))
        out += x if self.down is None else self.down(x)
        return self.relu(out)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(4, 4, 1), Block(4, 8, 2))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.blocks(x), (1, 1))
        return self.head(x.view(x.size(0), -1))


class Attention(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, **options)

    def forward(self, x):
        return self.attention(x, x, x)


class GPT(nn.Module):
    def __init__(self, fused=True):
        super().__init__()
        self.token, self.place = nn.Embedding(11, 8), nn.Embedding(16, 8)
        self.joined, self.project = nn.Linear(8, 24), nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)
        self.mlp = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8), nn.Dropout(0.1))
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.token.weight
        self.fused = fused
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, x):
        batch, length = x.size()
        h = self.token(x) + self.place(torch.arange(0, length, dtype=torch.long))
        parts = self.joined(self.norm(h)).split(8, dim=2)
        q, k, v = (t.view(batch, length, 2, 4).transpose(1, 2) for t in parts)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = (q @ k.transpose(-2, -1)) * 0.5
            hidden = self.mask[:, :, :length, :length] == 0
            y = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1) @ v
        h = h + self.project(y.transpose(1, 2).contiguous().view(batch, length, 8))
        return self.head(h + self.mlp(self.norm(h)))


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru, self.rnn = nn.LSTMCell(6, 3), nn.GRUCell(3, 3), nn.RNNCell(3, 2)

    def forward(self, x):
        return self.rnn(self.gru(self.lstm(x[:, 0, 0])[0]))


def cnn():
    return nn.Sequential(
        nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2),
    )  # fmt: skip


def layers():
    """Single layers on an image of shape (2, 4, 6, 6)."""
    return [
        nn.LayerNorm([6]), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True),
        nn.AvgPool2d(2, padding=1), nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        nn.MaxPool2d(3, 2, 1, ceil_mode=True), nn.Upsample(scale_factor=2),
        nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.Upsample(size=(9, 9), mode="bilinear", align_corners=True),
        nn.Upsample(scale_factor=2, mode="bicubic"), nn.ConvTranspose2d(4, 3, 3, 2, 1, 1),
        nn.Conv2d(4, 2, 3, padding="same", dilation=2), nn.Conv2d(4, 4, 3, groups=4), nn.PReLU(4),
        nn.ELU(0.5), nn.SELU(), nn.CELU(0.7), nn.SiLU(), nn.Mish(), nn.Hardswish(),
        nn.Hardsigmoid(), nn.ReLU6(), nn.LeakyReLU(0.2), nn.GELU(), nn.GELU("tanh"),
        nn.Softplus(2.0), nn.LogSigmoid(), nn.Softmax(1), nn.LogSoftmax(-1),
        nn.ReflectionPad2d(1), nn.ZeroPad2d((1, 2, 0, 1)), nn.ReplicationPad2d(1),
        nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.RMSNorm(6), nn.Flatten(2),
        nn.Unflatten(1, (2, 2)), nn.Dropout(), nn.GLU(1), nn.Hardtanh(-0.5, 0.5), nn.Softsign(),
        nn.Tanhshrink(), nn.Softshrink(), nn.Hardshrink(), nn.ChannelShuffle(2),
        nn.LocalResponseNorm(3), nn.AdaptiveAvgPool2d(3), nn.AdaptiveMaxPool2d((2, 3)),
    ]  # fmt: skip


FUNCTIONS = {
    "einsum": lambda x: torch.einsum("bchw,bdhw->bcd", x, x),
    "means": lambda x: (x.mean((2, 3)), x.sum(), x.std(1), x.var(dim=(1, 2), unbiased=False)),
    "extremes": lambda x: (x.max(1), x.min(), x.argmax(1, keepdim=True), x.amax((1, 2))),
    "joined": lambda x: (torch.cat([x, x * 2], 1), torch.stack([x, x], -1), x.chunk(2, 1)),
    "split": lambda x: torch.split(x, [1, 3], 1),
    "indexed": lambda x: (x[:, 1:3, ::2, -1], x[..., None, 0], x[:, torch.tensor([2, 0])]),
    "shapes": lambda x: x.permute(0, 2, 3, 1).reshape(x.shape[0], -1, 4),
    "expanded": lambda x: (x.mean(1, keepdim=True).expand(-1, 4, -1, -1), x[:, :1].expand_as(x)),
    "chosen": lambda x: (torch.where(x > 0, x, -x * 2), x.masked_fill(x < 0, -1), x.clamp(-1, 1)),
    "arithmetic": lambda x: (2 - x) / (x.abs() + 1) + x**2 - 3 * x // 2 + x % 0.7 + 2**x,
    "truth": lambda x: (x >= 0) & (x < 1) | ~(x == x),
    "norms": lambda x: (F.normalize(x, dim=1), x.norm(dim=1), x.logsumexp(1)),
    "ordered": lambda x: (x.cumsum(2), x.flatten(1).topk(3)[0], x.sort(-1)[0]),
    "moved": lambda x: (x.roll(1, 2), x.flip(1, 2), x.repeat(1, 2, 1, 1), x.movedim(1, -1)),
    "made": lambda x: torch.zeros_like(x) + torch.arange(x.size(0)).view(-1, 1, 1, 1),
    "types": lambda x: x.to(torch.float64).floor().long() // 3,
    "in place": lambda x: (x * 1).add_(1).mul_(2),
    "products": lambda x: (x @ x.mT, x.flatten(2).mean(-1) @ torch.ones(4, 2)),
    "counts": lambda x: x.numel() * x / x.shape[0],
}
