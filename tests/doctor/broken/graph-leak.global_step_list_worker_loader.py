import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ALL_OUTPUTS = []


class Rows(Dataset):
    def __len__(self):
        return 200

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        x = torch.randn(4, generator=g)
        return x, x.abs().sum().unsqueeze(0)


def train(model, optimizer, loader):
    for x, y in loader:
        out = model(x)
        loss = nn.functional.huber_loss(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ALL_OUTPUTS.extend(out.flatten())  #-!
        ALL_OUTPUTS.extend(out.detach().flatten())  #+


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(3):
        train(model, optimizer, DataLoader(Rows(), batch_size=10, shuffle=True, num_workers=1))


if __name__ == "__main__":
    main()
