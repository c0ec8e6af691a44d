"""LBFGS with strong Wolfe line search: Rosenbrock's valley and a small regression."""

import torch


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.LBFGS([x], lr=1.0, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = rosenbrock(x)
    loss.backward()
    return loss


for step in range(5):
    loss = optimizer.step(closure)
    print(f"step {step} loss {loss.item():.6f}")
print("minimum at", [round(v, 3) for v in x.tolist()])

torch.manual_seed(0)
inputs = torch.linspace(-2, 2, 40).unsqueeze(1)
targets = torch.sin(2 * inputs) + 0.1 * torch.randn_like(inputs)
model = torch.nn.Sequential(torch.nn.Linear(1, 12), torch.nn.Tanh(), torch.nn.Linear(12, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, history_size=5, max_iter=8)
mse = torch.nn.MSELoss()
for step in range(6):

    def closure():
        optimizer.zero_grad()
        loss = mse(model(inputs), targets)
        loss.backward()
        return loss

    print(f"fit {step} loss {optimizer.step(closure).item():.6f}")
