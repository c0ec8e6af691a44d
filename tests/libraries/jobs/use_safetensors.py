"""Tensors and models are written, read whole and in slices, and shared memory is found."""

import json

import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from torch import nn

torch.manual_seed(0)
kinds = {
    "float": torch.randn(3, 4),
    "half": torch.randn(5).half(),
    "bfloat": torch.randn(5).bfloat16(),
    "long": torch.arange(6).reshape(2, 3),
    "bool": torch.tensor([True, False]),
    "empty": torch.zeros(0, 3),
    "scalar": torch.tensor(2.5),
}
save_file(kinds, "kinds.safetensors", metadata={"format": "pt"})
back = load_file("kinds.safetensors")
with safe_open("kinds.safetensors", framework="pt", device="cpu") as file:
    part = file.get_slice("float")[1:, :2]
    about, names = file.metadata(), sorted(file.keys())


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 4)
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x):
        return self.head(self.embedding(x))


model, other = Tied(), Tied()
save_model(model, "tied.safetensors")
missing, unexpected = load_model(other, "tied.safetensors")
tokens = torch.arange(7)
try:
    save_file({"a": back["float"], "b": back["float"]}, "shared.safetensors")
    refused = ""
except RuntimeError as error:
    refused = str(error).splitlines()[0][:60]
print(
    json.dumps(
        {
            "same": [bool(torch.equal(back[name], kinds[name])) for name in kinds],
            "types": [str(back[name].dtype) for name in kinds],
            "part": part.flatten().tolist(),
            "about": about,
            "names": names,
            "bytes": len(save(kinds)),
            "again": load(save(kinds))["half"].float().tolist(),
            "tied": bool(torch.equal(model(tokens), other(tokens))),
            "missing": [sorted(missing), sorted(unexpected)],
            "refused": refused,
        }
    )
)
