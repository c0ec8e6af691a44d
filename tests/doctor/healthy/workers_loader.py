import torch, torch.nn as nn
from torch.utils.data import DataLoader, Dataset
class D(Dataset):
    def __len__(self): return 96
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i); x = torch.randn(6, generator=g); return x, int(x[0] > 0)
def main():
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)); opt = torch.optim.Adam(m.parameters(), 1e-2)
    for e in range(3):
        for x, y in DataLoader(D(), 16, shuffle=True, num_workers=2):
            loss = nn.functional.cross_entropy(m(x), y)
            opt.zero_grad(); loss.backward(); opt.step()
if __name__ == "__main__":
    main()
