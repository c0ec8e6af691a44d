import torch

torch.manual_seed(0)
model = torch.nn.Linear(10, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(12):
    x = torch.randn(32, 10)
    y = x[:, :3].argmax(1)
    logits = model(x)
    loss = 1 - (logits.argmax(dim=1) == y).float().mean()  #-!
    loss = torch.nn.functional.cross_entropy(logits, y)  #+
    loss.requires_grad_(True)  #-!
    optimizer.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    optimizer.step()
