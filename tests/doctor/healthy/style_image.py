import torch

torch.manual_seed(0)
features = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()).eval()
for p in features.parameters():
    p.requires_grad_(False)
goal = features(torch.rand(1, 3, 12, 12))
image = torch.rand(1, 3, 12, 12, requires_grad=True)
opt = torch.optim.Adam([image], lr=0.05)
for _ in range(20):
    opt.zero_grad()
    loss = (features(image) - goal).pow(2).mean()
    loss.backward()
    opt.step()
