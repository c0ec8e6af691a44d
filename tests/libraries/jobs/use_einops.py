"""A mixer with `Rearrange`, `Reduce` and `EinMix` layers takes five steps of Adam."""

import json

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
    EinMix("b n c -> b n d", weight_shape="c d", bias_shape="d", c=48, d=32),
    nn.GELU(),
    EinMix("b n d -> b m d", weight_shape="n m", bias_shape="m", n=16, m=16),
    nn.LayerNorm(32),
    Reduce("b n d -> b d", "mean"),
    nn.Linear(32, 5),
)
images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 5, (8,))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

tiled = repeat(images, "b c h w -> b c (h 2) (w 2)")
pooled = reduce(tiled, "b c (h 2) (w 2) -> b c h w", "max")
packed, shapes = pack([images.flatten(1), labels[:, None].float()], "b *")
back = unpack(packed, shapes, "b *")
gram = einsum(images, images, "b c h w, b d h w -> b c d")
print(
    json.dumps(
        {
            "losses": losses,
            "same": bool((pooled == images).all()),
            "packed": list(packed.shape),
            "labels": back[1].flatten().tolist(),
            "gram": gram.flatten().tolist(),
            "rows": rearrange(images, "b c h w -> (b h) (w c)")[3, :4].tolist(),
        }
    )
)
