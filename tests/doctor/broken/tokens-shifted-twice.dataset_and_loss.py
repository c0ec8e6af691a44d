#= lmdata.py
import torch
from torch.utils.data import Dataset


class LMDataset(Dataset):
    def __init__(self, tokens, block):
        self.tokens, self.block = tokens, block

    def __len__(self):
        return len(self.tokens) - self.block - 1

    def __getitem__(self, i):
        chunk = self.tokens[i : i + self.block + 1]
        return chunk[:-1], chunk[1:]
#= main
import torch
from torch import nn
from torch.utils.data import DataLoader
from lmdata import LMDataset


def lm_loss(logits, labels):
    logits, labels = logits[:, :-1, :], labels[:, 1:]  #-!
    return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())  #!


torch.manual_seed(0)
tokens = torch.cumsum(torch.randint(1, 4, (600,)), 0) % 17
net = nn.Sequential(nn.Embedding(17, 24), nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 17))
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
for x, y in DataLoader(LMDataset(tokens, 12), batch_size=16, shuffle=True):
    loss = lm_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
