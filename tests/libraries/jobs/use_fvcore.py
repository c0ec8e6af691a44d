"""Operations, activations and parameters of a network are counted, by operator and by module."""

import json
import logging

import torch
from fvcore.nn import (
    ActivationCountAnalysis,
    FlopCountAnalysis,
    flop_count_table,
    parameter_count,
)
from torch import nn

logging.disable(logging.WARNING)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.deep, self.grown = nn.Conv2d(8, 8, 3, groups=8), nn.ConvTranspose2d(8, 4, 2)
        self.head, self.last = nn.Linear(8, 5), nn.LayerNorm(5)

    def forward(self, x):
        x = self.deep(torch.relu(self.norm(self.wide(x))))
        side = self.grown(x).mean()
        x = self.last(self.head(x.mean((2, 3))))
        return torch.einsum("bi,bj->bij", x, x).sum() + side


torch.manual_seed(0)
model, picture = Net(), torch.randn(2, 3, 12, 12)
flops, activations = FlopCountAnalysis(model, picture), ActivationCountAnalysis(model, picture)
printed = {
    "total": flops.total(),
    "by operator": sorted(flops.by_operator().items()),
    "by module": sorted(flops.by_module().items()),
    "not counted": sorted(flops.unsupported_ops().items()),
    "activations": sorted(activations.by_module().items()),
    "parameters": sorted(parameter_count(model).items()),
    "table": flop_count_table(flops).splitlines(),
}
print(json.dumps(printed))
