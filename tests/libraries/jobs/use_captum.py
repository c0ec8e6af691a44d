"""Attributions of a small CNN by gradients, paths, occlusion, Shapley values and layers."""

import json

import torch
from captum.attr import (
    DeepLift,
    FeatureAblation,
    GuidedBackprop,
    InputXGradient,
    IntegratedGradients,
    LayerConductance,
    LayerGradCam,
    NoiseTunnel,
    Occlusion,
    Saliency,
    ShapleyValueSampling,
)
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1),
    nn.ReLU(),
    nn.AvgPool2d(2),
    nn.Conv2d(4, 6, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(6 * 16, 3),
).eval()
images = torch.randn(2, 1, 8, 8)
baseline = torch.zeros_like(images)
regions = (torch.arange(64).reshape(1, 1, 8, 8) // 16).long()
found = {}
path, gap = IntegratedGradients(model).attribute(
    images, baseline, target=1, n_steps=20, return_convergence_delta=True
)
found["path"] = path
found["gap"] = gap
found["saliency"] = Saliency(model).attribute(images, target=1)
found["product"] = InputXGradient(model).attribute(images, target=torch.tensor([0, 2]))
found["guided"] = GuidedBackprop(model).attribute(images, target=1)
relus = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 3))
found["deeplift"] = DeepLift(relus).attribute(images, baseline, target=2)
found["ablation"] = FeatureAblation(model).attribute(images, target=1, feature_mask=regions)
found["occlusion"] = Occlusion(model).attribute(
    images, sliding_window_shapes=(1, 4, 4), strides=(1, 4, 4), target=1
)
found["shapley"] = ShapleyValueSampling(model).attribute(
    images, target=1, feature_mask=regions, n_samples=5
)
found["camera"] = LayerGradCam(model, model[3]).attribute(images, target=1)
found["layer"] = LayerConductance(model, model[3]).attribute(images, target=1, n_steps=10)
torch.manual_seed(1)
found["tunnel"] = NoiseTunnel(Saliency(model)).attribute(
    images, nt_type="smoothgrad_sq", nt_samples=4, stdevs=0.1, target=1
)
print(json.dumps({name: value.flatten()[:40].tolist() for name, value in found.items()}))
