import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(10, 32), nn.Linear(32, 4)
opt = torch.optim.AdamW(  #-!
    [{"params": body.parameters(), "lr": 1e-10}, {"params": head.parameters()}], lr=1e-9  #-!
)  #-
opt = torch.optim.AdamW(  #+
    [{"params": body.parameters(), "lr": 1e-3}, {"params": head.parameters()}], lr=1e-2  #+
)  #+
for _ in range(50):
    x = torch.randn(64, 10)
    loss = nn.functional.cross_entropy(head(torch.relu(body(x))), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
