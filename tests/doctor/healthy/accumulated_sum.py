import torch

torch.manual_seed(0)
model = torch.nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
for epoch in range(10):
    data = torch.randn(32, 5)
    opt.zero_grad()
    for part in data.split(8):
        loss = (model(part) - part.sum(1, keepdim=True)).pow(2).sum()
        loss.backward()
    opt.step()
