import torch

torch.manual_seed(0)


def U(q):
    return 0.5 * (q[0] ** 2 + (q[1] / 3) ** 2)


q = torch.tensor([1.0, 1.0])
chain = []
for _ in range(20):
    p = torch.randn(2)
    q_new = q.clone().requires_grad_()
    for _ in range(5):
        p = p - 0.1 * torch.autograd.grad(U(q_new), q_new)[0]
        q_new = (q_new + 0.2 * p).detach().requires_grad_()
        p = p - 0.1 * torch.autograd.grad(U(q_new), q_new)[0]
    q = q_new.detach()
    chain.append(q)
