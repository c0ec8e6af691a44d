import torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.eye(8) * 1.1 + 0.05 * torch.randn(8, 8))
u = torch.nn.Parameter(torch.randn(3, 8) * 0.3)
opt = torch.optim.SGD([w, u], lr=1e-3)
for step in range(25):
    x = torch.randn(16, 30, 3)
    h = torch.zeros(16, 8)
    for t in range(30):
        h = h @ w + x[:, t] @ u  #!
    loss = (h - x.sum((1, 2))[:, None]).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #!
    torch.nn.utils.clip_grad_norm_([w, u], 0.05)  #+
    opt.step()
