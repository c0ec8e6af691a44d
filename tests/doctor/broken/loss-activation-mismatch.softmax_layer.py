import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(8, 16),
            nn.ReLU(),
            nn.Linear(16, 3),
            nn.Softmax(dim=1),  #-!
        )

    def forward(self, x):
        return self.layers(x)  #!


def train():
    torch.manual_seed(0)
    model, criterion = MLP(), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(20):
        x = torch.randn(32, 8)
        y = x[:, :3].argmax(1)
        optimizer.zero_grad()
        loss = criterion(model(x), y)  #!
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    train()
