import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(5, 10), torch.nn.Tanh(), torch.nn.Linear(10, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(10):
    big_x = torch.randn(32, 5)
    big_y = big_x.sum(1, keepdim=True)
    optimizer.zero_grad()
    chunks = list(zip(big_x.chunk(4), big_y.chunk(4)))
    for x, y in chunks:
        loss = F.mse_loss(model(x), y)  #-!
        loss = F.mse_loss(model(x), y) / len(chunks)  #+
        loss.backward()  #!
    optimizer.step()
