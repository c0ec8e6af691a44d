"""A neural ODE is fitted to a spiral through the solver and through the adjoint equation."""

import json

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint, odeint_event

torch.manual_seed(0)
times = torch.linspace(0.0, 3.0, 20)
true_matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
start = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    truth = odeint(lambda t, y: y**3 @ true_matrix, start, times, method="dopri5")


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 2))
        for layer in self.net:
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, mean=0, std=0.1)
                nn.init.constant_(layer.bias, 0)

    def forward(self, t, y):
        return self.net(y**3)


def losses_with(solve, **options):
    field = Field()
    optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-3)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = (solve(field, start, times, **options) - truth).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# A ball falls until it meets the floor; the time of it has a gradient.
height = torch.tensor(10.0, requires_grad=True)
when, _ = odeint_event(
    lambda t, state: (state[1], torch.full_like(state[1], -9.81)),
    (height, torch.tensor(0.0)),
    torch.tensor(0.0),
    event_fn=lambda t, state: state[0],
    atol=1e-7,
    rtol=1e-7,
)
when.backward()
print(
    json.dumps(
        {
            "truth": truth[-1].flatten().tolist(),
            "dopri5": losses_with(odeint, method="dopri5"),
            "rk4": losses_with(odeint, method="rk4", options={"step_size": 0.1}),
            "adjoint": losses_with(odeint_adjoint, method="dopri5"),
            "event": [when.item(), height.grad.item()],
        }
    )
)
