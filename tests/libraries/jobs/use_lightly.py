"""Self-supervised losses and heads: SimCLR, SimSiam, Barlow twins, VICReg, DINO, SwAV, MoCo."""

import json

import torch
from lightly import loss as losses
from lightly.models import modules, utils

images = torch.randn(8, 3, 32, 32, generator=torch.manual_seed(0))
other = images + 0.1 * torch.randn(8, 3, 32, 32, generator=torch.manual_seed(1))


def backbone():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, 2), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
    )  # fmt: skip


def train(head, loss_of):
    torch.manual_seed(0)
    model = torch.nn.Sequential(backbone(), head())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    found = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = loss_of(model(images), model(other))
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


printed = {
    "simclr": train(lambda: modules.SimCLRProjectionHead(8, 16, 8), losses.NTXentLoss(0.5)),
    "moco": train(lambda: modules.MoCoProjectionHead(8, 16, 8),
                  losses.NTXentLoss(0.2, memory_bank_size=(16, 8))),
    "barlow": train(lambda: modules.BarlowTwinsProjectionHead(8, 16, 16), losses.BarlowTwinsLoss()),
    "vicreg": train(lambda: modules.BarlowTwinsProjectionHead(8, 16, 16), losses.VICRegLoss()),
    "simsiam": train(lambda: modules.SimSiamProjectionHead(8, 16, 8),
                     losses.NegativeCosineSimilarity()),
    "dcl": train(lambda: modules.SimCLRProjectionHead(8, 16, 8), losses.DCLLoss()),
}  # fmt: skip
torch.manual_seed(0)
student = torch.nn.Sequential(backbone(), modules.DINOProjectionHead(8, 16, 8, 32))
teacher = torch.nn.Sequential(backbone(), modules.DINOProjectionHead(8, 16, 8, 32))
teacher.load_state_dict(student.state_dict())
utils.deactivate_requires_grad(teacher)
dino = losses.DINOLoss(output_dim=32, warmup_teacher_temp_epochs=2)
optimizer = torch.optim.AdamW(student.parameters(), 1e-3)
printed["dino"] = []
for epoch in range(3):
    utils.update_momentum(student, teacher, m=0.9)
    loss = dino([teacher(images)], [student(images), student(other)], epoch=epoch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    printed["dino"].append(loss.item())
torch.manual_seed(0)
swav = torch.nn.Sequential(backbone(), modules.SwaVProjectionHead(8, 16, 8))
prototypes = modules.SwaVPrototypes(8, 12)
views = [prototypes(torch.nn.functional.normalize(swav(v), dim=1)) for v in (images, other)]
loss = losses.SwaVLoss()(views, [])
loss.backward()
printed["swav"] = [loss.item(), swav[0][0].weight.grad.abs().sum().item()]
print(json.dumps(printed))
