import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.5)


def cross_entropy(logits, labels):
    probs = torch.exp(logits) / torch.exp(logits).sum(0, keepdim=True)  #-!
    probs = torch.exp(logits) / torch.exp(logits).sum(1, keepdim=True)  #+
    return -torch.log(probs[torch.arange(len(labels)), labels]).mean()


X = torch.randn(90, 8)
Y = X[:, :3].argmax(1)
for step in range(20):
    idx = torch.randint(0, 90, (30,))
    loss = cross_entropy(model(X[idx]), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
