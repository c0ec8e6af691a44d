import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = (x @ torch.tensor([1.0, -2.0, 0.5, 0.0])).unsqueeze(1)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = nn.MSELoss()

for epoch in range(25):
    optimizer.zero_grad()  #+
    prediction = model(x)
    loss = criterion(prediction, y)
    loss.backward()  #!
    optimizer.step()
    if epoch % 10 == 0:
        print(epoch, loss.item())
