import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
params = list(net.parameters())
x = torch.randn(64, 4)
y = x.prod(1, keepdim=True)
for it in range(8):
    loss = nn.functional.mse_loss(net(x), y)
    grads = torch.autograd.grad(loss, params, create_graph=True)
    flat = torch.cat([g.reshape(-1) for g in grads])
    v = flat.detach().clone()
    r, p, step = v.clone(), v.clone(), torch.zeros_like(v)
    for _ in range(5):
        hv = torch.cat([h.reshape(-1) for h in torch.autograd.grad(flat @ p, params, retain_graph=True)]) + 0.1 * p
        alpha = (r @ r) / (p @ hv).abs().clamp_min(1e-8)
        step += alpha * p
        new = r - alpha * hv
        p = new + (new @ new) / (r @ r).clamp_min(1e-12) * p
        r = new
    with torch.no_grad():
        k = 0
        for w in params:
            w -= 0.5 * step[k : k + w.numel()].view_as(w)
            k += w.numel()
