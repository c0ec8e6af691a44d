import torch


class RMSELoss(torch.nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, yhat, y):
        diff = yhat - y  #!
        return torch.sqrt((diff**2).mean() + self.eps)


torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
loss_fn = RMSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(30, 3)
    y = x.sum(1)
    out = model(x)
    out = out.squeeze(-1)  #+
    loss = loss_fn(out, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
