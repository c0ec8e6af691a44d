import torch, torch.nn as nn
def validate(model, x, y):
    model.eval()  #!
    with torch.no_grad(): return nn.functional.cross_entropy(model(x), y).item()
def train(model, x, y, epochs=8):
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for e in range(epochs):
        model.train()  #+
        for k in range(0, 120, 20):
            loss = nn.functional.cross_entropy(model(x[k:k + 20]), y[k:k + 20])
            opt.zero_grad(); loss.backward(); opt.step()
        print(e, validate(model, x[120:], y[120:]))
torch.manual_seed(0)
X = torch.randn(160, 6); Y = (X[:, 0] > 0).long()
train(nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.4), nn.Linear(24, 2)), X, Y)
