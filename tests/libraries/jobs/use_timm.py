"""ResNet, ViT, ConvNeXt, EfficientNet and MobileNet take three steps, with timm's tools."""

import json

import numpy as np
import timm
import torch
from timm.data.mixup import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3, accuracy

MODELS = {
    "resnet10t": {},
    "vit_tiny_patch16_224": {"img_size": 32, "patch_size": 8, "depth": 3},
    "convnext_atto": {"depths": (1, 1, 2, 1)},
    "efficientnet_b0": {"drop_path_rate": 0.1},
    "mobilenetv3_small_050": {},
}
printed = {}
# In float32 the gradients of EfficientNet's last biases are rounding alone (four samples of one
# pixel each are normalised), and AdamW makes whole steps of them.
torch.set_default_dtype(torch.float64)
for name, options in MODELS.items():
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=5, **options)
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    schedule = CosineLRScheduler(optimizer, t_initial=5, warmup_t=1, warmup_lr_init=1e-5)
    average = ModelEmaV3(model, decay=0.9)
    images, labels = torch.randn(4, 3, 32, 32), torch.randint(0, 5, (4,))
    loss_of = SoftTargetCrossEntropy()
    soft = torch.nn.functional.one_hot(labels, 5).to(images) * 0.9 + 0.02
    losses = []
    model.train()
    for epoch in range(3):
        loss = loss_of(model(images), soft)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step(epoch + 1)
        average.update(model, step=epoch)
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(images)
    printed[name] = {
        "losses": losses,
        "parameters": sum(p.numel() for p in model.parameters()),
        "features": list(model.forward_features(images).shape),
        "top": [float(one) for one in accuracy(out, labels, topk=(1, 3))],
    }

stages = timm.create_model("resnet10t", features_only=True, out_indices=(1, 3))
printed["stages"] = [list(one.shape) for one in stages(torch.randn(1, 3, 64, 64))]
np.random.seed(0)
mixed, targets = Mixup(mixup_alpha=0.2, num_classes=5, label_smoothing=0.1)(
    torch.ones(4, 3, 8, 8), torch.arange(4)
)
printed["mixup"] = targets.flatten().tolist()
print(json.dumps(printed))
