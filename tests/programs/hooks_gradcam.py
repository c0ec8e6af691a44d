"""Forward and backward hooks: features, gradient statistics, a class activation map, clipping."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
    nn.Flatten(), nn.Linear(8, 2),
)  # fmt: skip
activations, gradients = {}, {}


def remember(name):
    def hook(module, args, output):
        activations[name] = output.detach()

    return hook


def remember_gradient(name):
    def hook(module, grad_input, grad_output):
        gradients[name] = grad_output[0].detach()

    return hook


handles = [model[2].register_forward_hook(remember("conv2"))]
handles.append(model[2].register_full_backward_hook(remember_gradient("conv2")))
for parameter in model.parameters():
    parameter.register_hook(lambda g: g.clamp(-0.5, 0.5))
x = torch.randn(32, 1, 8, 8)
y = (x[:, 0, :4].mean(dim=(1, 2)) > x[:, 0, 4:].mean(dim=(1, 2))).long()
x[y == 1, :, :4] += 0.5
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 6 == 0 or step == 29:
        print(f"step {step} loss {loss.item():.5f} gradient {gradients['conv2'].norm().item():.5f}")
weights = gradients["conv2"].mean(dim=(2, 3), keepdim=True)
cam = torch.relu((weights * activations["conv2"]).sum(dim=1))
print("map", tuple(cam.shape))
for handle in handles:
    handle.remove()
activations.clear()
model(x)
print("hooks left", len(activations))
