import torch
import torch.nn.functional as F

torch.manual_seed(0)
w = torch.nn.Linear(8, 5)
opt = torch.optim.SGD(w.parameters(), lr=0.5)


def predict(x):
    scores = w(x)
    scores = F.softmax(scores, dim=1)  #-
    return scores


for step in range(20):
    x = torch.randn(40, 8)
    loss = F.nll_loss(F.log_softmax(predict(x), dim=1), x[:, :5].argmax(1))  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
