"""ViT, SimpleViT and CCT take training steps."""

import json

import torch
from torch import nn
from vit_pytorch import SimpleViT, ViT
from vit_pytorch.cct import CCT

images, labels = torch.randn(2, 3, 32, 32, generator=torch.manual_seed(0)), torch.tensor([1, 3])
shape = {"image_size": 32, "patch_size": 8, "num_classes": 5}
size = {"dim": 32, "depth": 2, "heads": 2, "mlp_dim": 64}
MODELS = {
    "vit": lambda: ViT(**shape, **size, dropout=0.1, emb_dropout=0.1),
    "simple": lambda: SimpleViT(**shape, **size),
    "cct": lambda: CCT(
        img_size=(32, 32), embedding_dim=32, n_conv_layers=1, kernel_size=7, stride=2, padding=3,
        pooling_kernel_size=3, pooling_stride=2, pooling_padding=1, num_layers=2, num_heads=2,
        mlp_ratio=2.0, num_classes=5, positional_embedding="learnable",
    ),
}  # fmt: skip


def train(model, run):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        loss = run(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


printed = {}
for name, make in MODELS.items():
    torch.manual_seed(0)
    printed[name] = train(make(), lambda net: nn.functional.cross_entropy(net(images), labels))
print(json.dumps(printed))
