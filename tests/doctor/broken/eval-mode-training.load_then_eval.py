import io
import torch
from torch import nn

torch.manual_seed(0)


def make():
    return nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))


buffer = io.BytesIO()
torch.save(make().state_dict(), buffer)
buffer.seek(0)
model = make()
model.load_state_dict(torch.load(buffer))
model.eval()  #-!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    x = torch.randn(32, 5)
    y = x.sum(dim=1, keepdim=True)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)  #!
    loss.backward()
    optimizer.step()
