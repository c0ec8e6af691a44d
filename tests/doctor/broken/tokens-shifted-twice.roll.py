import torch
from torch import nn

torch.manual_seed(0)
V = 12
emb, lstm, head = nn.Embedding(V, 12), nn.LSTM(12, 24, batch_first=True), nn.Linear(24, V)
params = [*emb.parameters(), *lstm.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=5e-3)
stream = torch.cumsum(torch.randint(1, 3, (3000,)), 0) % V
for i in range(0, 1600, 32):
    window = stream[i : i + 33]
    inputs, targets = window[:-1].unsqueeze(0), window[1:].unsqueeze(0)
    logits = head(lstm(emb(inputs))[0])
    loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten())  #-!
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
