"""A 3-D U-Net trains on transformed volumes with Dice loss, slides over an image; metrics."""

import json

import numpy as np
import torch
from monai.data import CacheDataset, DataLoader
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, DiceLoss, FocalLoss, SSIMLoss
from monai.metrics import DiceMetric, HausdorffDistanceMetric
from monai.networks.nets import UNETR, AttentionUnet, DenseNet121, SegResNet, UNet
from monai.transforms import (
    Compose,
    EnsureChannelFirstd,
    NormalizeIntensityd,
    RandAffined,
    RandFlipd,
    RandGaussianNoised,
    Resized,
    ScaleIntensityd,
)  # fmt: skip
from monai.utils import set_determinism

set_determinism(0)
rng = np.random.default_rng(0)
pairs = []
for _ in range(4):
    volume = rng.standard_normal((20, 18, 16)).astype(np.float32)
    pairs.append({"image": volume, "label": (volume > 0.5).astype(np.float32)})
steps = Compose([
    EnsureChannelFirstd(["image", "label"], channel_dim="no_channel"),
    ScaleIntensityd("image"), NormalizeIntensityd("image"),
    Resized(["image", "label"], (16, 16, 16), mode=("trilinear", "nearest")),
    RandFlipd(["image", "label"], prob=0.5, spatial_axis=0),
    RandAffined(["image", "label"], prob=0.8, rotate_range=(0.2, 0.2, 0.2),
                mode=("bilinear", "nearest")),
    RandGaussianNoised("image", prob=0.5),
])  # fmt: skip
data = CacheDataset(pairs, steps, progress=False)
loader = DataLoader(data, batch_size=2, shuffle=True)
torch.manual_seed(0)
net = UNet(
    spatial_dims=3,
    in_channels=1,
    out_channels=2,
    channels=(4, 8, 16),
    strides=(2, 2),
    num_res_units=1,
)
loss_of = DiceCELoss(to_onehot_y=True, softmax=True)
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
printed = {"losses": []}
for _ in range(2):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(net(batch["image"]), batch["label"])
        loss.backward()
        optimizer.step()
        printed["losses"].append(loss.item())
net.eval()
with torch.no_grad():
    volume = torch.randn(1, 1, 24, 24, 20)
    out = sliding_window_inference(volume, (16, 16, 16), 2, net, overlap=0.25, mode="gaussian")
    printed["windows"] = [float(v) for v in out.flatten()[::4000]]
found = torch.nn.functional.one_hot(out.argmax(1), 2).movedim(-1, 1)
truth = torch.nn.functional.one_hot((volume[:, 0] > 0.3).long(), 2).movedim(-1, 1)
dice, far = DiceMetric(include_background=False), HausdorffDistanceMetric(include_background=False)
dice(found, truth)
far(found, truth)
printed["dice"], printed["hausdorff"] = dice.aggregate().item(), far.aggregate().item()
torch.manual_seed(1)
x = torch.randn(2, 1, 32, 32)
printed["focal"] = FocalLoss()(x, (x > 0).float()).item()
printed["ssim"] = SSIMLoss(2)(x.sigmoid(), x.roll(1, -1).sigmoid()).item()
printed["dice_loss"] = DiceLoss(sigmoid=True)(x, (x > 0.2).float()).item()
NETS = {
    "attention": lambda: AttentionUnet(2, 1, 2, (4, 8), (2,)),
    "segres": lambda: SegResNet(2, init_filters=8, in_channels=1, out_channels=2),
    "dense": lambda: DenseNet121(2, 1, 3, init_features=8, growth_rate=4, block_config=(2, 2)),
    "unetr": lambda: UNETR(
        1, 2, (32, 32), feature_size=4, hidden_size=12, mlp_dim=24, num_heads=2, spatial_dims=2
    ),
}
for name, make in NETS.items():
    torch.manual_seed(2)
    model = make()
    loss = model(x).square().mean()
    loss.backward()
    size = sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None)
    printed[name] = [loss.item(), size / sum(p.numel() for p in model.parameters())]
print(json.dumps(printed))
