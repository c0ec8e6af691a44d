import torch
torch.manual_seed(0)
K, V, T = 3, 5, 12
trans = torch.randn(K, K, requires_grad=True)
emit = torch.randn(K, V, requires_grad=True)
start = torch.zeros(K, requires_grad=True)
obs = (torch.arange(30).view(-1, 1) + torch.arange(T)) % V
opt = torch.optim.Adam([trans, emit, start], lr=0.05)
for _ in range(40):
    A, B, pi = trans.log_softmax(1), emit.log_softmax(1), start.log_softmax(0)
    alpha = pi + B[:, obs[:, 0]].T
    for t in range(1, T):
        alpha = torch.logsumexp(alpha.unsqueeze(2) + A, 1) + B[:, obs[:, t]].T
    loss = -torch.logsumexp(alpha, 1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
