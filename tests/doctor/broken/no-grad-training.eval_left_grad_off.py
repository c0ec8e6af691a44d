import torch
import torch.nn as nn

torch.manual_seed(0)


def validate(model, x, y):
    model.eval()
    torch.set_grad_enabled(False)  #!
    acc = (model(x).argmax(1) == y).float().mean().item()
    torch.set_grad_enabled(True)  #+
    return acc


def fit(model, x, y, epochs):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        model.train()
        for xb, yb in zip(x.split(20), y.split(20)):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()  #!
            opt.step()
        print(epoch, validate(model, x, y))


x = torch.randn(100, 6)
fit(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)), x, x[:, :3].argmax(1), 4)
