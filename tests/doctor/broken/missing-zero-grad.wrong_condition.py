import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(30, 8), nn.Flatten(), nn.Linear(40, 5))
opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
log_every = 50
for step in range(120):
    x = torch.randint(0, 30, (16, 5))
    y = x[:, 0] % 5
    if step % log_every == 0:  #-
        opt.zero_grad()  #-
    opt.zero_grad()  #+
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()  #!
    opt.step()  #!
