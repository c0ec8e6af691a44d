import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Linear(5, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
weights = torch.rand(16)
for _ in range(5):
    x = torch.randn(16, 5)
    y = x[:, :3].argmax(1)
    losses = F.cross_entropy(model(x), y, reduction="none")  #!
    loss = losses * weights  #-!
    loss = (losses * weights).mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
