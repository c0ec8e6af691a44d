"""Cosine transforms of one to three dimensions, and a layer that is one."""

import json

import torch
import torch_dct

torch.manual_seed(0)
x = torch.randn(3, 8, 8, requires_grad=True)
out = {
    "dct": torch_dct.dct(x, norm="ortho")[0, 0],
    "idct": torch_dct.idct(x)[1, 2],
    "dct1": torch_dct.dct1(x)[0, 1],
    "dct_2d": torch_dct.dct_2d(x, norm="ortho")[2, 3],
    "idct_2d": torch_dct.idct_2d(x)[0, 3],
    "dct_3d": torch_dct.dct_3d(x)[1, 1],
    "layer": torch_dct.LinearDCT(8, "dct", norm="ortho")(x)[0, 0],
}
sum(part.square().sum() for part in out.values()).backward()
out["gradient"] = x.grad[0, 0]
print(json.dumps({name: part.tolist() for name, part in out.items()}))
