"""Harmonics, tensor products, gates: an equivariant model trains, and turns with its input."""

import json

import torch
from e3nn import io, nn, o3
from e3nn.math import soft_one_hot_linspace

torch.manual_seed(0)
inputs, outputs = o3.Irreps("4x0e + 3x1o"), o3.Irreps("2x0e + 1x1o + 1x2e")
harmonics = o3.Irreps.spherical_harmonics(2)
product = o3.FullyConnectedTensorProduct(inputs, harmonics, outputs)
linear = o3.Linear(outputs, "3x0e + 2x1o")
norm = nn.BatchNorm("3x0e + 2x1o")
positions, features = torch.randn(10, 3), inputs.randn(10, -1)


def model(positions, features):
    angles = o3.spherical_harmonics(harmonics, positions, True, normalization="component")
    return norm(linear(product(features, angles)))


parameters = [*product.parameters(), *linear.parameters(), *norm.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-2)
losses = []
for _ in range(4):
    loss = (model(positions, features)[:, 3:6] - positions).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())

rotation = o3.rand_matrix()
norm.eval()
turned = model(positions @ rotation.T, features @ inputs.D_from_matrix(rotation).T)
back = model(positions, features) @ o3.Irreps("3x0e + 2x1o").D_from_matrix(rotation).T
gate = nn.Gate("4x0e", [torch.relu], "2x0e", [torch.sigmoid], "2x1o")
print(
    json.dumps(
        {
            "losses": losses,
            "equivariant": (turned - back).abs().max().item() < 1e-4,
            "out": turned[0].tolist(),
            "gate": gate(gate.irreps_in.randn(2, -1)).flatten().tolist(),
            "wigner": o3.wigner_3j(1, 1, 2).flatten().tolist(),
            "rotation": rotation.flatten().tolist(),
            "basis": soft_one_hot_linspace(
                torch.linspace(0, 1, 3), 0.0, 1.0, 4, basis="gaussian", cutoff=True
            )
            .flatten()
            .tolist(),
            "tensor": str(io.CartesianTensor("ij=ji")),
        }
    )
)
