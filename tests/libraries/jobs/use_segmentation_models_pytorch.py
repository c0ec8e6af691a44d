"""U-Net, FPN, DeepLabV3+, Linknet and a Segformer take steps with four losses and metrics."""

import json

import segmentation_models_pytorch as smp
import torch

images = torch.randn(2, 3, 64, 64, generator=torch.manual_seed(0))
masks = (images.mean(1, keepdim=True) > 0.1).float()
MODELS = {
    "unet": lambda: smp.Unet("resnet18", encoder_weights=None, decoder_attention_type="scse"),
    "fpn": lambda: smp.FPN("resnet18", encoder_weights=None),
    "deeplab": lambda: smp.DeepLabV3Plus("resnet18", encoder_weights=None),
    "linknet": lambda: smp.Linknet("resnet18", encoder_weights=None),
    "segformer": lambda: smp.Segformer("mit_b0", encoder_weights=None),
}
LOSSES = {
    "dice": smp.losses.DiceLoss("binary"),
    "focal": smp.losses.FocalLoss("binary"),
    "jaccard": smp.losses.JaccardLoss("binary"),
    "lovasz": smp.losses.LovaszLoss("binary"),
    "tversky": smp.losses.TverskyLoss("binary"),
}


def train(model, loss_of):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        loss = loss_of(model(images), masks)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


printed = {}
for (name, make), (kind, loss_of) in zip(MODELS.items(), LOSSES.items(), strict=True):
    torch.manual_seed(0)
    printed[f"{name} {kind}"] = train(make(), loss_of)
counts = smp.metrics.get_stats(images.sigmoid()[:, :1], masks.long(), mode="binary", threshold=0.5)
printed["iou"] = smp.metrics.iou_score(*counts, reduction="micro").item()
printed["f1"] = smp.metrics.f1_score(*counts, reduction="macro").item()
print(json.dumps(printed))
