"""The weights of a network become integers of 8 bits, and then its activations too."""

import json

import torch
from torch import nn
from torchao.quantization import (
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)

found = {}
for config in (Int8WeightOnlyConfig, Int8DynamicActivationInt8WeightConfig):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 4))
    x = torch.randn(3, 32)
    exact = net(x)
    quantize_(net, config())
    with torch.no_grad():
        outputs = net(x)
    found[config.__name__] = [outputs.tolist(), (outputs - exact).abs().max().item() < 0.02]
print(json.dumps(found))
