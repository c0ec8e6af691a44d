import torch

torch.manual_seed(0)
users = torch.nn.Embedding(20, 4, sparse=False)
items = torch.nn.Embedding(30, 4)
bias = torch.nn.Parameter(torch.zeros(1))
opt = torch.optim.Adagrad([*users.parameters(), *items.parameters(), bias], lr=0.1)
truth = torch.randn(20, 4) @ torch.randn(4, 30)
for _ in range(30):
    u, i = torch.randint(0, 20, (64,)), torch.randint(0, 30, (64,))
    pred = (users(u) * items(i)).sum(1) + bias
    loss = torch.nn.functional.mse_loss(pred, truth[u, i])
    opt.zero_grad()
    loss.backward()
    opt.step()
