import torch

torch.manual_seed(0)


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.scale = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.linear(x) * self.scale


model = Scaled()
optimizer = torch.optim.SGD([model.linear.weight, model.linear.bias], lr=0.1)  #-!
optimizer = torch.optim.SGD([model.linear.weight, model.linear.bias, model.scale], lr=0.1)  #+
for step in range(10):
    x = torch.randn(16, 3)
    loss = (model(x) - 2 * x).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
