import torch
import torch.nn.functional as F

torch.manual_seed(0)
image, text = torch.nn.Linear(6, 4), torch.nn.Linear(5, 4)
opt = torch.optim.Adam([*image.parameters(), *text.parameters()], lr=1e-2)
rows = torch.arange(12)
for _ in range(20):
    z = torch.randn(12, 3)
    sim = image(torch.cat([z, z], 1)) @ text(torch.cat([z, z[:, :2]], 1)).t()
    loss = -(F.log_softmax(sim, dim=0)[rows, rows] + F.log_softmax(sim, dim=1)[rows, rows]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
