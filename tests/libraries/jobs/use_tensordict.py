"""Nested dictionaries of tensors: indexing, stacking, modules, classes, functional calls, files."""

import json

import torch
from tensordict import MemoryMappedTensor, TensorDict, from_module, stack, tensorclass
from tensordict.nn import ProbabilisticTensorDictModule, TensorDictModule, TensorDictSequential
from torch import nn

torch.manual_seed(0)
data = TensorDict({"x": torch.randn(6, 4), "inner": {"y": torch.randn(6, 2)}}, batch_size=[6])
part = data[2:5]
twice = stack([data, data], 0)
flat = twice.reshape(-1)
scaled = data.apply(lambda value: value * 2) + 1
model = TensorDictSequential(
    TensorDictModule(nn.Linear(4, 8), in_keys=["x"], out_keys=["hidden"]),
    TensorDictModule(nn.ReLU(), in_keys=["hidden"], out_keys=["hidden"]),
    TensorDictModule(nn.Linear(8, 2), in_keys=["hidden"], out_keys=["loc"]),
    ProbabilisticTensorDictModule(
        in_keys=["loc"],
        out_keys=["action"],
        distribution_class=lambda loc: torch.distributions.Normal(loc, 0.1),
        return_log_prob=True,
    ),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for _ in range(4):
    out = model(data.clone())
    loss = (out["loc"] - data["inner", "y"]).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())


@tensorclass
class Step:
    observation: torch.Tensor
    reward: torch.Tensor


steps = Step(observation=torch.randn(5, 3), reward=torch.arange(5.0), batch_size=[5])
net = nn.Linear(4, 2)
parameters = from_module(net)
with (parameters * 0).to_module(net):
    zero = net(data["x"]).abs().sum().item()
kept = data.memmap("kept")
again = TensorDict.load_memmap("kept")
mapped = MemoryMappedTensor.from_tensor(torch.arange(4.0))
print(
    json.dumps(
        {
            "part": part["inner", "y"].flatten().tolist(),
            "shapes": [list(one.shape) for one in (data, part, twice, flat)],
            "keys": sorted(str(key) for key in data.keys(True, True)),
            "scaled": scaled["x"].flatten().tolist(),
            "losses": losses,
            "action": out["action"].flatten().tolist(),
            "mean": data.mean(dim=0)["x"].tolist(),
            "reward": steps[1:3].reward.tolist(),
            "zero": zero,
            "weight": net(data["x"]).sum().item(),
            "kept": bool((again == kept).all()),
            "mapped": mapped.sum().item(),
        }
    )
)
