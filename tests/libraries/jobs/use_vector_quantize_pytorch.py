"""Vectors are quantized by a moving codebook, in residuals, by FSQ and without lookup."""

import json

import torch
from vector_quantize_pytorch import FSQ, LFQ, ResidualVQ, VectorQuantize

torch.manual_seed(0)
x = torch.randn(1, 32, 16, requires_grad=True)
simple = VectorQuantize(
    dim=16, codebook_size=12, decay=0.8, commitment_weight=1.0, kmeans_init=True
)
found = {}
losses = []
for _ in range(3):
    quantized, codes, loss = simple(x)
    losses.append(loss.item())
(quantized.square().mean() + loss.sum()).backward()
found["losses"], found["codes"] = losses, codes.flatten().tolist()
found["gradient"] = x.grad.norm().item()
residual = ResidualVQ(dim=16, num_quantizers=3, codebook_size=8)
quantized, codes, loss = residual(x)
found["residual"] = [quantized.sum().item(), *loss.flatten().tolist(), codes.sum().item()]
finite, codes = FSQ(levels=[5, 4, 3])(torch.randn(1, 10, 3))
found["finite"], found["finite codes"] = finite.flatten().tolist(), codes.flatten().tolist()
free, codes, loss = LFQ(codebook_size=16, dim=8)(torch.randn(1, 10, 8))
found["free"], found["free codes"] = [loss.item(), free.sum().item()], codes.flatten().tolist()
print(json.dumps(found))
