"""`PrivacyEngine` trains a CNN by DP-SGD with gradients per sample, noise and an epsilon."""

import json
import warnings

import torch
from opacus import PrivacyEngine
from opacus.accountants.utils import get_noise_multiplier
from opacus.validators import ModuleValidator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
torch.manual_seed(0)
data = TensorDataset(torch.randn(40, 1, 8, 8), torch.randint(0, 3, (40,)))
model = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3)
)
problems = len(ModuleValidator.validate(model, strict=False))
model = ModuleValidator.fix(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
engine = PrivacyEngine()
model, optimizer, loader = engine.make_private(
    module=model,
    optimizer=optimizer,
    data_loader=DataLoader(data, batch_size=10),
    noise_multiplier=1.1,
    max_grad_norm=1.0,
    poisson_sampling=False,
)
losses, norms = [], []
for _ in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        norms.append(
            [p.grad_sample.flatten(1).norm(dim=1).sum().item() for p in model.parameters()]
        )
        optimizer.step()
        losses.append(loss.item())
print(
    json.dumps(
        {
            "problems": problems,
            "losses": losses,
            "norms": norms,
            "epsilon": float(engine.get_epsilon(delta=1e-3)),
            "noise": get_noise_multiplier(
                target_epsilon=3.0, target_delta=1e-3, sample_rate=0.25, epochs=2
            ),
        }
    )
)
