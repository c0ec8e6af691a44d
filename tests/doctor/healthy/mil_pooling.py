import torch
from torch import nn

torch.manual_seed(0)
enc, att, out = nn.Linear(5, 16), nn.Linear(16, 1), nn.Linear(16, 1)
ps = [*enc.parameters(), *att.parameters(), *out.parameters()]
opt = torch.optim.Adam(ps, 5e-3)
for step in range(60):
    bag = torch.randn(12, 5)
    label = (bag[:, 0].max() > 1.5).float().reshape(1, 1)
    h = torch.relu(enc(bag))
    w = torch.softmax(att(h), dim=0)
    loss = nn.functional.binary_cross_entropy_with_logits(out((w * h).sum(0, keepdim=True)), label)
    opt.zero_grad(); loss.backward(); opt.step()
