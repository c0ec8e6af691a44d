import torch
from torch import nn


def batches(n):
    for _ in range(n):
        x = torch.randn(8, 6)
        yield x, x.sum(1, keepdim=True)


def main(accumulate=3):
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for i, (x, y) in enumerate(batches(30), start=1):
        loss = nn.functional.l1_loss(model(x), y)
        loss /= accumulate  #+
        loss.backward()  #!
        if i % accumulate == 0:
            opt.step()  #!
            opt.zero_grad()


main()
