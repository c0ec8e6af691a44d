"""Models take steps; transforms v1 and v2, a dataset from local files, boxes and regions."""

import json
import random
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import nn
from torchvision import models, ops, tv_tensors, utils
from torchvision.datasets import FakeData, ImageFolder
from torchvision.io import ImageReadMode, decode_image
from torchvision.transforms import transforms as v1
from torchvision.transforms import v2

printed = {}
torch.manual_seed(0)
random.seed(0)
np.random.seed(0)
for make in (models.resnet18, models.mobilenet_v3_small, models.vgg11_bn, models.squeezenet1_1):
    # From 0, VGG has a value within rounding of a ReLU's kink: its next loss could be either.
    torch.manual_seed(2 if make is models.vgg11_bn else 0)
    model = make(num_classes=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(2, 3, 64, 64), torch.tensor([1, 3])
    losses = []
    for _ in range(2):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[make.__name__] = losses
vit = models.VisionTransformer(32, 8, 2, 4, 32, 64, num_classes=4)
printed["vit"] = vit(torch.randn(1, 3, 32, 32)).shape[1]

for name in ("cats", "dogs"):
    Path("pictures", name).mkdir(parents=True)
    for i in range(3):
        pixels = np.random.default_rng(i).integers(0, 255, (40, 48, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(f"pictures/{name}/{i}.png")
old = v1.Compose(
    [
        v1.Resize(36),
        v1.RandomCrop(32),
        v1.RandomHorizontalFlip(),
        v1.ColorJitter(0.2, 0.2, 0.2),
        v1.ToTensor(),
        v1.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2)),
    ]
)
torch.manual_seed(1)
folder = ImageFolder("pictures", transform=old)
batch, classes = next(iter(torch.utils.data.DataLoader(folder, batch_size=4, shuffle=True)))
printed["v1"] = [batch.mean().item(), batch.std().item(), classes.tolist(), folder.classes]

read = decode_image("pictures/cats/0.png", mode=ImageReadMode.RGB)
new = v2.Compose(
    [
        v2.ToImage(),
        v2.RandomResizedCrop(24, antialias=True),
        v2.RandomHorizontalFlip(1.0),
        v2.ToDtype(torch.float32, scale=True),
        v2.GaussianBlur(3),
        v2.Normalize([0.5] * 3, [0.2] * 3),
    ]
)
boxes = tv_tensors.BoundingBoxes(
    [[2.0, 3.0, 20.0, 30.0], [10.0, 10.0, 40.0, 38.0]], format="XYXY", canvas_size=(40, 48)
)
torch.manual_seed(2)
picture, moved = new(read, boxes)
printed["v2"] = [picture.mean().item(), moved.flatten().tolist(), list(moved.canvas_size)]
printed["types"] = [type(picture).__name__, type(moved).__name__]

torch.manual_seed(3)
corners = torch.rand(20, 2) * 20
squares = torch.cat([corners, corners + 3 + torch.rand(20, 2) * 10], 1)
scores = torch.rand(20)
features = torch.randn(1, 4, 16, 16, requires_grad=True)
regions = ops.roi_align(features, [squares / 2], output_size=3, sampling_ratio=2)
regions.square().sum().backward()
printed["nms"] = ops.nms(squares, scores, 0.3).tolist()
printed["iou"] = ops.generalized_box_iou(squares[:4], squares[4:8]).flatten().tolist()
printed["regions"] = [regions.sum().item(), features.grad.norm().item()]
printed["focal"] = ops.sigmoid_focal_loss(scores, (scores > 0.5).float(), reduction="mean").item()
offset = torch.randn(1, 18, 14, 14) * 0.1
deformed = ops.deform_conv2d(features, offset, torch.randn(2, 4, 3, 3))
printed["deformed"] = deformed.flatten()[:8].tolist()
printed["grid"] = list(utils.make_grid(batch, nrow=2).shape)
printed["fake"] = len(FakeData(5, (3, 8, 8)))
print(json.dumps(printed))
