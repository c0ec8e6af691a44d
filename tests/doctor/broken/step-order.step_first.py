import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 6), torch.nn.Sigmoid(), torch.nn.Linear(6, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(20):
    x = torch.randn(10, 3)
    loss = (model(x) - x.mean(1, keepdim=True)).abs().mean()
    opt.zero_grad()
    opt.step()  #-!
    loss.backward()
    opt.step()  #+
