import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(10, 20),
    nn.ReLU(),
    nn.Linear(20, 3),
    nn.Softmax(dim=1),  #-!
    nn.LogSoftmax(dim=1),  #+
)
loss_fn = nn.NLLLoss()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for i in range(20):
    x = torch.randn(30, 10)
    y = x[:, :3].argmax(1)
    loss = loss_fn(model(x), y)  #-!
    loss = loss_fn(model(x), y)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
