"""Text made token by token: a GPT with a cache of keys and values, at batch 1.

The cache has room for the whole text, and a position says where the next keys belong: every step
has the same shapes. `prefill` reads a prompt, `decode` makes one token after the other.
"""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from ..case import Case, Goal, Repeated, Style, Within, Workload, as_arrays, digest, eager_goal
from . import models
from .models import classes

ROOM, PROMPT = 256, 128
SHAPES = {"gpt2": (12, 768, 12, 50257), "small": (4, 256, 8, 4096)}


def cached_gpt(torch: Any, layers: int, width: int, heads: int, vocabulary: int) -> Any:
    """Every call reads some tokens at their positions and gives the scores of the next one."""
    nn, F = torch.nn, torch.nn.functional
    size = width // heads

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.projections, self.merge = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            for name in ("keys", "values"):
                self.register_buffer(name, torch.zeros(1, heads, ROOM, size))

        def forward(self, x: Any, positions: Any, mask: Any) -> Any:
            parts = self.projections(self.first(x)).split(width, dim=2)
            q, k, v = (p.view(1, -1, heads, size).transpose(1, 2) for p in parts)
            self.keys.index_copy_(2, positions, k)
            self.values.index_copy_(2, positions, v)
            y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask)
            x = x + self.merge(y.transpose(1, 2).reshape(x.shape))
            return x + self.narrow(F.gelu(self.widen(self.second(x))))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width)
            self.places = nn.Embedding(ROOM, width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm = nn.LayerNorm(width)
            self.scores = nn.Linear(width, vocabulary, bias=False)
            self.register_buffer("every", torch.arange(ROOM))

        def forward(self, tokens: Any, positions: Any) -> Any:
            mask = (self.every[None, :] <= positions[:, None])[None, None]
            x = self.tokens(tokens) + self.places(positions)
            for block in self.blocks:
                x = block(x, positions, mask)
            return self.scores(self.norm(x[:, -1]))

    return GPT()


def generation_case(torch: Any, style: Style, phase: str, shape: str) -> Case:
    layers, width, heads, vocabulary = SHAPES[shape]
    model = cached_gpt(torch, layers, width, heads, vocabulary)
    models.set_weights(torch, model)
    model.eval()
    run = style.wrap(lambda tokens, positions: model(tokens, positions))
    prompt = torch.tensor(classes(3, vocabulary, 1, PROMPT))
    start = torch.arange(PROMPT)
    places = cycle([torch.tensor([p]) for p in range(PROMPT, ROOM)])
    single = prompt[:, :1]
    prefill = lambda: run(prompt, start)  # noqa: E731
    decode = lambda: run(single, next(places))  # noqa: E731

    def values() -> list[float]:
        model(prompt, start)
        at = torch.tensor([PROMPT])
        scores = run(prompt, start) if phase == "prefill" else run(single, at)
        return digest(as_arrays([scores]))

    return Within(torch.inference_mode, Repeated(prefill if phase == "prefill" else decode, values))


def workloads() -> Iterator[Workload]:
    for shape in SHAPES:
        for phase in ("prefill", "decode"):
            yield Workload(
                f"generate/{phase}/{shape}",
                "generate",
                lambda torch, style, phase=phase, shape=shape: generation_case(
                    torch, style, phase, shape
                ),
                "generate",
                {"phase": phase, "shape": shape},
                goals=(Goal(1.0), eager_goal(0.9)),
                threaded=True,
                tolerance=1e-3,
            )
