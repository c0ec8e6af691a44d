import torch
import torch.nn.functional as F

torch.manual_seed(0)
net = torch.nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
data, labels = torch.randn(48, 6), torch.randint(0, 3, (48,))
for i in range(10):
    scores = net(data)
    loss = F.nll_loss(scores, labels)  #-!
    loss = F.nll_loss(F.log_softmax(scores, dim=1), labels)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
