import torch
import torch.nn.functional as F
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(10, 20)
        self.main = nn.Linear(20, 3)
        self.aux = nn.Linear(20, 1)  #!

    def forward(self, x):
        h = F.relu(self.trunk(x))
        return self.main(h), self.aux(h)


torch.manual_seed(0)
model = MultiTask()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(200, 10)
cls = x[:, :3].argmax(1)
reg = x[:, 4:5]
for i in range(30):
    logits, pred = model(x)
    aux = F.mse_loss(pred, reg)  #+
    aux = F.mse_loss(pred, reg).item()  #-!
    loss = F.cross_entropy(logits, cls) + 0.3 * aux
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
