import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
enc = nn.TransformerEncoder(layer, 2)
head = nn.Linear(16, 5)
params = list(enc.parameters()) + list(head.parameters())
opt = torch.optim.Adam(params, lr=1e-3)
for it in range(20):
    x = torch.randn(12, 6, 16)
    y = x[:, 0, :5].argmax(1)
    logits = head(enc(x)[:, 0])
    logp = logits  #-
    logp = F.log_softmax(logits, -1)  #+
    loss = F.nll_loss(logp, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
