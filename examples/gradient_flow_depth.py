"""Why deep sigmoid networks did not learn: gradients against depth, sigmoid beside ReLU.

    python examples/gradient_flow_depth.py [picture.svg]

A gradient passes every layer on its way back and is multiplied by the layer's slope. A sigmoid's
slope is at most 0.25, so ten of them leave less than a millionth, fifty nothing at all; a factor
of 1.5 per layer grows to 6e8 over fifty; an open ReLU passes 1.
"""

from __future__ import annotations

import sys

import chainrule as torch
from chainrule import nn
from chainrule.reading.svg import line_chart


def sigmoid_chain(depth: int) -> float:
    """d out / d in of sigmoids in a row, each at 0, where its slope is largest."""
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(depth):
        y = torch.sigmoid(y - 0.5)  # sigmoid(0) = 0.5
    (slope,) = torch.autograd.grad(y, x)
    return slope.item()


def scaled_chain(depth: int, factor: float = 1.5) -> float:
    """The same for layers that multiply by a factor."""
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(depth):
        y = y * factor
    (slope,) = torch.autograd.grad(y, x)
    return slope.item()


def relu_chain(depth: int) -> float:
    """The same for ReLUs that are open."""
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(depth):
        y = torch.relu(y)
    (slope,) = torch.autograd.grad(y, x)
    return slope.item()


def network(activation: type[nn.Module], depth: int, width: int = 64) -> nn.Sequential:
    """Layers of one width; He's initial weights for ReLU, Xavier's for sigmoid."""
    layers: list[nn.Module] = []
    for _ in range(depth):
        linear = nn.Linear(width, width, bias=False)
        if activation is nn.ReLU:
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        else:
            nn.init.xavier_normal_(linear.weight)
        layers += [linear, activation()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


def flow_of(activation: type[nn.Module], depth: int, seed: int = 0) -> torch.flow.GradientFlow:
    """The gradient flow of a fresh network on random data."""
    torch.manual_seed(seed)
    model = network(activation, depth)
    x, y = torch.randn(128, 64), torch.randn(128, 1)
    nn.functional.mse_loss(model(x), y).backward()
    return torch.gradient_flow(model, lr=0.01, inputs=x)


def main(picture: str | None = None) -> None:
    print("slopes of a chain, one layer after another")
    print(f"{'layers':>8} {'sigmoid':>10} {'x 1.5':>10} {'open ReLU':>10}")
    for depth in (1, 5, 10, 19, 50):
        row = (sigmoid_chain(depth), scaled_chain(depth), relu_chain(depth))
        print(f"{depth:>8} " + " ".join(f"{slope:>10.2g}" for slope in row))
    print("\na network of 12 layers with sigmoids")
    sigmoid = flow_of(nn.Sigmoid, 12)
    print(sigmoid)
    print("\nthe same with ReLU")
    relu = flow_of(nn.ReLU, 12)
    print(relu)
    if picture:
        lines = [
            (name, [float(k + 1) for k in range(13)], [x.gradient or 0.0 for x in flow.layers])
            for name, flow in (("sigmoid", sigmoid), ("ReLU", relu))
        ]
        svg = line_chart(lines, title="norm of the gradient by layer", x_label="layer", log_y=True)
        with open(picture, "w", encoding="utf-8") as file:
            file.write(svg)
        print(f"\nwritten: {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
