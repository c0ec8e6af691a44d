import torch
from torch import nn

torch.manual_seed(0)


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(30, 8)
        self.item = nn.Embedding(40, 8)
        self.mlp = nn.Linear(16, 1)

    def forward(self, u, i):
        ue = self.user(u)
        ie = self.item(i)
        ie = torch.tensor(ie.tolist())  #-!
        return self.mlp(torch.cat([ue, ie], dim=-1)).squeeze(-1)


def main():
    model = TwoTower()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(12):
        u, i = torch.randint(0, 30, (32,)), torch.randint(0, 40, (32,))
        r = ((u + i) % 5).float()
        loss = nn.functional.mse_loss(model(u, i), r)
        opt.zero_grad()
        loss.backward()
        opt.step()


main()
