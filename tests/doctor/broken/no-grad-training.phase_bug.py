import copy
import torch
import torch.nn as nn
torch.manual_seed(0)
data = {"train": torch.randn(96, 8), "val": torch.randn(32, 8)}
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
best = copy.deepcopy(model.state_dict())
for epoch in range(5):
    for phase in ["train", "val"]:
        model.train() if phase == "train" else model.eval()
        for xb in data[phase].split(16):
            yb = (xb[:, 0] > 0).long()
            optimizer.zero_grad()
            with torch.set_grad_enabled(phase == "val"):  #-!
            with torch.set_grad_enabled(phase == "train"):  #+
                loss = criterion(model(xb), yb)
                if phase == "train":
                    loss.backward()  #-!
                    loss.backward()  #+
                    optimizer.step()
