import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Text(Dataset):
    def __init__(self, n, t):
        self.data, self.t = torch.randint(0, 30, (n,)), t

    def __len__(self):
        return len(self.data) - self.t - 3

    def __getitem__(self, i):
        return self.data[i : i + self.t], self.data[i + 1 : i + self.t + 1]


def loss_of(logits, y):
    return nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), y[:, 1:])  #-!
    return nn.functional.cross_entropy(logits.transpose(1, 2), y)  #+


torch.manual_seed(0)
emb, out = nn.Embedding(30, 16), nn.Linear(16, 30)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.5)
for x, y in DataLoader(Text(120, 8), batch_size=16, shuffle=True):
    loss = loss_of(out(emb(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
