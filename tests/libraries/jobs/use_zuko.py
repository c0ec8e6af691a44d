"""Neural spline, autoregressive and continuous flows are fitted, conditioned and sampled."""

import json

import torch
import zuko

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.randn(64, 3) @ torch.tensor([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
context = x.sum(1, keepdim=True)
FLOWS = {
    "spline": lambda: zuko.flows.NSF(3, 1, transforms=2, bins=4, hidden_features=(16, 16)),
    "autoregressive": lambda: zuko.flows.MAF(3, 1, transforms=2, hidden_features=(16,)),
    "continuous": lambda: zuko.flows.CNF(3, 1, hidden_features=(16,)),
}
printed = {}
for name, make in FLOWS.items():
    torch.manual_seed(0)
    flow = make()
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        loss = -flow(context).log_prob(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[name] = losses
    printed[f"{name} samples"] = flow(context[:1]).sample((2,)).flatten().tolist()
print(json.dumps(printed))
