import torch
from torch import nn

torch.manual_seed(0)
clf = nn.Sequential(nn.Flatten(), nn.Linear(36, 20), nn.ReLU(), nn.Linear(20, 10), nn.Softmax(dim=0))  #-!
clf = nn.Sequential(nn.Flatten(), nn.Linear(36, 20), nn.ReLU(), nn.Linear(20, 10), nn.Softmax(dim=1))  #+
opt = torch.optim.Adam(clf.parameters(), lr=1e-2)
for step in range(20):
    img = torch.randn(16, 1, 6, 6)
    lab = torch.randint(0, 10, (16,))
    onehot = nn.functional.one_hot(lab, 10).float()
    loss = nn.functional.mse_loss(clf(img), onehot)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
