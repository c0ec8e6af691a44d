import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
inputs = torch.randn(256, 20)
targets = inputs[:, :5].argmax(1)
for epoch in range(30):
    for k in range(0, 256, 64):
        optimizer.zero_grad()
        loss = criterion(model(inputs[k:k + 64]), targets[k:k + 64])
        loss.backward(retain_graph=True)  #-!
        loss.backward()  #+
        optimizer.step()
