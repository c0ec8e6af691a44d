import torch
import torch.nn as nn
torch.manual_seed(0)
rnn = nn.GRU(4, 12, batch_first=True)
fc = nn.Linear(12, 1)
opt = torch.optim.Adam([*rnn.parameters(), *fc.parameters()], lr=1e-3)
all_preds, all_targets = [], []
for epoch in range(3):
    for b in range(12):
        x = torch.randn(8, 5, 4)
        y = x[:, -1, 0]
        out, _ = rnn(x)
        pred = fc(out[:, -1]).squeeze(-1)
        loss = ((pred - y) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        all_preds.append(pred)  #-!
        all_preds.append(pred.detach())  #+
        all_targets.append(y)
print(len(all_preds))
