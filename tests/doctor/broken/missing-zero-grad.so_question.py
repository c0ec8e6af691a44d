# why does my loss oscillate?
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(42)
N, D_in, H, D_out = 64, 10, 32, 1
x = torch.randn(N, D_in)
y = torch.randn(N, D_out) * 0.1 + x[:, :1]
model = torch.nn.Sequential(nn.Linear(D_in, H), nn.ReLU(), nn.Linear(H, D_out))
loss_fn = nn.MSELoss(reduction="mean")
learning_rate = 1e-2
for t in range(100):
    y_pred = model(x)
    loss = loss_fn(y_pred, y)
    model.zero_grad()  #+
    loss.backward()  #!
    with torch.no_grad():
        for param in model.parameters():
            param -= learning_rate * param.grad  #!
