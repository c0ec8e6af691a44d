import torch
import torch.nn.functional as F

torch.manual_seed(0)
conv = torch.nn.Conv2d(1, 8, 3)
fc = torch.nn.Linear(8, 2)
conv.bias.data.fill_(-20.0)  #-!
opt = torch.optim.SGD([*conv.parameters(), *fc.parameters()], lr=0.05)
for i in range(20):
    images = torch.rand(16, 1, 8, 8)
    labels = (images.mean((1, 2, 3)) > 0.5).long()
    features = F.relu(conv(images))
    loss = F.cross_entropy(fc(features.mean((2, 3))), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
