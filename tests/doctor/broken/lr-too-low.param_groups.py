import torch
import torch.nn as nn
torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(10, 32), nn.ReLU())
head = nn.Linear(32, 4)
optimizer = torch.optim.AdamW([  #-!
    {"params": backbone.parameters(), "lr": 1e-9},  #-!
    {"params": head.parameters(), "lr": 1e-8},  #-
optimizer = torch.optim.AdamW([  #+
    {"params": backbone.parameters(), "lr": 1e-3},  #+
    {"params": head.parameters(), "lr": 1e-2},  #+
], weight_decay=0.01)
for i in range(50):
    x = torch.randn(64, 10)
    loss = nn.functional.cross_entropy(head(backbone(x)), x[:, :4].argmax(1))
    optimizer.zero_grad(); loss.backward(); optimizer.step()
