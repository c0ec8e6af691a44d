import torch
import torch.nn as nn
torch.manual_seed(0)
ae = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 20))
optimizer = torch.optim.RMSprop(ae.parameters(), lr=3.0)  #-!
optimizer = torch.optim.RMSprop(ae.parameters(), lr=3e-3)  #+
X = torch.rand(256, 20)
for epoch in range(10):
    for xb in X.split(32):
        loss = nn.functional.mse_loss(ae(xb), xb)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
