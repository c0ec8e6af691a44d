import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(0)
        self.x = torch.randn(n, 3, generator=g)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.x[i].sum(0, keepdim=True)


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    loader = DataLoader(Points(64), batch_size=8, shuffle=True, num_workers=2)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()  #+
            ((model(x) - y) ** 2).mean().backward()  #!
            optimizer.step()  #!
        scheduler.step()


if __name__ == "__main__":
    main()
