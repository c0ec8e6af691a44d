"""Explanations of a small network by DeepExplainer, GradientExplainer and KernelExplainer."""

import json

import numpy as np
import shap
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
x = torch.randn(80, 5)
y = (x[:, :1] * 2 - x[:, 1:2] * x[:, 2:3]).detach()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for _ in range(20):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
deep = shap.DeepExplainer(model, x[:30])
values = deep.shap_values(x[30:34])
gradients = shap.GradientExplainer(model, x[:30])


def predict(rows):
    return model(torch.from_numpy(rows).float()).detach().numpy()[:, 0]


kernel = shap.KernelExplainer(predict, x[:10].numpy())
print(
    json.dumps(
        {
            "losses": losses,
            "expected": np.asarray(deep.expected_value, dtype=float).ravel().tolist(),
            "deep": np.asarray(values, dtype=float).ravel().tolist(),
            "gradient": np.asarray(
                gradients.shap_values(x[30:32], nsamples=20, rseed=0), dtype=float
            )
            .ravel()
            .tolist(),
            "kernel": kernel.shap_values(x[30:32].numpy(), silent=True).ravel().tolist(),
        }
    )
)
