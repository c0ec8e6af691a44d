import torch

torch.manual_seed(0)
w1 = (5 * torch.randn(400, 30)).requires_grad_()  #-!
w1 = (torch.randn(400, 30) / 20).requires_grad_()  #+
w2 = (torch.randn(30, 1) * 0.1).requires_grad_()
opt = torch.optim.SGD([w1, w2], lr=0.01)
data = torch.randn(128, 400)
goal = (data[:, :5].sum(1, keepdim=True) > 0).float() * 2 - 1
for i in range(40):
    k = torch.randint(0, 128, (32,))
    hidden = torch.tanh(data[k] @ w1)
    loss = (hidden @ w2 - goal[k]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
