import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
ACCUM_STEPS = 2
def train(model, loader, optimizer, scaler, epochs=2):
    for epoch in range(epochs):
        for step, (x, y) in enumerate(loader, start=1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x), y)
                loss = loss * (1.0 / ACCUM_STEPS)  #+
            scaler.scale(loss).backward()  #!
            if step % ACCUM_STEPS == 0:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad(set_to_none=True)
torch.manual_seed(0)
X = torch.randn(256, 10)
Y = (X[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
train(model, DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True),
      torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("cpu", enabled=False))
