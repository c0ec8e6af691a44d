import torch
import torch.nn as nn
torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
head_a, head_b = nn.Linear(32, 1), nn.Linear(32, 4)
params = list(backbone.parameters()) + list(head_a.parameters()) + list(head_b.parameters())
opt = torch.optim.Adam(params, lr=1e-3)
for i in range(25):
    x = torch.randn(64, 8)
    feats = backbone(x)
    la = nn.functional.mse_loss(head_a(feats).squeeze(1), x[:, 0])
    lb = nn.functional.cross_entropy(head_b(feats), x[:, :4].argmax(1))
    opt.zero_grad()
    la.backward(retain_graph=True)  #+
    la.backward()  #-!
    lb.backward()  #!
    opt.step()
