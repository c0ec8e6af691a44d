"""A controlled differential equation along splines of irregular data is fitted."""

import json

import torch
import torchcde
from torch import nn

torch.manual_seed(0)
times = torch.linspace(0, 1, 8)
data = torch.cat([times[None, :, None].repeat(4, 1, 1), torch.randn(4, 8, 2).cumsum(1)], 2)
data[1, 3, 1] = float("nan")


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(5, 15)

    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape[:-1], 5, 3)


field, first, head = Field(), nn.Linear(3, 5), nn.Linear(5, 1)
coefficients = torchcde.hermite_cubic_coefficients_with_backward_differences(data)
spline = torchcde.CubicSpline(coefficients)
parameters = [*field.parameters(), *first.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-2)
losses = []
for _ in range(3):
    start = first(spline.evaluate(spline.interval[0]))
    path = torchcde.cdeint(
        X=spline, func=field, z0=start, t=spline.interval, adjoint=False, method="rk4",
        options={"step_size": 0.1},
    )  # fmt: skip
    loss = (head(path[:, -1]) - 1.0).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print(
    json.dumps(
        {
            "coefficients": coefficients[1].flatten().tolist(),
            "losses": losses,
        }
    )
)
