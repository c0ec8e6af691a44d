"""A small transformer for the tests of checkpointing, written as users write theirs."""

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F
from chainrule.utils.checkpoint import checkpoint


class Block(nn.Module):
    """Pre-norm attention and feed-forward, counting its forward calls."""

    calls = 0

    def __init__(self, width=32, heads=4, dropout=0.0):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask=None):
        Block.calls += 1
        n, s, d = x.shape
        parts = self.qkv(self.norm1(x)).view(n, s, 3, self.heads, d // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + F.dropout(self.out(a.transpose(1, 2).reshape(n, s, d)), self.dropout)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """Blocks in a ModuleList; `per_block` checkpoints each of them."""

    def __init__(self, layers=12, per_block=False, words=50, width=32, dropout=0.0):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.ModuleList([Block(width, dropout=dropout) for _ in range(layers)])
        self.head = nn.Linear(width, words)
        self.per_block = per_block

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.per_block else block(x)
        return self.head(x)


def tokens(n=2, s=24):
    return torch.arange(n * s).reshape(n, s) % 50


def gradients(model, *inputs):
    """Loss and parameter gradients of one step."""
    loss = model(*inputs).square().mean()
    return loss.item(), torch.autograd.grad(loss, list(model.parameters()))


def agree(found, expected):
    """Whether gradients are equal up to the order of sums."""
    pairs = zip(found, expected, strict=True)
    return all(torch.allclose(a, b, rtol=1e-5, atol=1e-7) for a, b in pairs)
