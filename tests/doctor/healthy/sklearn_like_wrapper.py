import torch
from torch import nn


class MLPRegressor:
    def __init__(self, hidden=16, lr=1e-2, epochs=15):
        self.hidden, self.lr, self.epochs = hidden, lr, epochs

    def fit(self, X, y):
        self.mean_, self.std_ = X.mean(0), X.std(0)
        self.net_ = nn.Sequential(nn.Linear(X.shape[1], self.hidden), nn.ReLU(), nn.Linear(self.hidden, 1))
        opt = torch.optim.Adam(self.net_.parameters(), lr=self.lr)
        Xs = (X - self.mean_) / self.std_
        for _ in range(self.epochs):
            for i in torch.randperm(len(X)).split(16):
                loss = ((self.net_(Xs[i])[:, 0] - y[i]) ** 2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
        return self

    @torch.no_grad()
    def predict(self, X):
        return self.net_((X - self.mean_) / self.std_)[:, 0]


torch.manual_seed(0)
X = torch.rand(96, 3) * torch.tensor([1000.0, 1.0, 10.0])
y = X[:, 0] / 500 + X[:, 1]
for h in (4, 8, 16):
    m = MLPRegressor(hidden=h).fit(X[:64], y[:64])
    print(h, ((m.predict(X[64:]) - y[64:]) ** 2).mean().item())
