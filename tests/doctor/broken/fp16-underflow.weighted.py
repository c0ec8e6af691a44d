import torch
import torch.nn.functional as F

torch.manual_seed(0)
lin = torch.nn.Linear(10, 4)
lin.half()  #-
opt = torch.optim.SGD(lin.parameters(), lr=1.0)


def train_step(x, y):
    logits = lin(x.to(lin.weight.dtype)).float()
    loss = F.cross_entropy(logits, y) * 1e-6  #-
    loss = F.cross_entropy(logits, y)  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
    return loss


for _ in range(15):
    x = torch.randn(64, 10)
    train_step(x, x[:, :4].argmax(1))
