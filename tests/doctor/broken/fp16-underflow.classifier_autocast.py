import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Linear(12, 48), nn.GELU(), nn.Linear(48, 48), nn.GELU())
head = nn.Linear(48, 4)
params = [*features.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
scaler = torch.amp.GradScaler("cpu")  #+
for epoch in range(16):
    x = torch.randn(128, 12)
    y = x[:, :4].argmax(1)
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.float16):  #!
        logits = head(features(x))
        loss = nn.functional.cross_entropy(logits, y) * 1e-7
    loss.backward()  #-!
    optimizer.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(optimizer)  #+
    scaler.update()  #+
