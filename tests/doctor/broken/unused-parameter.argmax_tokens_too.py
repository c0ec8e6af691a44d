import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Linear(8, 20)
embed = nn.Embedding(20, 8)
scorer = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam([*generator.parameters(), *embed.parameters(), *scorer.parameters()], lr=1e-2)
for it in range(30):
    noise = torch.randn(32, 8)
    logits = generator(noise)
    vec = embed(logits.argmax(-1))  #-!
    vec = torch.softmax(logits, -1) @ embed.weight  #+
    loss = (scorer(vec) - noise[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
