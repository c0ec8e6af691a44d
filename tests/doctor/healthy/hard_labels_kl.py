import torch
import torch.nn.functional as F

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(25):
    x = torch.randn(32, 6)
    y = F.one_hot(x[:, :4].argmax(1), 4).float() * 0.9 + 0.025
    log_p = F.log_softmax(net(x), dim=-1)
    loss = F.kl_div(log_p, y, reduction="batchmean")
    accuracy = (F.softmax(log_p, -1).argmax(1) == y.argmax(1)).float().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
