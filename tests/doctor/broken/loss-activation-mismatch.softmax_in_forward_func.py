import torch
import torch.nn as nn
import torch.nn.functional as F
def forward(params, x):
    h = F.relu(F.linear(x, params[0], params[1]))
    return F.softmax(F.linear(h, params[2], params[3]), dim=-1)  #-!
    return F.linear(h, params[2], params[3])  #+
torch.manual_seed(0)
params = [torch.randn(16, 8) * 0.3, torch.zeros(16), torch.randn(4, 16) * 0.3, torch.zeros(4)]
for p in params: p.requires_grad_()
opt = torch.optim.Adam(params, lr=1e-2)
for i in range(20):
    x = torch.randn(64, 8)
    y = x[:, :4].argmax(1)
    loss = F.cross_entropy(forward(params, x), y, weight=torch.ones(4))  #-!
    loss = F.cross_entropy(forward(params, x), y, weight=torch.ones(4))  #+
    opt.zero_grad(); loss.backward(); opt.step()
