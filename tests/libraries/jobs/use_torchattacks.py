"""Adversarial pictures by FGSM, PGD, CW, DeepFool, APGD and methods with momentum."""

import json

import torch
import torchattacks

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, 2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 49, 4)
).eval()
images, labels = torch.rand(6, 3, 16, 16), torch.randint(0, 4, (6,))
ATTACKS = {
    "fgsm": lambda: torchattacks.FGSM(net, eps=0.03),
    "pgd": lambda: torchattacks.PGD(net, eps=0.03, alpha=0.01, steps=4),
    "mifgsm": lambda: torchattacks.MIFGSM(net, steps=3),
    "cw": lambda: torchattacks.CW(net, steps=5, lr=0.02),
    "deepfool": lambda: torchattacks.DeepFool(net, steps=5),
    "apgd": lambda: torchattacks.APGD(net, steps=4, eps=0.03),
    "difgsm": lambda: torchattacks.DIFGSM(net, steps=3),
    "tifgsm": lambda: torchattacks.TIFGSM(net, steps=3),
    "vmi": lambda: torchattacks.VMIFGSM(net, steps=2, N=2),
    "noise": lambda: torchattacks.GN(net, std=0.1),
}
printed = {}
for name, make in ATTACKS.items():
    torch.manual_seed(1)
    found = make()(images, labels)
    moved = (found - images).abs()
    printed[name] = [moved.mean().item(), moved.max().item(), *found.flatten()[::900].tolist()]
    printed[name].append(net(found).argmax(1).tolist())
print(json.dumps(printed))
