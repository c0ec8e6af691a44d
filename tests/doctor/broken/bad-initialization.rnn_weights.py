import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(4, 12, batch_first=True)  #!
for name, p in rnn.named_parameters():
    if "weight" in name:
        nn.init.normal_(p, std=10.0)  #-!
        nn.init.orthogonal_(p)  #+
fc = nn.Linear(12, 1)
opt = torch.optim.SGD([*rnn.parameters(), *fc.parameters()], lr=1e-3)
for _ in range(40):
    x = torch.randn(16, 8, 4)
    out, _ = rnn(x)  #!
    loss = nn.functional.mse_loss(fc(out[:, -1]), (4 * x[:, -1, :1]).sin())
    opt.zero_grad()
    loss.backward()
    opt.step()
