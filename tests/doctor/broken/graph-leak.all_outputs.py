import torch
from torch import nn

torch.manual_seed(0)


def train(model, loader, optimizer, loss_fn):
    all_preds, all_labels = [], []
    for xb, yb in loader:
        pred = model(xb)
        loss = loss_fn(pred, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        all_preds.append(pred)  #-!
        all_preds.append(pred.detach())  #+
        all_labels.append(yb)
    return torch.cat(all_preds), torch.cat(all_labels)


x = torch.randn(160, 6)
y = x @ torch.randn(6, 1)
loader = [(x[i : i + 8], y[i : i + 8]) for i in range(0, 160, 8)]
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
train(net, loader, torch.optim.SGD(net.parameters(), lr=0.05), nn.MSELoss())
