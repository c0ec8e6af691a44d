import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(10, 32)
        self.main = nn.Linear(32, 3)
        self.aux = nn.Linear(32, 1)  #!

    def forward(self, x):
        h = torch.relu(self.shared(x))
        return self.main(h), self.aux(h)  #!


torch.manual_seed(0)
model = MultiTask()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(16, 10)
    logits, extra = model(x)
    loss = nn.functional.cross_entropy(logits, x[:, :3].argmax(1))
    loss = loss + 0.1 * nn.functional.mse_loss(extra.squeeze(1), x[:, 4])  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
