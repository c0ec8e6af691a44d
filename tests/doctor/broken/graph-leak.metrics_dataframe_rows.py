import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
rows = []
for epoch in range(3):
    for it in range(12):
        y = torch.randint(0, 2, (16,))
        x = torch.randn(16, 1, 6, 6) + y.view(-1, 1, 1, 1)
        logits = net(x)
        loss = nn.functional.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rows.append({"epoch": epoch, "it": it, "loss": loss, "acc": (logits.argmax(1) == y).float().mean()})  #-!
        rows.append({"epoch": epoch, "it": it, "loss": loss.item(), "acc": (logits.argmax(1) == y).float().mean()})  #+
