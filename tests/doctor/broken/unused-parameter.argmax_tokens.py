import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Linear(6, 20)
emb = nn.Embedding(20, 8)
critic = nn.Linear(8, 1)
opt = torch.optim.Adam([*gen.parameters(), *emb.parameters(), *critic.parameters()], lr=1e-3)  #!
for _ in range(20):
    noise = torch.randn(16, 6)
    logits = gen(noise)
    tokens = logits.argmax(-1)  #-!
    score = critic(emb(tokens))  #-
    soft = torch.nn.functional.gumbel_softmax(logits, hard=True)  #+
    score = critic(soft @ emb.weight)  #+
    loss = -score.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
