import torch
import torch.nn as nn
torch.manual_seed(0)
feature = nn.Sequential(nn.Linear(5, 16), nn.ReLU())
head = nn.Linear(16, 1)
optimizer = torch.optim.Adam(list(feature.parameters()) + list(head.parameters()), lr=5e-3)

def normalise(f):
    arr = f.detach().cpu().numpy()  #-!
    arr = (arr - arr.mean(0)) / (arr.std(0) + 1e-5)  #-
    return torch.from_numpy(arr)  #-
    return (f - f.mean(0)) / (f.std(0) + 1e-5)  #+

for epoch in range(30):
    x = torch.randn(64, 5)
    target = x[:, :1] * 2 - x[:, 1:2]
    out = head(normalise(feature(x)))
    loss = nn.MSELoss()(out, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
