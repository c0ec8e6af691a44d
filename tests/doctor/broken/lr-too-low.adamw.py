import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 3))
opt = torch.optim.AdamW(m.parameters(), lr=1e-8)  #-!
opt = torch.optim.AdamW(m.parameters(), lr=1e-2)  #+
X = torch.randn(100, 10); Y = X[:, :3].argmax(1)
for i in range(50):
    loss = nn.functional.cross_entropy(m(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
