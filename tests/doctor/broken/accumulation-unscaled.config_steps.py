import torch
from torch import nn

CONFIG = dict(accumulate=4, lr=1e-3, batches=32)


def main(cfg):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    criterion = nn.CrossEntropyLoss()
    opt.zero_grad()
    for i in range(cfg["batches"]):
        x, y = torch.randn(8, 8), torch.randint(0, 4, (8,))
        loss = criterion(model(x), y)
        loss = loss / cfg["accumulate"]  #+
        loss.backward()  #!
        if (i + 1) % cfg["accumulate"] == 0:
            opt.step()
            opt.zero_grad()


main(CONFIG)
