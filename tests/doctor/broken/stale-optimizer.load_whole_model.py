import io
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #!
buffer = io.BytesIO()
torch.save(model, buffer)
buffer.seek(0)
model = torch.load(buffer, weights_only=False)  #!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for _ in range(30):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
