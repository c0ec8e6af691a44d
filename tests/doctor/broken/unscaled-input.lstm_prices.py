import torch
from torch import nn

torch.manual_seed(0)
walk = 40000 + torch.randn(400).cumsum(0) * 200
walk = (walk - walk.mean()) / walk.std()  #+
xs = torch.stack([walk[i:i + 10] for i in range(380)]).unsqueeze(-1)  #!
ys = (walk[10:390] > walk[9:389]).float().unsqueeze(1)
rnn, head = nn.LSTM(1, 16, batch_first=True), nn.Linear(16, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.05)
for e in range(30):
    out = head(rnn(xs)[0][:, -1])  #!
    loss = nn.functional.binary_cross_entropy_with_logits(out, ys)
    opt.zero_grad()
    loss.backward()
    opt.step()
