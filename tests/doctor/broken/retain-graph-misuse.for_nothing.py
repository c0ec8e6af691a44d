import torch
import torch.nn.functional as F

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(20):
    x = torch.randn(16, 8)
    loss = F.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-!
    loss.backward()  #+
    opt.step()
