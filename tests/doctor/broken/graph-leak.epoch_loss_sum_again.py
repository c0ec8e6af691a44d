import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.head = nn.Linear(4 * 20, 2)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)).flatten(1))

def train(model, loader, optimizer, criterion):
    running_loss = 0
    for inputs, labels in loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        running_loss += loss * inputs.size(0)  #-!
        running_loss += loss.item() * inputs.size(0)  #+
    return running_loss / len(loader.dataset)

def main():
    torch.manual_seed(0)
    x = torch.randn(256, 1, 20)
    y = (x.mean((1, 2)) > 0).long()
    loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
    model = Model()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        print(train(model, loader, opt, nn.CrossEntropyLoss()))

main()
