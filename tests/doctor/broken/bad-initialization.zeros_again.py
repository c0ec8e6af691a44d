import torch
import torch.nn as nn
def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.zeros_(m.weight)  #-!
        nn.init.xavier_uniform_(m.weight)  #+
        nn.init.zeros_(m.bias)  #-!
        nn.init.zeros_(m.bias)  #+
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 2))
model.apply(init_weights)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.randn(100, 10)
y = (X[:, 0] > 0).long()
for e in range(30):
    loss = nn.functional.cross_entropy(model(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
