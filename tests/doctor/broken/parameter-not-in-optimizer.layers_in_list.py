import torch
import torch.nn as nn


class DeepMLP(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(4, width)
        self.blocks = [nn.Linear(width, width) for _ in range(depth)]  #-!
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))  #+
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        for block in self.blocks:
            x = torch.relu(block(x))
        return self.out(x)


def main():
    torch.manual_seed(0)
    model = DeepMLP(16, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #!
    for step in range(15):
        x = torch.randn(20, 4)
        loss = nn.functional.mse_loss(model(x), x.norm(dim=1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
