import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(rows):
    n = max(len(r) for r in rows)
    out = torch.zeros(len(rows), n, dtype=torch.long)
    for i, r in enumerate(rows):
        out[i, : len(r)] = r
    return out


torch.manual_seed(0)
rows = [(torch.arange(int(n)) + int(s)) % 20 + 1 for n, s in zip(torch.randint(3, 16, (160,)), torch.randint(0, 20, (160,)))]
net = nn.Sequential(nn.Embedding(21, 16), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 21))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(2):
    for batch in DataLoader(rows, batch_size=16, shuffle=True, collate_fn=collate):
        logits = net(batch[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())  #-!
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), ignore_index=0)  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
