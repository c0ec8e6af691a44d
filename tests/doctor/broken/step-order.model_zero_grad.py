import torch
from torch import nn

torch.manual_seed(0)
encoder, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 2)
model = nn.ModuleDict({"encoder": encoder, "head": head})
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()


def training_step(x, y):
    _, h = encoder(x)
    loss = loss_fn(head(h[-1]), y)
    model.zero_grad()  #+
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    model.zero_grad()  #-!
    optimizer.step()
    return loss.detach()


for step in range(15):
    x = torch.randn(8, 5, 3)
    training_step(x, (x[:, -1, 0] > 0).long())
