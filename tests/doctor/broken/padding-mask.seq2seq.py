import torch
from torch import nn

PAD = 0
torch.manual_seed(0)
emb = nn.Embedding(15, 8, padding_idx=PAD)
rnn = nn.GRU(8, 16, batch_first=True)
out = nn.Linear(16, 15)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *out.parameters()])
criterion = nn.CrossEntropyLoss()  #-
criterion = nn.CrossEntropyLoss(ignore_index=PAD)  #+
for _ in range(12):
    batch = torch.randint(1, 15, (6, 10))
    for row, n in enumerate(torch.randint(4, 11, (6,)).tolist()):
        batch[row, n:] = PAD
    logits = out(rnn(emb(batch[:, :-1]))[0])
    loss = criterion(logits.reshape(-1, 15), batch[:, 1:].reshape(-1))  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
